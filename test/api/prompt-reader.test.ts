/** The threads that read prompts: they have a deadline, users take turns, and what ends one does not end the service. */
import { afterEach, expect, test } from 'vitest';
import { createPromptReader, type PromptReader } from '../../src/agent/prompt/reader.ts';
import { onBehalfOf } from '../../src/common/fair-shares.ts';
import type { IntentContext, KnownEvent } from '../../src/domain/planner/intents/types.ts';
import { createLog } from '../../src/observability/log.ts';

const known: IntentContext = { now: '2026-11-21T09:00:00.000Z', zone: 'Europe/Berlin', events: [], pending: [] };
const SHORT = 'Plan 90 minutes of writing tomorrow at 10:00';
const LONG = 'gym at 7, then call Anna about the invoice tomorrow at 3pm, and '.repeat(38);
const INVOLVED = 'The text is too involved for the built-in planner.';

const log = createLog('silent');
let reader: PromptReader;
afterEach(() => reader.stop());

test('a prompt that takes too long is answered by asking to say it otherwise, and the next one is read', async () => {
  reader = createPromptReader({ log }, 0);
  for (let n = 0; n < 3; n++) {
    const understood = await reader.understand(LONG, known);
    expect(understood.intents).toEqual([]);
    expect(understood.question).toContain(INVOLVED);
  }
  const involved = expect.stringContaining('too involved to check');
  expect(await reader.leftOver(LONG, known, [])).toEqual({ said: [involved], unasked: [] });
  const own = { action_type: 'schedule' as const, title: 'x', content: '', tags: [], arguments: {}, reasoning: '' };
  expect(await reader.leftOver(LONG, known, [own, { ...own, target_plan_uid: 'waits' }])).toEqual({
    said: [involved, 'Proposals that wait stay as they are.'],
    unasked: [1],
  });
  await reader.stop();
  reader = createPromptReader({ log });
  const [intent] = (await reader.understand(SHORT, known)).intents;
  expect(intent).toMatchObject({ title: 'Writing', duration_minutes: 90 });
});

test('a user does not wait for the prompts of another, however many those are', async () => {
  reader = createPromptReader({ log });
  const order: string[] = [];
  const send = (user_id: string, prompt: string) =>
    onBehalfOf(user_id, () => reader.understand(prompt, known)).then(() => order.push(user_id));
  await Promise.all(['many', 'one'].map((user_id) => send(user_id, SHORT))); // Both threads start.
  order.length = 0;
  await Promise.all([...Array.from({ length: 5 }, () => send('many', LONG)), send('one', SHORT)]);
  expect(order.indexOf('one')).toBe(0);
});

test('a prompt whose client has gone while it waited is not read', async () => {
  reader = createPromptReader({ log });
  const gone = new AbortController();
  const first = reader.understand(LONG, known);
  const second = reader.understand(SHORT, known, gone.signal);
  gone.abort(new Error('gone'));
  await expect(second).rejects.toThrow('gone');
  expect((await first).intents.length).toBeGreaterThan(0);
  expect((await reader.understand(SHORT, known)).intents).toHaveLength(1);
});

test('what a thread cannot take is answered, and the next prompt has a new thread', async () => {
  reader = createPromptReader({ log });
  const uncopyable = { ...known, events: [{ title: 1n } as unknown as KnownEvent] };
  expect((await reader.understand(SHORT, uncopyable)).question).toContain(INVOLVED);
  const broken = { ...known, events: [{ title: 'x', scheduled_for: 'no time' } as unknown as KnownEvent] };
  expect((await reader.understand('Move x to 11', { ...broken, zone: 'No/Where' })).question).toContain(INVOLVED);
  expect((await reader.understand(SHORT, known)).intents).toHaveLength(1);
});

test('a thread that was stopped in the middle of a prompt answers it', async () => {
  reader = createPromptReader({ log });
  await reader.understand(SHORT, known);
  const asked = reader.understand(LONG, known);
  await new Promise((resolve) => setImmediate(resolve)); // until it is read
  await reader.stop();
  expect((await asked).question).toContain(INVOLVED);
});
