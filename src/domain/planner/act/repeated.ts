/** New things that repeat: as a series, or one by one where no rule can say it. */
import { readTime } from '../time/read-time.ts';
import { settle } from '../time/settle.ts';
import { compareDays, type DayRange, daysFrom, daysIn, isOneDay, laterOf } from '../time/settle-days.ts';
import type { Every, Item } from '../time/types.ts';
import { EACH } from '../words/act-words.ts';
import type { Creation, Series } from './actions.ts';
import type { Clause } from './clause.ts';
import { compact } from './compact.ts';
import { fitting, hasWord, nameWords } from './names.ts';
import { isWholeDay, type Making, nowMinute, onDays, onEach, placed, WEEK } from './place.ts';
import { type Repeat, repeatOf, weekdaysOf } from './repeat.ts';
import { firstOn, isOn, ruleOf, without } from './series.ts';
import { baseOf, likelyHalf, partSaid, type Talk } from './talk.ts';
import type { Wish } from './wish.ts';

type PlainDate = Temporal.PlainDate;
type Repeating = Repeat & { every: Every };

/** Occurrences that no rule can express are proposed one by one, at most this number. */
const MOST_SINGLE = 60;
/** Weekdays of a stretch that is longer than this are a series with an end. */
const SHORT_DAYS = 14;
/** This number of days one behind the other is a series. */
const ROW = 3;

const weekdaysIn = (item: Item): readonly number[] =>
  item.item === 'every' ? (item.every.weekdays ?? []) : item.item === 'days' ? (weekdaysOf(item.days) ?? []) : [];

/** The days and the weekdays that are left out. */
const exceptionsOf = ({ clause, talk }: Making, first: PlainDate): { days: PlainDate[]; weekdays: number[] } => {
  const { items } = readTime(clause.text('except'));
  const named = items.filter((item) => item.item !== 'every' && weekdaysIn(item).length === 0);
  const { groups } = settle({ items: named }, baseOf({ ...talk, said: first }));
  const days = groups.flatMap((group) => [...group.days, ...group.not]).flatMap((range) => daysIn(range));
  return { days: [...new Map(days.map((day) => [day.toString(), day])).values()], weekdays: items.flatMap(weekdaysIn) };
};

/** Every hour of some hours is proposed one by one. */
const hourly = (making: Making, { step = 1, unit }: Every): Creation[] | null => {
  const { wish, talk } = making;
  const minutes = unit === 'hour' ? 60 * step : unit === 'minute' ? step : 0;
  const [slot] = wish.slots;
  const { after, before } = slot?.minutes ? { after: slot.at, before: slot.at + slot.minutes } : (wish.hours ?? {});
  if (!minutes || after === undefined || before === undefined) return null;
  const day = wish.days[0]?.from ?? talk.today;
  const count = Math.min(Math.floor((before - after) / minutes) + 1, MOST_SINGLE);
  const times = Array.from({ length: count }, (_, i) => after + i * minutes);
  const { hours: _hours, ...open } = wish;
  return times
    .filter((at) => !day.equals(talk.today) || at > nowMinute(talk))
    .map((at) => placed({ ...making, wish: { ...open, slots: [] } }, day, { at }));
};

const onAndOff = (
  making: Making,
  [on, off]: readonly [number, number],
  from: PlainDate,
  until?: PlainDate,
): Creation[] =>
  daysIn({ from, to: until ?? from.add({ days: MOST_SINGLE }) })
    .filter((day) => daysFrom(from, day) % (on + off) < on)
    .slice(0, MOST_SINGLE)
    .flatMap((day) => onEach(making, day));

const DAYS_OF: Readonly<Record<string, number>> = { day: 1, week: WEEK };
/** So often in a week, without saying on which days: several sittings. */
const oftenIn = (making: Making, { unit, times = 1 }: Every, { lasts, from, until }: Repeat): Creation[] => {
  const days = DAYS_OF[unit] ?? 30;
  const start = from ?? making.wish.days[0]?.from ?? making.talk.today;
  const to = until ?? start.add({ days: (lasts?.days ?? days) - (until || lasts ? 0 : 1) });
  const units = Math.max(Math.round(daysFrom(start, to) / days), 1);
  return [
    placed({ ...making, wish: { ...making.wish, times: times * units } }, { from: start, to }, making.wish.slots[0]),
  ];
};

