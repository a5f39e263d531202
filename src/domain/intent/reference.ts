/** References: what 'that day', 'right after that' and a missing day mean, from what was asked for before. */
import type { Previous } from './anchor.ts';
import type { Work } from './build.ts';
import { groupsOf } from './facet.ts';
import type { Facet, Item } from './facet.ts';
import { facetsOf, type Frame } from './frame.ts';
import { PARTS } from './time/make-parts.ts';
import type { Inherited } from './propose.ts';
import type { Choice, Intent, Question } from './types.ts';
import { addMinutes, localDate, minutesBetween, zoned } from '../time/time.ts';
import { phraseAt, setOf, wordAt } from './words.ts';

/** What has been made of the prompt so far. `last` is the frame before and where its intents begin. */
export type State = Work & {
  intents: Intent[];
  questions: Question[];
  asks: string[];
  notes: string[];
  unknown: string[];
  /** What was said beside all requests. */
  asides: string[];
  choices: Choice[];
  /** Something is asked for, so what is reported beside it is no note. */
  hasRequest?: boolean;
  /** A verb says what to do, so a sentence without one only tells. */
  hasVerb?: boolean;
  /** Nothing at all is to be planned: 'don't book anything yet'. */
  isRefused?: boolean;
  heading: Item[];
  /** What was made of clauses that name no day, and whether a clause that names one was not understood. */
  undated: Set<Intent>;
  isDayLost?: boolean;
  /** What was made of clauses that only tell, and whether something is refused. */
  declared: Set<Intent>;
  isRefusing?: boolean;
  /** The sentence that is being read depends on a condition. */
  conditional?: boolean;
  last?: { frame: Frame; from: number };
  /** The event that the prompt before was about, as if it were to change; or what was refused then. */
  about?: Intent;
  /** The day that the prompt before was about. */
  said?: Previous | undefined;
};

export const hasLast = ({ last, intents }: State): boolean => last !== undefined && intents.length > last.from;
export const lastIntents = ({ last, intents }: State): Intent[] => (last ? intents.slice(last.from) : []);

/** What was asked for before, for 'the day after' and 'right after that'. */
export const previousOf = (state: State): Previous | undefined => {
  const one = lastIntents(state).at(-1);
  if (!one || one.action_type === 'log') return state.said;
  const {
    target_event_uid: uid,
    arguments: { recurrence_id: id },
  } = one;
  const event =
    uid === undefined
      ? undefined
      : state.context.events.find((each) => each.uid === uid && (!id || each.recurrence_id === id));
  const start = one.scheduled_for ?? one.between?.start ?? event?.scheduled_for;
  return start
    ? { start, minutes: one.scheduled_for ? (one.duration_minutes ?? event?.duration_minutes) : undefined }
    : state.said;
};

/** The day the request before is on, for 'gym tomorrow at 7 and breakfast at 8:30'. */
export const inheritedFrom = (state: State, frame: Frame): Inherited => {
  const previous = lastIntents(state);
  const [one] = previous;
  const before = previousOf(state);
  const known = before ? { previous: before } : {};
  // 'When am I free on Friday?' 'Then put in a walk at 2'
  const isAsked = state.context.before?.proposed === false && groupsOf(facetsOf(frame.items)).has('clock');
  const follows = previous.length === 0 && state.said && (isAsked || FOLLOWING.has(wordAt(state.tokens, 0)));
  if (follows) return { ...known, inherit: Temporal.PlainDate.from(localDate(state.said!.start, state.context.zone)) };
  if (!frame.clause.joined || previous.length !== 1 || !one || !before) return known;
  if (one.between && minutesBetween(one.between.start, one.between.end) > 25 * 60) return known;
  const inherit = Temporal.PlainDate.from(localDate(before.start, state.context.zone));
  if (!frame.clause.after || groupsOf(facetsOf(frame.items)).has('clock')) return { ...known, inherit };
  return { ...known, inherit, floor: addMinutes(before.start, before.minutes ?? 0) };
};

const FOLLOWING = setOf('then so ok okay great good alright and');

