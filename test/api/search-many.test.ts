/** Search for somebody with many traces: only the telling words are looked up, and it may not show. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { fillTraces, wordOf } from '../bench/million.ts';
import { CompiledQuery } from 'kysely';
import { aUser, anApp, client, type TestApp, type TestUser } from '../support/app.ts';
import { hasCitus } from '../support/citus.ts';
import { hearStatements, plansOf } from '../support/statements.ts';

const TRACES = 12_000;
const [COMMONEST, COMMON] = [wordOf(0), wordOf(2)];

let app: TestApp;
let user: TestUser;
beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  const query = async <R>(text: string, values: unknown[] = []): Promise<R[]> =>
    (await app.database.handle.query(text, values)).rows as R[];
  await fillTraces(query, [{ user_id: user.user_id, traces: TRACES }], () => undefined);
  const traces = [
    { uid: 'both', content: `zebra ${COMMONEST}`, timestamp: '2010-01-01T00:00:00Z' },
    { uid: 'one', content: 'zebra alone', timestamp: '2010-01-02T00:00:00Z' },
    { uid: 'typed', content: `zebra ${COMMONEST}`, type: 'reflection', timestamp: '2010-01-03T00:00:00Z' },
  ];
  await user.post('/memory/push', { traces: traces.map((t) => ({ type: 'observation', ...t })) }).expect(201);
});
afterAll(() => app.close());

type Hit = { uid: string; timestamp: string; type: string; confidence: number; snippet: string };
const search = async (body: object): Promise<Hit[]> =>
  (await user.post('/memory/search', { mode: 'keyword', ...body }).expect(200)).body;

test('a rare word finds wherever it stands, and a common one beside it ranks', async () => {
  const hits = await search({ query: `${COMMONEST} zebra` });
  expect(
    hits
      .map((h) => h.uid)
      .slice(0, 2)
      .toSorted(),
  ).toEqual(['both', 'typed']);
  expect(hits[2]?.uid).toBe('one');
  expect(hits[0]?.confidence).toBe(1);
  expect(hits[2]?.confidence).toBeLessThan(1);
  expect(hits).toHaveLength(10); // and then those with the common word
  expect(hits[5]?.snippet).toContain(`**${COMMONEST}**`);
});

test('common words alone find among the newest, those with all of them first', async () => {
  const hits = await search({ query: `${COMMONEST} ${COMMON}`, limit: 20 });
  expect(hits).toHaveLength(20);
  for (const { snippet } of hits.slice(0, 10)) {
    expect(snippet).toContain(`**${COMMONEST}**`);
    expect(snippet).toContain(`**${COMMON}**`);
  }
});

test('filters stay hard, and what they leave is looked through though its words are common elsewhere', async () => {
  const old = await search({ query: COMMONEST, type: 'reflection', end_time: '2011-01-01' });
  expect(old.map((h) => h.uid)).toEqual(['typed']);
  const [task] = await search({ query: COMMONEST, task_id: 'task-7', limit: 100 });
  expect(task).toBeDefined();
  expect((await search({ query: 'zebra', task_id: 'task-7' })).map((h) => h.uid)).toEqual([]);
});

test('pages fit together while others are written', async () => {
  const query = { query: `${COMMONEST} zebra ${wordOf(900)}`, mode: 'keyword' };
  const whole = (await search({ ...query, limit: 60 })).map((h) => h.uid);
  const seen: string[] = [];
  for (let path = '/memory/search'; path && seen.length < 60;) {
    const { body, headers } = await user.post(path, { ...query, limit: 20 }).expect(200);
    seen.push(...body.map((h: Hit) => h.uid));
    path = /<(.*)>; rel="next"/.exec(headers['link'] ?? '')?.[1] ?? '';
    const traces = Array.from({ length: 50 }, () => ({ type: 'observation', content: `${COMMONEST} zebra` }));
    await user.post('/memory/push', { traces }).expect(201);
  }
  expect(seen).toEqual(whole);
});

type Node = { 'Subplan Name'?: string; 'Actual Rows': number; Plans?: Node[] };
/** Rows that the part of a search named so has read, words counted apart. */
const rowsOf = (node: Node, name: string): number | undefined =>
  node['Subplan Name'] === name
    ? node['Actual Rows']
    : (node.Plans ?? []).map((child) => rowsOf(child, name)).find((rows) => rows !== undefined);

