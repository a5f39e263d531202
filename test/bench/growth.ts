/**
 * Growth: the same requests with 10 k, 100 k and 1 M traces in the database (a tenth of them of the user who asks), from 1 to 128
 * connections, and with one and two server processes. Nothing is promised here: the table shows where it bends.
 */
import { aPerson, get, post, type Person, type Sent } from '../faults/api.ts';
import { aPlace, type Place } from '../faults/cluster.ts';
import { servers, type Server } from '../faults/server.ts';
import { percentile, type Bench, type Figure, type Measured } from './bench.ts';
import { fillTraces, random, wordOf, zipf } from './million.ts';
import { drive, request, type Loaded } from './wire.ts';

const SIZES = [10_000, 100_000, 1_000_000];
const CONNECTIONS = [1, 8, 32, 128];
const OWN_SHARE = 10;
const DIFFERENT = 100;

const next = random(7);
const WORK: { what: string; sent: () => Sent }[] = [
  {
    what: 'push of one',
    sent: () =>
      post('/memory/push', { traces: [{ type: 'observation', content: `Note {n} about ${wordOf(zipf(next))}.` }] }),
  },
  { what: 'pull of 100 by task', sent: () => get(`/memory/pull?task_id=task-${Math.floor(next() * 20)}&limit=100`) },
  {
    what: 'search of 3 words',
    sent: () =>
      post('/memory/search', { query: [1, 2, 3].map(() => wordOf(zipf(next))).join(' '), mode: 'keyword', limit: 10 }),
  },
];

/** Every connection sends different requests; connections take turns with people and servers. */
const load = async (
  list: Server[],
  people: Person[],
  sent: () => Sent,
  connections: number,
  seconds: number,
): Promise<Loaded> => {
  const script = (i: number): string[] =>
    Array.from({ length: DIFFERENT }, () => {
      const { method, path, body } = sent();
      return request(method, path, (people[i % people.length] as Person).key, body);
    });
  const parts = await Promise.all(
    list.map((server, s) => {
      const mine = Array.from({ length: connections }, (_, i) => i).filter((i) => i % list.length === s);
      return drive({ port: Number(new URL(server.url).port), scripts: mine.map(script), seconds });
    }),
  );
  const failed = parts.find((p) => p.failed);
  if (failed) throw new Error(`${failed.failed} requests failed: ${failed.firstFailure}`);
  return { ...(parts[0] as Loaded), answers: parts.reduce((n, p) => n + p.answers, 0), ms: parts.flatMap((p) => p.ms) };
};

type Setting = { name: string; list: Server[]; people: Person[]; connections: number };

const measure = async (
  { name, list, people, connections }: Setting,
  seconds: number,
  rounds: number,
): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const { what, sent } of WORK) {
    const done: Loaded[] = [];
    for (let i = 0; i < rounds; i++) done.push(await load(list, people, sent, connections, seconds));
    figures.push(
      { what: `${name}: ${what}`, unit: '/s', target: null, rounds: done.map((d) => d.answers / d.seconds) },
      { what: `${name}: ${what}, p95`, unit: 'ms', target: null, rounds: done.map((d) => percentile(d.ms, 0.95)) },
    );
  }
  return figures;
};

const withTraces = async (place: Place, count: number, say: (line: string) => void) => {
  const list = await servers(2, place.env);
  const people: Person[] = [];
  for (let i = 0; i < OWN_SHARE; i++) people.push(await aPerson((list[0] as Server).url));
  const shares = people.map(({ user_id }) => ({ user_id, traces: count / OWN_SHARE }));
  await place.sql((query) => fillTraces(query, shares, () => undefined));
  say(`${count} traces are there`);
  return { list, people };
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [seconds, rounds] = quick ? [1, 1] : [4, 3];
  const sizes = quick ? SIZES.slice(0, 1) : SIZES;
  const figures: Figure[] = [];
  for (const size of sizes) {
    const own = size === sizes[0] ? place : await aPlace(place.kind);
    try {
      const { list, people } = await withTraces(own, size, say);
      const one = list.slice(0, 1);
      figures.push(
        ...(await measure({ name: `${size / 1_000} k traces`, list: one, people, connections: 8 }, seconds, rounds)),
      );
      // Connections and processes on the middle size, or on the only one.
      if (size === (sizes[1] ?? sizes[0]))
        for (const connections of CONNECTIONS)
          for (const some of [one, list]) {
            const name = `${connections} connections, ${some.length} ${some.length === 1 ? 'process' : 'processes'}`;
            say(name);
            figures.push(...(await measure({ name, list: some, people, connections }, seconds, rounds)));
          }
      await Promise.all(list.map((server) => server.stop()));
    } finally {
      if (own !== place) await own.drop();
    }
  }
  return {
    figures,
    facts: [
      `${OWN_SHARE} people share the traces evenly; 8 connections and one process where nothing else is said; ${seconds} s a round.`,
      'Client, server processes and Postgres share the cores.',
    ],
  };
};

export const GROWTH: Bench = {
  id: 'GROWTH',
  title: 'more traces, more connections, more processes',
  places: ['postgres'],
  embedded: false,
  run,
};
