/** The residue rule for actions, whoever made them: which words of time in a prompt no action accounts for. */
import { isLeftOut } from './time/except.ts';
import type { Clock, Facet, Item, Part } from './facet.ts';
import { correctionAt } from './clause-starts.ts';
import { asks } from './clause/background.ts';
import { conditionAt } from './clause/condition.ts';
import type { Frame } from './frame.ts';
import { readFrames } from './read-prompt.ts';
import { misspeltWeekday, plainTokens } from './plain-words.ts';
import { withoutTakenBack } from './clause/taken-back.ts';
import { scanItems } from './time/read-times.ts';
import type { Intent, IntentContext } from './types.ts';
import { todayOf } from './when.ts';
import { capitalise, squash, tokenise } from './words.ts';
import { addMinutes, type Instant, type Interval, localDate, millis, minutesBetween, zoned } from '../time/time.ts';
import { cut } from './title.ts';

/** A longer prompt is compared up to here. */
const MOST_CHARS = 5_000;
const MOST_NAMED = 5;

/** Wall times, each once: hundreds of occurrences of a series have few days and one time of day. */
type WallTimes = {
  /** 'YYYY-MM-DD' */
  dates: Set<string>;
  clocks: Map<string, { hour: number; minute: number }>;
  weekdays: Set<number>;
};

/** The times that the actions name: their starts and ends, those of what they change, and their windows. */
type Said = {
  moments: Instant[];
  wall: WallTimes;
  /** The days of what is planned; nothing that is changed or taken away. */
  startDates: Set<string>;
  /** The weekdays of the occurrences of series. */
  repeatedOn: Set<number>;
  windows: Interval[];
  /** The first and the last day of each window. */
  windowDays: [first: string, last: string][];
  /** The times of day of moments and of ends of windows, by time zone. */
  clocks: Map<string, WallTimes['clocks']>;
  /** 'HH:MM', where a window of days has hours. */
  hours: string[];
  lengths: Set<number>;
  wholeDay: boolean;
  /** Nothing but cancelling. */
  cancels: boolean;
  texts: string;
  repeats: boolean;
};

const wallTimes = function* (instants: Iterable<Instant>, zone: string): Generator<undefined, WallTimes> {
  const wall: WallTimes = { dates: new Set(), clocks: new Map(), weekdays: new Set() };
  for (const at of instants) {
    yield;
    const local = zoned(at, zone);
    const { hour, minute } = local;
    wall.dates.add(local.toPlainDate().toString());
    wall.clocks.set(`${hour}:${minute}`, { hour, minute });
    wall.weekdays.add(local.dayOfWeek);
  }
  return wall;
};

/** @param zones those that clocks of the prompt are given in */
const saidBy = function* (
  intents: readonly Intent[],
  { events, pending, zone }: IntentContext,
  repeated: readonly Instant[],
  zones: ReadonlySet<string>,
): Generator<undefined, Said> {
  const targets = intents.flatMap(({ target_event_uid: event, target_plan_uid: plan, arguments: own }) => [
    ...events.filter(
      ({ uid, recurrence_id }) => uid === event && (!own.recurrence_id || recurrence_id === own.recurrence_id),
    ),
    ...pending.filter(({ uid }) => uid === plan),
  ]);
  const old = targets[0];
  const moments = [...intents, ...targets].flatMap((one) => {
    const minutes = one.duration_minutes ?? old?.duration_minutes ?? 0;
    const at = one.scheduled_for ?? old?.scheduled_for;
    return at ? [at, addMinutes(at, minutes)] : [];
  });
  moments.push(...repeated);
  const planned = intents.filter(({ action_type, arguments: own }) => action_type === 'schedule' && !own.cancel);
  const once = planned.flatMap(({ scheduled_for: at, rrule }) => (at && !rrule ? [at] : []));
  const series = yield* wallTimes(repeated, zone);
  const windows = intents.flatMap(({ between }) => between ?? []);
  const edges = windows.flatMap(({ start, end }) => [start, end]);
  const clocks: Said['clocks'] = new Map();
  for (const one of new Set([zone, ...zones])) clocks.set(one, (yield* wallTimes([...moments, ...edges], one)).clocks);
  const windowDays = windows.map(({ start, end }): [string, string] => [
    localDate(start, zone),
    localDate(addMinutes(end, -1), zone),
  ]);
  const wall = yield* wallTimes(moments, zone);
  for (const [first, last] of windowDays)
    if (first === last) wall.weekdays.add(Temporal.PlainDate.from(first).dayOfWeek);
  return {
    moments,
    wall,
    startDates: (yield* wallTimes(once, zone)).dates.union(series.dates),
    repeatedOn: series.weekdays,
    windows,
    windowDays,
    clocks,
    cancels: intents.every(({ arguments: own }) => own.cancel === true),
    hours: intents.flatMap(({ arguments: own }) => [own.after, own.before].filter((one) => typeof one === 'string')),
    wholeDay: intents.some(
      ({ arguments: own, duration_minutes = 0 }) => own.all_day === true || duration_minutes >= WHOLE,
    ),
    lengths: new Set([
      ...[...intents, ...targets].flatMap(({ duration_minutes }) => duration_minutes ?? []),
      ...intents.flatMap(({ duration_delta_minutes: delta }) => (delta === undefined ? [] : [Math.abs(delta)])),
      ...differencesOf(intents, targets),
    ]),
    texts: intents
      .map(({ title, content }) => `${title}\n${content}`)
      .join('\n')
      .toLowerCase(),
    repeats: intents.length > 1 || intents.some(({ rrule }) => rrule !== undefined),
  };
};

