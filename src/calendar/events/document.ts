/** Builds, changes and checks the document of an event as a value, before it is stored. It uses no database and no clock. */
import type { JcalProperty } from '../../domain/calendar/event-doc.ts';
import { EVENT_FIELDS } from '../../domain/calendar/event-fields.ts';
import { icsAfter } from '../../domain/calendar/ics/companions.ts';
import { partsOf } from '../../domain/record/fields.ts';
import { checkRrule, eventEnd } from '../../domain/calendar/series-expansion.ts';
import {
  addMinutes,
  dayBounds,
  instantOf,
  localDate,
  localStart,
  millis,
  readTime,
  timeFault,
  wallNamed,
  wallToInstant,
  type Instant,
} from '../../domain/time/time.ts';
import { invalid, invalidAt, type Fault, type Problem } from '../../common/problem.ts';
import { MAX_EXCEPTIONS, MAX_SERIES_SIZE } from '../calendar-bounds.ts';
import type { EventResource } from '../schemas.ts';

const DAY_MINUTES = 1440;

/** The fields that the ledger adds when it records an event. */
export type Stamps = 'version' | 'created_at' | 'updated_at' | 'seq' | 'removed';
export type EventDraft = Omit<EventResource, Stamps>;

/** The fields that follow from other fields. */
type Derived = 'user_id' | 'end' | 'yields';

/**
 * What an event is made from, with times already read as instants. `timezone` and `local_start` have defaults from the user and
 * the instant.
 */
export type NewEvent = Pick<EventDraft, 'title' | 'scheduled_for' | 'duration_minutes'> &
  Partial<Omit<EventDraft, Derived | 'title' | 'scheduled_for' | 'duration_minutes'>>;

/** New values of an event, with times already read as instants. */
export type EventChanges = Partial<
  Omit<EventDraft, Derived | 'uid' | 'origin' | 'plan_uid' | 'recurrence_id' | 'overrides'>
>;

/**
 * Reads a start as the API accepts it (docs/decisions.md, One rule for times), and the wall time that it means.
 * @returns null where it is not a time
 */
export const readStart = (text: string, zone: string): { scheduled_for: Instant; local_start: string } | null => {
  const at = readTime(text, zone);
  if (at === null) return null;
  const scheduled_for = instantOf(millis(at));
  return { scheduled_for, local_start: wallNamed(text, zone) ?? localStart(scheduled_for, zone) };
};

/** The wall time of a start in a zone: `meant`, where that is the same instant in this zone, else what the clock shows. */
export const wallStart = (at: Instant, meant: string | undefined, zone: string): string =>
  meant !== undefined && millis(wallToInstant(meant, zone)) === Math.floor(millis(at) / 1000) * 1000
    ? meant
    : localStart(at, zone);

/**
 * Whether an event can occur more than once. It may have overrides only: an import can contain single occurrences of a series
 * whose rule is unknown here.
 */
export const isSeries = (event: Pick<EventDraft, 'rrule' | 'rdates' | 'overrides'>): boolean =>
  event.rrule !== null || event.rdates.length > 0 || Object.keys(event.overrides).length > 0;

/** The bytes of a series as JSON, or 0 for a single event. Migration 0016 counts the same in SQL. */
export const sizeOf = (event: EventDraft): number => (isSeries(event) ? Buffer.byteLength(JSON.stringify(event)) : 0);

/** Whether an event takes time. */
export const isBusy = (event: Pick<EventDraft, 'busy' | 'status'>): boolean =>
  event.busy && event.status !== 'cancelled';

export const sortedOnce = (dates: Instant[]): Instant[] => [...new Set(dates)].sort();

const isRule = ([name]: JcalProperty): boolean => name === 'rrule';

/** The event without a rule of its file that Almanac cannot compute. */
export const withoutKeptRule = <E extends EventDraft>(event: E): E =>
  event.ics?.properties.some(isRule)
    ? { ...event, ics: { ...event.ics, properties: event.ics.properties.filter((property) => !isRule(property)) } }
    : event;

/**
 * Makes an event consistent. An all-day event begins with its local day and lasts whole days. A series starts on a whole
 * second, since iCalendar has no finer times.
 */
const settle = (event: EventDraft): EventDraft => {
  const settled = { ...event };
  if (event.all_day) {
    const date = event.local_start.slice(0, 10);
    settled.scheduled_for = dayBounds(date, event.timezone).start;
    settled.local_start = `${date}T00:00:00`;
    settled.duration_minutes = Math.max(1, Math.ceil(event.duration_minutes / DAY_MINUTES)) * DAY_MINUTES;
    const day = (at: Instant) => dayBounds(localDate(at, event.timezone), event.timezone).start;
    settled.rdates = sortedOnce(event.rdates.map(day));
    settled.exdates = sortedOnce(event.exdates.map(day));
  } else if (isSeries(event)) settled.scheduled_for = instantOf(Math.floor(millis(event.scheduled_for) / 1000) * 1000);
  // A rule of a file that Almanac cannot compute is void with another rule, also after that is removed.
  if (event.rrule !== null) Object.assign(settled, withoutKeptRule(event));
  settled.end = eventEnd(settled);
  return settled;
};

