/** Reads a VEVENT into the fields of an event, and keeps the rest to be written back. */
import type { EventContent, IcsExtras, JcalComponent, JcalProperty } from '../event-doc.ts';
import type { EventStatus } from '../event-fields.ts';
import { readDuration } from '../durations.ts';
import type { VisitCount } from '../rrule.ts';
import { instantOf, isZone } from '../../time/time.ts';
import type { Instant } from '../../time/time.ts';
import { instantAt, midnightOf, wallAt, wallText } from '../../time/wall-time.ts';
import { alarmMinutes, isPlain, withStrictTrigger, withTriggerInUtc } from './alarms.ts';
import { zoneClock } from './tzid-clocks.ts';
import type { ClockFor } from './tzid-clocks.ts';
import { hasMoreValues, MAX_DATES } from './limits.ts';
import { paceOf } from './pace.ts';
import { keptOf, MAX_PROPERTIES, textIn } from './components.ts';
import type { Component, Property } from './components.ts';
import { fault, instantIn, stampsOf } from './ics-times.ts';
import { periodsOf, type Period } from './periods.ts';
import type { Stamp } from './ics-times.ts';
import { readLength } from './event-length.ts';
import { readRule } from './file-rules.ts';

/** An event as a file describes it, with `created_at` and `updated_at` where the file has them. */
export type ParsedEvent = EventContent & { created_at: Instant | null; updated_at: Instant | null };

/** The context for reading a component: the clocks of its file, the zone for dates, and the receiver of doubts. */
export type ReadContext = {
  clock: ClockFor;
  zone: string;
  /** X-WR-TIMEZONE of the file. Google writes single events in UTC and gives their zone only here. */
  calendarZone: string | null;
  isCancelled: boolean;
  /** The number of periods that its rules have visited so far. */
  visits: VisitCount;
  warn: (line: number, message: string) => void;
};

type Start = { wall: number; at: number; zone: string; isDay: boolean; floats: boolean };

/** Alarms and other components, also inside of each other. Each takes some 50 µs. */
const MAX_INSIDE = 1_000;
/** The characters of the properties that are only kept, with those of the components inside. */
const MAX_KEPT = 6_000_000;
const MAX_INT = 2 ** 31 - 1;
/** The hundred categories that an event can have take less. */
const MAX_CATEGORIES = 50_000;
/** To find the occurrence of a date takes up to 10 µs. */
const DATE_UNITS = 1_000;
const NO_TITLE = '(no title)';
/** A front end makes a link of the URL, which must not run as code. */
const UNSAFE_URL = /^\s*(javascript|data|vbscript):/i;
const STATUSES: Record<string, EventStatus> = {
  CONFIRMED: 'confirmed',
  TENTATIVE: 'tentative',
  CANCELLED: 'cancelled',
};
/** These properties are read into fields, or written from fields. */
const READ = new Set(
  `uid dtstamp dtstart dtend duration rrule rdate exdate recurrence-id summary description location url categories
  status transp sequence created last-modified x-almanac-task-id x-almanac-tempo-tag x-almanac-timezone`.split(/\s+/),
);

const WORDED = new Set(['summary', 'description', 'location']);

/**
 * Reads a VEVENT. `recurrence` is its RECURRENCE-ID as written, because only the master may determine which occurrence it means.
 * Throws a `fault` with line and reason where it is not a valid event.
 */
