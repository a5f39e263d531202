/** Layout: the days a request falls on, with repetitions laid out and counts spread over distinct days. */
import type { Day, Every, Length } from './facet.ts';
import type { Gathered } from './gather.ts';
import { compareDays, laterDay } from './time/calendar.ts';
import { occurrences } from './occurrences.ts';

export const MOST = 60;
/** `many`: occurrences of one request, of which those gone by are left out silently. */
type Layout =
  | { kind: 'days'; days: Day[]; many: boolean }
  | { kind: 'period'; from: Temporal.PlainDate; to: Temporal.PlainDate }
  | { kind: 'periods'; periods: { from: Temporal.PlainDate; to: Temporal.PlainDate }[] }
  /** One stretch of whole days. */
  | { kind: 'span'; from: Temporal.PlainDate; to: Temporal.PlainDate }
  | { kind: 'open' }
  | { kind: 'ask'; ask: string };
export type Laid = Layout & { note?: string; cut?: boolean };

const daysFrom = (from: Temporal.PlainDate, to: Temporal.PlainDate): Temporal.PlainDate[] =>
  Array.from({ length: Math.max(0, Math.min(400, from.until(to, { largestUnit: 'day' }).days)) }, (_, days) =>
    from.add({ days }),
  );

/** `usable`: whether the day still has time for it. */
type Env = { today: Temporal.PlainDate; usable: (day: Temporal.PlainDate) => boolean };
type Range = { from: Temporal.PlainDate; to: Temporal.PlainDate; note?: string };

const HORIZON_NOTE = (what: string): string => `No end was named, so I took ${what}.`;

/** Where a repetition begins and ends: what was said, else four weeks (months: half a year). */
const rangeOf = (
  g: Gathered,
  { today }: Env,
  first: (from: Temporal.PlainDate) => Temporal.PlainDate,
  monthly: boolean,
): Range => {
  const fixedDay = g.days?.[0]?.weekday === undefined ? g.days?.[0]?.date : undefined;
  const from = laterDay(laterDay(laterDay(today, g.period?.from), g.from), fixedDay);
  const until = g.until ?? g.period?.to;
  if (until) return { from, to: until };
  if (g.span) return { from, to: first(from).add(g.span) };
  if (g.count && !g.count.per) return { from, to: from.add({ years: 10 }) };
  return monthly
    ? { from, to: from.add({ months: 6 }), note: HORIZON_NOTE('the next six months') }
    : { from, to: first(from).add({ weeks: 4 }), note: HORIZON_NOTE('the next four weeks') };
};

/** 'every week on Friday' may have its weekday said apart. */
const withDays = (every: Every, g: Gathered): Every => {
  if (every.unit === 'week' && !every.weekdays && g.days?.every(({ weekday }) => weekday !== undefined))
    return { ...every, weekdays: g.days.map(({ weekday }) => weekday!) };
  if (every.unit === 'month' && !every.monthday && !every.nth && g.days?.length === 1)
    return { ...every, monthday: g.days[0]!.date.day };
  return every;
};

const layEvery = (every: Every, g: Gathered, env: Env): Laid => {
  const whole = (every.unit === 'week' && !every.weekdays) || (every.unit === 'month' && !every.monthday && !every.nth);
  if (whole) return layWhole(every, g, env);
  const first = (from: Temporal.PlainDate): Temporal.PlainDate =>
    occurrences({ ...every, step: 1 }, from, from.add({ years: 9 }), 3).find((day) => env.usable(day)) ?? from;
  const range = rangeOf(g, env, first, every.unit === 'month');
  const start = every.step > 1 ? laterDay(range.from, first(range.from)) : range.from;
  const most = g.count && !g.count.per ? g.count.times : Number.POSITIVE_INFINITY;
  const all = occurrences(
    every,
    start,
    range.to,
    MOST + 2 + (most === Number.POSITIVE_INFINITY ? 0 : Math.min(most, MOST)),
  ).filter(env.usable);
  const days = all.slice(0, Math.min(most, MOST)).map((date) => ({ date }));
  if (days.length === 0) return { kind: 'ask', ask: 'No such day is left in the time you named. When should it be?' };
  return {
    kind: 'days',
    days,
    many: true,
    ...(range.note && { note: range.note }),
    ...(Math.min(all.length, most) > MOST && { cut: true }),
  };
};

