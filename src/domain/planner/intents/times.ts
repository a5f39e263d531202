/** The time of an action as the API has it: a start, or a window in which a free slot is to be found. */
import type { Intent, IntentContext } from './types.ts';
import { minutesName } from '../../time/say.ts';
import { type Instant, millis, minutesBetween, wallToInstant } from '../../time/time.ts';
import type { Between, Creation, When } from '../act/actions.ts';
import type { Hours } from '../time/settle.ts';
import { daysFrom, daysIn } from '../time/settle-days.ts';

type PlainDate = Temporal.PlainDate;
export type Times = Pick<Intent, 'scheduled_for' | 'between' | 'avoid' | 'duration_minutes' | 'arguments'>;

const DAY = 1440;
/** Times that are left out are listed for at most this number of days. */
const MOST_AVOIDED = 31;

export const instantAt = (day: PlainDate, minute: number, zone: string): Instant => {
  const date = day.add({ days: Math.floor(minute / DAY) });
  const within = ((minute % DAY) + DAY) % DAY;
  return wallToInstant(date.toPlainDateTime({ hour: Math.floor(within / 60), minute: within % 60 }), zone);
};

/** From now on at the earliest; null where it is over. */
const windowOf = (start: Instant, end: Instant, now: Instant): Times | null => {
  const from = millis(start) < millis(now) ? now : start;
  return millis(from) < millis(end) ? { between: { start: from, end }, arguments: {} } : null;
};

/** `before` of an action is the latest start; the window of the API ends with the thing. */
const endOf = ({ before }: Hours, minutes = 0): number =>
  before === undefined ? DAY : Math.min(before + minutes, 2 * DAY);

const hoursOf = (hours: Hours, minutes: number | undefined): Intent['arguments'] => {
  const end = endOf(hours, minutes);
  return {
    ...(hours.after && { after: minutesName(hours.after) }),
    ...(end < DAY && end > (hours.after ?? 0) && { before: minutesName(end) }),
  };
};

const avoidedOf = (
  { avoid = [], avoidHours }: Pick<Creation, 'avoid' | 'avoidHours'>,
  { from, to }: Between,
  zone: string,
): NonNullable<Intent['avoid']> => [
  ...avoid.map((day) => ({ start: instantAt(day, 0, zone), end: instantAt(day, DAY, zone) })),
  ...(avoidHours
    ? daysIn({ from, to }).map((day) => ({
        start: instantAt(day, avoidHours.from, zone),
        end: instantAt(day, avoidHours.to, zone),
      }))
    : []),
];

const betweenDays = (
  { from, to }: Between,
  { at, minutes }: When,
  left: Pick<Creation, 'avoid' | 'avoidHours'>,
  { now, zone }: IntentContext,
): Times | null => {
  const found = windowOf(instantAt(from, 0, zone), instantAt(to, DAY, zone), now);
  if (!found) return null;
  const avoid = avoidedOf(left, { from, to }, zone).slice(0, MOST_AVOIDED);
  return {
    ...found,
    arguments: typeof at === 'object' && at ? hoursOf(at, minutes) : {},
    ...(avoid.length > 0 && { avoid }),
  };
};

/** A window of one day, within the hours that are said. */
const withinDay = (
  day: PlainDate,
  { at, minutes }: When,
  left: Pick<Creation, 'avoid' | 'avoidHours'>,
  { now, zone }: IntentContext,
): Times | null => {
  const hours = typeof at === 'object' && at ? at : {};
  const found = windowOf(instantAt(day, hours.after ?? 0, zone), instantAt(day, endOf(hours, minutes), zone), now);
  const avoid = avoidedOf(left, { from: day, to: day }, zone);
  return found && { ...found, ...(avoid.length > 0 && { avoid }) };
};

/** Whole days: on that day, or on the first such days of a stretch. */
const wholeDays = (date: PlainDate, days: number, { zone }: IntentContext): Times => {
  const start = instantAt(date, 0, zone);
  return {
    scheduled_for: start,
    duration_minutes: minutesBetween(start, instantAt(date, days * DAY, zone)),
    arguments: { all_day: true },
  };
};

/** The first day that has not begun; null where the stretch has no such day. */
const firstWhole = (date: When['date'], days: number, { now, zone }: IntentContext): PlainDate | null => {
  const from = 'from' in date ? date.from : date;
  if (millis(instantAt(from, 0, zone)) > millis(now)) return from;
  const hasRoom = 'from' in date && daysFrom(from, date.to) >= days;
  return hasRoom ? from.add({ days: 1 }) : null;
};

/** The time of an action; null where it is over. */
export const timesOf = (
  when: When,
  left: Pick<Creation, 'avoid' | 'avoidHours'>,
  context: IntentContext,
): Times | null => {
  const { date, at, days } = when;
  const minutes = when.minutes || undefined;
  const { now, zone } = context;
  if (days !== undefined) {
    const from = firstWhole(date, days, context);
    return from && wholeDays(from, days, context);
  }
  const length = minutes === undefined ? {} : { duration_minutes: minutes };
  if (typeof at === 'number') {
    const start = instantAt('from' in date ? date.from : date, at, zone);
    return millis(start) > millis(now) ? { scheduled_for: start, ...length, arguments: {} } : null;
  }
  const isOne = !('from' in date) || daysFrom(date.from, date.to) === 0;
  const found = isOne
    ? withinDay('from' in date ? date.from : date, when, left, context)
    : betweenDays(date, when, left, context);
  return found && { ...found, ...length };
};
