/** S4: search over HTTP in a database of 1,000,000 traces, 100,000 of them the asker's; beside it the same statements through bare pg. */
import pg from 'pg';
import { aPerson, ok, post, type Person, type Sent } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentiles, timed, type Bench, type Measured } from './bench.ts';
import { fillTraces, random, TAGS, TASK_SIZE, TYPES, wordOf, zipf } from './million.ts';
import { record, type Statement } from './record.ts';

const TARGET = { 95: 60 };
const DAY_MS = 86_400_000;
/** Ranks of words: in every second trace, in some hundred, in a few. */
const COMMON = 20;
const NAMES = { from: 300, to: 3_000 };
const RARE = { from: 10_000, to: 40_000 };

type Query = Record<string, unknown>;

/** What people ask: words as they occur, names, rare words among common ones, common ones alone, misspelt ones; each third with a filter. */
export const queriesOf = (count: number, traces: number): Query[] => {
  const next = random(4);
  const upTo = (n: number): number => Math.floor(next() * n);
  const within = ({ from, to }: typeof RARE): string => wordOf(from + upTo(to - from));
  const several = (least: number, most: number, word: () => string): string =>
    Array.from({ length: least + upTo(most - least + 1) }, word).join(' ');
  const usual = (): string => wordOf(zipf(next));
  const kinds = [
    () => several(2, 8, usual),
    () => several(2, 8, usual),
    () => `${within(NAMES)} ${several(1, 4, usual)}`,
    () => `${within(RARE)} ${several(1, 3, () => wordOf(upTo(COMMON)))}`,
    () => several(2, 4, () => wordOf(upTo(COMMON))),
    () => `${several(2, 4, usual)} ${within(NAMES).slice(0, -1)}qx`,
  ];
  const from = (): string => new Date(Date.UTC(2024, 0, 1) + upTo(traces * 0.8) * 600_000).toISOString();
  const filters: (() => Query)[] = [
    () => ({ type: TYPES[1] }),
    () => ({ tags: [TAGS[upTo(TAGS.length)]] }),
    () => ({ task_id: `task-${upTo(traces / TASK_SIZE)}` }),
    () => {
      const start_time = from();
      return { start_time, end_time: new Date(Date.parse(start_time) + 30 * DAY_MS).toISOString() };
    },
  ];
  return Array.from({ length: count }, (_, i) => ({
    query: (kinds[i % kinds.length] as () => string)(),
    ...(i % 3 === 0 ? filters[upTo(filters.length)]?.() : {}),
  }));
};

export const sent = (query: Query): Sent => post('/memory/search', query);

const overHttp = async (url: string, key: string, queries: Query[]): Promise<number[]> => {
  const times: number[] = [];
  for (const query of queries) times.push(await timed(() => ok(url, key, sent(query))));
  return times;
};

/** The statements of each request one after the other, prepared by name as the service does. */
const bare = async (client: pg.Client, requests: Statement[][]): Promise<number[]> => {
  const times: number[] = [];
  const names = new Map<string, string>();
  for (const statements of requests)
    times.push(
      await timed(async () => {
        for (const { text, values } of statements) {
          const name = names.get(text) ?? `s${names.size}`;
          names.set(text, name);
          await client.query({ name, text, values });
        }
      }),
    );
  return times;
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [traces, users, count, rounds] = quick ? [20_000, 2, 30, 2] : [100_000, 10, 120, 5];
  const [server] = (await servers(1, place.env)) as [Server];
  const people: Person[] = [];
  for (let i = 0; i < users; i++) people.push(await aPerson(server.url));
  const [{ key }] = people as [Person];
  await place.sql((query) =>
    fillTraces(
      query,
      people.map(({ user_id }) => ({ user_id, traces })),
      say,
    ),
  );
  const queries = queriesOf(count, traces);
  say('the statements of each query');
  const database = place.env['DATABASE_URL'] as string;
  const statements = await record(
    database,
    queries.map((query) => ({ key, sent: () => sent(query) })),
  );
  const client = new pg.Client({ connectionString: database, options: '-c timezone=UTC -c jit=off' });
  await client.connect();
  const http: number[][] = [];
  const alone: number[][] = [];
  try {
    await overHttp(server.url, key, queries.slice(0, 20)); // warm
    for (let round = 0; round < rounds; round++) {
      http.push(await overHttp(server.url, key, queries));
      alone.push(await bare(client, statements));
      say(`round ${round + 1} of ${rounds}`);
    }
  } finally {
    await client.end();
    await server.stop();
  }
  return {
    figures: [
      ...percentiles('POST /memory/search', http, [50, 95], TARGET),
      ...percentiles('the same statements through bare pg', alone, [50, 95]),
    ],
    facts: [
      `${traces * users} traces in the database, ${traces} of the asker; ${count} queries of 2 to 8 words one after the other in each round, a third with a filter, a sixth misspelt.`,
    ],
  };
};

export const S4: Bench = {
  id: 'S4',
  title: 'search among 100,000 of 1,000,000 traces',
  places: ['postgres'],
  embedded: false,
  run,
};
