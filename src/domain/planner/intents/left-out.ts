/** Which words of time in a prompt no action accounts for, whoever made the actions: a language model says less than it was asked. */
import { addMinutes, type Instant, minutesBetween, zoned } from '../../time/time.ts';
import type { Piece } from '../act/clause.ts';
import { piecesIn } from '../act/clauses.ts';
import { conditional } from '../replies/set-replies.ts';
import { readRoles } from '../roles/reader.ts';
import { type Kind, readTime } from '../time/read-time.ts';
import { settle, type Settled } from '../time/settle.ts';
import { compareDays, type DayRange } from '../time/settle-days.ts';
import type { Item } from '../time/types.ts';
import { CONDITION } from '../words/act-words.ts';
import { remindersLeft } from './reminded.ts';
import { cut, squash } from './texts.ts';
import type { Intent, IntentContext } from './types.ts';

type PlainDate = Temporal.PlainDate;
type Role = Piece['role'];

/** A longer prompt is compared up to here. */
const MOST_CHARS = 5_000;
const MOST_NAMED = 5;
/** A part of the day may begin or end this number of minutes earlier or later. */
const NEAR_PART = 60;
const DAY = 1440;

/** What the actions say: their starts and ends, and those of what they change. */
type Said = {
  days: Map<string, PlainDate>;
  /** Minutes of the day. */
  clocks: Set<number>;
  /** The dates of whole days. */
  whole: PlainDate[];
  /** The days of what is planned; nothing that is changed or taken away. */
  starts: PlainDate[];
  windows: { from: PlainDate; to: PlainDate }[];
  lengths: Set<number>;
  repeats: boolean;
  cancels: boolean;
  texts: string;
};

const targetsOf = (
  { target_event_uid: event, target_plan_uid: plan, arguments: own }: Intent,
  context: IntentContext,
) => [
  ...context.events.filter(
    ({ uid, recurrence_id }) =>
      uid === event &&
      (!own.recurrence_id ||
        recurrence_id === own.recurrence_id ||
        (own.scope === 'following' && (recurrence_id ?? '') > own.recurrence_id)),
  ),
  ...context.pending.filter(({ uid }) => uid === plan),
];

/** The dates of whole days, which have no hours; none of an intent with hours. */
const datesOf = ({ arguments: own, scheduled_for: at, duration_minutes: minutes = DAY }: Intent, zone: string) => {
  if (!own.all_day || !at) return [];
  const first = zoned(at, zone).toPlainDate();
  return Array.from({ length: Math.max(1, Math.round(minutes / DAY)) }, (_, days) => first.add({ days }));
};

/** When what is meant begins and ends, its reminders, and when what it changes begins. */
const momentsOf = (intent: Intent, targets: ReturnType<typeof targetsOf>): Instant[] => {
  const starts = targets.flatMap(({ scheduled_for: at }) => at ?? []);
  if (intent.arguments.all_day) return starts;
  const minutes = intent.duration_minutes ?? targets[0]?.duration_minutes ?? 0;
  const at = intent.scheduled_for ?? starts[0];
  const reminders = (intent.arguments.reminders ?? []).map((before) => -before);
  return at ? [at, ...starts, ...[minutes, ...reminders].filter(Boolean).map((by) => addMinutes(at, by))] : starts;
};

const saidBy = function* (
  intents: readonly Intent[],
  context: IntentContext,
  repeated: readonly Instant[],
): Generator<undefined, Said> {
  const said: Said = {
    ...{ days: new Map(), clocks: new Set(), whole: [], starts: [], windows: [], lengths: new Set() },
    repeats:
      intents.length > 1 ||
      intents.some(({ rrule, arguments: own }) => rrule !== undefined || own.scope === 'following'),
    cancels: intents.every(({ arguments: own }) => own.cancel === true),
    texts: intents.map(({ title, content }) => `${title}\n${content}`.toLowerCase()).join('\n'),
  };
  const addMoment = (at: Instant): PlainDate => {
    const wall = zoned(at, context.zone);
    const day = wall.toPlainDate();
    said.days.set(day.toString(), day);
    said.clocks.add(wall.hour * 60 + wall.minute);
    return day;
  };
  const starts = new Map<string, PlainDate>();
  const addStart = (at: Instant): void => {
    const day = addMoment(at);
    starts.set(day.toString(), day);
  };
  for (const at of repeated) {
    yield;
    addStart(at);
  }
  for (const intent of intents) {
    yield;
    const { scheduled_for: start } = intent;
    const targets = targetsOf(intent, context);
    addDates(said, datesOf(intent, context.zone));
    for (const at of [...momentsOf(intent, targets), ...(intent.exdates ?? [])]) addMoment(at);
    if (start && intent.action_type === 'schedule' && !intent.arguments.cancel) addStart(start);
    addLengths(said.lengths, intent, targets);
    said.windows.push(...windowsOf(intent, addMoment));
  }
  for (const { arguments: own } of intents)
    for (const text of [own.after, own.before]) if (typeof text === 'string') said.clocks.add(minuteIn(text));
  return { ...said, starts: [...starts.values()] };
};

