/**
 * The same work given to LangGraph's PostgresStore (put, get, filter, text search; in process) and to ours, over HTTP and, for
 * fairness, through our service functions in process. Ours also keeps every version, chains hashes and indexes every word.
 */
import { randomUUID } from 'node:crypto';
import { PullQuery, SearchBody, TraceIn } from '../../src/memory/schemas.ts';
import { aPerson, get, ok, post, type Person, type Sent } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { aServer } from '../faults/server.ts';
import type { Bench, Figure, Measured } from './bench.ts';
import { inProcess } from './in-process.ts';
import { openPeer } from './peer.ts';
import { drive, request } from './wire.ts';

const WORKERS = 8;
const CONNECTIONS = 10;
const PER_TASK = 20;

const NOUNS =
  'contract supplier invoice review budget garden figures release passport venue lesson report kitchen'.split(' ');
const VERBS = 'wants needs sent moved signed asked cancelled paid finished'.split(' ');
const NAMES = 'Ana Bram Chidi Dora Emil Farah Goran Hana Ines Jonas'.split(' ');
const pick = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;

/** Ordinary notes of some 15 words; the n-th is always the same. */
const textOf = (n: number): string =>
  `${pick(NAMES, n * 7)} ${pick(VERBS, n * 5)} the ${pick(NOUNS, n * 3)} before the ${pick(NOUNS, n * 11 + 4)} and ${pick(NAMES, n * 13 + 3)} ${pick(VERBS, n + 2)} ${n} ${pick(NOUNS, n + 6)}s on day ${n % 28}.`;
const taskOf = (n: number): string => `task-${Math.floor(n / PER_TASK)}`;

type Work = 'put' | 'get' | 'filter' | 'search';
const WORKS: { work: Work; what: string }[] = [
  { work: 'put', what: 'put of one' },
  { work: 'get', what: 'get by key' },
  { work: 'filter', what: 'filter by task, 10' },
  { work: 'search', what: 'text search, 10' },
];

/** One piece of work for the `w`-th worker; `n` grows. */
type Doing = (work: Work, w: number, n: number) => Promise<unknown>;

/** Pieces per second with one under way for each worker. */
const spin = async (work: Work, seconds: number, doing: Doing): Promise<number> => {
  const end = performance.now() + seconds * 1_000;
  let done = 0;
  const worker = async (w: number): Promise<void> => {
    for (let n = w; performance.now() < end; n += WORKERS) {
      await doing(work, w, n);
      done += 1;
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, (_, w) => worker(w)));
  return done / seconds;
};

const queryOf = (n: number): string => `${pick(NAMES, n)} ${pick(NOUNS, n * 3)}`;

const sentFor = (work: Work, n: number, each: number): Sent => {
  if (work === 'put')
    return post('/memory/push', { traces: [{ type: 'observation', task_id: 'new', content: textOf(n) }] });
  if (work === 'get') return get(`/memory/history?uid=note-${n % each}&limit=1`);
  if (work === 'filter') return get(`/memory/pull?task_id=${taskOf(n % each)}&limit=10`);
  return post('/memory/search', { query: queryOf(n), mode: 'keyword', limit: 10 });
};