/** 'that day', 'that evening': of what was asked for before. */
export const onThatDay = (state: State, frame: Frame): Frame => {
  const previous = previousOf(state);
  if (!previous) return frame;
  const date = Temporal.PlainDate.from(localDate(previous.start, state.context.zone));
  const isSaid = frame.items.some(
    (item, i) => thatDay(state, item) ?? ofThatWeek(state, item, frame.items[i + 1], date),
  );
  if (!isSaid) return frame;
  const items = frame.items.flatMap((item, i): Item[] => {
    const ofWeek = ofThatWeek(state, item, frame.items[i + 1], date);
    if (ofWeek) return [ofWeek];
    const found = thatDay(state, item);
    const part = found?.facets ?? [];
    if (found) return [{ from: item.from, to: found.to, facets: [{ kind: 'days', days: [{ date }] }, ...part] }];
    const before = frame.items
      .slice(Math.max(0, i - 4), i)
      .map(
        (other, n) =>
          (ofThatWeek(state, other, frame.items[Math.max(0, i - 4) + n + 1], date) ?? thatDay(state, other))?.to ?? 0,
      );
    return item.from < Math.max(0, ...before) ? [] : [item];
  });
  return { ...frame, items };
};
const SAME_TIME = '(at/) (the/) same (time/hour)';
/** A move keeps the hour anyway. */
const withoutSameTime = (tokens: Work['tokens'], frame: Frame): Frame => {
  const from = frame.items.find(
    (item) => item.facets.length === 0 && phraseAt(tokens, item.from, SAME_TIME) !== null,
  )?.from;
  const to = from === undefined ? 0 : phraseAt(tokens, from, SAME_TIME)!;
  return from === undefined
    ? frame
    : { ...frame, items: frame.items.filter((item) => item.from < from || item.from >= to) };
};
/** 'at the same time': the hour of what was asked for, or given up, before. */
export const atSameTime = (state: State, frame: Frame): Frame => {
  const { tokens, context } = state;
  const previous = previousOf(state);
  const isNew = frame.act === 'schedule' || frame.act === 'block';
  if (frame.act === 'move') return withoutSameTime(tokens, frame);
  if (!previous || !isNew || groupsOf(facetsOf(frame.items)).has('clock')) return frame;
  const at = frame.items.findIndex(
    ({ from, facets }) => facets.length === 0 && phraseAt(tokens, from, SAME_TIME) !== null,
  );
  if (at < 0) return frame;
  const { from } = frame.items[at]!;
  const to = phraseAt(tokens, from, SAME_TIME)!;
  const { hour, minute } = zoned(previous.start, context.zone);
  const clock: Item = { from, to, facets: [{ kind: 'clock', times: [{ hour, minute, fixed: true }] }] };
  return {
    ...frame,
    items: [...frame.items.slice(0, at), clock, ...frame.items.slice(at).filter((item) => item.from >= to)],
  };
};

/** 'the Thursday of that week' */
const ofThatWeek = (
  { tokens }: State,
  { from, facets: [day, ...more] }: Item,
  next: Item | undefined,
  date: Temporal.PlainDate,
): Item | null => {
  const to = next ? phraseAt(tokens, next.from, '(of/in/on/) (that/the) (same/) week') : null;
  const weekday = day?.kind === 'days' && day.days.length === 1 ? day.days[0]!.weekday : undefined;
  if (!to || !weekday || more.length > 0) return null;
  return { from, to, facets: [{ kind: 'days', days: [{ date: date.add({ days: weekday - date.dayOfWeek }) }] }] };
};
const thatDay = ({ tokens }: State, { from, facets }: Item): { to: number; facets: Facet[] } | null => {
  const day =
    facets.length === 0
      ? phraseAt(tokens, from, '(on/) that (same/very/) (day/afternoon/morning/evening/night)')
      : null;
  const part = PARTS[wordAt(tokens, (day ?? 0) - 1)];
  return day ? { to: day, facets: part ? [{ kind: 'part', part }] : [] } : null;
};
