/**
 * The bare equivalent of S1: node:http and pg, running the statements that the service runs, on the same tables. What the
 * ledger computes for an entry (seq, chained hash) it computes too; it neither checks nor knows anything.
 */
import { hash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import pg from 'pg';
import { PARSERS } from '../../src/db/driver-values.ts';
import type { Statement } from './record.ts';

/** `user_id` is whose statements were recorded; `users` by bearer token; buffers travel as JSON. */
export type Recorded = { statements: Statement[]; user_id: string; uid: string | null };
export type Setup = { database: string; pool: number; users: [string, string][]; recorded: Record<string, Recorded> };

type Row = Record<string, unknown>;

const HASH = /"hash":"([0-9a-f]{64})"/;

/** The values of a write as they are now: its seq, time, hash, version and uid in the place of those recorded. */
const refresh = (recorded: Recorded, head: Row, user_id: string, version: number | undefined) => {
  const json = recorded.statements
    .flatMap((s) => s.values)
    .find((v) => typeof v === 'string' && HASH.test(v)) as string;
  const was = JSON.parse(json)[0] as Row;
  const seq = Number(head['seq']) + 1;
  const uid = recorded.uid ?? randomUUID();
  const now = `${new Date().toISOString().slice(0, -1)}000Z`;
  const chained = hash('sha256', `${String(head['hash'])}${user_id}${seq}${json}`, 'hex');
  return (value: unknown): unknown => {
    if (value instanceof Buffer) return Buffer.from(chained, 'hex');
    if (value === was['seq']) return seq;
    if (value === was['recorded_at']) return now;
    if (typeof value !== 'string') return value;
    if (!/^\[?\{/.test(value)) return value.replace(recorded.user_id, user_id);
    return value
      .replaceAll(recorded.user_id, user_id)
      .replaceAll(`"seq":${String(was['seq'])}`, `"seq":${seq}`)
      .replaceAll(String(was['recorded_at']), now)
      .replaceAll(String(was['subject_uid']), uid)
      .replaceAll(`"version":${String(was['version'])}`, `"version":${version ?? 1}`)
      .replace(HASH, `"hash":"${chained}"`);
  };
};

const start = async ({ database, pool: max, users, recorded }: Setup): Promise<number> => {
  const pool = new pg.Pool({
    connectionString: database,
    max,
    options: '-c timezone=UTC -c datestyle=ISO -c bytea_output=hex -c jit=off',
    types: {
      getTypeParser: (oid: number, format?: unknown) => PARSERS[oid] ?? pg.types.getTypeParser(oid, format as 'text'),
    },
  });
  const names = new Map<string, string>();
  const named = ({ text, values }: Statement) => {
    if (!values.length) return { text };
    if (!names.has(text)) names.set(text, `b${names.size}`);
    return { name: names.get(text) as string, text, values };
  };
  const who = new Map(users);

  const read = async (one: Recorded, user_id: string): Promise<Row[]> => {
    let rows: Row[] = [];
    for (const { text, values } of one.statements)
      rows = (await pool.query(named({ text, values: values.map((v) => (v === one.user_id ? user_id : v)) }))).rows;
    return rows;
  };

  const write = async (one: Recorded, user_id: string): Promise<Row[]> => {
    const client = await pool.connect();
    try {
      let fresh = (value: unknown): unknown => (value === one.user_id ? user_id : value);
      let head: Row | undefined;
      let version: number | undefined;
      for (const { text, values } of one.statements) {
        const { rows } = await client.query<Row>(named({ text, values: values.map((v) => fresh(v)) }));
        if (rows[0]?.['hash']) head = rows[0];
        const payload = rows[0]?.['payload'] as Row | undefined;
        if (payload?.['version']) version = Number(payload['version']) + 1;
        if (head && (rows[0]?.['hash'] || payload)) fresh = refresh(one, head, user_id, version);
      }
      return [{ ok: true }];
    } finally {
      client.release();
    }
  };

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const name = `${req.method} ${(req.url ?? '').split('?')[0]}`;
      const one = recorded[name];
      const user_id = who.get((req.headers.authorization ?? '').slice('Bearer '.length));
      if (!one || !user_id) return void res.writeHead(404).end();
      if (chunks.length) JSON.parse(Buffer.concat(chunks).toString());
      const work = one.statements.some((s) => s.text === 'begin') ? write : read;
      return void work(one, user_id).then(
        (rows) => {
          const text = JSON.stringify(rows);
          res
            .writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) })
            .end(text);
        },
        (error: Error) => res.writeHead(500).end(error.message),
      );
    });
  });
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });
};

process.once('message', (setup: Setup) => {
  void start(setup).then((port) => process.send?.({ port }));
});
process.on('disconnect', () => process.exit(0));
