/** What reaches the model: every fact as marked data, and no text that gets out of its block. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createModelPlanner } from '../../src/llm/ask-planner.ts';
import type { PlanningFacts } from '../../src/llm/model-planner.ts';
import { createLog } from '../../src/observability/log.ts';
import { HOSTILE } from '../support/hostile.ts';
import { aModel, type StubModel } from '../support/model.ts';
import { FACTS, GOOD, NOW, READ } from '../support/planning.ts';

let stub: StubModel;
beforeAll(async () => {
  stub = await aModel();
});
afterAll(() => stub.close());
beforeEach(() => stub.script(GOOD));

const planner = () =>
  createModelPlanner({ baseURL: stub.baseURL, model: 'stub-1', timeoutSeconds: 10, log: createLog('silent') });

describe('what the model is told', () => {
  /** The data blocks of a request as the marker of its system message delimits them, and what stands outside of them. */
  const told = (request: StubModel['requests'][0] | undefined) => {
    const [system, user] = request?.body.messages ?? [];
    const nonce = /<<<([0-9a-f]{24}) NAME>>>/.exec(system?.content ?? '')?.[1] ?? 'no marker';
    const blocks = new Map<string, unknown>();
    const outside = (user?.content ?? '').replace(
      new RegExp(`^<<<${nonce} (\\w+)>>>\\n(.*)\\n<<<end ${nonce} \\1>>>\\n`, 'gm'),
      (_all, name: string, json: string) => {
        blocks.set(name, JSON.parse(json));
        return '';
      },
    );
    return { nonce, blocks, outside, system: system?.content ?? '', user: user?.content ?? '' };
  };

  test('all facts, in the user’s time', async () => {
    await planner().plan('Plan deep work', FACTS);
    const { blocks, outside } = told(stub.requests[0]);
    expect(outside).toBe('Plan what the block "request" asks for.');
    expect([...blocks.keys()]).toEqual([
      'now',
      'free',
      'events',
      'pending',
      'tempo',
      'limits',
      'traces',
      'context',
      'request',
    ]);
    expect(blocks.get('request')).toBe('Plan deep work');
    expect(blocks.get('now')).toMatchObject({ now: '2026-11-21T10:00:00+01:00', zone: 'Europe/Berlin' });
    expect((blocks.get('now') as { coming_days: string[] }).coming_days.slice(0, 2)).toEqual([
      'Saturday 2026-11-21',
      'Sunday 2026-11-22',
    ]);
    expect(blocks.get('events')).toEqual([
      { uid: 'dentist', title: 'Dentist', start: '2026-11-24T10:00:00+01:00', end: '2026-11-24T11:00:00+01:00' },
    ]);
    expect(blocks.get('traces')).toMatchObject([{ uid: 't1', summary: 'Chapter two is due.' }]);
  });

  test('a marker of its own each time', async () => {
    await planner().plan('Plan deep work', FACTS);
    await planner().plan('Plan deep work', FACTS);
    expect(told(stub.requests[0]).nonce).not.toBe(told(stub.requests[1]).nonce);
  });

  test('there are 50 kinds of hostile text', () => {
    expect(new Set(HOSTILE).size).toBeGreaterThanOrEqual(50);
  });

  test.each(HOSTILE.map((text, i) => [i, text] as const))('hostile text %i stays in its block', async (_i, text) => {
    const facts: PlanningFacts = {
      ...FACTS,
      events: [{ uid: 'e', title: text, start: NOW, end: '2026-11-21T10:00:00.000Z' }],
      traces: [{ uid: 't', type: 'observation', task_id: text, timestamp: NOW, summary: text }],
      tempo: { tag_mappings: { [text]: {} } },
      context: { memory: [text], calendar: [{ [text]: text }] },
    };
    const answer = await planner().plan(text, facts);
    expect(answer.actions).toEqual([READ]);
    const { blocks, outside, system, user } = told(stub.requests[0]);
    expect(outside).toBe('Plan what the block "request" asks for.');
    const same = JSON.parse(JSON.stringify(text)) as string; // as JSON carries it
    expect(blocks.get('traces')).toMatchObject([{ summary: same, task_id: same }]);
    expect(blocks.get('events')).toMatchObject([{ title: same }]);
    expect(blocks.get('context')).toMatchObject({ memory: [same] });
    expect(blocks.get('request')).toBe(same);
    expect(user.split('\n')).toHaveLength(9 * 3 + 1);
    expect(user.match(/[<>]/g)).toHaveLength(9 * 2 * 6); // the markers' own, and no other
    expect(user).not.toMatch(/\[(INST|\/INST|SYSTEM)|\p{Cf}|[\u2028\u2029]/u);
    expect(system).not.toContain(text);
  });
});
