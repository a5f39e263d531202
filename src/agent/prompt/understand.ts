/** What is read of a prompt in the thread of readers (reader.ts): what it asks for, and which of its words that leaves out. */
import { unaccounted } from '../../domain/intent/accounted-times.ts';
import { understanding } from '../../domain/intent/intent.ts';
import { MOST as MOST_INTENTS } from '../../domain/intent/layout.ts';
import type { Intent, IntentContext, Understanding } from '../../domain/intent/types.ts';
import type { Instant } from '../../domain/time/time.ts';
import { instantOf } from '../../domain/time/time.ts';
import { checkedWindow, occurrencesOf, repeatingOf } from '../place/plan-series.ts';

/** The times of a prompt are compared with this many occurrences of a series. */
const STARTS_COMPARED = 200;

/** Understands a prompt, and asks where its proposals would leave words of time out. Corrections are checked where they are read. */
const understandingWhole = function* (prompt: string, known: IntentContext): Generator<undefined, Understanding> {
  const understood = yield* understanding(prompt, known);
  const { intents, questions, question, unread } = understood;
  // Of a prompt with too many plans the first ones are taken, and the reply says so.
  const isCut = intents.length >= MOST_INTENTS;
  if (intents.length === 0 || isCut || questions.length > 0 || question !== undefined || known.before?.proposed)
    return understood;
  const left = (yield* leftOver(prompt.slice(0, prompt.length - unread), known, intents)).join(' ');
  return left === '' ? understood : { ...understood, intents: [], question: left, reply: left };
};

/** What the intents leave out of the prompt, as sentences. */
const leftOver = function* (
  prompt: string,
  known: IntentContext,
  intents: readonly Intent[],
): Generator<undefined, string[]> {
  const repeated: Instant[] = [];
  for (const intent of intents) {
    yield;
    repeated.push(...repeatedStarts(intent, known.zone));
  }
  return yield* unaccounted(prompt, intents, known, repeated);
};

/** The starts of the occurrences of a series, as far as they are compared with the calendar; none of a plan that happens once. */
const repeatedStarts = (intent: Intent, timezone: string): Instant[] => {
  const { action_type, scheduled_for = null, duration_minutes = null, rrule, exdates } = intent;
  const plan = {
    action_type,
    arguments: intent.arguments,
    scheduled_for,
    duration_minutes,
    rrule,
    exdates,
    timezone,
  };
  const series = repeatingOf(plan);
  if (series === null) return [];
  const starts = occurrencesOf(series, checkedWindow(series, series.scheduled_for)).take(STARTS_COMPARED);
  return [...starts].map(({ start }) => instantOf(start));
};

/** A prompt with what is known of the calendar and the conversation; with `intents`, what they leave out of it is asked. */
export type Reading = { prompt: string; known: IntentContext; intents?: readonly Intent[] };
export type Read = Understanding | string[];

export const reading = ({ prompt, known, intents }: Reading): Generator<undefined, Read> =>
  intents ? leftOver(prompt, known, intents) : understandingWhole(prompt, known);