/** The least that 'the whole afternoon' takes. */
const WHOLE = 120;

/** By how many minutes starts and lengths change. */
const differencesOf = (
  intents: readonly Intent[],
  targets: readonly { scheduled_for?: Instant | null; duration_minutes?: number | null }[],
): number[] =>
  intents.flatMap(({ scheduled_for: at, duration_minutes: minutes }) =>
    targets.flatMap((one) => [
      ...(at && one.scheduled_for ? [Math.abs(minutesBetween(one.scheduled_for, at))] : []),
      ...(minutes !== undefined && one.duration_minutes ? [Math.abs(minutes - one.duration_minutes)] : []),
    ]),
  );

const onDay = ({ wall, windowDays }: Said, date: string): boolean =>
  wall.dates.has(date) || windowDays.some(([first, last]) => first <= date && date <= last);

const atClock = ({ clocks, hours }: Said, { hour, minute, fixed, zone }: Clock, own: string): boolean => {
  const isIt = (h: number, m: number): boolean => m === minute && (fixed ? h === hour % 24 : h % 12 === hour % 12);
  return (
    hours.some((text) => isIt(...(text.split(':').map(Number) as [number, number]))) ||
    (clocks.get(zone ?? own)?.values() ?? []).some((clock) => isIt(clock.hour, clock.minute))
  );
};

const inPeriod = ({ wall, windowDays }: Said, from: string, to: string): boolean =>
  [...wall.dates, ...windowDays.flat()].some((date) => date >= from && date < to);

/** An hour more, as an evening may begin at 17:00; and 'a quarter to six tonight' is no night yet. */
const isIn = ({ name, from, to }: Part, hour: number): boolean =>
  hour >= (name === 'night' ? 16 : from - 1) && hour <= to;

/** @param dated whether the prompt also names dates, one of which may say which such weekday is meant */
const isAccounted = (said: Said, facet: Facet, zone: string, dated: boolean): boolean => {
  const clocked = (clock: Clock): boolean => atClock(said, clock, zone);
  if (facet.kind === 'days') {
    const dates = facet.days.map(({ date, roll }) => [date, ...(roll ? [date.add(roll)] : [])]);
    const found = dates.map(
      (some, i) =>
        some.some((date) => onDay(said, date.toString())) ||
        (dated && facet.days[i]!.weekday !== undefined && said.wall.weekdays.has(facet.days[i]!.weekday)),
    );
    return facet.choice ? found.includes(true) : !found.includes(false) || said.repeats;
  }
  if (facet.kind === 'clock') return facet.times.every(clocked);
  if (facet.kind === 'hours')
    return said.cancels || [facet.from, facet.to].every((clock) => !clock || facet.due || clocked(clock));
  if (facet.kind === 'period' && facet.ends && said.repeats) return true;
  if (facet.kind === 'period') return inPeriod(said, facet.from.toString(), facet.to.toString());
  if (facet.kind === 'instant') return said.moments.some((at) => millis(at) === millis(facet.at));
  if (facet.kind === 'duration') return said.lengths.has(facet.minutes);
  if (facet.kind === 'shift' && facet.length.minutes) return said.lengths.has(facet.length.minutes);
  if (facet.kind === 'edge') {
    const [from, until] = [facet.from?.toString(), facet.until?.toString()];
    return said.startDates.values().every((date) => (!until || date < until) && (!from || date >= from));
  }
  // A cancellation has no length: of a period it concerns all that is in it.
  if (facet.kind === 'whole') return said.wholeDay || said.cancels;
  if (facet.kind === 'part')
    return (
      said.windows.length > 0 ||
      said.moments.length === 0 ||
      said.wall.clocks.values().some(({ hour }) => isIn(facet.part, hour))
    );
  if (facet.kind === 'every') {
    const named = facet.weekdays ?? [];
    // Where the time named has only one such day, it is planned once.
    const days = said.repeats ? said.repeatedOn : said.wall.weekdays;
    return days.size === 0 ? said.repeats : (said.repeats || named.length > 0) && named.every((day) => days.has(day));
  }
  if (facet.kind === 'except')
    return said.startDates.values().every((date) => !isLeftOut(facet, Temporal.PlainDate.from(date)));
  return true;
};