export function* eventOf(
  component: Component,
  uid: string,
  reading: ReadContext,
): Generator<undefined, { event: ParsedEvent; recurrence: Stamp | null; stamp: Instant | null; periods: Period[] }> {
  requireSize(component);
  const text = (name: string) => textOf(component, name);
  const start = yield* startOf(component, reading);
  const title = text('summary') ?? NO_TITLE;
  const url = text('url');
  const length = yield* readLength(component, start, clockBy(start, reading), reading.warn);
  const rule = yield* readRule(component, start, reading);
  const [rdates, exdates] = [
    yield* datesOf(component, 'rdate', start, reading),
    yield* datesOf(component, 'exdate', start, reading),
  ];
  const modified = yield* instantIn(find(component, 'last-modified'), reading.clock);
  const event: ParsedEvent = {
    uid,
    title,
    description: text('description'),
    location: text('location'),
    url: url !== null && UNSAFE_URL.test(url) ? null : url,
    scheduled_for: instantOf(start.at),
    duration_minutes: length.duration_minutes,
    timezone: start.zone,
    local_start: wallText(start.wall),
    all_day: start.isDay,
    task_id: text('x-almanac-task-id'),
    tempo_tag: text('x-almanac-tempo-tag'),
    tags: yield* tagsOf(component),
    status: reading.isCancelled ? 'cancelled' : (STATUSES[text('status')?.toUpperCase() ?? ''] ?? 'confirmed'),
    busy: text('transp')?.toUpperCase() !== 'TRANSPARENT',
    rrule: rule.rrule,
    rdates,
    exdates: rule.isEmpty ? withoutStart(instantOf(start.at), rdates, exdates) : exdates,
    recurrence_id: null,
    sequence: Math.min(Math.max(0, Number(find(component, 'sequence')?.jcal[3] ?? 0)), MAX_INT),
    created_at: yield* instantIn(find(component, 'created'), reading.clock),
    updated_at: modified,
    reminders: yield* remindersOf(component, reading),
    ...(yield* extrasOf(component, title, { start, reading, duration: length.exact, rule: rule.kept })),
  };
  const recurrence = yield* recurrenceOf(component, start, reading);
  const periods = recurrence ? [] : yield* ownPeriods(component, start, reading);
  return {
    event,
    recurrence,
    periods: periods.filter(({ minutes }) => minutes !== event.duration_minutes),
    stamp: modified ?? (yield* instantIn(find(component, 'dtstamp'), reading.clock)),
  };
}

/** @throws a fault where the event has more than could be stored or evaluated */
const requireSize = ({ line, properties, components }: Component): void => {
  if (properties.length > MAX_PROPERTIES) throw fault(line, `An event must have at most ${MAX_PROPERTIES} properties.`);
  let size = 0;
  for (const { name, raw } of properties) if (!READ.has(name)) size += raw.length;
  const inside = [...components];
  for (const [at, one] of inside.entries()) {
    if (at >= MAX_INSIDE) throw fault(line, `An event must have at most ${MAX_INSIDE} components, such as alarms.`);
    for (const { raw } of one.properties) size += raw.length;
    for (const nested of one.components) inside.push(nested);
  }
  if (size > MAX_KEPT) throw fault(line, `An event must have at most ${MAX_KEPT} characters, with its attachments.`);
};

const find = ({ properties }: Component, name: string): Property | undefined =>
  properties.find((property) => property.name === name);

const textOf = (component: Component, name: string): string | null => {
  const text = textIn(component, name);
  return text?.trim() ? text : null;
};

/** Reads DTSTART. `own` is the zone that another Almanac wrote, if there is one. @throws where there is no start */
function* startStamp(
  component: Component,
  reading: ReadContext,
  own: string | null,
): Generator<undefined, { stamp: Stamp; isNamed: boolean }> {
  const property = find(component, 'dtstart');
  // Where DTSTART does not determine its zone, a property that another Almanac wrote does.
  const clockFor: ClockFor = function* (tzid, line) {
    return tzid === null && own ? zoneClock(own, null) : yield* reading.clock(tzid, line);
  };
  const [stamp] = property ? yield* stampsOf(property, clockFor) : [];
  if (!property || !stamp) throw fault(component.line, 'DTSTART is missing or cannot be read.');
  const isNamed = typeof property.jcal[1]['tzid'] === 'string';
  if (isNamed && stamp.form === 'utc') reading.warn(property.line, 'DTSTART is in UTC (Z), so its TZID was ignored.');
  return { stamp, isNamed };
}

