/** The service and its bare equivalent (s1-bare.ts) on one database, and a client that loads them in turn. */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { aPerson, ok, post, type Person, type Sent } from '../faults/api.ts';
import type { Place } from '../faults/cluster.ts';
import { aServer } from '../faults/server.ts';
import { record } from './record.ts';
import type { Recorded, Setup } from './s1-bare.ts';
import { request, type Load, type Loaded } from './wire.ts';

export const CONNECTIONS = 32;
export const POOL = 10;

export const note = (n: string): string =>
  `Note ${n}: the supplier wants the contract signed by Friday, and Ana asked for the figures of October again.`;

/** A request by what the table calls it; `n` is a number used once. `uid` is what a write changes, null for new. */
export type Endpoint = { name: string; sent: (n: string) => Sent; uid: string | null };

export const PUSH: Endpoint = {
  name: 'POST /memory/push',
  sent: (n) => post('/memory/push', { traces: [{ type: 'observation', content: note(n) }] }),
  uid: null,
};

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

export type Pair = { ours: Loaded; bare: Loaded };

export const rate = ({ answers, seconds }: Loaded): number => answers / seconds;

export type BarePair = {
  /** Loads the service and then the bare handler, each for so many seconds. */
  both: (endpoint: Endpoint, seconds: number) => Promise<Pair>;
  /** The statements of a request to this endpoint. */
  statementsOf: (endpoint: Endpoint) => number;
};

/** The connections are shared out among so many people. */
export const besideBare = async <T>(
  place: Place,
  { people: count, endpoints }: { people: number; endpoints: Endpoint[] },
  measure: (pair: BarePair) => Promise<T>,
): Promise<T> => {
  const database = place.env['DATABASE_URL'] as string;
  const server = await aServer({ ...place.env, DATABASE_POOL: String(POOL) });
  await server.start();
  const people: Person[] = [];
  for (let i = 0; i < count; i++) people.push(await aPerson(server.url));
  await prepare(server.url, people);
  const first = people[0] as Person;
  const statements = await record(
    database,
    endpoints.map(({ sent }) => ({ key: first.key, sent: (n) => sent(String(n)) })),
  );
  await place.sql((query) => query('analyze'));
  const recorded = Object.fromEntries(
    endpoints.map(({ name, uid }, i): [string, Recorded] => [
      name,
      { statements: statements[i] ?? [], user_id: first.user_id, uid },
    ]),
  );
  const fresh = (file: string) => fork(join(import.meta.dirname, file), { serialization: 'advanced' });
  const bare = fresh('s1-bare.ts');
  const client = fresh('wire.ts');
  const users = people.map(({ key, user_id }): [string, string] => [key, user_id]);
  const { port } = await ask<{ port: number }>(bare, { database, pool: POOL, users, recorded });
  const load = async (to: number, sent: Sent, seconds: number): Promise<Loaded> => {
    const scripts = Array.from({ length: CONNECTIONS }, (_, i) => [
      request(sent.method, sent.path, (people[i % people.length] as Person).key, sent.body),
    ]);
    const loaded = await ask<Loaded>(client, { port: to, scripts, seconds });
    if (loaded.failed)
      throw new Error(`${loaded.failed} of ${sent.method} ${sent.path} failed: ${loaded.firstFailure}`);
    return loaded;
  };
  try {
    return await measure({
      both: async ({ sent }, seconds) => ({
        ours: await load(Number(new URL(server.url).port), sent('{n}'), seconds),
        bare: await load(port, sent('{n}'), seconds),
      }),
      statementsOf: (endpoint) => statements[endpoints.indexOf(endpoint)]?.length ?? NaN,
    });
  } finally {
    client.disconnect();
    bare.disconnect();
    await server.stop();
  }
};
