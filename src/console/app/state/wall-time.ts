/**
 * Wall time in the zone of the profile. The service takes wall times without an offset, so this turns instants into wall times, and
 * computes with dates; only a length needs the instants of wall times.
 */
import { signal } from '@preact/signals';

/** The zone of the profile; that of the browser until the profile is read. */
export const zone = signal(Intl.DateTimeFormat().resolvedOptions().timeZone);

export type Wall = { date: string; minutes: number };

const formats = new Map<string, Intl.DateTimeFormat>();
/** Making a format takes a hundred times as long as using it. */
const format = (options: Intl.DateTimeFormatOptions, timeZone = zone.value, locale?: string): Intl.DateTimeFormat => {
  const key = JSON.stringify([options, timeZone, locale]);
  let made = formats.get(key);
  if (!made) formats.set(key, (made = new Intl.DateTimeFormat(locale, { ...options, timeZone })));
  return made;
};

const PARTS: Intl.DateTimeFormatOptions = {
  ...{ year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' },
  hourCycle: 'h23',
};

export const wallOf = (instant: string | number, timeZone = zone.value): Wall => {
  const parts = Object.fromEntries(
    format(PARTS, timeZone, 'en-CA')
      .formatToParts(new Date(instant))
      .map(({ type, value }) => [type, value]),
  );
  return {
    date: `${(parts['year'] ?? '').padStart(4, '0')}-${parts['month']}-${parts['day']}`,
    minutes: Number(parts['hour']) * 60 + Number(parts['minute']),
  };
};

export const today = (): string => wallOf(Date.now()).date;

const noon = (date: string): Date => new Date(`${date}T12:00:00Z`);
const dateOf = (at: Date): string => at.toISOString().slice(0, 10);

export const addDays = (date: string, days: number): string =>
  dateOf(new Date(noon(date).getTime() + days * 86_400_000));
export const daysBetween = (from: string, to: string): number =>
  Math.round((noon(to).getTime() - noon(from).getTime()) / 86_400_000);
/** 0 is Sunday. */
export const weekday = (date: string): number => noon(date).getUTCDay();

/** Moves a wall time; the result may be on another day. */
export const addMinutes = ({ date, minutes }: Wall, by: number): Wall => {
  const all = minutes + by;
  const days = Math.floor(all / 1440);
  return { date: addDays(date, days), minutes: all - days * 1440 };
};

const two = (n: number): string => String(n).padStart(2, '0');
/** As the service takes it and `<input type="datetime-local">` shows it. */
export const wallText = ({ date, minutes }: Wall): string =>
  `${date}T${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
export const wallFrom = (text: string): Wall => {
  const [date = '', time = '00:00'] = text.split('T');
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return { date, minutes: hours * 60 + minutes };
};

/** Of the field of a time: a year of which not all figures are typed is none yet. */
export const YEARS = { min: '1000-01-01T00:00', max: '9899-12-31T23:59' };
/** The time in such a field; undefined where it is not whole. */
export const typedWall = (text: string): Wall | undefined =>
  text >= YEARS.min && text <= YEARS.max ? wallFrom(text) : undefined;

const MINUTE_MS = 60_000;
const DAY_MS = 1440 * MINUTE_MS;
const asUtc = ({ date, minutes }: Wall): number => Date.parse(`${date}T00:00Z`) + minutes * MINUTE_MS;

/** The earlier one of a time that the clock shows twice; of one that it skips, as much later as it skips. */
export const instantOf = (wall: Wall): number => {
  const utc = asUtc(wall);
  const [before = utc, after = utc] = [utc - DAY_MS, utc + DAY_MS].map((near) => utc - (asUtc(wallOf(near)) - near));
  return [Math.min(before, after), Math.max(before, after)].find((at) => asUtc(wallOf(at)) === utc) ?? before;
};

/** In minutes that pass, which differ from those of the clock where a clock change is between. */
export const minutesBetween = (start: Wall, end: Wall): number => (instantOf(end) - instantOf(start)) / MINUTE_MS;
/** `minutes` are those that pass. */
export const wallAfter = (start: Wall, minutes: number): Wall => wallOf(instantOf(start) + minutes * MINUTE_MS);

type Info = { firstDay: number };
/** 0 is Sunday; Monday where the browser does not know the custom of its locale. */
export const firstWeekday = (): number => {
  const locale = new Intl.Locale(navigator.language) as Intl.Locale & { getWeekInfo?: () => Info; weekInfo?: Info };
  return ((locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1) % 7;
};
export const startOfWeek = (date: string): string => addDays(date, -((weekday(date) - firstWeekday() + 7) % 7));

/** Dates are shown from their noon in UTC, so that no zone moves them. */
export const showDate = (date: string, options: Intl.DateTimeFormatOptions): string =>
  format(options, 'UTC').format(noon(date));
export const longDate = (date: string): string =>
  showDate(date, { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });
export const shortDate = (date: string): string => showDate(date, { weekday: 'short', day: 'numeric', month: 'short' });
export const monthName = (date: string): string => showDate(date, { month: 'long', year: 'numeric' });
export const weekdayName = (date: string): string => showDate(date, { weekday: 'short' });

export const clockText = (minutes: number): string =>
  format({ hour: 'numeric', minute: '2-digit' }, 'UTC').format(new Date(Date.UTC(2000, 0, 1, 0, minutes)));
export const timeOf = (instant: string): string =>
  format({ hour: 'numeric', minute: '2-digit' }).format(new Date(instant));
/** A day, with the year where it is another one. */
export const dayText = (date: string): string =>
  `${shortDate(date)}${date.slice(0, 4) === today().slice(0, 4) ? '' : ` ${date.slice(0, 4)}`}`;
/** A day and a time. */
export const wallMoment = ({ date, minutes }: Wall): string => `${dayText(date)}, ${clockText(minutes)}`;
export const momentOf = (instant: string): string => wallMoment(wallOf(instant));

/** A stretch of time; the end is left out of the last day where it is midnight. */
export const spanText = ({ start, end }: { start: string; end: string }): string => {
  const [from, to] = [wallOf(start), wallOf(end)];
  const last = to.minutes === 0 ? addDays(to.date, -1) : to.date;
  const day = shortDate(from.date);
  if (from.minutes === 0 && to.minutes === 0) return last === from.date ? day : `${day} – ${shortDate(last)}`;
  if (last === from.date)
    return `${day}, ${to.minutes === 0 ? 'from ' : ''}${clockText(from.minutes)}${to.minutes === 0 ? '' : `–${clockText(to.minutes)}`}`;
  return `${wallMoment(from)} – ${wallMoment(to)}`;
};

export const lengthText = (minutes: number): string => {
  const [days, hours, rest] = [Math.floor(minutes / 1440), Math.floor((minutes % 1440) / 60), minutes % 60];
  return [days && `${days} d`, hours && `${hours} h`, rest && `${rest} min`].filter(Boolean).join(' ') || '0 min';
};