function* startOf(component: Component, reading: ReadContext): Generator<undefined, Start> {
  const named = textOf(component, 'x-almanac-timezone')?.trim();
  const own = named !== undefined && isZone(named) ? named : null;
  const { stamp, isNamed } = yield* startStamp(component, reading, own);
  if (stamp.form === 'date' || isMarkedDay(component)) {
    const wall = midnightOf(stamp.wall);
    const zone = own ?? reading.zone;
    return { wall, at: instantAt(wall, zone), zone, isDay: true, floats: false };
  }
  if (stamp.form === 'wall') {
    // For a zone that is known only by its rules, the instant is kept and the wall time is recomputed for the zone that is used
    // from now on.
    const wall = instantAt(stamp.wall, stamp.zone) === stamp.at ? stamp.wall : wallAt(stamp.at, stamp.zone);
    return { ...stamp, wall, isDay: false, floats: !isNamed };
  }
  const zone = own ?? (recurs(component) ? null : reading.calendarZone) ?? 'UTC';
  return { wall: wallAt(stamp.at, zone), at: stamp.at, zone, isDay: false, floats: false };
}

const recurs = (component: Component): boolean => Boolean(find(component, 'rrule') ?? find(component, 'rdate'));

/** Exchange writes whole days as times from midnight to midnight with a property that marks them. */
const isMarkedDay = (component: Component): boolean => {
  const isMidnight = (name: string) => textIn(component, name)?.endsWith('T00:00:00') === true;
  return textOf(component, 'x-microsoft-cdo-alldayevent') === 'TRUE' && isMidnight('dtstart') && isMidnight('dtend');
};

/** A time without a zone is in the zone of DTSTART, where that has one. */
const clockBy = ({ zone }: Start, { clock }: ReadContext): ClockFor =>
  function* (tzid, line) {
    return tzid === null ? zoneClock(zone, null) : yield* clock(tzid, line);
  };

/** The zone of DTEND where it is another than that of DTSTART. A start in UTC may be shown in the zone of its calendar. */
function* endZoneOf(
  component: Component,
  start: Start,
  reading: ReadContext,
): Generator<undefined, Pick<IcsExtras, 'end_zone'>> {
  const property = find(component, 'dtend');
  // Programs refuse an event of which only the end has a zone.
  const [end] = property && !start.isDay && !start.floats ? yield* stampsOf(property, clockBy(start, reading)) : [];
  const isInUtc = end?.form === 'utc' && textIn(component, 'dtstart')?.endsWith('Z');
  if (!end || end.form === 'date' || end.zone === start.zone || isInUtc) return {};
  return { end_zone: { start: start.zone, end: end.zone } };
}

function* recurrenceOf(component: Component, start: Start, reading: ReadContext): Generator<undefined, Stamp | null> {
  const property = find(component, 'recurrence-id');
  if (property?.jcal[1]['range'])
    reading.warn(property.line, 'RANGE is not supported; only one occurrence was changed.');
  const [stamp] = property ? yield* stampsOf(property, clockBy(start, reading)) : [];
  return stamp ?? null;
}

/** Ascending dates with one more. */
/** The exdates of a series that has no occurrence by its rule. An RDATE on its start is one all the same. */
const withoutStart = (start: Instant, rdates: Instant[], exdates: Instant[]): Instant[] =>
  rdates.includes(start) ? exdates : [...new Set([...exdates, start])].sort();

/** Returns RDATE or EXDATE as ascending instants. A date means the occurrence of that day where DTSTART has a time. */
function* datesOf(
  component: Component,
  name: 'rdate' | 'exdate',
  start: Start,
  reading: ReadContext,
): Generator<undefined, Instant[]> {
  const found = new Set<number>();
  const properties = component.properties.filter((one) => one.name === name);
  if (properties.reduce((count, property) => count + datesIn(property), 0) > MAX_DATES)
    throw fault(component.line, `${name.toUpperCase()} must have at most ${MAX_DATES} dates; the others were ignored.`);
  const isDue = paceOf();
  for (const property of properties) {
    try {
      for (const stamp of yield* stampsOf(property, clockBy(start, reading))) {
        if (isDue(DATE_UNITS)) yield;
        found.add(occurrenceAt(stamp, start));
      }
    } catch {
      reading.warn(property.line, `${name.toUpperCase()} cannot be read and was ignored.`);
    }
  }
  return [...found].sort((a, b) => a - b).map(instantOf);
}