/** 'every week', 'every month' without a day: one window in each. */
const layWhole = (every: Every, g: Gathered, env: Env): Laid => {
  const monthly = every.unit === 'month';
  const range = rangeOf(g, env, (from) => from, monthly);
  const step: Length = monthly ? { months: every.step } : { weeks: every.step };
  const one: Length = monthly ? { months: 1 } : { weeks: 1 };
  const periods: { from: Temporal.PlainDate; to: Temporal.PlainDate }[] = [];
  let start = monthly ? range.from.with({ day: 1 }) : range.from.subtract({ days: range.from.dayOfWeek - 1 });
  const most = Math.min(g.count && !g.count.per ? g.count.times : MOST, MOST);
  for (; compareDays(start, range.to) < 0 && periods.length < most; start = start.add(step)) {
    const to = start.add(one);
    const [from, end] = [laterDay(start, range.from), compareDays(to, range.to) < 0 ? to : range.to];
    if (daysFrom(from, end).some(env.usable)) periods.push({ from, to: end });
  }
  return { kind: 'periods', periods, ...(range.note && { note: range.note }) };
};

/** `times` days out of `days`, evenly apart; days are used twice only where there are too few. */
const spread = (days: readonly Temporal.PlainDate[], times: number): Temporal.PlainDate[] => {
  if (days.length === 0) return [];
  const rounds = Math.ceil(times / days.length);
  if (rounds > 1) return Array.from({ length: times }, (_, i) => days[Math.floor((i * days.length) / times)]!);
  if (times === 1) return [days[0]!];
  return Array.from({ length: times }, (_, i) => days[Math.round((i * (days.length - 1)) / (times - 1))]!);
};

/** Working days where they suffice, else all that are usable. */
const candidates = (days: readonly Temporal.PlainDate[], times: number, env: Env): Temporal.PlainDate[] => {
  const usable = days.filter(env.usable);
  const working = usable.filter(({ dayOfWeek }) => dayOfWeek <= 5);
  return working.length >= times ? working : usable;
};

const layCount = ({ times, per }: { times: number; per?: 'day' | 'week' | 'month' }, g: Gathered, env: Env): Laid => {
  if (g.days && !per) {
    const days = g.days.length === 1 ? Array.from({ length: Math.min(times, MOST) }, () => g.days![0]!) : g.days;
    return { kind: 'days', days, many: false, ...(times > MOST && { cut: true }) };
  }
  const range: Range = per
    ? rangeOf({ ...g, ...(g.days?.length && { from: g.days[0]!.date }) }, env, (from) => from, per === 'month')
    : {
        from: laterDay(laterDay(env.today, g.period?.from), g.from),
        to: g.until ?? g.period?.to ?? (g.span ? env.today.add(g.span) : env.today.add({ days: 7 })),
      };
  const all = daysFrom(range.from, range.to);
  const keyOf = (day: Temporal.PlainDate): string =>
    per === 'day'
      ? day.toString()
      : per === 'week'
        ? `${day.yearOfWeek}-${day.weekOfYear}`
        : per === 'month'
          ? `${day.year}-${day.month}`
          : '';
  const chunks = new Map<string, Temporal.PlainDate[]>();
  const weekdays = g.every?.weekdays;
  for (const day of all)
    if (!weekdays || weekdays.includes(day.dayOfWeek)) chunks.set(keyOf(day), [...(chunks.get(keyOf(day)) ?? []), day]);
  const found = [...chunks.values()].flatMap((days) => spread(candidates(days, times, env), Math.min(times, MOST + 1)));
  if (found.length === 0) return { kind: 'ask', ask: 'No day is left in the time you named. When should it be?' };
  const tooClose = found.some(
    (day, n) => n > 0 && found[n - 1]!.until(day, { largestUnit: 'day' }).days < (g.apart ?? 0),
  );
  if (tooClose)
    return {
      kind: 'ask',
      ask: `${times} times do not fit there with ${g.apart! - 1 === 1 ? 'a day' : 'two days'} between them. How often should it be?`,
    };
  const bare = !per && !g.until && !g.period && !g.span;
  const note = range.note ?? (bare ? 'No stretch of days was named, so I took the next seven.' : undefined);
  return {
    kind: 'days',
    days: found.slice(0, MOST).map((date) => ({ date })),
    many: true,
    ...(note && { note }),
    ...(found.length > MOST && { cut: true }),
  };
};