const ourService = async (
  database: string,
  people: Person[],
  each: number,
): Promise<{ doing: Doing; stop: () => Promise<void> }> => {
  const { app, stop } = await inProcess(database, CONNECTIONS);
  const { authenticate, memory, search } = app.services;
  const callers = await Promise.all(
    people.map(async ({ key }) => ({
      ...(await authenticate.bearer(key)),
      request_id: 'bench',
      idempotency: undefined,
    })),
  );
  const doing: Doing = (work, w, n) => {
    const caller = callers[w] as (typeof callers)[number];
    if (work === 'put')
      return memory.push(caller, [TraceIn.parse({ type: 'observation', task_id: 'new', content: textOf(n) })]);
    if (work === 'get')
      return memory.history(caller, `note-${n % each}`, { limit: 1, below: undefined, as_of: undefined });
    if (work === 'filter')
      return memory.pull(caller, PullQuery.parse({ task_id: taskOf(n % each), limit: '10' }), undefined);
    return search.search(caller, SearchBody.parse({ query: queryOf(n), mode: 'keyword', limit: 10 }), undefined);
  };
  return { doing, stop };
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [each, seconds, rounds] = quick ? [500, 1, 1] : [10_000, 4, 5];
  const database = place.env['DATABASE_URL'] as string;
  const server = await aServer({ ...place.env, DATABASE_POOL: String(CONNECTIONS) });
  await server.start();
  const people = await Promise.all(Array.from({ length: WORKERS }, () => aPerson(server.url)));
  say(`loading ${WORKERS} x ${each} notes into both`);
  const { store, version } = await openPeer(database, CONNECTIONS);
  const space = (w: number): string[] => ['notes', (people[w] as Person).user_id];
  for (const [w, { key }] of people.entries())
    for (let from = 0; from < each; from += 500) {
      const list = Array.from({ length: Math.min(500, each - from) }, (_, i) => from + i);
      const traces = list.map((n) => ({
        uid: `note-${n}`,
        type: 'observation',
        task_id: taskOf(n),
        content: textOf(n),
      }));
      await ok(server.url, key, post('/memory/push', { traces }));
      await Promise.all(list.map((n) => store.put(space(w), `note-${n}`, { task: taskOf(n), content: textOf(n) })));
    }
  await place.sql((query) => query('vacuum analyze'));
  const ours = await ourService(database, people, each);
  const theirs: Doing = (work, w, n) => {
    if (work === 'put') return store.put(space(w), randomUUID(), { task: 'new', content: textOf(n) });
    if (work === 'get') return store.get(space(w), `note-${n % each}`);
    if (work === 'filter') return store.search(space(w), { filter: { task: taskOf(n % each) }, limit: 10 });
    return store.search(space(w), { query: queryOf(n), limit: 10 });
  };
  const overHttp = async (work: Work): Promise<number> => {
    const scripts = people.map(({ key }, w) =>
      Array.from({ length: 200 }, (_, i) => {
        const { method, path, body } = sentFor(work, w + i * WORKERS, each);
        return request(method, path, key, body);
      }),
    );
    const loaded = await drive({ port: Number(new URL(server.url).port), scripts, seconds });
    if (loaded.failed) throw new Error(`${loaded.failed} requests failed: ${loaded.firstFailure}`);
    return loaded.answers / seconds;
  };
  const figures: Figure[] = [];
  try {
    for (const { work, what } of WORKS) {
      const per = { http: [] as number[], process: [] as number[], peer: [] as number[] };
      for (let i = 0; i < rounds; i++) {
        say(`${what}, round ${i + 1} of ${rounds}`);
        per.http.push(await overHttp(work));
        per.process.push(await spin(work, seconds, ours.doing));
        per.peer.push(await spin(work, seconds, theirs));
      }
      const figure = (who: string, list: number[]): Figure => ({
        what: `${what}, ${who}`,
        unit: '/s',
        target: null,
        rounds: list,
      });
      figures.push(
        figure('ours over HTTP', per.http),
        figure('ours in process', per.process),
        figure('PostgresStore in process', per.peer),
      );
    }
  } finally {
    await ours.stop();
    await store.stop();
    await server.stop();
  }
  return {
    figures,
    facts: [
      `${WORKERS} at once, ${each} notes each in both, ${CONNECTIONS} connections on either side, ${seconds} s a round in turn; PostgresStore ${version}, without vectors on either side.`,
      'Its text search has no index (to_tsvector or ILIKE over each value); its put keeps the last value only.',
    ],
  };
};

export const PEERS: Bench = {
  id: 'PEERS',
  title: 'the same work given to LangGraph’s PostgresStore',
  places: ['postgres'],
  embedded: false,
  run,
};