const INITIAL = partsOf(EVENT_FIELDS, 'initial');

/** Makes an event and fills the defaults (docs/decisions.md, Calendar events). */
export const newEvent = (
  seed: NewEvent & { uid: string; timezone: string; origin: EventDraft['origin'] },
  user_id: string,
): EventDraft => {
  const all_day = seed.all_day ?? false;
  const plan_uid = seed.plan_uid ?? null;
  return settle({
    ...INITIAL,
    busy: !all_day,
    overrides: {},
    local_start: localStart(seed.scheduled_for, seed.timezone),
    ...seed,
    user_id,
    all_day,
    plan_uid,
    yields: plan_uid !== null,
    end: seed.scheduled_for,
  });
};

export const notWholeDays = (path: string): Problem =>
  invalidAt(path, 'not_whole_days', 'must be a multiple of 1440 for an all-day event');

const hasRule = ({ rrule, rdates }: EventDraft): boolean => rrule !== null || rdates.length > 0;

/** Applies new values to an event. Its wall time follows the instant unless it is given too. @throws 422 */
export const withChanges = (from: EventDraft, changes: EventChanges): EventDraft => {
  const to: EventDraft = { ...from, ...changes };
  if (to.all_day !== from.all_day && changes.duration_minutes === undefined) {
    if (from.all_day)
      throw invalidAt('/updates/duration_minutes', 'required', 'is required when an all-day event gets a time');
    to.duration_minutes = DAY_MINUTES;
  }
  if (to.all_day && (changes.duration_minutes ?? 0) % DAY_MINUTES !== 0)
    throw notWholeDays('/updates/duration_minutes');
  const stays = changes.scheduled_for === undefined && to.timezone === from.timezone;
  if (!stays) to.local_start = wallStart(to.scheduled_for, changes.local_start, to.timezone);
  if (hasRule(from) && !hasRule(to) && to.recurrence_id === null) Object.assign(to, { exdates: [], overrides: {} });
  const settled = settle(to);
  const ics = icsAfter(from, settled);
  return ics === settled.ics || !ics ? settled : { ...settled, ics };
};

/** Whether an instant is in the years 1 to 9999, in UTC and in the zone of the event, whose clock is less than a day ahead. */
const fits = (at: Instant, zone: string): boolean =>
  /^\d{4}-/.test(at) && at >= '0001-01-02' && (at < '9999-12-31' || /^\d{4}-/.test(localStart(at, zone)));

/** The start and end of each override. */
const changedTimes = ({ overrides, duration_minutes: usual }: EventDraft): Instant[] =>
  Object.entries(overrides).flatMap(([id, { scheduled_for = id, duration_minutes = usual }]) => [
    scheduled_for,
    addMinutes(scheduled_for, duration_minutes),
  ]);

/** Checks rules that concern several fields. `at` prefixes the paths of the faults. @throws 422 */
export const checkEvent = (event: EventDraft, at = ''): EventDraft => {
  const faults: Fault[] = [];
  const fault = (path: string, code: string, message: string) => faults.push({ path: `${at}${path}`, code, message });
  const fit = (times: readonly Instant[]): boolean => times.every((one) => fits(one, event.timezone));
  if (!fit([event.scheduled_for, event.end]))
    fault('/scheduled_for', 'out_of_range', 'must be in the years 1 to 9999, and so must the end of the event');
  else if (!fit(event.rdates)) fault('/rdates', 'out_of_range', 'must lie in the years 1 to 9999');
  else if (!fit(changedTimes(event)))
    fault('/overrides', 'out_of_range', 'must lie, with their ends, in the years 1 to 9999');
  else if (event.rrule !== null) {
    const why = checkRrule(
      event.rrule,
      event.all_day ? localDate(event.scheduled_for, event.timezone) : event.scheduled_for,
      event.timezone,
    );
    if (why !== null) fault('/rrule', 'invalid_rrule', why);
  }
  const exceptions = event.rdates.length + event.exdates.length + Object.keys(event.overrides).length;
  if (exceptions > MAX_EXCEPTIONS)
    fault(
      '',
      'too_many_exceptions',
      `must have at most ${MAX_EXCEPTIONS} exceptions; split the series with scope=following`,
    );
  else if (sizeOf(event) > MAX_SERIES_SIZE)
    fault(
      '',
      'series_too_large',
      `must have at most ${MAX_SERIES_SIZE} bytes as JSON, with its changed occurrences; split the series with scope=following`,
    );
  if (faults.length) throw invalid(faults);
  return event;
};

/** Reads times as instants, sorted and without duplicates. @throws 422 at the first that is not a time in this zone */
export const readDates = (dates: string[], zone: string, path: string): Instant[] =>
  sortedOnce(
    dates.map((text, i) => {
      const at = readTime(text, zone);
      if (at === null) throw invalidAt(`${path}/${i}`, 'invalid_time', timeFault(text) ?? 'must be a time');
      return instantOf(millis(at));
    }),
  );
