/** Finding traces again: by word, tag, phrase, likeness, time; what ranks above what; what is not found; what is refused. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { candidatesStatement } from '../../src/memory/search/hits.ts';
import type { Question } from '../../src/memory/search/question.ts';
import { editDistance } from '../../src/domain/text/edit-distance.ts';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';

type Hit = {
  uid: string;
  snippet: string;
  summary: string;
  confidence: number;
  explain?: Record<string, never> & {
    arms: Record<string, { rank: number; matched?: string[]; embedder?: string }>;
    boost: number;
    corrected?: object;
    unavailable?: object;
  };
};

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const search = async (who: Client, body: object): Promise<Hit[]> =>
  (await who.post('/memory/search', body).expect(200)).body;
const uids = async (who: Client, body: object): Promise<string[]> => (await search(who, body)).map((hit) => hit.uid);
const push = (who: Client, traces: object[]) =>
  who.post('/memory/push', { traces: traces.map((t) => ({ type: 'observation', ...t })) }).expect(201);

/** Someone with a little of everything. */
const aReader = async (): Promise<TestUser> => {
  const user = await aUser(app);
  await push(user, [
    {
      uid: 'contract',
      content: 'The supplier wants the contract signed by Friday.',
      task_id: 'supply',
      tags: ['#Legal', 'urgent'],
      timestamp: '2026-11-18T09:00:00Z',
    },
    {
      uid: 'lunch',
      content: 'Lunch with Johnathan about planning the thesis.',
      tags: ['@people'],
      timestamp: '2026-11-19T12:00:00Z',
    },
    {
      uid: 'rest',
      content: 'The office was quiet; the supplier did not call.',
      tempo_tag: '@deep_work',
      timestamp: '2026-11-20T10:00:00Z',
      type: 'reflection',
    },
    { uid: 'tokyo', content: '会議は東京で行われます。', timestamp: '2026-11-20T11:00:00Z' },
    ...Array.from({ length: 6 }, (_, i) => ({
      uid: `office-${i}`,
      content: `Office note number ${i}: the office is open.`,
      timestamp: '2026-11-01T10:00:00Z',
    })),
  ]);
  return user;
};

describe('what is found', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await aReader();
  });

  test('any of the words finds, in whatever form, and the telling word outweighs the common one', async () => {
    const hits = await search(user, { query: 'contracts in the office?', mode: 'keyword' });
    expect(hits[0]).toMatchObject({
      uid: 'contract',
      type: 'observation',
      task_id: 'supply',
      tempo_tag: null,
      timestamp: '2026-11-18T09:00:00.000Z',
    });
    expect(hits[0]?.snippet).toContain('**contract**');
    expect(hits).toHaveLength(8);
    expect(hits[0]).not.toHaveProperty('explain');
  });

  test('a phrase in quotes counts where it stands as quoted', async () => {
    const other = await aUser(app);
    await push(other, [
      { uid: 'apart', content: 'deep into the night, work goes on; deep work it is not' },
      { uid: 'together', content: 'a block for deep work' },
      { uid: 'reversed', content: 'work deep' },
    ]);
    expect((await uids(other, { query: '"work deep"', mode: 'keyword' }))[0]).toBe('reversed');
  });

  test('the title of a plan that is asked for comes first', async () => {
    const other = await aUser(app);
    await push(
      other,
      Array.from({ length: 3 }, (_, i) => ({ content: `the quarterly review, the quarterly review again (${i})` })),
    );
    await other
      .post('/agent/plan', { actions: [{ action_type: 'log', title: 'Quarterly review', content: 'Written down.' }] })
      .expect(200);
    const [first] = await search(other, { query: 'quarterly review', type: 'agent_plan' });
    expect(first?.snippet).toContain('**Quarterly** **review**');
  });

  test.each([
    ['#legal', 'tag', ['contract']],
    ['@legal', 'tag', ['contract']],
    ['LEGAL urgent', 'tag', ['contract']],
    ['@urgent', 'hybrid', ['contract']],
    ['#people', 'tag', ['lunch']],
    ['deep_work', 'tag', ['rest']],
    ['#nothing', 'tag', []],
    ['東京', 'keyword', ['tokyo']],
    ['thesus jonathan', 'keyword', ['lunch']],
    ['zzzz', 'hybrid', []],
  ])('%s by %s', async (query, mode, found) => {
    expect(await uids(user, { query, mode })).toEqual(found);
  });

  test.each([
    [{ task_id: 'supply' }, ['contract']],
    [{ tempo_tag: '@deep_work' }, ['rest']],
    [{ type: 'reflection' }, ['rest']],
    [{ tags: ['legal', '@URGENT'] }, ['contract']],
    [{ tags: ['legal', 'people'] }, []],
    [{ start_time: '2026-11-20' }, ['rest']],
    [{ end_time: '2026-11-18' }, ['contract']],
    [{ start_time: '2026-11-18T10:00:00', end_time: '2026-11-18T10:00:00' }, ['contract']], // wall time in Berlin
  ])('filters are hard: %j', async (filter, found) => {
    expect(await uids(user, { query: 'supplier', mode: 'keyword', ...filter })).toEqual(found);
  });

  test('tags alone are a question', async () => {
    expect(await uids(user, { query: '', tags: ['legal'] })).toEqual(['contract']);
  });

  test('explain tells each arm’s part, and what was read into a misspelt word', async () => {
    const [hit] = await search(user, { query: 'supplier contarct #legal', explain: true });
    expect(hit?.uid).toBe('contract');
    expect(hit?.explain).toMatchObject({
      mode: 'hybrid',
      arms: { keyword: { rank: 1, matched: ['supplier', 'contract'] }, tag: { rank: 1, matched: ['#legal'] } },
      corrected: { contarct: 'contract' },
    });
    if (app.database.vectors) expect(hit?.explain?.arms['semantic']?.embedder).toBe('builtin-words-128');
    else expect(hit?.explain?.unavailable).toEqual({ semantic: 'this Postgres has no pgvector' });
  });

  test('semantic finds what is spelt alike, or says that it can’t', async () => {
    if (!app.database.vectors) {
      const { body } = await user.post('/memory/search', { query: 'x', mode: 'semantic' }).expect(501);
      expect(body.code).toBe('semantic_unavailable');
      return;
    }
    const [hit] = await search(user, { query: 'suppliers signing contracts', mode: 'semantic', explain: true });
    expect(hit).toMatchObject({ uid: 'contract', explain: { arms: { semantic: { rank: 1 } } } });
  });
});

