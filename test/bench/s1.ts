/** S1: endpoints that touch one row, at 32 connections, beside node:http and pg running the same statements on the same tables. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { aPerson, ok, post, patch, type Person, type Sent } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { aServer } from '../faults/server.ts';
import { percentile, type Bench, type Figure, type Measured } from './bench.ts';
import { record } from './record.ts';
import type { Recorded, Setup } from './s1-bare.ts';
import { request, type Load, type Loaded } from './wire.ts';

const CONNECTIONS = 32;
const POOL = 10;
const LEAST_SHARE = 0.6;

const note = (n: string) =>
  `Note ${n}: the supplier wants the contract signed by Friday, and Ana asked for the figures of October again.`;

/** Requests by what the table calls them; `n` is a number used once. `uid` is what the write changes, null for new. */
const ENDPOINTS: { name: string; sent: (n: string) => Sent; uid: string | null }[] = [
  {
    name: 'GET /memory/pull',
    sent: () => ({ method: 'GET', path: '/memory/pull?limit=1&type=observation' }),
    uid: null,
  },
  { name: 'GET /memory/history', sent: () => ({ method: 'GET', path: '/memory/history?uid=kept' }), uid: null },
  { name: 'GET /user/profile', sent: () => ({ method: 'GET', path: '/user/profile' }), uid: null },
  {
    name: 'GET /calendar/events',
    sent: () => ({ method: 'GET', path: '/calendar/events?start=2026-11-23&end=2026-11-24' }),
    uid: null,
  },
  {
    name: 'POST /memory/push',
    sent: (n) => post('/memory/push', { traces: [{ type: 'observation', content: note(n) }] }),
    uid: null,
  },
  {
    name: 'PATCH /memory/edit',
    sent: (n) => patch('/memory/edit', { uid: 'edited', updates: { content: note(n) } }),
    uid: 'edited',
  },
];

const ask = async <T>(child: ChildProcess, message: Load | Setup): Promise<T> => {
  child.send(message);
  const [answer] = (await once(child, 'message')) as [T];
  return answer;
};

const prepare = async (url: string, people: Person[]): Promise<void> => {
  for (const { key } of people) {
    const traces = ['kept', 'edited'].map((uid) => ({ uid, type: 'observation', content: note(uid) }));
    await ok(url, key, post('/memory/push', { traces }));
    await ok(
      url,
      key,
      post('/calendar/create', { title: 'Review', scheduled_for: '2026-11-23T09:00:00Z', duration_minutes: 30 }),
    );
  }
};

type Pair = { ours: Loaded; bare: Loaded };
const rate = ({ answers, seconds }: Loaded): number => answers / seconds;

const figuresOf = (name: string, rounds: Pair[]): Figure[] => [
  {
    what: `${name}, share of bare`,
    unit: 'x',
    target: LEAST_SHARE,
    least: true,
    rounds: rounds.map(({ ours, bare }) => rate(ours) / rate(bare)),
  },
  { what: `${name}, requests`, unit: '/s', target: null, rounds: rounds.map(({ ours }) => rate(ours)) },
  { what: `${name}, bare`, unit: '/s', target: null, rounds: rounds.map(({ bare }) => rate(bare)) },
  { what: `${name}, p95`, unit: 'ms', target: null, rounds: rounds.map(({ ours }) => percentile(ours.ms, 0.95)) },
];

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Measured> => {
  const [seconds, rounds] = quick ? [2, 1] : [5, 5];
  const database = place.env['DATABASE_URL'] as string;
  const server = await aServer({ ...place.env, DATABASE_POOL: String(POOL) });
  await server.start();
  const people: Person[] = [];
  for (let i = 0; i < CONNECTIONS; i++) people.push(await aPerson(server.url));
  await prepare(server.url, people);
  const first = people[0] as Person;
  const statements = await record(
    database,
    ENDPOINTS.map(({ sent }) => ({ key: first.key, sent: (n) => sent(String(n)) })),
  );
  await place.sql((query) => query('analyze'));
  const recorded = Object.fromEntries(
    ENDPOINTS.map(({ name, uid }, i): [string, Recorded] => [
      name,
      { statements: statements[i] ?? [], user_id: first.user_id, uid },
    ]),
  );
  const fresh = (file: string) => fork(join(import.meta.dirname, file), { serialization: 'advanced' });
  const bare = fresh('s1-bare.ts');
  const client = fresh('wire.ts');
  const users = people.map(({ key, user_id }): [string, string] => [key, user_id]);
  const { port } = await ask<{ port: number }>(bare, { database, pool: POOL, users, recorded });
  const load = async (to: number, sent: Sent): Promise<Loaded> => {
    const scripts = people.map(({ key }) => [request(sent.method, sent.path, key, sent.body)]);
    const loaded = await ask<Loaded>(client, { port: to, scripts, seconds });
    if (loaded.failed)
      throw new Error(`${loaded.failed} of ${sent.method} ${sent.path} failed: ${loaded.firstFailure}`);
    return loaded;
  };
  const figures: Figure[] = [];
  try {
    for (const { name, sent } of ENDPOINTS) {
      const done: Pair[] = [];
      for (let i = 0; i < rounds; i++) {
        say(`${name}, round ${i + 1} of ${rounds}`);
        done.push({
          ours: await load(Number(new URL(server.url).port), sent('{n}')),
          bare: await load(port, sent('{n}')),
        });
      }
      figures.push(...figuresOf(name, done));
    }
  } finally {
    client.disconnect();
    bare.disconnect();
    await server.stop();
  }
  return {
    figures,
    facts: [
      `${CONNECTIONS} connections of as many people, ${POOL} database connections on either side, ${seconds} s a round, service and bare handler in turn.`,
      `Statements per request: ${ENDPOINTS.map(({ name }, i) => `${name} ${statements[i]?.length}`).join(', ')}.`,
    ],
  };
};

export const S1: Bench = {
  id: 'S1',
  title: 'endpoints of a single row at 32 connections, against node:http and pg',
  places: ['postgres'],
  embedded: false,
  run,
};
