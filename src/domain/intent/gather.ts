/** Gathers the facets of one request and finds what contradicts itself. */
import type { Clock, Day, Every, Facet, Length, Part } from './facet.ts';
import { compareDays, laterDay, soonerDay } from './time/calendar.ts';
import { atClocks, mergeExcept } from './time/except.ts';
import { dayName } from '../time/say.ts';

type Of<K extends Facet['kind']> = Extract<Facet, { kind: K }>;
export type Gathered = {
  instant?: string;
  days?: Day[];
  period?: Of<'period'>;
  from?: Temporal.PlainDate;
  until?: Temporal.PlainDate;
  clocks?: Clock[];
  hours?: { from?: Clock; to?: Clock; exact: boolean; due?: true; also?: [Clock, Clock][] };
  part?: Part;
  /** The part is only a word of the title: 'morning run'. */
  isLoose?: true;
  /** 'in the mornings' */
  plural?: true;
  every?: Every;
  count?: Of<'count'>;
  duration?: number;
  span?: Length;
  shift?: Of<'shift'>;
  gap?: Of<'gap'>;
  whole?: true;
  /** The day an edge was said with: 'until Friday' after 'postpone' is where it goes. */
  edgeDay?: Day;
  past?: true;
  except?: Of<'except'>;
  apart?: number;
  ask?: string;
};

const sameClock = (a: Clock, b: Clock): boolean => a.hour === b.hour && a.minute === b.minute;

/** 'Friday' and 'the 27th' in one request are one day, or a contradiction. */
const mergeDays = (g: Gathered, days: Day[]): void => {
  if (!g.days) {
    g.days = days;
    return;
  }
  const [a, b] = [g.days, days];
  if (a.length === 1 && b.length === 1) {
    const [first, second] = [a[0]!, b[0]!];
    const loose = [first, second].find(({ weekday, roll }) => weekday !== undefined && roll);
    const firm = loose === first ? second : first;
    if (firm.week && loose) g.days = [{ date: firm.date.add({ days: loose.weekday! - firm.date.dayOfWeek }) }];
    else if (first.date.equals(second.date)) g.days = [first.roll ? second : first];
    else if (loose && loose.weekday === firm.date.dayOfWeek)
      g.days = [{ date: firm.date, ...(firm.roll && { roll: firm.roll }) }];
    else if (loose && firm.weekday === undefined)
      g.ask ??= `${dayName(firm.date)} is not the ${dayName(loose.date).split(' ')[0]} you named. Which day do you mean?`;
    else g.ask ??= `You named both ${dayName(first.date)} and ${dayName(second.date)}. Which day do you mean?`;
    return;
  }
  const all = [...a, ...b];
  g.days = all.filter((day, i) => all.findIndex(({ date }) => date.equals(day.date)) === i);
};

/** 'Mon-Fri ... next week': the weekdays of that week. */
const weekdayRange = (g: Gathered, period: Of<'period'>): boolean => {
  const ranged = period.ends ? period : g.period!;
  const plain = ranged === period ? g.period! : period;
  const [first, last] = ranged.ends ?? [];
  if (!first?.weekday || !last?.weekday || plain.ends) return false;
  const length = (last.weekday - first.weekday + 7) % 7;
  if (g.every?.unit === 'day' && g.every.step === 1) delete g.every;
  g.every ??= {
    kind: 'every',
    unit: 'week',
    step: 1,
    weekdays: Array.from({ length: length + 1 }, (_, n) => ((first.weekday! + n - 1) % 7) + 1).toSorted(
      (a, b) => a - b,
    ),
  };
  g.period = plain;
  return true;
};

const mergePeriod = (g: Gathered, period: Of<'period'>): void => {
  if (g.period && weekdayRange(g, period)) return;
  const from = g.period ? laterDay(period.from, g.period.from) : period.from;
  const to = g.period ? soonerDay(period.to, g.period.to) : period.to;
  if (compareDays(from, to) >= 0) g.ask ??= 'The days you named have nothing in common. When should it be?';
  g.period = { ...period, from, to };
};

const clockName = ({ hour, minute }: Clock): string => `${hour}:${String(minute).padStart(2, '0')}`;

