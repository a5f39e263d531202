/** What is read of a prompt in the thread of readers (reader.ts): what it asks for, or which of its words the actions of a model leave out. */
import { unaccounted } from '../../domain/planner/intents/left-out.ts';
import type { Intent, IntentContext, Understanding } from '../../domain/planner/intents/types.ts';
import { understand } from '../../domain/planner/intents/understand.ts';
import { unnamed } from '../../domain/planner/intents/unnamed.ts';
import { unsaid } from '../../domain/planner/intents/unsaid.ts';
import type { Instant } from '../../domain/time/time.ts';
import { instantOf } from '../../domain/time/time.ts';
import { checkedWindow, occurrencesOf, repeatingOf } from '../place/plan-series.ts';

/** The times of a prompt are compared with this many occurrences of a series. */
const STARTS_COMPARED = 200;

/** What the intents leave out of the prompt, as sentences, and which of them it does not mean. */
export type LeftOver = { said: string[]; unasked: number[] };

/** What an action says of time, and of what. */
const timeOf = ({
  scheduled_for: at,
  duration_minutes,
  rrule,
  exdates = [],
  arguments: given,
  ...intent
}: Intent): string => {
  const { recurrence_id, scope, cancel, all_day } = given;
  const { target_event_uid: event, target_plan_uid: plan } = intent;
  return JSON.stringify([at, duration_minutes, rrule, exdates, event, plan, recurrence_id, scope, cancel, all_day]);
};

/** Whether the built-in planner reads the same times, so that no word of time is left. */
const isReadAlike = (intents: readonly Intent[], builtIn: readonly Intent[]): boolean => {
  const [own, read] = [intents, builtIn].map((all) => all.map(timeOf).toSorted()) as [string[], string[]];
  return (
    intents.every(({ scheduled_for: at }) => at !== undefined) &&
    own.length === read.length &&
    own.every((time, i) => time === read[i])
  );
};

/** The proposals that a second reading needs: those of the conversation, and what is changed. */
const MOST_PENDING = 40;
const withFewer = (known: IntentContext, intents: readonly Intent[]): IntentContext => {
  const meant = new Set([
    ...(known.before?.plan_uids ?? []),
    ...intents.flatMap(({ target_plan_uid: uid }) => uid ?? []),
  ]);
  return { ...known, pending: known.pending.filter(({ uid }) => meant.has(uid)).slice(0, MOST_PENDING) };
};

const leftOver = function* (
  prompt: string,
  known: IntentContext,
  intents: readonly Intent[],
): Generator<undefined, LeftOver> {
  const repeated: Instant[] = [];
  for (const intent of intents) {
    yield;
    repeated.push(...repeatedStarts(intent, known.zone));
  }
  const { said, unasked } = unnamed(prompt, intents, known);
  yield;
  // A note has no time, and a change of the settings neither.
  if (intents.every(({ action_type: type }) => type === 'log' || type === 'configure'))
    return { said: [...(yield* unaccounted(prompt, intents, known, repeated)), ...said], unasked };
  const { intents: builtIn } = understand(prompt, withFewer(known, intents));
  if (isReadAlike(intents, builtIn)) return { said, unasked };
  yield;
  const left = yield* unaccounted(prompt, intents, known, repeated);
  const values = yield* unsaid(prompt, intents, builtIn, known);
  return { said: [...left, ...said, ...values], unasked };
};

/** The starts of the occurrences of a series, as far as they are compared with the calendar; none of a plan that happens once. */
const repeatedStarts = (intent: Intent, timezone: string): Instant[] => {
  const { action_type, scheduled_for = null, duration_minutes = null, rrule, exdates } = intent;
  const plan = { action_type, arguments: intent.arguments, scheduled_for, duration_minutes, rrule, exdates, timezone };
  const series = repeatingOf(plan);
  if (series === null) return [];
  const starts = occurrencesOf(series, checkedWindow(series, series.scheduled_for)).take(STARTS_COMPARED);
  return [...starts].map(({ start }) => instantOf(start));
};

/** A prompt with what is known of the calendar and the conversation; with `intents`, what they leave out of it is asked. */
export type Reading = { prompt: string; known: IntentContext; intents?: readonly Intent[] };
export type Read = Understanding | LeftOver;

export const reading = function* ({ prompt, known, intents }: Reading): Generator<undefined, Read> {
  return intents ? yield* leftOver(prompt, known, intents) : understand(prompt, known);
};
