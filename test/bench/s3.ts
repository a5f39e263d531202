/** S3: a page of 100 traces by each filter, over HTTP, from a database of 1,000,000 traces and from one of 10,000, in turn. */
import { writeCursor } from '../../src/http/cursors.ts';
import { PullQuery } from '../../src/memory/schemas.ts';
import { aPerson, type Person } from '../faults/api.ts';
import { aPlace, type Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentile, timed, type Bench, type Figure, type Measured } from './bench.ts';
import { fillTraces, random, TAGS, TASK_SIZE, TYPES } from './million.ts';

const MOST_TIMES = 1.3;
const PAGE = 100;
const STEP_MS = 600_000;
const DAY_MS = 86_400_000;

/** Where to ask: a person's key, how many traces they have, and the seq and time of the first. */
type Side = { url: string; person: Person; traces: number; first: { seq: number; at: number } };

type Asked = Record<string, string>;

/** The i-th trace of a side, as a point in time and in the list. */
const pointOf = ({ person, first }: Side, i: number) => ({
  at: new Date(first.at + i * STEP_MS).toISOString(),
  uid: `${person.user_id}:${i}`,
});

const windowOf = (side: Side, i: number, days: number): Asked => {
  const { at } = pointOf(side, i);
  return { start_time: at, end_time: new Date(Date.parse(at) + days * DAY_MS).toISOString() };
};

/** The page after the i-th trace, newest first, as if walked to. */
const deepPage = (side: Side, i: number): Asked => {
  const { cursor: _, limit: __, ...question } = PullQuery.parse({});
  const { at, uid } = pointOf(side, i);
  return { cursor: writeCursor(question, { at: side.first.seq + side.traces - 1, key: [at, uid] }) };
};

/** Questions by what the table calls them; `at` from 0 to 1 is where in the person's time. Not all hold a target: S3 is of pages of 100 and of what is now. */
const QUESTIONS: { name: string; asked: (side: Side, at: number) => Asked; target?: null }[] = [
  { name: 'all, newest first', asked: () => ({}) },
  { name: 'all, oldest first', asked: () => ({ order: 'asc' }) },
  { name: 'task', asked: ({ traces }, at) => ({ task_id: `task-${Math.floor((at * traces) / TASK_SIZE)}` }) },
  { name: 'tempo tag', asked: (_, at) => ({ tempo_tag: TAGS[Math.floor(at * 4)] as string }) },
  { name: 'type', asked: () => ({ type: TYPES[1] as string }) },
  { name: 'window of a week', asked: (side, at) => windowOf(side, at * side.traces, 7) },
  {
    name: 'tempo tag and window',
    asked: (side, at) => ({ tempo_tag: TAGS[1] as string, ...windowOf(side, at * 0.8 * side.traces, 30) }),
  },
  { name: 'tempo tag and type', asked: () => ({ tempo_tag: TAGS[0] as string, type: TYPES[1] as string }) },
  { name: 'origin nobody has', asked: () => ({ origin: 'agent' }), target: null },
  { name: 'page deep in the list', asked: (side, at) => deepPage(side, Math.floor(side.traces * (0.1 + 0.8 * at))) },
  { name: 'as of the newest but 1,000', asked: ({ first, traces }) => ({ as_of: String(first.seq + traces - 1_000) }) },
  { name: 'one tag of eight', asked: (_, at) => ({ tag: TAGS[Math.floor(at * 8)] as string }) },
  {
    name: 'as of the middle',
    asked: ({ first, traces }) => ({ as_of: String(first.seq + Math.floor(traces / 2)) }),
    target: null,
  },
];

const ask = async ({ url, person }: Side, asked: Asked): Promise<void> => {
  const query = new URLSearchParams({ ...asked, limit: String(PAGE) }).toString();
  const response = await fetch(`${url}/memory/pull?${query}`, { headers: { Authorization: `Bearer ${person.key}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`pull answered ${response.status}: ${text}`);
};

/** A service on a database in which each share is a person's; asked for is the first. */
const fill = async (place: Place, server: Server, shares: number[], say: (line: string) => void): Promise<Side> => {
  const people: Person[] = [];
  for (const _ of shares) people.push(await aPerson(server.url));
  return place.sql(async (query) => {
    const list = people.map(({ user_id }, i) => ({ user_id, traces: shares[i] as number }));
    await fillTraces(query, list, say);
    const person = people[0] as Person;
    const [first] = await query<{ seq: number; at: string }>(
      'select seq, "timestamp" as at from traces where user_id = $1 order by seq limit 1',
      [person.user_id],
    );
    if (!first) throw new Error('there are no traces');
    return { url: server.url, person, traces: shares[0] as number, first: { ...first, at: Date.parse(first.at) } };
  });
};

type Pair = { many: number; few: number };

const measure = async (many: Side, few: Side, { asked }: (typeof QUESTIONS)[number], calls: number): Promise<Pair> => {
  const next = random(calls);
  const times: { many: number[]; few: number[] } = { many: [], few: [] };
  for (let i = 0; i < calls; i++) {
    const at = next();
    times.few.push(await timed(() => ask(few, asked(few, at))));
    times.many.push(await timed(() => ask(many, asked(many, at))));
  }
  return { many: percentile(times.many, 0.95), few: percentile(times.few, 0.95) };
};

const figuresOf = (name: string, rounds: Pair[], target: number | null): Figure[] => [
  { what: `${name}: many to few, p95`, unit: 'x', target, rounds: rounds.map((r) => r.many / r.few) },
  { what: `${name}: of many, p95`, unit: 'ms', target: null, rounds: rounds.map((r) => r.many) },
];

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [few, many, calls, rounds] = quick
    ? [1_000, [10_000, 10_000], 10, 1]
    : [10_000, [250_000, 250_000, 250_000, 250_000], 100, 5];
  const other = await aPlace('postgres');
  const running: Server[] = [];
  try {
    const sides: Side[] = [];
    for (const [where, shares] of [
      [place, many],
      [other, [few]],
    ] as [Place, number[]][]) {
      const [server] = (await servers(1, where.env)) as [Server];
      running.push(server);
      sides.push(await fill(where, server, shares, say));
    }
    const [full, small] = sides as [Side, Side];
    const figures: Figure[] = [];
    for (const question of QUESTIONS) {
      say(question.name);
      await measure(full, small, question, 10); // warm
      const done: Pair[] = [];
      for (let i = 0; i < rounds; i++) done.push(await measure(full, small, question, calls));
      figures.push(...figuresOf(question.name, done, question.target === null ? null : MOST_TIMES));
    }
    const total = many.reduce((sum, n) => sum + n, 0);
    return {
      figures,
      facts: [
        `Many: ${total} traces of ${many.length} people, ${many[0]} of the one who asks; few: ${few}, in a database of their own.`,
        `${calls} calls a round on each side, in turn, one at a time.`,
      ],
    };
  } finally {
    for (const server of running) await server.stop();
    await other.drop();
  }
};

export const S3: Bench = {
  id: 'S3',
  title: `pull of ${PAGE} by filters, from 1,000,000 traces and from 10,000`,
  places: ['postgres'],
  embedded: false,
  run,
};
