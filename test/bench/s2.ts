/**
 * S2: push in batches of 500 over two connections, beside a bare pg loop that writes the same rows (hashes, lexemes and all, made
 * beforehand) into the same tables; beside one that makes such rows of the same bodies first, by the service's own functions, but
 * neither speaks HTTP nor checks anything; and beside a plain INSERT of the notes into one table. The target is set for
 * the first; what the rows cost to make keeps even the second loop from reaching it.
 */
import { randomUUIDv7 } from 'node:crypto';
import { Agent, request } from 'node:http';
import pg from 'pg';
import { canonicalJson, entryHash, sha256Hex } from '../../src/domain/record/canonical-json.ts';
import { newTrace } from '../../src/domain/record/trace.ts';
import { canonicalEntry } from '../../src/ledger/ledger-writer.ts';
import { TRACE_COLUMNS } from '../../src/ledger/trace-rows.ts';
import { aPerson, type Person } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { servers } from '../faults/server.ts';
import { type Bench, type Measured } from './bench.ts';
import { notesFrom } from './notes.ts';

const BATCH = 500;
const CONNECTIONS = 2;
const LEAST_SHARE = 0.7;

/** One connection's batches, one after the other. */
type Worker = (batch: number) => Promise<unknown>;

/** Rows a second over all workers. */
const rate = async (workers: Worker[], batches: number): Promise<number> => {
  const began = performance.now();
  await Promise.all(
    workers.map(async (worker) => {
      for (let batch = 0; batch < batches; batch++) await worker(batch);
    }),
  );
  return (workers.length * batches * BATCH) / ((performance.now() - began) / 1000);
};

const pushWorker = (url: string, key: string, bodies: Buffer[]): Worker => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return (batch) =>
    new Promise<void>((resolve, reject) => {
      const body = bodies[batch] as Buffer;
      const headers = {
        Authorization: `Bearer ${key}`,
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      };
      const sent = request(`${url}/memory/push`, { method: 'POST', agent, headers }, (answer) => {
        answer.resume();
        answer.on('end', () =>
          answer.statusCode === 201 ? resolve() : reject(new Error(`push answered ${answer.statusCode}`)),
        );
      });
      sent.on('error', reject);
      sent.end(body);
    });
};

const TRACES = 'uid seq version type task_id tempo_tag tags origin timestamp rating event_uid search'.split(' ');
const TRACE_TYPES = 'text bigint int text text text text text timestamptz real text text'.split(' ');
const LEDGER = 'seq kind subject subject_uid version actor recorded_at payload payload_hash hash'.split(' ');
const LEDGER_TYPES = 'bigint text text text int text timestamptz jsonb bytea bytea'.split(' ');

type Row = Record<string, unknown>;

/** Insert from one array for each column; those the driver can't send as arrays go as text. */
const insert = (table: string, columns: string[], types: string[]): string => {
  const arrays = types.map((type, i) => `$${i + 2}::${type}[]`).join();
  const cast: Record<string, string> = { tags: '::text[]', search: '::tsvector' };
  const names = columns.map((c) => `"${c}"`);
  return `insert into ${table} (user_id, ${names.join()}) select $1, ${names.map((n, i) => `r.${n}${cast[columns[i] as string] ?? ''}`).join()} from unnest(${arrays}) as r(${names.join()})`;
};

/** What a bare loop needs of the rows a push has made: columns of each batch, in arrays. */
const columnsOf = (rows: Row[], columns: string[]): unknown[][][] =>
  Array.from({ length: rows.length / BATCH }, (_, batch) =>
    columns.map((c) => rows.slice(batch * BATCH, (batch + 1) * BATCH).map((row) => row[c])),
  );

/** Columns by batch: of the ledger, of traces, and the notes for the plain table. */
type Made = { ledger: unknown[][][]; traces: unknown[][][]; plain: unknown[][][] };

