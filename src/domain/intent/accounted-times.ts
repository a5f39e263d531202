/** The residue rule for actions that a model made: which words of time in a prompt no action accounts for. */
import { isLeftOut } from './except.ts';
import type { Clock, Facet, Item } from './facet.ts';
import { conditionAt } from './frame.ts';
import { misspeltWeekday, plainTokens } from './plain-words.ts';
import { scanItems } from './scan.ts';
import type { Intent, IntentContext } from './types.ts';
import { todayOf } from './when.ts';
import { capitalise, squash, tokenise } from './words.ts';
import { addMinutes, type Instant, type Interval, localDate, millis, zoned } from '../time/time.ts';

/** A longer prompt is compared up to here. */
const MOST_CHARS = 5_000;
const MOST_NAMED = 5;

/** The times that the actions name: their starts and ends, those of what they change, and their windows. */
type Said = {
  moments: Instant[];
  /** The occurrences of series. */
  repeated: readonly Instant[];
  windows: Interval[];
  lengths: number[];
  texts: string;
  repeats: boolean;
  zone: string;
};

const saidBy = (
  intents: readonly Intent[],
  { events, pending, zone }: IntentContext,
  repeated: readonly Instant[],
): Said => {
  const targets = intents.flatMap(({ target_event_uid: event, target_plan_uid: plan, arguments: own }) => [
    ...events.filter(
      ({ uid, recurrence_id }) => uid === event && (!own.recurrence_id || recurrence_id === own.recurrence_id),
    ),
    ...pending.filter(({ uid }) => uid === plan),
  ]);
  const moments = [...intents, ...targets].flatMap((one) => {
    const { scheduled_for: at, duration_minutes: minutes } = one;
    return at ? [at, addMinutes(at, minutes ?? targets[0]?.duration_minutes ?? 0)] : [];
  });
  return {
    moments: [...moments, ...repeated],
    repeated,
    windows: intents.flatMap(({ between }) => between ?? []),
    lengths: [...intents, ...targets].flatMap(({ duration_minutes }) => duration_minutes ?? []),
    texts: intents
      .map(({ title, content }) => `${title}\n${content}`)
      .join('\n')
      .toLowerCase(),
    repeats: intents.length > 1 || intents.some(({ rrule }) => rrule !== undefined),
    zone,
  };
};

const onDay = ({ moments, windows, zone }: Said, date: Temporal.PlainDate): boolean =>
  moments.some((at) => localDate(at, zone) === date.toString()) ||
  windows.some(
    ({ start, end }) =>
      localDate(start, zone) <= date.toString() && date.toString() <= localDate(addMinutes(end, -1), zone),
  );

const atClock = ({ moments, windows, zone }: Said, { hour, minute, fixed, zone: own }: Clock): boolean =>
  [...moments, ...windows.flatMap(({ start, end }) => [start, end])].some((at) => {
    const local = zoned(at, own ?? zone);
    return local.minute === minute && (fixed ? local.hour === hour % 24 : local.hour % 12 === hour % 12);
  });

const inPeriod = ({ moments, windows, zone }: Said, from: Temporal.PlainDate, to: Temporal.PlainDate): boolean => {
  const isIn = (at: Instant): boolean => localDate(at, zone) >= from.toString() && localDate(at, zone) < to.toString();
  return moments.some(isIn) || windows.some(({ start, end }) => isIn(start) || isIn(addMinutes(end, -1)));
};

const isAccounted = (said: Said, facet: Facet): boolean => {
  if (facet.kind === 'days') {
    const dates = facet.days.map(({ date, roll }) => [date, ...(roll ? [date.add(roll)] : [])]);
    const found = dates.map((some) => some.some((date) => onDay(said, date)));
    return facet.choice ? found.includes(true) : !found.includes(false) || said.repeats;
  }
  if (facet.kind === 'clock') return facet.times.some((clock) => atClock(said, clock));
  if (facet.kind === 'hours')
    return (
      said.windows.length > 0 || [facet.from, facet.to].every((clock) => !clock || facet.due || atClock(said, clock))
    );
  if (facet.kind === 'period') return inPeriod(said, facet.from, facet.to);
  if (facet.kind === 'instant') return said.moments.some((at) => millis(at) === millis(facet.at));
  if (facet.kind === 'duration') return said.lengths.includes(facet.minutes) || said.repeats;
  if (facet.kind === 'every') {
    const weekdays = new Set(said.repeated.map((at) => zoned(at, said.zone).dayOfWeek));
    return said.repeats && (weekdays.size === 0 || (facet.weekdays ?? []).every((day) => weekdays.has(day)));
  }
  if (facet.kind === 'except')
    return [...said.moments, ...said.windows.map(({ start }) => start)].every(
      (at) => !isLeftOut(facet, Temporal.PlainDate.from(localDate(at, said.zone))),
    );
  return true;
};

/**
 * The words of the prompt about time that no action accounts for, and conditions, as sentences; none where all is read.
 * @param repeated the starts of the occurrences of series that the intents make
 */
export const unaccounted = (
  prompt: string,
  intents: readonly Intent[],
  context: IntentContext,
  repeated: readonly Instant[],
): string[] => {
  // A note may hold any words of time.
  if (intents.every(({ action_type }) => action_type === 'log')) return [];
  const text = prompt.slice(0, MOST_CHARS);
  const tokens = plainTokens(tokenise(text));
  const items = scanItems({ tokens, now: context.now, zone: context.zone, today: todayOf(context) });
  const said = saidBy(intents, context, repeated);
  const textOf = ({ from, to }: Item): string => squash(text.slice(tokens[from]!.start, tokens[to - 1]!.end));
  const left = items
    .filter((item) => !item.kept && item.facets.some((facet) => !isAccounted(said, facet)))
    .map(textOf)
    .filter((words) => !said.texts.includes(words.toLowerCase()));
  const misspelt = items
    .filter(({ facets, from }) => facets.length === 0 && tokens[from]!.kind === 'word')
    .flatMap((item) => {
      const meant = misspeltWeekday(tokens[item.from]!.word);
      return meant ? [`“${textOf(item)}”: did you mean ${capitalise(meant)}?`] : [];
    });
  const at = conditionAt(tokens, 0, tokens.length);
  const named = [...new Set(left)].slice(0, MOST_NAMED).map((words) => `“${words}”`);
  return [
    ...(named.length > 0 ? [`No proposal accounts for ${named.join(', ')}. What did you mean by that?`] : []),
    ...misspelt.slice(0, 1),
    ...(at === null ? [] : [`I can’t wait for a condition (“${squash(text.slice(tokens[at]!.start)).slice(0, 80)}”).`]),
  ];
};
