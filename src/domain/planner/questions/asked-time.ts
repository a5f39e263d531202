/** The time that a question is about: a day, a period or an hour, also one that is over. */
import type { AskedTime } from '../intents/types.ts';
import { addMinutes, type Instant, zoned } from '../../time/time.ts';
import { instantAt } from '../intents/times.ts';
import { readTime } from '../time/read-time.ts';
import { type DayBound, type Hours, settle, type Settled } from '../time/settle.ts';
import { compareDays, type DayRange, daysFrom } from '../time/settle-days.ts';
import type { Days as SaidDays, Item } from '../time/types.ts';
import { around, type Days, daysGone } from './gone.ts';

type PlainDate = Temporal.PlainDate;
type Env = { now: Instant; zone: string };

const POINT_MINUTES = 30;
/** 'after Friday' names no end. */
const OPEN_DAYS = 28;
const NIGHT = { from: 1080, to: 1440 };
const NOW = /^(?:right |just )?now$/;
const ONE_AT_A_TIME = 'I look at one day or one period at a time. Which one do you mean?';

const cannotRead = (words: string): { ask: string } => ({
  ask: `I could not read “${words}” in your question. Name a day or a period.`,
});

/** How far back the last of such days is. */
const stepOf = (days: SaidDays): Temporal.DurationLike => {
  if (days.of === 'weekday' || days.of === 'cycle') return { days: 7 };
  if (days.of === 'date' && days.month === undefined) return { months: 1 };
  return { years: 1 };
};

/** Days that were read as coming, as the last ones that have begun: 'what did I do on Monday?'. */
const begun = ([from, to]: Days, said: SaidDays | undefined, today: PlainDate): Days => {
  if (!said) return [from, to];
  if (compareDays(from, today) > 0 && said.of !== 'today') {
    const step = stepOf(said);
    return [from.subtract(step), to.subtract(step)];
  }
  // 'this month' begins today where plans are made
  const whole = around(said.of === 'cycle' ? said.unit : said.of === 'month' ? 'month' : '', today);
  return whole?.[1].equals(to) ? whole : [from, to];
};

const rangeOf = (ranges: readonly DayRange[]): Days | 'several' | null => {
  const sorted = ranges.toSorted((a, b) => compareDays(a.from, b.from));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last) return null;
  const hasGap = sorted.some(({ from }, i) => i > 0 && daysFrom(sorted[i - 1]!.to, from) > 1);
  return hasGap ? 'several' : [first.from, last.to.add({ days: 1 })];
};

const boundsOf = ({ bounds }: Settled, today: PlainDate): Days | null => {
  if (bounds.length === 0) return null;
  let [from, to]: [PlainDate, PlainDate | undefined] = [today, undefined];
  for (const { edge, from: first, to: last } of bounds)
    if (edge === 'from') from = first;
    else if (edge === 'after') from = last.add({ days: 1 });
    else to = edge === 'before' ? first : last.add({ days: 1 });
  return [from, to && compareDays(to, from) > 0 ? to : from.add({ days: OPEN_DAYS })];
};

const withHours = (
  [from, to]: Days,
  { slots: [slot], hours }: Pick<Settled, 'slots' | 'hours'>,
  zone: string,
): AskedTime => {
  if (slot) {
    const start = instantAt(from, slot.at, zone);
    return {
      start,
      end: addMinutes(start, slot.minutes ?? POINT_MINUTES),
      ...(!slot.minutes && { isPoint: true as const }),
    };
  }
  const whole = { start: instantAt(from, 0, zone), end: instantAt(to, 0, zone) };
  if (!hours) return whole;
  const [first, last] = hoursOf(hours);
  return daysFrom(from, to) === 1
    ? { start: instantAt(from, first, zone), end: instantAt(from, last, zone) }
    : { ...whole, hours: { from: first, to: last } };
};
const hoursOf = ({ after = 0, before = 1440 }: Hours): [number, number] =>
  before > after ? [after, before] : [after, 1440];

/** The weekdays of 'on Mondays', where nothing else is said of how often. */
const weekdaysOf = (items: readonly Item[]): readonly number[] | undefined => {
  const every = items.find((item) => item.item === 'every');
  return every?.item === 'every' ? every.every.weekdays : undefined;
};

/**
 * The time that the words of a question name; null where they name none, a question back where it can't be read.
 * @param texts the stretches of time in the question
 * @param isPast whether the question is about what has been
 */
export const readAskedTime = (
  texts: readonly string[],
  { now, zone }: Env,
  isPast: boolean,
): AskedTime | { ask: string } | null => {
  const wall = zoned(now, zone).toPlainDateTime();
  const today = wall.toPlainDate();
  const words = texts.map((text) =>
    text
      .toLowerCase()
      .replace(/^(?:on|for|from|in|at) /, '')
      .trim(),
  );
  if (words.some((word) => NOW.test(word))) return { start: now, end: addMinutes(now, POINT_MINUTES), isPoint: true };
  const over = words.find((word) => daysGone(word, today));
  const rest = texts.filter((_, i) => words[i] !== over).join(' ; ');
  const { items } = readTime(rest);
  const { groups } = settle({ items }, { now: wall, zone, today });
  const [group = { slots: [], days: [], bounds: [] } as unknown as Settled, ...more] = groups;
  if (group.fault) return { ask: `I can’t look that up: ${group.fault}.` };
  if (over !== undefined) {
    const hours = over.startsWith('last night') ? { hours: { after: NIGHT.from, before: NIGHT.to } } : {};
    return withHours(daysGone(over, today)!, { ...group, ...hours }, zone);
  }
  if (items.some(({ item }) => item === 'not')) return cannotRead(rest.trim());
  const days = rangeOf(groups.flatMap((one) => one.days));
  if (days === 'several' || (more.length > 0 && !days)) return { ask: ONE_AT_A_TIME };
  return asked(group, items, days, { now, zone, today, isPast });
};

/** 'After six on Friday' is the evening of that day. */
const boundedDay = ({ edge, from }: DayBound, at: number, zone: string): AskedTime => {
  const isStart = edge === 'from' || edge === 'after';
  return {
    start: instantAt(from, isStart ? at : 0, zone),
    end: instantAt(from, isStart ? 1440 : Math.max(at, 1), zone),
  };
};

const asked = (
  group: Settled,
  items: readonly Item[],
  days: Days | null,
  { now, zone, today, isPast }: Env & { today: PlainDate; isPast: boolean },
): AskedTime | null => {
  const said = items.find((item) => item.item === 'days');
  const weekdays = weekdaysOf(items);
  const own = days && (isPast ? begun(days, said?.item === 'days' ? said.days : undefined, today) : days);
  const bound = own ? undefined : group.bounds.find(({ at }) => at !== undefined);
  if (bound?.at !== undefined) return boundedDay(bound, bound.at, zone);
  const all = own ?? boundsOf(group, today) ?? (weekdays ? ([today, today.add({ days: OPEN_DAYS })] as const) : null);
  if (all) return { ...withHours(all, group, zone), ...(weekdays && { weekdays }) };
  return group.slots.length === 0 && !group.hours ? null : ofToday(group, { now, zone, today, isPast });
};

/** An hour alone is that of today, or of tomorrow where it is over and nothing past is asked about. */
const ofToday = (
  group: Settled,
  { now, zone, today, isPast }: Env & { today: PlainDate; isPast: boolean },
): AskedTime => {
  const time = withHours([today, today.add({ days: 1 })], group, zone);
  const isOver = !isPast && time.end <= now;
  return isOver ? withHours([today.add({ days: 1 }), today.add({ days: 2 })], group, zone) : time;
};