test('common words stay common to somebody who has just written much about one thing', async () => {
  const traces = Array.from({ length: 400 }, (_, i) => ({ type: 'observation', content: `Note ${i} of the quagga.` }));
  for (let i = 0; i < 3; i++) await user.post('/memory/push', { traces }).expect(201);
  const { heard, stop } = hearStatements();
  const hits = await search({ query: `${COMMONEST} ${COMMON} zebra quagga` }).finally(stop);
  expect(hits.map((h) => h.snippet).join()).toContain('**zebra**');
  const asked = heard.filter(({ text }) => text.includes('telling as materialized'));
  expect(asked).not.toEqual([]);
  if (hasCitus) return; // Plans of a coordinator do not show how the other machines read.
  const [statement] = asked;
  const scans = (await plansOf(app.database.handle.db, asked)).flatMap((plan) => plan.scans);
  expect(scans.filter(({ condition }) => !/\buser_id\)?(::text)? = /.test(condition))).toEqual([]);
  const { rows } = await app.database.handle.db.executeQuery<{ 'QUERY PLAN': string | [{ Plan: Node }] }>(
    CompiledQuery.raw(`explain (analyze, format json) ${statement?.text}`, [...(statement?.values ?? [])]),
  );
  const told = rows[0]?.['QUERY PLAN'] as string | [{ Plan: Node }];
  const [{ Plan }] = (typeof told === 'string' ? JSON.parse(told) : told) as [{ Plan: Node }];
  // Some hundred traces have one of the rare words, and some 6,000 the commonest.
  expect(rowsOf(Plan, 'CTE telling')).toBeGreaterThan(100);
  expect(rowsOf(Plan, 'CTE telling')).toBeLessThan(3_000);
});

const readsSample = ({ text }: { text: string }): boolean => text.includes('generate_series');

test('the sample of the traces is read once, also by searches at the same time, and anew for an earlier time', async () => {
  // Another instance has read no sample yet.
  const fresh = await anApp({ database: app.database, clock: app.clock });
  onTestFinished(fresh.close);
  const other = client(fresh, user.token);
  const { heard, stop } = hearStatements();
  try {
    const ask = (body: object) =>
      other.post('/memory/search', { query: `${COMMONEST} ${wordOf(800)}`, mode: 'keyword', ...body }).expect(200);
    const both = await Promise.all([ask({}), ask({})]);
    expect(both[0].body).toEqual(both[1].body);
    await ask({ type: 'reflection' });
    await other.post('/memory/push', { traces: [{ type: 'observation', content: 'one more' }] }).expect(201);
    await ask({});
    expect(heard.filter(readsSample)).toHaveLength(1);
    await ask({ as_of: '2024-03-16T00:00:00Z' }); // some 10,800 entries
    expect(heard.filter(readsSample)).toHaveLength(2);
  } finally {
    stop();
  }
});

test('a filter that selects few traces does not make a search read most of the others', async () => {
  const { heard, stop } = hearStatements();
  const hits = await search({ query: `${COMMONEST} ${COMMON}`, type: 'reflection', limit: 5 }).finally(stop);
  expect(hits.map((h) => h.type)).toEqual(Array(5).fill('reflection'));
  const statement = heard.find(({ text }) => text.includes('telling as materialized'));
  // Some 6,000 traces have the one and 4,000 the other; of either some 300 are reflections. One of them is looked up.
  const lookedUp = statement?.values.filter((v) => typeof v === 'string' && v.startsWith("'") && !v.startsWith("'?"));
  expect([[`'${COMMON}'`], [`'${COMMONEST}'`]]).toContainEqual([...new Set(lookedUp)]);
});