describe('order', () => {
  test('confidence lies in 0..1, never rises down the list, and falls with what was not found', async () => {
    const user = await aReader();
    for (const query of [
      'supplier office',
      'the contract in the office',
      '#legal supplier',
      'planning lunch friday office',
    ]) {
      const confidence = (await search(user, { query, limit: 100 })).map((hit) => hit.confidence);
      expect(confidence).toEqual(confidence.toSorted((a, b) => b - a));
      expect(confidence.every((c) => c > 0 && c <= 1)).toBe(true);
    }
    const [all] = await search(user, { query: 'supplier', mode: 'keyword' });
    const [half] = await search(user, { query: 'supplier submarine', mode: 'keyword' });
    expect(half?.confidence).toBeLessThan(all?.confidence ?? 0);
  });

  test('of two alike the newer comes first, and the better rated', async () => {
    const user = await aUser(app);
    await push(user, [
      { uid: 'old', content: 'stand-up with Ada', timestamp: '2026-05-01T09:00:00Z' },
      { uid: 'new', content: 'stand-up with Ada', timestamp: '2026-11-20T09:00:00Z' },
    ]);
    expect(await uids(user, { query: 'Ada' })).toEqual(['new', 'old']);
    await user.post('/agent/feedback', { uid: 'old', feedback_rating: 5 }).expect(200);
    await user.post('/agent/feedback', { uid: 'new', feedback_rating: 1 }).expect(200);
    expect(await uids(user, { query: 'Ada' })).toEqual(['old', 'new']);
  });

  test('recency only nudges: an old trace that says it all stays first', async () => {
    const user = await aUser(app);
    await push(user, [
      { uid: 'old', content: 'Ada signed the lease', timestamp: '2020-01-01T09:00:00Z' },
      { uid: 'new', content: 'Ada called', timestamp: '2026-11-20T09:00:00Z' },
    ]);
    expect(await uids(user, { query: 'Ada lease', mode: 'keyword' })).toEqual(['old', 'new']);
  });
});

