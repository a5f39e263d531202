/** Says what was looked up in plain sentences: events, plans, traces, times. */
import { lengthName, minutesName, windowName } from '../domain/time/say.ts';
import type { AskedTime } from '../domain/planner/intents/types.ts';
import type { LimitUsage } from '../domain/plan/limits.ts';
import { rejectionText } from '../domain/plan/refusal.ts';
import { cancels, changesFollowing } from '../domain/plan/plan.ts';
import { isPlan, type PlanDoc, type TraceDoc } from '../domain/record/trace.ts';
import { addMinutes, dayBounds, localDate, millis, zoned, type Instant, type Interval } from '../domain/time/time.ts';
import type { Occurrence } from '../calendar/schemas.ts';

const LONGEST_TITLE = 120;
const LONGEST_NOTE = 300;

const oneLine = (text: string, most: number): string => {
  const line = text.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  return line.length <= most ? line : `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/, '')}…`;
};
const quoted = (text: string): string => `“${oneLine(text, LONGEST_TITLE)}”`;

/** 'Friday 27 November', with the year where it is not that of `now`. */
const dayText = (at: Instant, zone: string, now: Instant): string => {
  const { year } = zoned(at, zone);
  const day = windowName(dayBounds(localDate(at, zone), zone), zone);
  return year === zoned(now, zone).year ? day : `${day} ${year}`;
};
export const hourText = (at: Instant, zone: string): string => zoned(at, zone).toPlainTime().toString().slice(0, 5);

/** 'Friday 27 November, 11:00 to 11:45'. */
export const whenText = ({ start, end }: Interval, zone: string, now: Instant): string => {
  const [from, to] = [dayText(start, zone, now), hourText(start, zone)];
  if (start === end) return `${from}, ${to}`;
  const last = localDate(end, zone) === localDate(start, zone) ? '' : `${dayText(end, zone, now)}, `;
  return `${from}, ${to} to ${last}${hourText(end, zone)}`;
};

const eventWhen = (event: Occurrence, zone: string, now: Instant): string => {
  if (!event.all_day) return whenText({ start: event.scheduled_for, end: event.end }, zone, now);
  const first = dayText(event.scheduled_for, zone, now);
  const last = dayText(addMinutes(event.end, -1), zone, now);
  return first === last ? `${first}, all day` : `${first} to ${last}, all day`;
};

/** '“Dentist”, Friday 27 November, 11:00 to 11:45, at Dr. Weber'. */
export const eventText = (event: Occurrence, zone: string, now: Instant): string => {
  const place = event.location ? `, at ${oneLine(event.location, LONGEST_TITLE)}` : '';
  const note = event.description ? ` (${oneLine(event.description, LONGEST_TITLE)})` : '';
  const state = event.status === 'confirmed' ? '' : `, ${event.status}`;
  return `${quoted(event.title)}, ${eventWhen(event, zone, now)}${place}${state}${note}`;
};

export const lengthText = (event: Occurrence, zone: string, now: Instant): string =>
  `${quoted(event.title)} takes ${event.all_day ? 'the whole day' : lengthName(event.duration_minutes)}: ${eventWhen(event, zone, now)}`;

export const placeText = (event: Occurrence, zone: string, now: Instant): string =>
  event.location || event.url
    ? `${quoted(event.title)} is at ${oneLine(event.location || (event.url ?? ''), LONGEST_NOTE)}: ${eventWhen(event, zone, now)}`
    : `${quoted(event.title)}, ${eventWhen(event, zone, now)}: no place is given${event.description ? ` (${oneLine(event.description, LONGEST_NOTE)})` : ''}`;

const VERBS = {
  schedule: 'plan',
  reschedule: 'move',
  reflect: 'reflect on',
  log: 'note',
  configure: 'change the settings:',
} as const;

/** 'plan “Gym”, Friday 27 November, 07:00 to 08:00, proposed by an agent'. */
export const planText = (plan: PlanDoc, zone: string, now: Instant): string => {
  const { scheduled_for: at, duration_minutes: minutes, action_type, origin, status } = plan;
  const verb = cancels(plan) ? 'cancel' : VERBS[action_type];
  const when = at === null ? '' : `, ${whenText({ start: at, end: addMinutes(at, minutes ?? 0) }, zone, now)}`;
  const by = origin === 'agent' ? ' by an agent' : '';
  const reason = status === 'rejected' ? rejectionText(plan) : '';
  const why = reason ? ` (${oneLine(reason, LONGEST_TITLE)})` : '';
  const later = changesFollowing(plan) ? ' and all later ones' : '';
  return `${verb} ${quoted(plan.title)}${later}${when}, ${status === 'proposed' ? `proposed${by}` : `${status}${why}`}`;
};

/** '“The landlord returns the deposit in January.” (Tuesday 3 November)'. A plan says its state, so that it is not taken for done. */
export const noteText = (trace: TraceDoc, text: string, zone: string, now: Instant): string =>
  isPlan(trace)
    ? planText(trace, zone, now)
    : `“${oneLine(text, LONGEST_NOTE)}” (${dayText(trace.timestamp, zone, now)})`;

/** The hours that are free on each day. */
export const freeText = (free: readonly Interval[], zone: string, now: Instant): string[] =>
  [...Map.groupBy(free, ({ start }) => localDate(start, zone)).values()].map((spans) => {
    const hours = spans.map(({ start, end }) => {
      const isMidnight = localDate(end, zone) !== localDate(start, zone);
      return `${hourText(start, zone)} to ${isMidnight ? '24:00' : hourText(end, zone)}`;
    });
    return `${dayText(spans[0]!.start, zone, now)}: ${hours.join(', ')}`;
  });

/** 'on Friday 27 November', 'from Monday 23 November to Sunday 29 November', 'on Friday 27 November, 12:00 to 18:00'. */
export const timeText = (time: AskedTime, zone: string, now: Instant): string => {
  if (time.isPoint) return `on ${whenText({ start: time.start, end: time.start }, zone, now)}`;
  const first = dayText(time.start, zone, now);
  const day = dayBounds(localDate(time.start, zone), zone);
  if (millis(time.end) <= millis(day.end)) {
    const isWhole = time.start === day.start && millis(time.end) === millis(day.end);
    return `on ${isWhole ? first : whenText(time, zone, now)}`;
  }
  const hours = time.hours ? `, ${minutesName(time.hours.from)} to ${minutesName(time.hours.to)}` : '';
  return `from ${first} to ${dayText(addMinutes(time.end, -1), zone, now)}${hours}`;
};

const LIMIT_NAMES: Record<string, string> = { 'limit:budget_day': 'plans', 'limit:budget_week': 'plans' };

/** 'plans per day: 2 of 5 approved, 1 waiting, 2 left'. */
export const limitText = ({ code, per, max, used, waiting, left }: LimitUsage): string =>
  `${LIMIT_NAMES[code] ?? `rule ${code.replace('limit:cadence:', '')}`}, per ${per}: ${used} of ${max} approved, ${waiting} waiting, ${left} left`;