/** The rows of a person after `seq`, in the order they were written. */
const made = async (client: pg.Client, user_id: string, seq: number): Promise<Made> => {
  const text = (columns: string[]) => columns.map((c) => (c.endsWith('hash') ? c : `"${c}"::text`)).join();
  const from = 'where user_id = $1 and seq > $2 order by seq';
  const read = async (columns: string[], table: string) =>
    (await client.query<Row>(`select ${text(columns)} from ${table} ${from}`, [user_id, seq])).rows;
  const [ledger, traces] = [await read(LEDGER, 'ledger'), await read(TRACES, 'traces')];
  return {
    ledger: columnsOf(ledger, LEDGER),
    traces: columnsOf(traces, TRACES),
    plain: columnsOf(
      ledger.map(({ subject_uid, recorded_at, payload }) => ({ subject_uid, recorded_at, payload })),
      ['subject_uid', 'recorded_at', 'payload'],
    ),
  };
};

type Head = { seq: string; hash: Buffer; recorded_at: Date };
type Note = ReturnType<typeof notesFrom>[number];

/** What a bare loop does that has nothing but the body of a push: its rows, after those there are. */
const makeRows = (user_id: string, head: Head, body: Buffer): { entries: Row[]; traces: Row[] } => {
  let seq = Number(head.seq);
  let hash = head.hash.toString('hex');
  let at = Math.max(Date.now(), head.recorded_at.getTime() + 1);
  const entries: Row[] = [];
  const traces: Row[] = [];
  for (const note of (JSON.parse(body.toString()) as { traces: Note[] }).traces) {
    const recorded_at = new Date(at++).toISOString();
    const uid = randomUUIDv7();
    seq += 1;
    const stamps = { version: 1, recorded_at, updated_at: recorded_at, seq };
    const doc = { ...newTrace({ ...note, uid, user_id, origin: 'user' }), ...stamps };
    const payload = canonicalJson(doc);
    const payload_hash = sha256Hex(payload);
    const entry = { kind: 'trace.created', subject: 'trace', version: 1, actor: `user:${user_id}`, recorded_at, seq };
    const subject_digest = sha256Hex(uid);
    hash = entryHash(hash, canonicalEntry({ ...entry, user_id, subject_digest, payload_hash }));
    const [payloadBytes, hashBytes] = [payload_hash, hash].map((hex) => Buffer.from(hex, 'hex'));
    entries.push({ ...entry, subject_uid: uid, payload, payload_hash: payloadBytes, hash: hashBytes });
    traces.push({
      ...TRACE_COLUMNS.row({ ...doc, zone: 'UTC' }),
      tags: `{${doc.tags.map((tag) => JSON.stringify(tag)).join()}}`,
    });
  }
  return { entries, traces };
};

const HEAD = 'update ledger_heads set seq = $2, hash = $3, recorded_at = $4 where user_id = $1';
const LOCK = 'select seq, hash, recorded_at from ledger_heads where user_id = $1 for update';

const inTransaction = async (
  client: pg.Client,
  user_id: string,
  rowsAfter: (head: Head) => { entries: unknown[][]; traces: unknown[][] },
): Promise<void> => {
  await client.query('begin');
  const { rows } = await client.query<Head>({ name: 'lock', text: LOCK, values: [user_id] });
  const { entries, traces } = rowsAfter(rows[0] as Head);
  const last = (column: string) => entries[LEDGER.indexOf(column)]?.at(-1);
  await client.query({ name: 'ledger', text: insert('ledger', LEDGER, LEDGER_TYPES), values: [user_id, ...entries] });
  await client.query({ name: 'traces', text: insert('traces', TRACES, TRACE_TYPES), values: [user_id, ...traces] });
  await client.query({ name: 'head', text: HEAD, values: [user_id, last('seq'), last('hash'), last('recorded_at')] });
  await client.query('commit');
};

const bareWorker =
  (client: pg.Client, user_id: string, { ledger, traces }: Made): Worker =>
  (batch) =>
    inTransaction(client, user_id, () => ({
      entries: ledger[batch] as unknown[][],
      traces: traces[batch] as unknown[][],
    }));

const makingWorker =
  (client: pg.Client, user_id: string, bodies: Buffer[]): Worker =>
  (batch) =>
    inTransaction(client, user_id, (head) => {
      const { entries, traces } = makeRows(user_id, head, bodies[batch] as Buffer);
      const [ledgerColumns, traceColumns] = [columnsOf(entries, LEDGER), columnsOf(traces, TRACES)];
      return { entries: ledgerColumns[0] as unknown[][], traces: traceColumns[0] as unknown[][] };
    });

const PLAIN = `create table plain (user_id text, subject_uid text, recorded_at timestamptz, payload jsonb, primary key (user_id, subject_uid))`;