describe('pages and time', () => {
  test('a walk shows every result once, as of its first page, whatever is written meanwhile', async () => {
    const user = await aUser(app);
    await push(
      user,
      Array.from({ length: 25 }, (_, i) => ({ uid: `t${i}`, content: `meeting ${i} ${'again '.repeat(i % 5)}` })),
    );
    const whole = await uids(user, { query: 'meeting again', limit: 100 });
    expect(whole).toHaveLength(25);
    const seen: string[] = [];
    let path = '/memory/search';
    for (let page = 0; path && page < 10; page++) {
      const { body, headers } = await user.post(path, { query: 'meeting again', limit: 10 }).expect(200);
      seen.push(...body.map((hit: Hit) => hit.uid));
      path = /<(.*)>; rel="next"/.exec(headers['link'] ?? '')?.[1] ?? '';
      await push(user, [{ content: 'another meeting again again again' }]);
      await user.patch('/memory/edit', { uid: `t${page}`, updates: { content: 'gone' } }).expect(200);
      await user.delete(`/memory/remove?uid=t${20 + page}`).expect(200);
    }
    expect(seen).toEqual(whole);
  });

  test('as_of answers from what was known then: edits, removals and likeness included', async () => {
    const user = await aUser(app);
    const [saved] = (await push(user, [{ uid: 'a', content: 'the blue door', tags: ['#house'] }])).body;
    await user.patch('/memory/edit', { uid: 'a', updates: { content: 'the red door', tags: [] } }).expect(200);
    await user.delete('/memory/remove?uid=a').expect(200);
    for (const mode of ['keyword', 'hybrid', ...(app.database.vectors ? ['semantic'] : [])]) {
      const then = (as_of: number | string) => search(user, { query: 'blue door', mode, as_of });
      expect(await then(saved.seq - 1), mode).toEqual([]);
      expect((await then(saved.seq))[0]?.summary, mode).toBe('the blue door');
      expect((await then(String(saved.seq + 1)))[0]?.summary, mode).toBe('the red door');
      expect(await then(saved.seq + 2), mode).toEqual([]);
      expect(await then('2020-01-01'), mode).toEqual([]);
    }
    expect(await uids(user, { query: '#house', mode: 'tag', as_of: saved.seq })).toEqual(['a']);
    expect(await uids(user, { query: '#house', mode: 'tag', as_of: saved.seq + 1 })).toEqual([]);
  });
});