/** The RDATEs that have a length of their own. */
function* ownPeriods(component: Component, start: Start, reading: ReadContext): Generator<undefined, Period[]> {
  const periods: Period[] = [];
  for (const property of component.properties) {
    if (property.name !== 'rdate' || start.isDay) continue;
    try {
      for (const period of yield* periodsOf(property, clockBy(start, reading))) periods.push(period);
    } catch {
      reading.warn(property.line, 'The length of an RDATE cannot be read; it is as long as the event.');
    }
  }
  return periods;
}

/** The dates of a property, which are counted before they are read. A long list was not parsed. */
const datesIn = ({ jcal, raw }: Property): number => {
  if (jcal[2] !== 'unknown') return jcal.length - 3;
  return hasMoreValues(raw, MAX_DATES) ? MAX_DATES + 1 : raw.length / 9;
};

/** Returns the instant of the series' occurrence that a stamp of any form identifies. */
export const occurrenceAt = (stamp: Stamp, { wall, zone, isDay }: Omit<Start, 'floats'>): number => {
  if (isDay) return instantAt(midnightOf(stamp.wall), zone);
  return stamp.form === 'date' ? instantAt(stamp.wall + (wall - midnightOf(wall)), zone) : stamp.at;
};

/** Splits CATEGORIES, because ical.js takes a comma after an escaped backslash for an escaped comma. */
function* tagsOf({ properties }: Component): Generator<undefined, string[]> {
  const isDue = paceOf();
  const tags = new Set<string>();
  for (const { name, raw } of properties) {
    if (name !== 'categories') continue;
    for (const [value] of raw.slice(0, MAX_CATEGORIES).matchAll(/(?:\\.|[^,\\])+/g)) {
      if (isDue(100 + value.length)) yield;
      const tag = value.replace(/\\(.)/g, (_all, mark: string) => (/n/i.test(mark) ? '\n' : mark)).trim();
      if (tag !== '') tags.add(tag);
    }
  }
  return [...tags];
}

const alarmsIn = (component: Component) => component.components.filter(({ name }) => name === 'valarm');

function* remindersOf(component: Component, { warn }: ReadContext): Generator<undefined, number[]> {
  const minutes = new Set<number>();
  for (const alarm of alarmsIn(component)) {
    yield;
    const trigger = find(alarm, 'trigger');
    const doubt = trigger && readDuration(trigger.raw)?.doubt;
    if (doubt) warn(trigger.line, doubt);
    const before = alarmMinutes(keptOf(alarm));
    if (before !== null) minutes.add(before);
  }
  return [...minutes];
}

/** Returns whether a property has more than its field can hold: a language, an alternative text, or an unsafe URL. */
const saysMore = ({ name, raw, jcal }: Property): boolean =>
  name === 'url' ? UNSAFE_URL.test(raw) : WORDED.has(name) && Object.keys(jcal[1]).length > 0;

/** Programs refuse a whole file for an alarm whose trigger is neither a time nor a duration. */
const canRing = (inside: Component, { warn }: ReadContext): boolean => {
  const trigger = inside.name === 'valarm' ? find(inside, 'trigger') : undefined;
  if (trigger?.jcal[2] !== 'duration' || readDuration(String(trigger.jcal[3]))) return true;
  warn(trigger.line, 'The trigger of an alarm cannot be read, so the alarm was left out.');
  return false;
};

function* extrasOf(
  component: Component,
  title: string,
  {
    start,
    reading,
    duration,
    rule,
  }: { start: Start; reading: ReadContext; duration: string | null; rule: JcalProperty | null },
): Generator<undefined, { ics?: IcsExtras }> {
  const kept = component.properties.filter((property) => !READ.has(property.name) || saysMore(property));
  const properties = [...kept.map((property) => property.kept), ...(rule ? [rule] : [])];
  const components: JcalComponent[] = [];
  for (const inside of component.components) {
    yield;
    if (!canRing(inside, reading)) continue;
    const all = withStrictTrigger(keptOf(yield* withTriggerInUtc(inside, reading)));
    if (!isPlain(all, title)) components.push(all);
  }
  const valid = {
    ...(start.floats && { floating: start.zone }),
    ...(yield* endZoneOf(component, start, reading)),
    ...(duration !== null && { duration }),
  };
  if (properties.length + components.length + Object.keys(valid).length === 0) return {};
  return { ics: { properties, components, ...valid } };
}
