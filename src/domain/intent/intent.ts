/**
 * The built-in planner's understanding: everyday English in, intents out. Pure and deterministic. A prompt is read alone first, and
 * then as going on from the prompt before.
 */
import { chosenFrom } from './dialogue/choices.ts';
import { followUp, eventBefore, respelt } from './dialogue/follow-up.ts';
import { talkOf } from './dialogue/talk.ts';
import { agrees } from './dialogue/agreed.ts';
import { afterRefusal } from './dialogue/refused.ts';
import { isDecided, latestPending, subjectOf } from './correct.ts';
import { accepting } from './set-replies.ts';
import {
  addFrames,
  readFrames,
  type ReadPrompt,
  readingPrompt,
  sayIntents,
  startOf,
  understoodOf,
} from './read-prompt.ts';
import { withoutMarks } from './plain-words.ts';
import { resultOf } from '../text/result-of.ts';
import type { Intent, IntentContext, Understanding } from './types.ts';

const LONGEST_ADDITION = 200;
const LONGEST_BEFORE = 1000;
const PRONOUN = /\b(?:it|that|this|one)\b/i;

/** 'move it to 12', '-> 12': a change that names nothing; 'an hour later' too, after what was proposed was decided. */
const pointsToIt = (
  prompt: string,
  { understood, reading: { frames, tokens } }: ReadPrompt,
  context: IntentContext,
): boolean =>
  understood.intents.length === 0 &&
  (PRONOUN.test(prompt) ||
    frames.some(
      ({ act, items }) => (act === 'move' || isDecided(context)) && subjectOf({ tokens }, items).length === 0,
    ));

const chosenOf = (intents: Intent[], context: IntentContext): Understanding => ({
  ...{ intents, questions: [], reply: sayIntents(intents, context), unknown: [], unread: 0 },
});

/** What is said where a prompt only agrees to what waits. */
const agreedOf = (prompt: string, context: IntentContext): Understanding | null => {
  const waiting = latestPending(context);
  if (waiting.length === 0 || !agrees(prompt)) return null;
  const question = accepting(waiting.map(({ title }) => title));
  return { intents: [], questions: [], question, reply: question, unknown: [], unread: 0 };
};

/**
 * Understands a prompt: one intent per thing asked for (at most 60), a question where a guess would be needed. Never throws. It
 * yields between words and clauses, because the first long prompt of a process takes more than 100 ms.
 */
export function* understanding(prompt: string, context: IntentContext): Generator<undefined, Understanding> {
  const agreed = agreedOf(prompt, context);
  const alone = yield* readingPrompt(prompt, context);
  const said = withoutMarks(context.before?.prompt ?? '');
  if (!context.before || prompt.length > LONGEST_ADDITION || said.length > LONGEST_BEFORE)
    return agreed ?? alone.understood;
  const chosen = chosenFrom(prompt, context.before.choices ?? []);
  if (chosen) return chosenOf(chosen, context);
  const again = yield* afterRefusal(prompt, context);
  if (again) return again;
  const { before: _before, ...first } = context;
  const earlier = yield* readFrames(said, first);
  const talk = talkOf(prompt, context, alone, earlier);
  // 'did you mean Friday?' 'yes'
  if (agreed) return (context.before.proposed ? null : yield* respelt(talk)) ?? agreed;
  const about = pointsToIt(prompt, alone, context) ? eventBefore(talk) : undefined;
  if (about) {
    const state = { ...startOf(alone.reading, context), about };
    yield* addFrames(state, alone.reading.frames);
    if (state.intents.length > 0) return understoodOf(state, alone.reading);
  }
  return (yield* followUp(talk)) ?? alone.understood;
}

/** The same at once. */
export const understand = (prompt: string, context: IntentContext): Understanding =>
  resultOf(understanding(prompt, context));
