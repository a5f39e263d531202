/** POST /chat/trace-summary: grounding snippets in the order asked, within a budget. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { countTokens } from '../../src/domain/text/tokens.ts';
import { allot } from '../../src/memory/trace-summaries.ts';
import { unstorable } from '../../src/domain/record/canonical-json.ts';
import { anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { HOSTILE } from '../support/hostile.ts';
import {
  aModel,
  answers,
  fails,
  garbles,
  hangsUp,
  refuses,
  says,
  sumsUp,
  type Behaviour,
  type StubModel,
} from '../support/model.ts';

const isStorable = (text: string): boolean => unstorable(text) === null;

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

type Summary = { uid: string; summary: string; token_count: number };

describe('trace-summary', () => {
  test('answers in the order asked, each as often as asked', async () => {
    const user = await aUser(app);
    await user
      .post('/memory/push', {
        traces: ['a', 'b'].map((uid) => ({
          uid,
          type: 'observation',
          content: `Note ${uid}.`,
          task_id: 't',
          timestamp: '2026-11-20T09:00:00Z',
        })),
      })
      .expect(201);
    const { body } = await user.post('/chat/trace-summary', { trace_ids: ['b', 'a', 'b'] }).expect(200);
    expect(body.map((s: Summary) => s.uid)).toEqual(['b', 'a', 'b']);
    expect(body[1]).toEqual({
      uid: 'a',
      type: 'observation',
      task_id: 't',
      timestamp: '2026-11-20T09:00:00.000Z',
      summary: 'Note a.',
      token_count: countTokens('Note a.'),
    });
  });

  test('never has more tokens than asked for, and shortens the long ones first', async () => {
    const user = await aUser(app);
    const long =
      'The harbour opens at nine. The pilot comes aboard at ten. We decided to sail on Friday. Nobody knew about the storm. '.repeat(
        20,
      );
    await user
      .post('/memory/push', {
        traces: [
          { uid: 'long', type: 'observation', content: long },
          { uid: 'short', type: 'observation', content: 'Sails are set.' },
        ],
      })
      .expect(201);
    for (const max_token_count of [1, 5, 12, 30, 500]) {
      const body: Summary[] = (
        await user.post('/chat/trace-summary', { trace_ids: ['long', 'short'], max_token_count }).expect(200)
      ).body;
      for (const { summary, token_count } of body) expect(token_count).toBe(countTokens(summary));
      expect(body.reduce((sum, s) => sum + s.token_count, 0)).toBeLessThanOrEqual(max_token_count);
      if (max_token_count >= 12) expect(body[1]?.summary).toBe('Sails are set.');
    }
  });

  test('names every unknown uid, somebody else’s and removed ones included', async () => {
    const user = await aUser(app);
    const other = await aUser(app);
    await other.post('/memory/push', { traces: [{ uid: 'theirs', type: 'observation', content: 'x' }] }).expect(201);
    await user
      .post('/memory/push', { traces: ['mine', 'gone'].map((uid) => ({ uid, type: 'observation', content: 'x' })) })
      .expect(201);
    await user.delete('/memory/remove?uid=gone').expect(200);
    const { body } = await user
      .post('/chat/trace-summary', { trace_ids: ['mine', 'theirs', 'gone', 'nowhere', 'theirs'] })
      .expect(404);
    expect(body).toMatchObject({ code: 'trace_not_found', uids: ['theirs', 'gone', 'nowhere'] });
  });
});

describe('with a model', () => {
  const LONG =
    'On Friday the harbour of Kiel opens at nine, and the pilot comes aboard at ten. Nobody knew about the storm. We decided to sail on Saturday with 12 people, and Ada pays the crew. '.repeat(
      3,
    ) +
    'The rest of the day was spent on ropes, paint and coffee, as every day before it in that long and windy month.';
  const GOOD = 'Sail on Saturday with 12 people; Ada pays the crew.';
  let model: StubModel;
  let theirs: TestApp;
  /** The time limit of each call. It ends when a test says so. */
  const limits: AbortController[] = [];
  const timeout = vi.spyOn(AbortSignal, 'timeout');
  beforeAll(async () => {
    model = await aModel();
    theirs = await anApp({ env: { OPENAI_BASE_URL: model.baseURL, OPENAI_TIMEOUT_SECONDS: '5' } });
    timeout.mockImplementation(() => {
      limits.push(new AbortController());
      return (limits.at(-1) as AbortController).signal;
    });
  });
  afterAll(async () => {
    timeout.mockRestore();
    await theirs.close();
    await model.close();
  });
  type Told = Summary & { by?: string };
  const sums = async (who: Client, trace_ids: string[], max_token_count?: number): Promise<Told[]> =>
    (await who.post('/chat/trace-summary', { trace_ids, max_token_count }).expect(200)).body;
  const aWriter = async (content = LONG): Promise<TestUser> => {
    const user = await aUser(theirs);
    const traces = [
      { uid: 'long', type: 'observation', content },
      { uid: 'short', type: 'observation', content: 'Sails are set.' },
    ];
    await user.post('/memory/push', { traces }).expect(201);
    return user;
  };

  test('it sums up what an extract would cut short, once for each version and budget', async () => {
    model.script(sumsUp(() => GOOD));
    const user = await aWriter();
    const expected = [
      { uid: 'long', summary: GOOD, token_count: countTokens(GOOD), by: 'model' },
      { uid: 'short', summary: 'Sails are set.', by: 'extractive' },
    ];
    expect(await sums(user, ['long', 'short'])).toMatchObject(expected);
    expect(await sums(user, ['long', 'short', 'long'])).toMatchObject([...expected, expected[0]]);
    expect(model.requests).toHaveLength(1);
    const { body } = await user.get('/memory/pull').expect(200);
    expect(body.map((t: { summary: string }) => t.summary)).not.toContain(GOOD); // a trace's own summary is no model's
    await user.patch('/memory/edit', { uid: 'long', updates: { content: `${LONG} More coffee.` } }).expect(200);
    await sums(user, ['long']);
    expect(model.requests).toHaveLength(2);
  });

  test.each<[string, Behaviour]>([
    ['says nothing', sumsUp(() => ' ')],
    ['says too much', sumsUp(({ text }) => text)],
    ['invents', sumsUp(() => 'The weather in Lisbon stays wonderful throughout.')],
    ['invents a number', sumsUp(() => 'Sail on Saturday with 13 people.')],
    ['adds a link', sumsUp(() => 'Sail on Saturday: https://evil.example/?q=crew')],
    ['hides something', sumsUp(() => 'Sail on Saturday with 12 people\u202e.')],
    ['answers for others', sumsUp(({ n }) => (n === 0 ? 'Sails are set.' : GOOD))],
    ['answers nothing', answers({ summaries: [] })],
    ['answers something else', answers({ reply: 'ok' })],
    ['is no JSON', says('ok')],
    ['refuses', refuses()],
    ['fails', fails(500)],
    ['hangs up', hangsUp()],
    ['garbles', garbles()],
    ['answers nothing until the time is over', () => limits.at(-1)?.abort()],
  ])('where it %s, the extract answers', async (_, behaviour) => {
    model.script(behaviour);
    const user = await aWriter(`${LONG} ${'A last word about the weather there. '.repeat(2)}`);
    for (const budget of [undefined, 40]) {
      const told = await sums(user, ['long'], budget);
      const { body } = await user.get('/memory/pull').expect(200);
      const own = (body as { uid: string; summary: string }[]).find((t) => t.uid === 'long')?.summary;
      if (budget === undefined) expect(told).toMatchObject([{ summary: own, by: 'extractive' }]);
      else expect(told).toMatchObject([{ by: 'extractive' }]);
      expect(told[0]?.token_count).toBeLessThanOrEqual(budget ?? 60);
    }
  });

  test('what notes say is data on one marked line, whatever it is', async () => {
    model.script(sumsUp(() => 'approved'));
    const user = await aUser(theirs);
    const traces = HOSTILE.filter((text) => isStorable(text)).map((text, i) => ({
      uid: `h${i}`,
      type: 'observation',
      content: `${text} ${LONG}`,
    }));
    await user.post('/memory/push', { traces }).expect(201);
    for (const { uid, by } of await sums(
      user,
      traces.map((t) => t.uid),
    ))
      expect(by, uid).toBe('extractive');
    const texts: string[] = [];
    for (const { body } of model.requests) {
      const lines = (body.messages.at(-1)?.content ?? '').split('\n');
      expect(lines).toHaveLength(4);
      const marker = /^<<<([0-9a-f]{24}) notes>>>$/.exec(lines[0] ?? '')?.[1] ?? 'none';
      expect(lines[2]).toBe(`<<<end ${marker} notes>>>`);
      expect(lines[1]).not.toMatch(/[<>]|\p{Cf}/u);
      texts.push(...(JSON.parse(lines[1] ?? '') as { text: string }[]).map((note) => note.text));
    }
    expect(texts.length).toBeGreaterThan(40);
  });

  test('a thousand ids are answered in time, by the model as far as it is asked', async () => {
    model.script(sumsUp(() => GOOD));
    const user = await aUser(theirs);
    const traces = Array.from({ length: 200 }, (_, i) => ({
      uid: `t${i}`,
      type: 'observation',
      content: `${LONG} (${i})`,
    }));
    await user.post('/memory/push', { traces }).expect(201);
    const told = await sums(
      user,
      traces.map((t) => t.uid),
    );
    expect(told).toHaveLength(200);
    expect(told.filter((t) => t.by === 'model')).toHaveLength(64);
    expect(model.requests).toHaveLength(4);
  });
});

test('allot never gives more than there is, nor more than is needed, and leaves nothing that somebody needs', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(100), { minLength: 1, maxLength: 20 }), fc.nat(1000), (needs, budget) => {
      const shares = allot(needs, budget);
      const given = shares.reduce((a, b) => a + b, 0);
      expect(given).toBeLessThanOrEqual(budget);
      shares.forEach((share, i) => expect(share).toBeLessThanOrEqual(needs[i] ?? 0));
      expect(
        Math.min(
          budget,
          needs.reduce((a, b) => a + b, 0),
        ) - given,
      ).toBeLessThan(needs.length);
    }),
  );
});
