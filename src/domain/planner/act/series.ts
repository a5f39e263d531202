/** Repetitions as rules of RFC 5545, and on which days they are. */
import { nthWeekday } from '../time/holidays.ts';
import type { Every } from '../time/types.ts';

type PlainDate = Temporal.PlainDate;
const CODES = ['', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];
const UNITS: Readonly<Record<Every['unit'], string>> = {
  minute: 'MINUTELY',
  hour: 'HOURLY',
  day: 'DAILY',
  week: 'WEEKLY',
  month: 'MONTHLY',
  year: 'YEARLY',
};

export const ruleOf = ({ unit, step, weekdays, nth, isWorkday, monthDays, months }: Every): string => {
  const parts = [`FREQ=${UNITS[unit]}`];
  if (step && step > 1) parts.push(`INTERVAL=${step}`);
  if (months) parts.push(`BYMONTH=${months.join()}`);
  if (isWorkday) parts.push(`BYDAY=MO,TU,WE,TH,FR`, `BYSETPOS=${nth!.join()}`);
  else if (weekdays)
    parts.push(`BYDAY=${(nth ?? ['']).flatMap((n) => weekdays.map((day) => `${n}${CODES[day]}`)).join()}`);
  if (monthDays) parts.push(`BYMONTHDAY=${monthDays.join()}`);
  return parts.join(';');
};

const lastWorkday = (day: PlainDate): PlainDate => {
  const end = day.with({ day: day.daysInMonth });
  return end.subtract({ days: Math.max(end.dayOfWeek - 5, 0) });
};
const firstWorkday = (day: PlainDate): PlainDate => {
  const start = day.with({ day: 1 });
  return start.add({ days: start.dayOfWeek > 5 ? 8 - start.dayOfWeek : 0 });
};

/** Whether a repetition is on a day, apart from how many units it skips. */
export const isOn = (day: PlainDate, { weekdays, nth, isWorkday, monthDays, months }: Every): boolean => {
  if (months && !months.includes(day.month)) return false;
  if (isWorkday) return day.equals(nth?.[0] === -1 ? lastWorkday(day) : firstWorkday(day));
  if (nth && weekdays)
    return nth.some((n) => weekdays.some((one) => nthWeekday(day.toPlainYearMonth(), one, n).equals(day)));
  if (monthDays) return monthDays.some((n) => (n < 0 ? day.day === day.daysInMonth : day.day === n));
  return !weekdays || weekdays.includes(day.dayOfWeek);
};

/** The first day of a repetition from a day on; that day itself where there is none in two years. */
export const firstOn = (from: PlainDate, every: Every): PlainDate => {
  let day = from;
  for (let i = 0; i < 800; i++, day = day.add({ days: 1 })) if (isOn(day, every)) return day;
  return from;
};

/** A repetition without some weekdays. */
export const without = (every: Every, weekdays: readonly number[]): Every => {
  const left = (every.weekdays ?? [1, 2, 3, 4, 5, 6, 7]).filter((day) => !weekdays.includes(day));
  return left.length > 0 && weekdays.length > 0 && !every.nth ? { ...every, unit: 'week', weekdays: left } : every;
};
