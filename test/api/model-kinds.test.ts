/** Answers as models and their endpoints write them: read at once, read when the model has corrected them, or not at all. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createModelPlanner } from '../../src/llm/ask-planner.ts';
import { createLog } from '../../src/observability/log.ts';
import { aModel, type StubModel } from '../support/model.ts';
import { kindsOf, TITLE } from '../support/model-answers.ts';
import { FACTS } from '../support/planning.ts';

let stub: StubModel;
beforeAll(async () => {
  stub = await aModel();
});
afterAll(() => stub.close());

const DAY = '2026-11-23';
const KINDS = kindsOf({ day: DAY, event_uid: 'dentist' });
const facts = { ...FACTS, zone: 'Europe/London' };
/** Each has a planner of its own, because a planner remembers what its endpoint takes. */
const plan = () => {
  const access = { baseURL: stub.baseURL, model: 'stub-1', timeoutSeconds: 30, log: createLog('silent') };
  return createModelPlanner(access).plan('Read aloud', facts);
};

const MADE = { title: TITLE, scheduled_for: `${DAY}T10:00:00.000Z`, task_id: null, tags: [], target_event_uid: null };
const CHANGED = { title: '', target_event_uid: 'dentist', scheduled_for: `${DAY}T11:00:00.000Z` };

test('there are fifty kinds of answers at least', () => {
  expect(new Set(KINDS.map(({ name }) => name)).size).toBe(KINDS.length);
  expect(KINDS.length).toBeGreaterThanOrEqual(50);
});

const named = (read: string) => KINDS.filter((kind) => kind.read === read).map((kind) => [kind.name, kind] as const);

describe('is read as it comes:', () => {
  test.each(named('first'))('%s', async (_, { behaviours, requests, isChange }) => {
    stub.script(...behaviours);
    expect((await plan()).actions).toMatchObject([isChange ? CHANGED : MADE]);
    expect(stub.requests).toHaveLength(requests);
  });
});

describe('is refused with a fault that says what is wrong, and read when it is corrected:', () => {
  test.each(named('second'))('%s', async (_, { behaviours, requests, fault }) => {
    stub.script(...behaviours);
    expect((await plan()).actions).toMatchObject([MADE]);
    expect(stub.requests).toHaveLength(requests);
    expect(stub.requests[1]?.body.messages.at(-1)?.content).toMatch(fault as RegExp);
  });
});

describe('is no answer:', () => {
  test.each(named('none'))('%s', async (_, { behaviours, requests }) => {
    stub.script(...behaviours);
    await expect(plan()).rejects.toThrow();
    expect(stub.requests).toHaveLength(requests);
  });
});
