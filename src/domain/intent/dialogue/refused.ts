/** A prompt behind a request that the limits or the calendar refused: 'no, make it Wednesday at 8 pm' means that request. */
import { subjectOf } from '../correct.ts';
import { facetsOf, type Frame } from '../frame.ts';
import { addFrames, readFrames, startOf, understoodOf } from '../read-prompt.ts';
import { notProposed, stillRefused } from '../set-replies.ts';
import type { IntentContext, Understanding } from '../types.ts';
import { agrees } from './agreed.ts';
import { isBeside } from './talk.ts';

const ASKS_FOR_OTHER = /^(?:(?:and|or|then|ok|okay|well|so)[ ,]+)*(?:what|how) about\b/i;

const replying = (question: string): Understanding => ({
  ...{ intents: [], questions: [], question, reply: question, unknown: [], unread: 0 },
});

/** Whether a clause that names nothing takes back what was asked for: 'never mind', 'cancel it', 'no'. */
const takesBack = ({ kind, act }: Frame): boolean => kind === 'refusal' || act === 'cancel' || act === 'dismiss';

/**
 * The same request as the prompt says it now, or what is said where the prompt only agrees or takes it back: no other proposal is
 * meant. null where the prompt names something else.
 */
export function* afterRefusal(prompt: string, context: IntentContext): Generator<undefined, Understanding | null> {
  const about = context.before?.refused;
  if (!about) return null;
  if (agrees(prompt)) return replying(stillRefused(about.title));
  // Nothing that waits is meant by “it”.
  const alone: IntentContext = { ...context, pending: [] };
  const reading = yield* readFrames(prompt.replace(ASKS_FOR_OTHER, ''), alone);
  const asked = reading.frames.filter((frame) => !isBeside(frame));
  if (asked.some(({ items }) => subjectOf(reading, items).length > 0)) return null;
  // 'no' in front says only that the answer was not the one that was hoped for.
  const timed = asked.filter(({ items }) => facetsOf(items).length > 0);
  if (timed.length === 0) return asked.length > 0 && asked.every(takesBack) ? replying(notProposed(about.title)) : null;
  const state = { ...startOf(reading, alone), about };
  yield* addFrames(state, timed);
  return state.intents.length > 0 ? understoodOf(state, reading) : null;
}