const mergeClock = (g: Gathered, facet: Of<'clock'>): void => {
  if (facet.choice) g.ask ??= `at ${facet.times.map(clockName).join(' or at ')}?`;
  const [one, other] = [g.clocks?.[0], facet.times[0]!];
  // 'at 6', and then '18:00'
  if (one && !one.fixed && other.fixed && one.hour % 12 === other.hour % 12 && one.minute === other.minute) {
    g.clocks = facet.times;
    return;
  }
  if (g.clocks && !facet.times.some((time) => g.clocks!.some((known) => sameClock(known, time))))
    g.ask ??= 'You named two different times. Which one shall it be?';
  g.clocks ??= facet.times;
};

const mergeHours = (g: Gathered, { from, to, exact, due, also }: Of<'hours'>): void => {
  g.hours = {
    ...g.hours,
    ...(from && { from }),
    ...(to && { to }),
    // 'on Friday by 5pm' is on that day, 'by 5pm on Friday' any time until then
    ...(due && !g.days && { due }),
    ...(also && { also }),
    exact: exact || (g.hours?.exact ?? false),
  };
};

const mergeOne = (g: Gathered, facet: Facet): void => {
  if (facet.kind === 'days') {
    const days = facet.choice ? facet.days.toSorted((a, b) => compareDays(a.date, b.date)) : facet.days;
    if (facet.choice && !consecutive(days)) g.except = mergeExcept(g.except, between(days));
    if (facet.choice) mergePeriod(g, { kind: 'period', from: days[0]!.date, to: days.at(-1)!.date.add({ days: 1 }) });
    else mergeDays(g, facet.days);
  } else if (facet.kind === 'period') mergePeriod(g, facet);
  else if (facet.kind === 'edge') {
    if (facet.from) g.from = laterDay(facet.from, g.from);
    if (facet.until) g.until = soonerDay(facet.until, g.until);
    if (facet.said) g.edgeDay = facet.said;
  } else if (facet.kind === 'clock') mergeClock(g, facet);
  else if (facet.kind === 'hours') mergeHours(g, facet);
  else if (facet.kind === 'fault') g.ask ??= facet.ask;
  else mergeSimple(g, facet);
};

/** What may be said twice, and not differently. */
const sole = <T>(g: Gathered, known: T | undefined, one: T): T => {
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(one))
    g.ask ??= 'You named two different lengths or times. Which one shall it be?';
  return known ?? one;
};

const mergeSimple = (
  g: Gathered,
  facet: Exclude<Facet, { kind: 'days' | 'period' | 'edge' | 'clock' | 'hours' | 'fault' }>,
): void => {
  if (facet.kind === 'part') {
    if (g.isLoose && !facet.loose) {
      delete g.part;
      delete g.isLoose;
    }
    if (!g.part && facet.loose) g.isLoose = true;
    const [from, to] = [Math.max(g.part?.from ?? 0, facet.part.from), Math.min(g.part?.to ?? 24, facet.part.to)];
    const overlaps = g.part !== undefined && from < to;
    if (overlaps && !facet.loose) {
      g.part = { ...(facet.part.to - facet.part.from < g.part!.to - g.part!.from ? facet.part : g.part!), from, to };
      return;
    }
    if (g.part && g.part.name !== facet.part.name && !facet.loose)
      g.ask ??= `You named both ${g.part.name} and ${facet.part.name}. Which one shall it be?`;
    if (facet.plural) g.plural = true;
    g.part = g.part && (facet.loose || g.part.to - g.part.from < facet.part.to - facet.part.from) ? g.part : facet.part;
  } else if (facet.kind === 'duration') {
    if (g.duration !== undefined && g.duration !== facet.minutes)
      g.ask ??= 'You named two different lengths. How long should it be?';
    g.duration ??= facet.minutes;
  } else if (facet.kind === 'count') g.count = g.count ? { ...g.count, ...facet } : facet;
  else if (facet.kind === 'every')
    g.every =
      g.every && (g.every.weekdays || !facet.weekdays)
        ? g.every
        : { ...facet, step: Math.max(facet.step, g.every?.step ?? 1) };
  else if (facet.kind === 'span') g.span = sole(g, g.span, facet.length);
  else if (facet.kind === 'instant') g.instant = sole(g, g.instant, facet.at);
  else if (facet.kind === 'except') g.except = mergeExcept(g.except, facet);
  else if (facet.kind === 'apart') g.apart = facet.days;
  else if (facet.kind === 'whole') g.whole = true;
  else if (facet.kind === 'past') g.past = true;
  else if (facet.kind === 'shift') g.shift = sole(g, g.shift, facet);
  else if (facet.kind === 'gap') g.gap = sole(g, g.gap, facet);
};