/** The window of an intent. The times that are left out of it begin and end with a window, too. */
const windowsOf = ({ between, avoid = [] }: Intent, addMoment: (at: Instant) => PlainDate): Said['windows'] => {
  if (!between) return [];
  for (const { start, end } of [between, ...avoid]) for (const at of [start, end]) addMoment(at);
  return [{ from: addMoment(between.start), to: addMoment(addMinutes(between.end, -1)) }];
};

const addDates = (said: Said, dates: readonly PlainDate[]): void => {
  for (const day of dates) said.days.set(day.toString(), day);
  said.whole.push(...dates);
  if (dates.length > 0) said.lengths.add(dates.length * DAY);
};

const minuteIn = (text: string): number => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5));

/** Lengths, and by how much starts and lengths change. */
const addLengths = (
  lengths: Set<number>,
  { scheduled_for: at, duration_minutes: minutes, duration_delta_minutes: delta, arguments: own }: Intent,
  targets: readonly { scheduled_for?: Instant | null; duration_minutes?: number | null }[],
): void => {
  for (const before of own.reminders ?? []) lengths.add(before);
  if (minutes !== undefined) lengths.add(minutes);
  if (delta !== undefined) lengths.add(Math.abs(delta));
  for (const one of targets) {
    if (one.duration_minutes) lengths.add(one.duration_minutes);
    if (at && one.scheduled_for) lengths.add(Math.abs(minutesBetween(one.scheduled_for, at)));
    if (minutes !== undefined && one.duration_minutes) lengths.add(Math.abs(minutes - one.duration_minutes));
  }
};

const isWithin = (day: PlainDate, { from, to }: Pick<DayRange, 'from' | 'to'>): boolean =>
  compareDays(day, from) >= 0 && compareDays(day, to) <= 0;

const isDaySaid = ({ days, windows }: Said, range: DayRange): boolean =>
  days.values().some((day) => isWithin(day, range)) ||
  windows.some(({ from, to }) => compareDays(from, range.to) <= 0 && compareDays(to, range.from) >= 0);

const isClockSaid = ({ clocks }: Said, at: number): boolean => clocks.values().some((one) => one % 720 === at % 720);

const isPartSaid = ({ clocks, windows }: Said, { after = 0, before = DAY }: NonNullable<Settled['hours']>): boolean =>
  windows.length > 0 ||
  clocks.size === 0 ||
  clocks.values().some((one) => one >= after - NEAR_PART && one <= before + NEAR_PART);

const isBoundSaid = ({ starts }: Said, { edge, from, to }: Settled['bounds'][number]): boolean =>
  starts.every((day) => {
    if (edge === 'from') return compareDays(day, from) >= 0;
    if (edge === 'after') return compareDays(day, to) > 0;
    return compareDays(day, edge === 'before' ? from : to.add({ days: 1 })) < 0;
  });

const weekdaysOf = (items: readonly Item[]): number[] =>
  items.flatMap((item) => (item.item === 'every' ? (item.every.weekdays ?? []) : []));

const isEverySaid = ({ starts, repeats, days }: Said, items: readonly Item[]): boolean => {
  if (!items.some(({ item }) => item === 'every')) return true;
  const on = new Set((repeats ? starts : [...days.values()]).map(({ dayOfWeek }) => dayOfWeek));
  const named = weekdaysOf(items);
  return on.size === 0 ? repeats : (repeats || named.length > 0) && named.every((weekday) => on.has(weekday));
};

const isLengthSaid = ({ lengths, cancels }: Said, items: readonly Item[]): boolean =>
  items.every(
    (item) =>
      item.item !== 'length' || item.amount.minutes === undefined || cancels || lengths.has(item.amount.minutes),
  );

const isAnyWithin = (days: readonly PlainDate[], range: DayRange): boolean => days.some((day) => isWithin(day, range));

/** A day that is 'off' has a whole day on it, or nothing. */
const isOffSaid = ({ whole, starts }: Said, { not }: Settled, isOff: boolean): boolean =>
  not.every((range) => (isOff && isAnyWithin(whole, range)) || !isAnyWithin(starts, range));