const plainWorker =
  (client: pg.Client, user_id: string, { plain }: Made): Worker =>
  (batch) =>
    client.query({
      name: 'plain',
      text: insert('plain', ['subject_uid', 'recorded_at', 'payload'], ['text', 'timestamptz', 'jsonb']),
      values: [user_id, ...(plain[batch] as unknown[][])],
    });

type Round = { pushed: number; bare: number; making: number; plain: number };

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [batches, rounds] = quick ? [6, 2] : [20, 7];
  const [server] = await servers(1, place.env);
  const url = server?.url as string;
  const people: Person[] = [];
  for (let i = 0; i < 3 * CONNECTIONS; i++) people.push(await aPerson(url));
  const clients = await Promise.all(
    people.slice(0, CONNECTIONS).map(async () => {
      const client = new pg.Client({ connectionString: place.env['DATABASE_URL'] });
      await client.connect();
      return client;
    }),
  );
  const [first] = clients as [pg.Client];
  await first.query(PLAIN);
  const pushers = people.slice(0, CONNECTIONS);
  const bare = people.slice(CONNECTIONS, 2 * CONNECTIONS);
  const making = people.slice(2 * CONNECTIONS);
  const headOf = async (user_id: string): Promise<number> =>
    Number((await first.query('select seq from ledger_heads where user_id = $1', [user_id])).rows[0].seq);

  const round = async (n: number): Promise<Round> => {
    const bodies = pushers.map((_, worker) =>
      Array.from({ length: batches }, (__, batch) => {
        const at = ((n * CONNECTIONS + worker) * batches + batch) * BATCH;
        return Buffer.from(JSON.stringify({ traces: notesFrom(at, BATCH) }));
      }),
    );
    const before = await Promise.all(pushers.map(({ user_id }) => headOf(user_id)));
    const pushed = await rate(
      pushers.map(({ key }, worker) => pushWorker(url, key, bodies[worker] as Buffer[])),
      batches,
    );
    const rows = await Promise.all(
      pushers.map(({ user_id }, worker) => made(first, user_id, before[worker] as number)),
    );
    const workers = (make: typeof bareWorker) =>
      clients.map((client, worker) => make(client, (bare[worker] as Person).user_id, rows[worker] as Made));
    const makers = clients.map((client, worker) =>
      makingWorker(client, (making[worker] as Person).user_id, bodies[worker] as Buffer[]),
    );
    return {
      pushed,
      bare: await rate(workers(bareWorker), batches),
      making: await rate(makers, batches),
      plain: await rate(workers(plainWorker), batches),
    };
  };

  try {
    await round(-1); // warm
    const done: Round[] = [];
    for (let i = 0; i < rounds; i++) {
      say(`round ${i + 1} of ${rounds}`);
      done.push(await round(i));
    }
    const figure = (what: string, of: (round: Round) => number) => ({ what, target: null, rounds: done.map(of) });
    return {
      figures: [
        {
          ...figure('push, share of the bare loop', (r) => r.pushed / r.bare),
          unit: 'x',
          target: LEAST_SHARE,
          least: true,
        },
        { ...figure('push, share of a bare loop that makes the rows too', (r) => r.pushed / r.making), unit: 'x' },
        { ...figure('bare loop that makes the rows too, share of the bare loop', (r) => r.making / r.bare), unit: 'x' },
        { ...figure('push, share of one plain INSERT', (r) => r.pushed / r.plain), unit: 'x' },
        { ...figure('push, traces', (r) => r.pushed), unit: '/s' },
        { ...figure('bare loop, traces', (r) => r.bare), unit: '/s' },
        { ...figure('bare loop that makes the rows too, traces', (r) => r.making), unit: '/s' },
        { ...figure('one plain table, rows', (r) => r.plain), unit: '/s' },
      ],
      facts: [
        `${batches * CONNECTIONS} batches of ${BATCH} a round over ${CONNECTIONS} connections, each of a person of its own;`,
        'the bare loop writes the very rows of the round, for other people, into the same tables.',
      ],
    };
  } finally {
    await Promise.all(clients.map((client) => client.end()));
    await server?.stop();
  }
};

export const S2: Bench = {
  id: 'S2',
  title: `push in batches of ${BATCH} over ${CONNECTIONS} connections, against bare pg`,
  places: ['postgres'],
  embedded: false,
  run,
};