/** A weekday inside a period ('Friday next week') is the period's; other days must lie in it. */
const layDaysIn = (
  days: readonly Day[],
  { from, to }: { from: Temporal.PlainDate; to: Temporal.PlainDate },
  { today }: Env,
): Laid => {
  const start = laterDay(from, today);
  const found = days.map((day): Day | null => {
    if (compareDays(day.date, start) >= 0 && compareDays(day.date, to) < 0) return { date: day.date };
    if (day.weekday === undefined) return null;
    const date = start.add({ days: (day.weekday - start.dayOfWeek + 7) % 7 });
    return compareDays(date, to) < 0 ? { date } : null;
  });
  if (found.some((day) => day === null))
    return { kind: 'ask', ask: 'The day you named is not within the time you named, or is over. When should it be?' };
  return { kind: 'days', days: found as Day[], many: false };
};

/** The days of a request; 'open' where none is named. */
export const layOut = (g: Gathered, timed: boolean, env: Env): Laid => {
  const count = g.count && !(g.clocks && g.clocks.length > 1 && !g.count.per) ? g.count : undefined;
  if (g.every && g.every.unit !== 'minute' && !count?.per) return layEvery(withDays(g.every, g), g, env);
  if (count) return layCount(count, g, env);
  if (g.plural && !(g.days && g.days.length > 1)) return layEvery({ kind: 'every', unit: 'day', step: 1 }, g, env);
  if (g.days && g.period) return layDaysIn(g.days, g.period, env);
  if (g.days) return { kind: 'days', days: g.days, many: g.every?.unit === 'minute' };
  if (g.period) {
    const days = daysFrom(g.period.from, g.period.to);
    if (days.length === 1) return { kind: 'days', days: [{ date: g.period.from }], many: false };
    const isWhole =
      (g.period.ends || g.whole) &&
      !g.period.open &&
      !timed &&
      !g.part &&
      !g.hours &&
      g.duration === undefined &&
      !g.except;
    if (isWhole && compareDays(g.period.from, env.today) > 0)
      return { kind: 'span', from: g.period.from, to: g.period.to };
    if (timed && g.period.ends) return { kind: 'days', days: days.map((date) => ({ date })), many: true };
    if (timed) return { kind: 'ask', ask: 'Which day should that be?' };
    return { kind: 'period', from: g.period.from, to: g.period.to };
  }
  if (g.from && timed && g.edgeDay) return { kind: 'days', days: [g.edgeDay], many: false };
  if (g.from && g.until) return { kind: 'period', from: g.from, to: g.until };
  if (g.from) return { kind: 'period', from: g.from, to: g.from.add({ days: 7 }) };
  if (g.until) return { kind: 'period', from: env.today, to: g.until };
  if (g.except && (g.except.weekdays.length > 0 || g.except.dates.length > 0)) {
    const days = daysFrom(env.today, env.today.add({ days: 14 })).filter(env.usable);
    return timed
      ? { kind: 'days', days: days.slice(0, 1).map((date) => ({ date })), many: false }
      : { kind: 'period', from: env.today, to: env.today.add({ days: 14 }) };
  }
  return { kind: 'open' };
};