describe('hostile', () => {
  let user: TestUser;
  beforeAll(async () => {
    user = await aReader();
  });

  test.each([
    '',
    ' ',
    '\n',
    'the of and',
    'a & | !',
    '!!!',
    '((',
    "'",
    "''",
    '"',
    '""',
    '" & "',
    '\\',
    "\\'",
    ':*',
    'supplier:*',
    'x <-> y',
    '<2>',
    '#',
    '@',
    '##',
    '#@#',
    '%_',
    '*',
    '-1',
    '{}',
    '[]',
    '💥',
    '👩‍👩‍👧 family',
    'ß ſ İ',
    'a'.repeat(10_000),
    'wort '.repeat(2_000),
    '漢'.repeat(10_000),
    '" '.repeat(5_000),
    '#x '.repeat(3_000),
    'a'.repeat(70),
    '\u202e\ufeff\u200b',
    'é'.repeat(300),
    Array.from({ length: 900 }, (_, i) => `word${i}`).join(' '),
  ])('%#: nothing breaks it', async (query) => {
    for (const mode of ['hybrid', 'keyword', 'tag']) await search(user, { query, mode, explain: true });
    if (app.database.vectors) await search(user, { query, mode: 'semantic' });
  });

  test('texts that are hard to index are stored and found', async () => {
    const other = await aUser(app);
    const han = Array.from({ length: 100_000 }, (_, i) => String.fromCodePoint(0x4e00 + ((i * 7919) % 20_000))).join(
      '',
    );
    await push(other, [{ uid: 'han', content: han }]);
    await push(other, [{ uid: 'run', content: `${'x'.repeat(99_000)} needle` }]);
    await push(other, [{ uid: 'many', content: Array.from({ length: 15_000 }, (_, i) => i.toString(36)).join(' ') }]);
    await push(other, [
      {
        uid: 'signs',
        content: "it's \\ 'quoted' : * & | ! needle",
        tags: ["#it's\\", "'"],
        task_id: "'; drop table traces; --",
      },
    ]);
    expect((await uids(other, { query: 'needle', mode: 'keyword' })).toSorted()).toEqual(['run', 'signs']);
    expect(await uids(other, { query: "#it's\\", mode: 'tag' })).toEqual(['signs']);
    expect(await uids(other, { query: '', tags: ["it's\\"] })).toEqual(['signs']);
    expect(await uids(other, { query: han.slice(500, 510), mode: 'keyword' })).toContain('han');
  });

  test.each([
    [{}, '/query'],
    [{ query: 'a'.repeat(10_001) }, '/query'],
    [{ query: 'x', mode: 'magic' }, '/mode'],
    [{ query: 'x', limit: 0 }, '/limit'],
    [{ query: 'x', limit: 101 }, '/limit'],
    [{ query: 'x', start_time: 'soon' }, '/start_time'],
    [{ query: 'x', as_of: 'then' }, '/as_of'],
    [{ query: 'x', colour: 'red' }, '/colour'],
    [{ query: 'nul \0' }, '/query'],
  ])('%j is 422 with its path', async (body, path) => {
    const answer = await user.post('/memory/search', body).expect(422);
    expect(answer.body.errors[0].path).toBe(path);
  });

  test.each(['x', Buffer.from('{}').toString('base64url'), 'e30'])(
    'a cursor that is none is refused: %s',
    async (cursor) => {
      const { body } = await user.post(`/memory/search?cursor=${cursor}`, { query: 'supplier' }).expect(422);
      expect(body.code).toBe('invalid_cursor');
    },
  );

  test.each([
    ['xontract', 'contract'], // another first letter
    ['ontract', 'contract'], // it is missing
    ['scontract', 'contract'], // it is one too many
    ['ocntract', 'contract'], // it is swapped with the second
    ['contrakkt', 'contract'], // two changes further on
  ])('%s is read as %s', async (asked, read) => {
    const [hit] = await search(user, { query: asked, explain: true });
    expect(hit?.explain?.corrected).toEqual({ [asked]: read });
  });

  test('nobody finds what is somebody else’s, and reading needs its scope', async () => {
    const other = await aUser(app);
    expect(await uids(other, { query: 'supplier contract #legal' })).toEqual([]);
    expect((await other.post('/memory/search', { query: 'x', user_id: user.user_id }).expect(403)).body.code).toBe(
      'other_user',
    );
    expect(await uids(user.agent, { query: 'contract' })).toContain('contract');
    const blind = await aKey(app, user, 'agent', ['memory:write']);
    expect((await blind.post('/memory/search', { query: 'x' }).expect(403)).body.missing).toEqual(['memory:read']);
  });
});

test('the hits come from the index that begins with user_id', async () => {
  const user = await aUser(app);
  const words = Array.from({ length: 400 }, (_, i) => `w${i.toString(36)}`);
  const traces = Array.from({ length: 1000 }, (_, i) => ({
    content: [1, 7, 11].map((k) => words[(i * k) % 400]).join(' '),
  }));
  await push(user, traces);
  const { db } = app.database.handle;
  await sql`vacuum analyze traces`.execute(db); // entries still pending would make the index look dear
  const question: Question = {
    ...{
      user_id: user.user_id,
      at: 10_000,
      recorded_at: '2026-11-14T10:00:00.000Z',
      filter: {},
      tags: [],
      without: undefined,
      probe: undefined,
      compared: undefined,
      answer: { time: false, amount: false },
      halfLifeDays: 90,
      limit: 11,
      offset: 0,
    },
    asked: ['w3', 'w7'].map((term) => ({ arm: 'keyword', term, lexemes: [term], as: 'word' })),
  };
  const looked = { rare: true, expected: null };
  const statement = candidatesStatement(question, [looked, looked]);
  const plan = await db.transaction().execute(async (tx) => {
    await sql`set local enable_seqscan = off`.execute(tx);
    return sql<{ 'QUERY PLAN': string }>`explain ${statement}`.execute(tx);
  });
  const text = plan.rows.map((row) => row['QUERY PLAN']).join('\n');
  expect(text).toMatch(
    /Bitmap Index Scan on traces_search[^\n]*\n\s*Index Cond: \(\(user_id = [^\n]* AND \(search @@ [^\n]*\)\)/,
  );
});

test.each([
  ['', 'abc', 3],
  ['abc', 'abc', 0],
  ['jonathan', 'johnathan', 1],
  ['contarct', 'contract', 1],
  ['kitten', 'sitting', 3],
])('%s and %s are %i apart', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance);
  expect(editDistance(b, a)).toBe(distance);
});