/** The other time zones in which clocks are given. */
const zonesOf = (items: readonly Item[]): Set<string> =>
  new Set(
    items
      .flatMap(({ facets }) => facets)
      .flatMap((facet) => (facet.kind === 'clock' ? facet.times : facet.kind === 'hours' ? [facet.from, facet.to] : []))
      .flatMap((clock) => clock?.zone ?? []),
  );

const setOfKinds = (items: readonly Item[]): Set<string> =>
  new Set(items.flatMap(({ facets }) => facets.map(({ kind }) => kind)));

/** Whether a token is in a sentence that only is beside what is asked for. */
const besideIn = (frames: readonly Frame[]): ((i: number) => boolean) => {
  const beside = frames.some(asks)
    ? frames.filter(({ kind }) => kind === 'aside' || kind === 'report').map(({ clause }) => clause)
    : [];
  return (i) => beside.some(({ from, to }) => from <= i && i < to);
};

/**
 * The words of the prompt about time that no action accounts for, and conditions, as sentences; none where all is read. Run it
 * with runYielding, because a prompt may name many times and make many series.
 * @param repeated the starts of the occurrences of series that the intents make
 */
export const unaccounted = function* (
  prompt: string,
  intents: readonly Intent[],
  context: IntentContext,
  repeated: readonly Instant[],
): Generator<undefined, string[]> {
  // A note may hold any words of time.
  if (intents.every(({ action_type }) => action_type === 'log')) return [];
  const text = prompt.slice(0, MOST_CHARS);
  const tokens = plainTokens(tokenise(text));
  const { items } = withoutTakenBack(
    tokens,
    scanItems({ tokens, now: context.now, zone: context.zone, today: todayOf(context) }),
  );
  yield;
  const isBeside = besideIn((yield* readFrames(text, context)).frames);
  const said = yield* saidBy(intents, context, repeated, zonesOf(items));
  const textOf = ({ from, to }: Item): string => squash(text.slice(tokens[from]!.start, tokens[to - 1]!.end));
  const fixed = tokens.findLastIndex((_, i) => correctionAt(tokens, i) !== null);
  const behind = setOfKinds(items.filter(({ from }) => from > fixed));
  const isCurrent = ({ from, facets }: Item): boolean => from >= fixed || !facets.some(({ kind }) => behind.has(kind));
  const left: string[] = [];
  const dated = items.some(({ facets }) =>
    facets.some((facet) => facet.kind === 'days' && facet.days.some(({ weekday }) => weekday === undefined)),
  );
  for (const item of items) {
    yield;
    if (
      !isCurrent(item) ||
      item.kept ||
      isBeside(item.from) ||
      item.facets.every((facet) => isAccounted(said, facet, context.zone, dated))
    )
      continue;
    const words = textOf(item);
    if (!said.texts.includes(words.toLowerCase())) left.push(words);
  }
  const misspelt = items
    .filter(({ facets, from }) => facets.length === 0 && tokens[from]!.kind === 'word')
    .flatMap((item) => {
      const meant = misspeltWeekday(tokens[item.from]!.word);
      return meant ? [`“${textOf(item)}”: did you mean ${capitalise(meant)}?`] : [];
    });
  const condition = conditionAt(tokens, 0, tokens.length);
  const at = condition !== null && isBeside(condition) ? null : condition;
  const named = [...new Set(left)].slice(0, MOST_NAMED).map((words) => `“${words}”`);
  return [
    ...(named.length > 0 ? [`No proposal accounts for ${named.join(', ')}. What did you mean by that?`] : []),
    ...misspelt.slice(0, 1),
    ...(at === null ? [] : [`I can’t wait for a condition (“${cut(squash(text.slice(tokens[at]!.start)), 80)}”).`]),
  ];
};