const saysWeekday = (clause: Clause): boolean =>
  readTime(clause.text('when')).items.some((item) => item.item === 'days' && weekdaysOf(item.days) !== null);

/** A weekly rule says its weekday, so that it is not moved with its first day; not one of every seven weeks. */
const withWeekday = (every: Every, day: PlainDate, clause: Clause): Every => {
  const isRare = (every.step ?? 1) > 3 && !saysWeekday(clause);
  return every.unit === 'week' && !every.weekdays && !isRare ? { ...every, weekdays: [day.dayOfWeek] } : every;
};

/** The last day: as it is said, or by how long it lasts in all. */
const untilOf = ({ wish }: Making, { until, lasts, every }: Repeating, first: PlainDate): PlainDate | undefined => {
  const said = until ?? wish.limits.to ?? wish.range?.to;
  if (said && compareDays(said, first) >= 0) return said;
  const { days = 0 } = wish.length;
  const inAll = lasts ?? (days >= WEEK && !every.monthDays ? { days } : undefined);
  if (!inAll) return undefined;
  return first.add({ days: inAll.days ?? 0, months: inAll.months ?? 0 }).subtract({ days: 1 });
};

const seriesOf = (making: Making, repeat: Repeating, from: PlainDate): { series: Series; first: PlainDate } => {
  const { clause, wish } = making;
  const start = firstOn(from, repeat.every);
  const { days, weekdays } = exceptionsOf(making, start);
  const every = withWeekday(without(repeat.every, [...weekdays, ...wish.limits.notWeekdays]), start, clause);
  const next = firstOn(start, every);
  // 'every Friday, but not tomorrow' begins a week later
  const isLeftOut = !repeat.from && days.some((one) => one.equals(next));
  const first = isLeftOut ? firstOn(next.add({ days: 1 }), every) : next;
  const except = days.filter((day) => isOn(day, every) && compareDays(day, first) > 0);
  const series = compact({
    rule: ruleOf(every),
    until: untilOf(making, repeat, first),
    times: repeat.times ?? wish.times,
    except: except.length > 0 ? except : undefined,
  });
  return { first, series };
};

/** Today, where its time is still to come. */
const soonest = ({ slots, hours }: Wish, talk: Talk): PlainDate => {
  const at = slots[0]?.at ?? hours?.before ?? 1440;
  return at > nowMinute(talk) ? talk.today : talk.today.add({ days: 1 });
};

const firstFrom = ({ wish, talk }: Making, { every, from }: Repeating): PlainDate => {
  const own = wish.days[0]?.from;
  const isOwn = every.unit === 'year' || (every.unit === 'month' && !every.nth && !every.monthDays);
  if (own && isOwn) return own;
  const soon = soonest(wish, talk);
  return from ? laterOf(from, talk.today) : laterOf(own ?? wish.range?.from ?? soon, soon);
};

const inSeries = (making: Making, repeat: Repeating): Creation[] => {
  const { every } = repeat;
  const from = firstFrom(making, repeat);
  if (every.cycle) return onAndOff(making, every.cycle, from, repeat.until);
  if (every.times && !every.weekdays && every.unit !== 'day') return oftenIn(making, every, repeat);
  const { first, series } = seriesOf(making, repeat, from);
  const { times: _times, ...wish } = making.wish;
  const isWhole = isWholeDay(making) || (every.unit === 'year' && wish.slots.length === 0);
  return onEach({ ...making, wish }, first, { series, ...(isWhole && { at: null, days: wish.length.days ?? 1 }) });
};

