/** How tempo hours are called in messages and lists. */
import type { TempoProfile } from '../../../client/almanac-client.ts';
import { daysText, WEEKDAYS } from '../../../domain/plan/weekdays.ts';
import { addDays, clockText, showDate, startOfWeek, today, wallFrom, weekday } from '../state/wall-time.ts';

export type Range = TempoProfile['time_ranges'][number];
export type Day = Range['days'][number];

export const DAYS: readonly Day[] = WEEKDAYS;

/** The days of this week, from the first day of the locale. */
export const weekOf = (length: 'short' | 'long'): { day: Day; name: string }[] =>
  Array.from({ length: 7 }, (_, n) => addDays(startOfWeek(today()), n)).map((date) => ({
    day: DAYS[(weekday(date) + 6) % 7] as Day,
    name: showDate(date, { weekday: length }),
  }));

export const dayName = (asked: Day, length: 'short' | 'long' = 'long'): string =>
  weekOf(length).find(({ day }) => day === asked)?.name ?? asked;

/** A time of the profile, such as `17:00` or `24:00`, by the clock of the browser’s language. */
export const clockOf = (time: string): string => clockText(wallFrom(`T${time}`).minutes);

/** `day, Monday 09:00 to 17:00`. */
export const hoursText = ({ name, days, start, end }: Range): string =>
  `${name}, ${daysText(days, (day) => dayName(day))} ${clockOf(start)} to ${clockOf(end)}`;