/** The days between those to choose from, which are left out. */
const between = (days: readonly Day[]): Of<'except'> => {
  const [first, last] = [days[0]!.date, days.at(-1)!.date];
  const length = Math.min(60, Math.max(0, first.until(last, { largestUnit: 'day' }).days));
  const all = Array.from({ length }, (_, n) => first.add({ days: n }));
  const dates = all.filter((date) => !days.some((day) => day.date.equals(date)));
  return { kind: 'except', weekdays: [], dates, parts: [] };
};

const consecutive = (days: readonly Day[]): boolean =>
  days.every(({ date }, i) => i === 0 || days[i - 1]!.date.add({ days: 1 }).equals(date));

/** 'Tuesday or Thursday' beside 'next week' are those of that week. */
const withinPeriod = (facet: Facet, { period }: Gathered): Facet => {
  if (facet.kind !== 'days' || !period || !facet.days.every(({ bare }) => bare)) return facet;
  const { from } = period;
  const dateOf = (weekday: number): Temporal.PlainDate => from.add({ days: (weekday - from.dayOfWeek + 7) % 7 });
  return { ...facet, days: facet.days.map((day) => ({ ...day, date: dateOf(day.weekday!) })) };
};

/** Everything said about time in one request, with a question in `ask` where it contradicts itself. */
export const gather = (facets: readonly Facet[]): Gathered => {
  const g: Gathered = {};
  const isChoice = (facet: Facet): boolean => facet.kind === 'days' && facet.choice === true;
  for (const facet of facets.filter((one) => !isChoice(one))) mergeOne(g, facet);
  for (const facet of facets.filter(isChoice)) mergeOne(g, withinPeriod(facet, g));
  // 'Mon, Wed and Fri at 7, starting next week'
  const weekdays = g.days?.flatMap(({ weekday, bare }) => (weekday && bare ? weekday : [])) ?? [];
  // 'twice a week, Tuesday and Thursday'
  const isPerWeek = g.count?.per === 'week' && g.count.times === (g.days?.length ?? g.every?.weekdays?.length);
  const isEach = weekdays.length > 1 && weekdays.length === g.days?.length && !g.every;
  if (isEach && (g.from || isPerWeek)) {
    g.every = { kind: 'every', unit: 'week', step: 1, weekdays: weekdays.toSorted((a, b) => a - b) };
    delete g.days;
  }
  // 'every morning, only Monday to Friday'
  const [first, last] = g.period?.ends ?? [];
  if (g.every?.unit === 'day' && g.every.step === 1 && first?.bare && first.weekday === 1 && last?.bare) {
    const length = (last.weekday! - first.weekday + 7) % 7;
    const days = Array.from({ length: length + 1 }, (_, n) => ((first.weekday! + n - 1) % 7) + 1);
    g.every = { kind: 'every', unit: 'week', step: 1, weekdays: days.toSorted((a, b) => a - b) };
    delete g.period;
  }
  if (isPerWeek) delete g.count;
  else if (isEach && g.count?.per === 'week' && g.count.times > weekdays.length)
    g.ask ??= `You named ${weekdays.length} days for ${g.count.times} times a week. Which days do you mean?`;
  if (g.except && g.clocks) g.except = atClocks(g.except, g.clocks);
  if (g.clocks?.length === 1 && g.hours?.to && !g.hours.from) {
    const [from] = g.clocks;
    g.hours = { from: from!, to: g.hours.to, exact: true };
    delete g.clocks;
  }
  return g;
};