/** Days that are named, or a stretch of them: one by one, a series, or a stretch to find a place in. */
const onNamedDays = (making: Making, repeat: Repeat): Creation[] | null => {
  const { wish, talk } = making;
  const { window, list } = repeat;
  const daily = (from: PlainDate, to: PlainDate): Creation[] =>
    inSeries(making, { ...repeat, every: { unit: 'day' }, from, until: to });
  if (window && wish.days.length === 0) {
    const isEach = !wish.times && (wish.slots.length > 0 || wish.hours !== undefined);
    return isEach
      ? daily(laterOf(window.from, talk.today), window.to)
      : onDays({ ...making, wish: { ...wish, days: [window] } });
  }
  const [from, to] = [list[0], list.at(-1)];
  if (!from || !to) return null;
  const isRow = list.length > ROW && daysFrom(from, to) === list.length - 1;
  return isRow ? daily(from, to) : list.slice(0, MOST_SINGLE).flatMap((day) => onEach(making, day));
};

/** 'late shift Mon-Wed next week' are three shifts. */
const inStretch = (making: Making, { every, from }: Repeating, stretch: DayRange): Creation[] | null => {
  const { weekdays, step, nth } = every;
  const isShort = daysFrom(stretch.from, stretch.to) <= SHORT_DAYS;
  const isEach = hasWord(making.clause.text('repeat'), EACH);
  if (!weekdays || step || nth || from || !isShort || isEach) return null;
  const days = daysIn(stretch).filter(({ dayOfWeek }) => weekdays.includes(dayOfWeek));
  return days.slice(0, MOST_SINGLE).flatMap((day) => onEach(making, day));
};

/** A repetition may be said as a time: 'Saturdays at 10'. */
export const repeatTexts = (clause: Clause): string[] => [
  ...clause.all('repeat'),
  ...clause.all('when').filter((text) => readTime(text).items.some(({ item }) => item === 'every')),
];

const withHours = (wish: Wish, repeat: Repeat): Wish => {
  const slots = wish.slots.length > 0 ? wish.slots : repeat.slots;
  const hours = wish.hours ?? (slots.length === 0 ? repeat.hours : undefined);
  return { ...wish, slots, ...(hours && { hours }) };
};

export const repeated = (given: Making, texts: readonly string[]): Creation[] | null => {
  const { clause, talk, thing } = given;
  const hint = partSaid(clause.text('when', 'limit')) ?? likelyHalf(thing.title);
  const repeat = repeatOf(texts, baseOf(talk, hint), talk);
  const making = { ...given, wish: withHours(given.wish, repeat) };
  const { every } = repeat;
  if (!every) return onNamedDays(making, repeat);
  const repeating: Repeating = { ...repeat, every };
  const stretch = talk.window ?? given.wish.days.find((day) => !isOneDay(day));
  const shifts = stretch && inStretch(making, repeating, stretch);
  if (shifts) return shifts;
  const bounded = stretch && every.unit !== 'year' ? { from: stretch.from, until: stretch.to } : {};
  return hourly(making, every) ?? inSeries(making, { ...bounded, ...repeating });
};

/** 'before every guitar lesson': as often as the event. */
export const seriesOfEvent = (making: Making): Creation[] | null => {
  const day = making.wish.days[0]?.from;
  const rel = making.clause.text('rel');
  if (!day || !hasWord(rel, EACH)) return null;
  const gap = weeksOf(nameWords(rel), making.talk);
  if (!gap) return null;
  const every: Every = { unit: 'week', step: gap, weekdays: [day.dayOfWeek] };
  return inSeries(making, { every, from: day, list: [], slots: [] });
};

/** How many weeks are between the occurrences of a series; 0 where it is not weekly. */
const weeksOf = (named: readonly string[], { found }: Talk): number => {
  const event = found.find(({ title, target }) => target.recurrence_id !== undefined && fitting(named, title) > 0);
  const [first, second] = found.filter(({ target }) => target.uid === event?.target.uid);
  const days = first && second ? daysFrom(first.day, second.day) : 0;
  return days % WEEK === 0 ? days / WEEK : 0;
};
