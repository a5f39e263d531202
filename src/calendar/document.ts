/** The event as a document before it is stored: completed, changed and checked as a value, without database or clock. */
import { eventEnd } from '../domain/recurrence.ts';
import type { Schedule } from '../domain/calendar.ts';
import { checkRrule } from '../domain/recurrence.ts';
import { dayBounds, instantOf, localDate, localStart, millis, readTime, type Instant } from '../domain/time.ts';
import { invalid, invalidAt, type Fault } from '../errors.ts';
import { MAX_EXCEPTIONS, type EventResource } from './schema.ts';

const DAY_MINUTES = 1440;

/** What the ledger adds when it records an event. */
export type Stamps = 'version' | 'created_at' | 'updated_at' | 'seq' | 'removed';
export type EventDraft = Omit<EventResource, Stamps>;

/** What follows from other fields. */
type Derived = 'user_id' | 'end' | 'yields';

/** What an event is made from; instants are read already. `timezone` and `local_start` follow from the user and the instant. */
export type NewEvent = Pick<EventDraft, 'title' | 'scheduled_for' | 'duration_minutes'> &
  Partial<Omit<EventDraft, Derived | 'title' | 'scheduled_for' | 'duration_minutes'>>;

/** New values of an event; instants are read already. */
export type EventChanges = Partial<Omit<EventDraft, Derived | 'uid' | 'origin' | 'plan_uid' | 'recurrence_id' | 'overrides'>>;

/** A start as the API accepts it (decisions §4), with the wall time that was meant. Null where it is not a time. */
export const readStart = (text: string, zone: string): { scheduled_for: Instant; local_start: string } | null => {
  const at = readTime(text, zone);
  if (at === null) return null;
  const scheduled_for = instantOf(millis(at));
  return { scheduled_for, local_start: wallMeant(text) ?? localStart(scheduled_for, zone) };
};

/** The wall time a text without offset names: also one that DST leaves out, which the instant no longer tells. */
const wallMeant = (text: string): string | null => {
  if (text.length === 10) return `${text}T00:00:00`;
  try {
    Temporal.Instant.from(text);
    return null;
  } catch {
    return Temporal.PlainDateTime.from(text).toString({ smallestUnit: 'second' });
  }
};

/** What decides when an event happens, as the rules of recurrence want it. */
export const scheduleOf = (event: EventDraft): Schedule => ({
  uid: event.uid,
  scheduled_for: event.scheduled_for,
  duration_minutes: event.duration_minutes,
  timezone: event.timezone,
  local_start: event.local_start,
  all_day: event.all_day,
  rdates: event.rdates,
  exdates: event.exdates,
  ...(event.rrule === null ? {} : { rrule: event.rrule }),
  ...(event.recurrence_id === null ? {} : { recurrence_id: event.recurrence_id }),
});

export const isSeries = (event: Pick<EventDraft, 'rrule' | 'rdates'>): boolean => event.rrule !== null || event.rdates.length > 0;

/** Whether it takes time at all. */
export const isBusy = (event: Pick<EventDraft, 'busy' | 'status'>): boolean => event.busy && event.status !== 'cancelled';

/** All-day events begin with their local day and last whole ones; series repeat whole seconds, as iCalendar has no finer. */
const settle = (event: EventDraft): EventDraft => {
  if (event.all_day) {
    const date = event.local_start.slice(0, 10);
    event.scheduled_for = dayBounds(date, event.timezone).start;
    event.local_start = `${date}T00:00:00`;
    event.duration_minutes = Math.max(1, Math.ceil(event.duration_minutes / DAY_MINUTES)) * DAY_MINUTES;
  } else if (isSeries(event)) event.scheduled_for = instantOf(Math.floor(millis(event.scheduled_for) / 1000) * 1000);
  return { ...event, end: eventEnd(scheduleOf(event)) };
};

/** Fills the defaults of decisions §9. */
export const newEvent = (seed: NewEvent & { uid: string; timezone: string; origin: EventDraft['origin'] }, user_id: string): EventDraft => {
  const all_day = seed.all_day ?? false;
  const plan_uid = seed.plan_uid ?? null;
  return settle({
    description: null,
    location: null,
    url: null,
    task_id: null,
    tempo_tag: null,
    tags: [],
    status: 'confirmed',
    busy: !all_day,
    rrule: null,
    rdates: [],
    exdates: [],
    overrides: {},
    recurrence_id: null,
    reminders: [],
    linked_trace_ids: [],
    split_from: null,
    split_to: null,
    sequence: 0,
    local_start: localStart(seed.scheduled_for, seed.timezone),
    ...seed,
    user_id,
    all_day,
    plan_uid,
    yields: plan_uid !== null,
    end: seed.scheduled_for,
  });
};

/** An event with new values. Its wall time follows the instant unless it is given too. */
export const withChanges = (from: EventDraft, changes: EventChanges): EventDraft => {
  const to: EventDraft = { ...from, ...changes };
  const stays = changes.scheduled_for === undefined && to.timezone === from.timezone;
  if (!stays && changes.local_start === undefined) to.local_start = localStart(to.scheduled_for, to.timezone);
  if (!isSeries(to)) Object.assign(to, { exdates: [], overrides: {} });
  return settle(to);
};

/** Years 1 to 9999 only. */
const fits = (at: Instant): boolean => /^\d{4}-/.test(at) && at >= '0001-01-02';

/** Faults that need more than one field to see; `at` prefixes their paths. @throws 422 */
export const checkEvent = (event: EventDraft, at = ''): EventDraft => {
  const faults: Fault[] = [];
  const fault = (path: string, code: string, message: string) => faults.push({ path: `${at}${path}`, code, message });
  if (![event.scheduled_for, event.end].every(fits)) fault('/scheduled_for', 'out_of_range', 'must lie, with its end, in the years 1 to 9999');
  else if (event.rrule !== null) {
    const why = checkRrule(event.rrule, event.all_day ? localDate(event.scheduled_for, event.timezone) : event.scheduled_for, event.timezone);
    if (why !== null) fault('/rrule', 'invalid_rrule', why);
  }
  const exceptions = event.rdates.length + event.exdates.length + Object.keys(event.overrides).length;
  if (exceptions > MAX_EXCEPTIONS)
    fault('', 'too_many_exceptions', `a series keeps at most ${MAX_EXCEPTIONS} exceptions; split it with scope=following`);
  if (faults.length) throw invalid(faults);
  return event;
};

/** The instants of given times. @throws 422 at the one that is not a time in this zone. */
export const readDates = (dates: string[], zone: string, path: string): Instant[] =>
  dates.map((text, i) => {
    const at = readTime(text, zone);
    if (at === null) throw invalidAt(`${path}/${i}`, 'invalid_time', 'is not an ISO 8601 date or time');
    return instantOf(millis(at));
  });