const isGroupSaid = (said: Said, group: Settled, isOff: boolean): boolean =>
  (group.days.every((range) => isDaySaid(said, range)) || (said.repeats && group.days.length > 1)) &&
  group.slots.every(({ at, minutes = 0 }) => isClockSaid(said, at) && isClockSaid(said, at + minutes)) &&
  (!group.hours || isPartSaid(said, group.hours)) &&
  group.bounds.every((bound) => isBoundSaid(said, bound)) &&
  isOffSaid(said, group, isOff);

const KINDS: Partial<Record<Role, Kind>> = {
  ...{ when: 'time', old: 'time', limit: 'time', except: 'time', dur: 'length', repeat: 'repeat' },
};

const isSpanSaid = (said: Said, role: Role, words: string, { now, zone }: IntentContext): boolean => {
  const kind = KINDS[role];
  if (!kind) return true;
  const isLeftOut = role === 'except' && !/^\s*(?:not|no|except|but)\b/i.test(words);
  const { items } = readTime(isLeftOut ? `not ${words}` : words, kind);
  const wall = zoned(now, zone).toPlainDateTime();
  const { groups, isChoice } = settle({ items }, { now: wall, zone, today: wall.toPlainDate() });
  const found = groups.map((group) => isGroupSaid(said, group, /\boff$/i.test(words)));
  const areSaid = isChoice ? found.includes(true) : !found.includes(false);
  return areSaid && isEverySaid(said, items) && isLengthSaid(said, items);
};

/** Of words that can be cut into two times, the one that is not accounted for: 'on Monday at 10 and on Friday'. */
const leftIn = (said: Said, role: Role, words: string, context: IntentContext): string => {
  if (role !== 'when') return words;
  const isRead = (text: string): boolean => {
    const { items, names, unread } = readTime(text, KINDS[role]);
    return items.length > 0 && names.length + unread.length === 0;
  };
  for (const { index } of words.matchAll(/\s+/g)) {
    const parts = [words.slice(0, index), words.slice(index).replace(/^\s+(?:and\s+)?/i, '')];
    const left = parts.filter((part) => !isSpanSaid(said, role, part, context));
    if (left.length === 1 && parts.every(isRead)) return leftIn(said, role, left[0]!, context);
  }
  return words;
};

const UNTIL = /\b(?:until|till|til)\s/i;

/** Whether words behind 'until' name an end: no hour, and not 'further notice'. */
const isEnd = (words: string): boolean => {
  const [first] = readTime(words, 'time').items;
  return first?.item !== 'clock' && !(first?.item === 'bound' && first.edge === 'until');
};

/** A change of the settings holds until it is changed again, so an end that the prompt names is said. An hour is no end. */
const endsOf = (text: string): string[] => {
  const spans = readRoles(text).best.spans;
  const ends = piecesIn({ text, spans }).flatMap(({ role, text: own }) => {
    const words = squash(own);
    const until = role === 'title' ? null : UNTIL.exec(words);
    return until && isEnd(words.slice(until.index + until[0].length)) ? [`“${words.slice(until.index)}”`] : [];
  });
  const named = [...new Set(ends)].slice(0, MOST_NAMED);
  return named.length > 0 ? [`A change of the settings has no end, so ${named.join(', ')} is left out.`] : [];
};

/**
 * The words of the prompt about time that no action accounts for, and a condition, as sentences; none where all is read. Run it with
 * runYielding, because a prompt may make many series.
 * @param repeated the starts of the occurrences of series that the intents make
 */
export const unaccounted = function* (
  prompt: string,
  intents: readonly Intent[],
  context: IntentContext,
  repeated: readonly Instant[],
): Generator<undefined, string[]> {
  const text = prompt.slice(0, MOST_CHARS);
  // A note may hold any words of time. Of a change of the settings only its end is looked for, since it can have none.
  if (intents.every(({ action_type }) => action_type === 'log' || action_type === 'configure'))
    return intents.some(({ action_type }) => action_type === 'configure') ? endsOf(text) : [];
  const said = yield* saidBy(intents, context, repeated);
  const pieces = piecesIn({ text, spans: readRoles(text).best.spans });
  const left = remindersLeft(pieces, intents, context);
  let condition: string | undefined;
  for (const { role, text: own } of pieces) {
    yield;
    const words = squash(own);
    if (CONDITION.test(words) && (role === 'limit' || role === 'title' || role === 'aside')) condition ??= words;
    else if (!isSpanSaid(said, role, words, context) && !said.texts.includes(words.toLowerCase()))
      left.push(leftIn(said, role, words, context));
  }
  const named = [...new Set(left)].slice(0, MOST_NAMED).map((words) => `“${words}”`);
  return [
    ...(named.length > 0 ? [`No proposal accounts for ${named.join(', ')}. What did you mean by that?`] : []),
    ...(condition === undefined ? [] : [conditional(cut(condition, 80))]),
  ];
};
