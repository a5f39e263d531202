/** Saying times back in English, without Intl: the same words on every machine. */
import { type Instant, type Interval, zoned } from './time.ts';

export const WEEKDAY_NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const MONTH_NAMES = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

/** 'Friday 27 November'. */
export const dayName = (date: Temporal.PlainDate | Temporal.ZonedDateTime): string =>
  `${WEEKDAY_NAMES[date.dayOfWeek - 1]} ${date.day} ${MONTH_NAMES[date.month - 1]}`;

const hourName = (at: Temporal.ZonedDateTime): string =>
  `${String(at.hour).padStart(2, '0')}:${String(at.minute).padStart(2, '0')}`;

/** An instant as '15:30'. */
export const hourOf = (at: Instant, zone: string): string => hourName(zoned(at, zone));

/** Minutes of a day as '15:30'. */
export const minutesName = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;

/** 'Friday 27 November', with the year where it is not the present one. */
export const dateName = (at: Instant, zone: string, now: Instant): string => {
  const local = zoned(at, zone);
  return `${dayName(local)}${local.year === zoned(now, zone).year ? '' : ` ${local.year}`}`;
};

/** 'Friday 27 November at 15:30', with the year where it is not the present one. */
export const timeName = (at: Instant, zone: string, now: Instant): string =>
  `${dateName(at, zone, now)} at ${hourName(zoned(at, zone))}`;

/** 'Friday 27 November, 12:00 to 18:00'; whole days without hours. */
export const windowName = ({ start, end }: Interval, zone: string): string => {
  const from = zoned(start, zone);
  const to = zoned(end, zone);
  const last = to.subtract({ seconds: 1 });
  const oneDay = from.toPlainDate().equals(last.toPlainDate());
  const midnight = to.hour === 0 && to.minute === 0;
  if (!oneDay) return `${dayName(from)} to ${dayName(last)}`;
  const clipped = from.hour !== 0 || from.minute !== 0;
  if (midnight && !clipped) return dayName(from);
  return `${dayName(from)}, ${hourName(from)} to ${midnight ? '24:00' : hourName(to)}`;
};

/** Whole days as '1 day' or '3 days', although a day may have 23 or 25 hours. */
export const daysName = (minutes: number): string => {
  const days = Math.max(1, Math.round(minutes / 1440));
  return `${days} ${days === 1 ? 'day' : 'days'}`;
};

/** '90 minutes', '2 hours', '1 hour 30 minutes'. */
export const lengthName = (minutes: number): string => {
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  if (minutes <= 90 && rest !== 0) return `${minutes} ${minutes === 1 ? 'minute' : 'minutes'}`;
  const h = hours ? `${hours} ${hours === 1 ? 'hour' : 'hours'}` : '';
  return [h, rest ? `${rest} minutes` : ''].filter(Boolean).join(' ');
};

/** '90 minutes', '2 days': whole days are said as days. */
export const distanceName = (minutes: number): string => (minutes % 1440 === 0 ? daysName : lengthName)(minutes);
