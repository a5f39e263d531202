/** The model as a planner, against a local server that speaks the protocol: whatever it does, a checked answer or a short reason in time. */
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { wireSchema } from '../../src/llm/model-shape.ts';
import { createModelPlanner } from '../../src/llm/ask-planner.ts';
import type { PlanningFacts } from '../../src/llm/model-planner.ts';
import { createLog } from '../../src/observability/log.ts';
import {
  aModel,
  answers,
  callsTools,
  cuts,
  fails,
  garbles,
  hangs,
  hangsUp,
  rambles,
  refuses,
  says,
  stalls,
  strays,
  tooMany,
  type Behaviour,
  type StubModel,
  type StubRequest,
} from '../support/model.ts';
import { FACTS, GOOD, good, READ, SECRET } from '../support/planning.ts';
import { millisIn } from '../support/today.ts';

let stub: StubModel;
beforeAll(async () => {
  stub = await aModel();
});
afterAll(() => stub.close());
beforeEach(() => stub.script(GOOD));

type Thinking = { reasoningEffort?: string; maxTokens?: number };
const planner = (timeoutSeconds = 60, { baseURL } = stub, thinking: Thinking = {}) =>
  createModelPlanner({
    ...{ apiKey: SECRET, baseURL, model: 'stub-1', timeoutSeconds },
    ...thinking,
    log: createLog('silent'),
  });

const plan = ({
  timeoutSeconds = 60,
  facts = FACTS,
  signal,
  model = stub,
}: { timeoutSeconds?: number; facts?: PlanningFacts; signal?: AbortSignal; model?: StubModel } = {}) =>
  planner(timeoutSeconds, model).plan('Plan deep work', facts, signal);

const reason = async (answer: Promise<unknown>): Promise<string> => {
  const error = await answer.then(
    () => null,
    (e: unknown) => e as Error,
  );
  expect(error).toBeInstanceOf(Error);
  return (error as Error).message;
};

