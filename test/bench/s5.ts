/** S5: a full export of 100,000 traces as NDJSON beside a COPY of the same rows: rows a second, and what it takes of memory. */
import { request } from 'node:http';
import pg from 'pg';
import { aPerson, get, ok, post, type Person } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { aServer, type Server } from '../faults/server.ts';
import { median, timed, type Bench, type Measured } from './bench.ts';
import { forgetPeak, peak, resident } from './memory.ts';
import { notesFrom } from './notes.ts';

const BATCH = 500;
const LEAST_SHARE = 0.3;
const MOST_MIB = 64;
/** The longest content there can be, as few of them as make the same amount of text. */
const LARGE = 100_000;
const LARGE_COUNT = 1_000;

const fill = async ({ url }: Server, { key }: Person, count: number, traceOf: (i: number) => object): Promise<void> => {
  const size = Math.min(BATCH, Math.floor(900_000 / JSON.stringify(traceOf(0)).length));
  for (let from = 0; from < count; from += size) {
    const traces = Array.from({ length: Math.min(size, count - from) }, (_, i) => traceOf(from + i));
    await ok(url, key, post('/memory/push', { traces }));
  }
};

/** Reads a whole export without keeping it. */
const stream = ({ url }: Server, { user_id, key }: Person, query: string): Promise<{ lines: number; bytes: number }> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${key}`, Accept: 'application/x-ndjson' };
    const sent = request(`${url}/memport/export?user_id=${user_id}&${query}`, { headers }, (answer) => {
      const read = { lines: 0, bytes: 0 };
      answer.on('data', (data: Buffer) => {
        read.bytes += data.length;
        for (let at = data.indexOf(10); at >= 0; at = data.indexOf(10, at + 1)) read.lines += 1;
      });
      answer.on('error', reject);
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve(read) : reject(new Error(`the export answered ${answer.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end();
  });

/** The same documents in the same order, as Postgres itself hands them out; they are received, and not looked at. */
const copyOf = (user_id: string): string => `
  copy (select row_to_json(d) from (
    select l.payload from traces t join ledger l on l.user_id = t.user_id and l.seq = t.seq
    where t.user_id = '${user_id}' order by t."timestamp", t.uid) d) to stdout`;

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [count, rounds] = quick ? [10_000, 2] : [100_000, 7];
  const server = await aServer(place.env);
  await server.start();
  const person = await aPerson(server.url);
  const writer = await aPerson(server.url);
  say(`pushing ${count} notes, and ${LARGE_COUNT} traces of ${LARGE} characters`);
  const notes = notesFrom(0, count);
  await fill(server, person, count, (i) => notes[i] as object);
  await fill(server, writer, LARGE_COUNT, (i) => ({
    type: 'observation',
    content: `${i} ${(notes[i] as { content: string }).content} `.repeat(1_000).slice(0, LARGE),
  }));
  await server.stop();
  await place.sql((query) => query('vacuum analyze'));
  const client = new pg.Client({ connectionString: place.env['DATABASE_URL'] });
  await client.connect();
  const idle: number[] = [];
  /** The most memory above that of an idle server just started, while this goes on. */
  const grown = async (work: () => Promise<unknown>): Promise<number> => {
    await server.start();
    const pid = server.pid() as number;
    await stream(server, person, 'export_format=full&type=none');
    const before = resident(pid);
    idle.push(before);
    forgetPeak(pid);
    await work();
    const most = peak(pid) - before;
    await server.stop();
    return most;
  };
  const ms = { ours: [] as number[], copy: [] as number[] };
  const mib = { notes: [] as number[], large: [] as number[], page: [] as number[] };
  let bytes = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      say(`round ${round + 1} of ${rounds}`);
      ms.copy.push(await timed(() => client.query(copyOf(person.user_id))));
      const exportAll = async (): Promise<void> => {
        const read = await stream(server, person, 'export_format=full');
        if (read.lines !== count) throw new Error(`${read.lines} of ${count} traces came`);
        bytes = read.bytes;
      };
      mib.notes.push(
        await grown(async () => {
          await exportAll(); // warm, as Postgres is
          ms.ours.push(await timed(exportAll));
        }),
      );
      mib.large.push(await grown(() => stream(server, writer, 'export_format=full')));
      const page = `/memport/export?user_id=${writer.user_id}&export_format=full`;
      mib.page.push(await grown(() => ok(server.url, writer.key, get(page))));
    }
  } finally {
    await client.end();
    await server.stop();
  }
  const rate = (took: number): number => (count * 1_000) / took;
  return {
    figures: [
      {
        what: 'rows/s, share of COPY',
        unit: 'x',
        target: LEAST_SHARE,
        least: true,
        rounds: ms.ours.map((ours, i) => (ms.copy[i] as number) / ours),
      },
      { what: 'export', unit: '/s', target: null, rounds: ms.ours.map(rate) },
      { what: 'COPY', unit: '/s', target: null, rounds: ms.copy.map(rate) },
      { what: 'peak above idle', unit: 'MiB', target: MOST_MIB, rounds: mib.notes },
      { what: `peak above idle, large traces`, unit: 'MiB', target: MOST_MIB, rounds: mib.large },
      { what: `peak above idle, a page of large traces`, unit: 'MiB', target: MOST_MIB, rounds: mib.page },
    ],
    facts: [
      `${count} notes, ${(bytes / 1e6).toFixed(0)} MB as NDJSON; COPY and the second export of a server just started in turn, one connection each;`,
      `large: ${LARGE_COUNT} traces of ${LARGE} characters;`,
      `idle: ${median(idle).toFixed(0)} MiB, of a server started for this, after an empty export.`,
    ],
  };
};

export const S5: Bench = {
  id: 'S5',
  title: 'full export of 100,000 traces as NDJSON',
  places: ['postgres'],
  embedded: false,
  run,
};
