/** Context exports as tests ask for them: pages, walks, streams, and what a client does with a diff. */
import { expect } from 'vitest';
import type { PatchOperation } from '../../src/domain/record/json-patch.ts';
import { aUser, type Client, type TestApp, type TestUser } from './app.ts';
import { patched } from './patched.ts';

export type Trace = Record<string, unknown> & { uid: string; seq: number; content: string };
export type Exported<T> = {
  results: T[];
  groups?: { key: string | null; count: number }[];
  as_of_seq: number;
  next_cursor: string | null;
} & Record<string, unknown>;
export type Query = Record<string, unknown>;

export const address = (user: TestUser, query: Query): string =>
  `/memport/export?${new URLSearchParams({ user_id: user.user_id, ...(query as Record<string, string>) }).toString()}`;

export const get = (user: TestUser, query: Query, who: Client = user) => who.get(address(user, query));

export const exported = async <T = Trace>(user: TestUser, query: Query, who: Client = user): Promise<Exported<T>> =>
  (await get(user, query, who).expect(200)).body;

export const push = async (user: Client, traces: object[]): Promise<{ seq: number }[]> =>
  (
    await user
      .post('/memory/push', { traces: traces.map((t) => ({ type: 'observation', content: 'x', ...t })) })
      .expect(201)
  ).body;

export const names = (results: { uid: string }[]): string[] => results.map((r) => r.uid);

/** Every result of a walk by cursor. */
export const walk = async <T>(
  user: TestUser,
  query: Query,
  meanwhile: () => Promise<unknown> = async () => undefined,
): Promise<T[]> => {
  const all: T[] = [];
  let page = await exported<T>(user, query);
  for (let pages = 0; pages < 100; pages++) {
    all.push(...page.results);
    if (!page.next_cursor) return all;
    await meanwhile();
    page = await exported<T>(user, { ...query, cursor: page.next_cursor });
  }
  throw new Error('the walk does not end');
};

/** The lines of a stream. */
export const lines = async <T>(app: TestApp, user: TestUser, query: Query, who: Client = user): Promise<T[]> => {
  const answer = await fetch(`${app.url}${address(user, query)}`, {
    headers: { Authorization: `Bearer ${who.token}`, Accept: 'application/x-ndjson' },
  });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toContain('application/x-ndjson');
  expect(answer.headers.get('almanac-as-of-seq')).toMatch(/^\d+$/);
  return (await answer.text())
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
};

/** Four traces with links, names and times. */
export const aStory = async (app: TestApp): Promise<TestUser> => {
  const user = await aUser(app);
  await push(user, [
    {
      uid: 'a',
      content: 'The supplier wants the contract signed by Friday, says Jane Doe.',
      task_id: 'contract',
      tags: ['#legal'],
      linked_trace_ids: ['b', 'nowhere'],
      timestamp: '2026-11-18T09:00:00Z',
      authored_by: 'Jane Doe',
      chat_url: 'https://chat.example/1',
    },
    {
      uid: 'b',
      content: 'Jane doe answered.',
      task_id: 'contract',
      linked_trace_ids: ['a', 'c'],
      feedback_rating: 5,
      notes: 'see https://chat.example/1',
      timestamp: '2026-11-18T23:30:00Z',
      metadata: { by: 'jane doe' },
    },
    {
      uid: 'c',
      type: 'reflection',
      content: 'I plan better in the morning.',
      tempo_tag: '@morning',
      timestamp: '2026-11-19T09:00:00Z',
    },
    { uid: 'd', content: 'Nothing to do with it.', task_id: 'garden', timestamp: '2026-11-20T09:00:00Z' },
  ]);
  return user;
};

type Shown = Record<string, unknown> & { uid: string; subject?: string };
export type Difference = {
  op: 'added' | 'changed' | 'removed';
  subject?: 'trace' | 'event' | 'profile';
  uid: string;
  trace?: Shown;
  event?: Shown;
  profile?: Shown;
  patch?: PatchOperation[];
};

const keyOf = ({ subject = 'trace', uid }: { subject?: string | undefined; uid: string }): string =>
  `${subject} ${uid}`;

/** Apart from their order. */
export const byUid = <T extends { subject?: string | undefined; uid: string }>(results: T[]): T[] =>
  results.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/** What a client makes of an export that it has and a diff. */
export const applied = <T extends Shown>(from: readonly T[], diff: readonly Difference[]): T[] => {
  const all = new Map(from.map((shown) => [keyOf(shown), shown]));
  for (const difference of diff) {
    const { op, subject, patch } = difference;
    const key = keyOf(difference);
    expect(all.has(key), `${op} ${key}`).toBe(op !== 'added');
    if (op === 'removed') all.delete(key);
    else if (op === 'changed') all.set(key, patched(all.get(key) as T, patch ?? []));
    else all.set(key, { ...(subject ? { subject } : {}), ...difference[subject ?? 'trace'] } as T);
  }
  return byUid([...all.values()]);
};