describe('an answer', () => {
  test('is given as it was meant', async () => {
    expect(await plan()).toEqual({
      reply: 'I propose deep work.',
      left_out: '',
      actions: [READ],
      questions: [],
      choices: [],
    });
    expect(stub.requests).toHaveLength(1);
    const [{ path, authorization, body }] = stub.requests as [(typeof stub.requests)[0]];
    expect(path).toBe('/v1/chat/completions');
    expect(authorization).toBe(`Bearer ${SECRET}`);
    expect(body.model).toBe('stub-1');
    expect(body.stream ?? false).toBe(false);
    expect(body.response_format).toMatchObject({
      type: 'json_schema',
      json_schema: { strict: true, schema: wireSchema() },
    });
  });

  test('may be a question without actions', async () => {
    stub.script(answers({ reply: 'Which Friday?', actions: [] }));
    expect(await plan()).toEqual({ reply: 'Which Friday?', left_out: '', actions: [], questions: [], choices: [] });
  });

  test('comes after a short wait where the endpoint asks for one', async () => {
    stub.script(tooMany('0.05'), fails(503), GOOD);
    expect((await plan()).actions).toEqual([READ]);
    expect(stub.requests).toHaveLength(3);
  });

  test('comes on a second connection', async () => {
    stub.script(hangsUp(), GOOD);
    expect((await plan()).actions).toEqual([READ]);
  });

  test('is asked for again, once, with what was wrong', async () => {
    stub.script(answers(good({ target_event_uid: 'nobody', action_type: 'reschedule' })), GOOD);
    expect((await plan()).actions).toEqual([READ]);
    const [, second] = stub.requests;
    expect(second?.body.messages.map((m) => m.role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(second?.body.messages[2]?.content).toContain('nobody');
    expect(second?.body.messages[3]?.content).toContain(
      'actions.0.target_event_uid: is no reference of the block events',
    );
  });
});

describe('an endpoint that does not take a schema', () => {
  type Asked = { response_format?: { type: string }; messages: { content: string }[] };
  const takes =
    (...types: (string | undefined)[]): Behaviour =>
    (request, response) => {
      const { response_format: format } = request.body as Asked;
      (types.includes(format?.type) ? GOOD : fails(400))(request, response);
    };
  const formsOf = (model: StubModel) => model.requests.map(({ body }) => (body as Asked).response_format?.type);

  test.each([
    ['takes json_object', 'json_object', ['json_schema', 'json_object']],
    ['takes no format', undefined, ['json_schema', 'json_object', undefined]],
  ])('%s, gets the shape in the prompt, and is asked so from then on', (_, type, forms) =>
    withModel([takes(type)], async (model) => {
      const asking = planner(60, model);
      expect((await asking.plan('Plan deep work', FACTS)).actions).toEqual([READ]);
      expect(formsOf(model)).toEqual(forms);
      await asking.plan('Plan deep work', FACTS);
      expect(formsOf(model)).toEqual([...forms, type]);
      expect((model.requests.at(-1) as StubRequest).body.messages[0]?.content).toContain(JSON.stringify(wireSchema()));
    }),
  );

  test('that refuses for a while is asked for the schema again', () =>
    withModel([fails(400), fails(400), fails(400), GOOD], async (model) => {
      const asking = planner(60, model);
      await reason(asking.plan('Plan deep work', FACTS));
      await asking.plan('Plan deep work', FACTS);
      expect(formsOf(model).at(-1)).toBe('json_schema');
    }));

  test('that refused a schema is asked for it again after ten minutes, and the log says what it takes', () =>
    withModel([takes('json_object')], async (model) => {
      const warnings: unknown[] = [];
      const log = { debug: () => undefined, warn: (...line: unknown[]) => warnings.push(line) };
      const asking = createModelPlanner({
        ...{ apiKey: SECRET, baseURL: model.baseURL, model: 'stub-1', timeoutSeconds: 60 },
        log: log as never,
      });
      const now = performance.now();
      const clock = vi.spyOn(performance, 'now');
      const askAfter = async (minutes: number) => {
        clock.mockReturnValue(now + minutes * 60_000);
        await asking.plan('Plan deep work', FACTS);
      };
      for (const minutes of [0, 9, 11]) await askAfter(minutes);
      expect(formsOf(model)).toEqual(['json_schema', 'json_object', 'json_object', 'json_schema', 'json_object']);
      expect(warnings).toEqual([[expect.objectContaining({ status: 400, format: 'json_object' }), expect.anything()]]);
      model.script(GOOD);
      await askAfter(22);
      clock.mockRestore();
      expect(formsOf(model)).toEqual(['json_schema']);
    }));

  test('a reasoning model is asked to think as configured', () =>
    withModel([GOOD], async (model) => {
      await planner(60, model, { reasoningEffort: 'low', maxTokens: 4_000 }).plan('Plan deep work', FACTS);
      expect(model.requests[0]?.body).toMatchObject({ reasoning_effort: 'low', max_completion_tokens: 4_000 });
    }));

  test('and another one gets no such member', () =>
    withModel([GOOD], async (model) => {
      await plan({ model });
      expect(model.requests[0]?.body).not.toHaveProperty('reasoning_effort');
      expect(model.requests[0]?.body).not.toHaveProperty('max_completion_tokens');
    }));
});

const BROKEN = 'ended in the middle of its answer';
const SHAPE = 'answered something that does not have the requested shape';
const TIMES = 'proposed something that can’t be';
const REFUSED = 'refused';
const MUCH = 'answered too much';

/** Behaviour, the reason that is told, how many requests it takes. */
const BAD: [name: string, behaviour: Behaviour, why: string, requests: number][] = [
  ['429 for a short time, forever', tooMany('0'), 'answered 429', 3],
  ['429 for longer than there is time', tooMany('61'), 'answered 429', 1],
  ['429 until a date', tooMany(new Date(millisIn(3_600_000)).toUTCString()), 'answered 429', 1],
  ['500', fails(500), 'answered 500', 3],
  ['503', fails(503), 'answered 503', 3],
  ['401', fails(401), 'answered 401', 1],
  ['400', fails(400), 'answered 400', 3],
  ['404', fails(404), 'answered 404', 1],
  ['hangs up', hangsUp(), 'could not be reached', 3],
  ['cut connection', cuts('{"reply": "I prop'), BROKEN, 1],
  ['malformed body', garbles(), SHAPE, 1],
  ['JSON that is no completion', strays({ hello: 'world' }), SHAPE, 1],
  ['content that is no text', strays({ choices: [{ message: { content: [1] }, delta: { content: [1] } }] }), SHAPE, 1],
  ['an error in the place of an answer', strays({ error: { message: SECRET } }), 'answered', 1],
  ['refusal', refuses(), REFUSED, 1],
  ['content filter', says('', 'content_filter'), REFUSED, 1],
  ['out of tokens', says('{"reply": "I prop', 'length'), BROKEN, 1],
  ['tools nobody gave', callsTools(), SHAPE, 2],
  ['nothing', says(''), SHAPE, 2],
  ['prose', says('Sure! I booked it.'), SHAPE, 2],
  ['malformed JSON', says('{"reply": "ok", "actions": [}'), SHAPE, 2],
  ['an array', answers([good({})]), SHAPE, 2],
  ['deep nesting', says('['.repeat(200_000)), SHAPE, 2],
  ['no actions', answers({ reply: 'ok' }), SHAPE, 2],
  ['an empty reply', answers({ reply: ' ', actions: [] }), SHAPE, 2],
  ['unknown fields', answers(good({ status: 'approved' } as never)), SHAPE, 2],
  ['an action there is not', answers(good({ action_type: 'approve' })), SHAPE, 2],
  ['61 actions', answers(good(...Array.from({ length: 61 }, () => ({})))), SHAPE, 2],
  ['a title too long', answers(good({ title: 'x'.repeat(501) })), SHAPE, 2],
  ['no title', answers(good({ title: '  ' })), TIMES, 2],
  ['a duration of 0', answers(good({ duration_minutes: 0 })), SHAPE, 2],
  ['a duration over a week', answers(good({ duration_minutes: 10_081 })), SHAPE, 2],
  ['half a minute', answers(good({ duration_minutes: 0.5 })), SHAPE, 2],
  ['a NUL', answers(good({ content: 'a\u0000b' })), SHAPE, 2],
  ['a lone surrogate', says(JSON.stringify(good({ content: 'a!b' })).replace('a!b', 'a\\ud83d!')), SHAPE, 2],
  ['no time at all', answers(good({ scheduled_for: 'tomorrow at ten' })), TIMES, 2],
  ['a day there is not', answers(good({ scheduled_for: '2026-02-30T10:00' })), TIMES, 2],
  ['an hour there is not', answers(good({ scheduled_for: '2026-11-30T25:00' })), TIMES, 2],
  [
    'a time whose zone has another offset',
    answers(good({ scheduled_for: '2026-11-30T10:00+01:00[Asia/Tokyo]' })),
    TIMES,
    2,
  ],
  ['a time in a zone there is not', answers(good({ scheduled_for: '2026-11-30T10:00[Mars/Olympus]' })), TIMES, 2],
  ['a time without an hour', answers(good({ scheduled_for: '2026-11-30' })), TIMES, 2],
  ['the past', answers(good({ scheduled_for: '2026-11-21T09:59' })), TIMES, 2],
  ['year 9999', answers(good({ scheduled_for: '9999-01-01T10:00' })), TIMES, 2],
  [
    'a window that ends before it starts',
    answers(good({ between: { start: '2026-11-25T10:00', end: '2026-11-25T09:00' } })),
    TIMES,
    2,
  ],
  ['a window in the past', answers(good({ between: { start: '2026-11-20', end: '2026-11-20' } })), TIMES, 2],
  ['a window of four years', answers(good({ between: { start: '2026-11-25', end: '2030-11-25' } })), TIMES, 2],
  [
    'a window beside the time',
    answers(good({ scheduled_for: '2026-11-27T10:00', between: { start: '2026-11-25', end: '2026-11-26' } })),
    TIMES,
    2,
  ],
  ['an event there is not', answers(good({ action_type: 'reschedule', target_event_uid: 'theirs' })), TIMES, 2],
  ['a reschedule of nothing', answers(good({ action_type: 'reschedule' })), TIMES, 2],
  ['a schedule on top of an event', answers(good({ target_event_uid: 'dentist' })), TIMES, 2],
  ['a log that cancels', answers(good({ action_type: 'log', cancel: true })), TIMES, 2],
  ['endless talk', rambles(), MUCH, 1],
  ['a huge answer', answers({ reply: 'x'.repeat(1_100_000), actions: [] }), MUCH, 1],
];

/** A model of its own, because these tests run at the same time: most of them wait. */
const withModel = async (script: Behaviour[], use: (model: StubModel) => Promise<void>): Promise<void> => {
  const model = await aModel(...script);
  try {
    await use(model);
  } finally {
    await model.close();
  }
};

describe.concurrent('no answer', () => {
  test.each(BAD)('%s', (_name, behaviour, why, requests) =>
    withModel([behaviour], async (model) => {
      const told = await reason(plan({ model }));
      expect(told).toContain(why);
      expect(told.length).toBeLessThan(100);
      expect(told).not.toMatch(/sk-|http|127\.0/);
      expect(model.requests).toHaveLength(requests);
    }),
  );

  test.each([
    ['hangs', hangs()],
    ['goes silent', stalls('{"reply": "I am th')],
    ['asks for patience, then hangs', tooMany('0')],
  ])('%s: no longer than the deadline', (_name, behaviour) =>
    withModel([behaviour, hangs()], async (model) => {
      expect(await reason(plan({ model, timeoutSeconds: 0.4 }))).toBe('timed out after 0.4 s');
    }),
  );

  test('the deadline holds for the second chance as well', () => {
    const limit = new AbortController();
    return withModel([says('nonsense'), () => limit.abort()], async (model) => {
      vi.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
      expect(await reason(plan({ model }))).toBe('timed out after 60 s');
      expect(model.requests).toHaveLength(2);
    });
  });

  test('the caller goes away', () => {
    const caller = new AbortController();
    return withModel([() => caller.abort()], async (model) => {
      expect(await reason(plan({ model, signal: caller.signal }))).toBe(
        'was cancelled, because the client closed the connection',
      );
      expect(await reason(plan({ model, signal: AbortSignal.abort() }))).toBe(
        'was cancelled, because the client closed the connection',
      );
    });
  });

  test('nobody is there', async () => {
    const gone = await aModel(GOOD);
    await gone.close();
    const alone = createModelPlanner({
      baseURL: gone.baseURL,
      model: 'm',
      timeoutSeconds: 5,
      log: createLog('silent'),
    });
    expect(await reason(alone.plan('x', FACTS))).toBe('could not be reached');
  });
});

test('an address with a password is refused at once, without repeating it', () => {
  const make = () =>
    createModelPlanner({
      baseURL: 'http://me:hunter2@host/v1',
      model: 'm',
      timeoutSeconds: 1,
      log: createLog('silent'),
    });
  expect(make).toThrow(/must not contain/);
  expect(make).not.toThrow(/hunter2/);
});

test('nothing secret is logged', async () => {
  const lines: unknown[] = [];
  const log = { debug: (...line: unknown[]) => lines.push(line), warn: (...line: unknown[]) => lines.push(line) };
  stub.script(fails(401));
  const loud = createModelPlanner({
    apiKey: SECRET,
    baseURL: stub.baseURL,
    model: 'stub-1',
    timeoutSeconds: 5,
    log: log as never,
  });
  await reason(loud.plan('my private prompt', FACTS));
  stub.script(says('private nonsense'));
  await reason(loud.plan('my private prompt', FACTS));
  expect(lines).toHaveLength(4);
  expect(JSON.stringify(lines)).not.toMatch(/sk-|private|http/);
});
