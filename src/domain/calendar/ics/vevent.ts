/** Reads a VEVENT into the fields of an event, and keeps the rest to be written back. */
import type { EventContent, IcsExtras } from '../event-doc.ts';
import type { EventStatus } from '../event-fields.ts';
import { checkRrule, seriesEnd } from '../series-expansion.ts';
import type { VisitCount } from '../rrule.ts';
import { instantOf, isZone } from '../../time/time.ts';
import type { Instant } from '../../time/time.ts';
import { instantAt, midnightOf, wallAt, wallText } from '../../time/wall-time.ts';
import { alarmMinutes, isPlain } from './alarms.ts';
import { zoneClock } from './tzid-clocks.ts';
import type { Clock } from './tzid-clocks.ts';
import { keptOf, MAX_PROPERTIES, textIn } from './components.ts';
import type { Component, Property } from './components.ts';
import { fault, instantIn, minutesOf, stampsOf } from './ics-times.ts';
import type { Stamp } from './ics-times.ts';

/** An event as a file describes it, with `created_at` and `updated_at` where the file has them. */
export type ParsedEvent = EventContent & { created_at: Instant | null; updated_at: Instant | null };

/** The context for reading a component: the clocks of its file, the zone for dates, and the receiver of doubts. */
export type ReadContext = {
  clock: (tzid: string | null) => Clock;
  zone: string;
  /** X-WR-TIMEZONE of the file. Google writes single events in UTC and gives their zone only here. */
  calendarZone: string | null;
  isCancelled: boolean;
  /** The number of periods that its rules have visited so far. */
  visits: VisitCount;
  warn: (line: number, message: string) => void;
};

type Start = { wall: number; at: number; zone: string; isDay: boolean; floats: boolean };

const MAX_DATES = 10_000;
const MAX_INT = 2 ** 31 - 1;
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
export const eventOf = (
  component: Component,
  uid: string,
  reading: ReadContext,
): { event: ParsedEvent; recurrence: Stamp | null; stamp: Instant | null } => {
  if (component.properties.length > MAX_PROPERTIES) {
    throw fault(component.line, `An event must have at most ${MAX_PROPERTIES} properties.`);
  }
  const text = (name: string) => textOf(component, name);
  const start = startOf(component, reading);
  const title = text('summary') ?? NO_TITLE;
  const url = text('url');
  const modified = instantIn(find(component, 'last-modified'), reading.clock);
  const event: ParsedEvent = {
    uid,
    title,
    description: text('description'),
    location: text('location'),
    url: url !== null && UNSAFE_URL.test(url) ? null : url,
    scheduled_for: instantOf(start.at),
    duration_minutes: durationOf(component, start, reading),
    timezone: start.zone,
    local_start: wallText(start.wall),
    all_day: start.isDay,
    task_id: text('x-almanac-task-id'),
    tempo_tag: text('x-almanac-tempo-tag'),
    tags: tagsOf(component),
    status: reading.isCancelled ? 'cancelled' : (STATUSES[text('status')?.toUpperCase() ?? ''] ?? 'confirmed'),
    busy: text('transp')?.toUpperCase() !== 'TRANSPARENT',
    rrule: ruleOf(component, start, reading),
    rdates: datesOf(component, 'rdate', start, reading),
    exdates: datesOf(component, 'exdate', start, reading),
    recurrence_id: null,
    sequence: Math.min(Math.max(0, Number(find(component, 'sequence')?.jcal[3] ?? 0)), MAX_INT),
    created_at: instantIn(find(component, 'created'), reading.clock),
    updated_at: modified,
    reminders: remindersOf(component),
    ...extrasOf(component, title, start),
  };
  return {
    event,
    recurrence: recurrenceOf(component, start, reading),
    stamp: modified ?? instantIn(find(component, 'dtstamp'), reading.clock),
  };
};

const find = ({ properties }: Component, name: string): Property | undefined =>
  properties.find((property) => property.name === name);

const textOf = (component: Component, name: string): string | null => {
  const text = textIn(component, name);
  return text?.trim() ? text : null;
};

const startOf = (component: Component, reading: ReadContext): Start => {
  const property = find(component, 'dtstart');
  const named = textOf(component, 'x-almanac-timezone')?.trim();
  const own = named !== undefined && isZone(named) ? named : null;
  // Where DTSTART does not determine its zone, a property that another Almanac wrote does.
  const clock = (tzid: string | null) => (tzid === null && own ? zoneClock(own, null) : reading.clock(tzid));
  const [stamp] = property ? stampsOf(property, clock) : [];
  if (!property || !stamp) throw fault(component.line, 'DTSTART is missing or cannot be read.');
  const tzid = property.jcal[1]['tzid'];
  const doubt = typeof tzid === 'string' && stamp.form === 'wall' ? reading.clock(tzid).doubt : null;
  if (doubt) reading.warn(property.line, doubt);
  if (stamp.form === 'date' || isMarkedDay(component)) {
    const wall = midnightOf(stamp.wall);
    const zone = own ?? reading.zone;
    return { wall, at: instantAt(wall, zone), zone, isDay: true, floats: false };
  }
  if (stamp.form === 'wall') {
    // For a zone that is known only by its rules, the instant is kept and the wall time is recomputed for the zone that is used
    // from now on.
    const wall = instantAt(stamp.wall, stamp.zone) === stamp.at ? stamp.wall : wallAt(stamp.at, stamp.zone);
    return { ...stamp, wall, isDay: false, floats: typeof tzid !== 'string' };
  }
  const zone = own ?? (recurs(component) ? null : reading.calendarZone) ?? 'UTC';
  return { wall: wallAt(stamp.at, zone), at: stamp.at, zone, isDay: false, floats: false };
};

const recurs = (component: Component): boolean => Boolean(find(component, 'rrule') ?? find(component, 'rdate'));

/** Exchange writes whole days as times from midnight to midnight with a property that marks them. */
const isMarkedDay = (component: Component): boolean => {
  const isMidnight = (name: string) => textIn(component, name)?.endsWith('T00:00:00') === true;
  return textOf(component, 'x-microsoft-cdo-alldayevent') === 'TRUE' && isMidnight('dtstart') && isMidnight('dtend');
};

/** A time without a zone is in the zone of DTSTART, where that has one. */
const clockBy =
  ({ zone }: Start, { clock }: ReadContext): ReadContext['clock'] =>
  (tzid) =>
    tzid === null ? zoneClock(zone, null) : clock(tzid);

/**
 * Returns whole minutes, rounded up; 1440 for each day. Without DTEND and DURATION it is one day for a date, else zero (RFC 5545
 * §3.6.1).
 */
const durationOf = (component: Component, start: Start, reading: ReadContext): number => {
  const property = find(component, 'dtend') ?? find(component, 'duration');
  if (!property) return start.isDay ? 1440 : 0;
  if (property.name === 'duration') return atLeastNothing(minutesOf(property, start.at, start.zone), property, start);
  const [end] = stampsOf(property, clockBy(start, reading));
  if (!end) throw fault(property.line, 'DTEND cannot be read.');
  const minutes = start.isDay ? (midnightOf(end.wall) - start.wall) / 60_000 : (end.at - start.at) / 60_000;
  return atLeastNothing(minutes, property, start);
};

const atLeastNothing = (minutes: number, { line }: Property, { isDay }: Start): number => {
  if (minutes < 0) throw fault(line, 'The event ends before it starts.');
  // A DTEND on the day of DTSTART is a common mistake that means this day.
  return isDay ? Math.max(1, Math.round(minutes / 1440)) * 1440 : Math.ceil(minutes);
};

const ruleOf = (component: Component, start: Start, reading: ReadContext): string | null => {
  const [rule, ...further] = component.properties.filter(({ name }) => name === 'rrule');
  const exception = find(component, 'exrule');
  if (exception) reading.warn(exception.line, 'EXRULE is not supported; the occurrences that it excludes are shown.');
  for (const { line } of further) reading.warn(line, 'Only the first RRULE was used.');
  if (!rule) return null;
  const written = rule.raw.toUpperCase().replace(/\s|;\s*$/g, '');
  const text = oneEnd(written, start, reading.visits);
  if (text !== written) reading.warn(rule.line, 'COUNT and UNTIL exclude each other; the earlier end was used.');
  const first = start.isDay ? wallText(start.wall).slice(0, 10) : instantOf(start.at);
  const reason = checkRrule(text, first, start.zone, reading.visits);
  if (reason !== null) throw fault(rule.line, reason);
  return text;
};

/** Some programs write both COUNT and UNTIL; the one that ends earlier is kept. checkRrule judges everything else. */
const oneEnd = (rule: string, { wall, at, zone, isDay }: Start, visits: VisitCount): string => {
  const [count, until] = [/;?COUNT=\d+/, /;?UNTIL=[\dTZ]+/].map((part) => rule.replace(part, '').replace(/^;/, ''));
  if (count === undefined || until === undefined || count === rule || until === rule) return rule;
  const schedule = {
    uid: '',
    scheduled_for: instantOf(at),
    duration_minutes: 0,
    timezone: zone,
    local_start: wallText(wall),
  };
  const endOf = (rrule: string) => {
    const isSound = checkRrule(rrule, isDay ? wallText(wall).slice(0, 10) : instantOf(at), zone, visits) === null;
    return isSound ? seriesEnd({ ...schedule, all_day: isDay, rrule, rdates: [], exdates: [] }) : null;
  };
  const [byUntil, byCount] = [endOf(count), endOf(until)];
  if (byUntil === null || byCount === null) return rule;
  return byUntil < byCount ? count : until;
};

const recurrenceOf = (component: Component, start: Start, reading: ReadContext): Stamp | null => {
  const property = find(component, 'recurrence-id');
  if (property?.jcal[1]['range'])
    reading.warn(property.line, 'RANGE is not supported; only one occurrence was changed.');
  return (property && stampsOf(property, clockBy(start, reading))[0]) ?? null;
};

/** Returns RDATE or EXDATE as ascending instants. A date means the occurrence of that day where DTSTART has a time. */
const datesOf = (component: Component, name: 'rdate' | 'exdate', start: Start, reading: ReadContext): Instant[] => {
  const found = new Set<number>();
  const properties = component.properties.filter((one) => one.name === name);
  // Values are counted before they are parsed, which takes 10 µs each.
  if (
    properties.reduce((count, { jcal, raw }) => count + (jcal[2] === 'unknown' ? raw.length / 9 : jcal.length - 3), 0) >
    MAX_DATES
  )
    throw fault(component.line, `${name.toUpperCase()} must have at most ${MAX_DATES} dates; the others were ignored.`);
  for (const property of properties) {
    try {
      if (property.jcal[2] === 'period')
        reading.warn(property.line, 'An RDATE is as long as the event; its own end was ignored.');
      for (const stamp of stampsOf(property, clockBy(start, reading))) found.add(occurrenceAt(stamp, start));
    } catch {
      reading.warn(property.line, `${name.toUpperCase()} cannot be read and was ignored.`);
    }
  }
  return [...found].sort((a, b) => a - b).map(instantOf);
};

/** Returns the instant of the series' occurrence that a stamp of any form identifies. */
export const occurrenceAt = (stamp: Stamp, { wall, zone, isDay }: Omit<Start, 'floats'>): number => {
  if (isDay) return instantAt(midnightOf(stamp.wall), zone);
  return stamp.form === 'date' ? instantAt(stamp.wall + (wall - midnightOf(wall)), zone) : stamp.at;
};

/** Splits CATEGORIES, because ical.js takes a comma after an escaped backslash for an escaped comma. */
const tagsOf = ({ properties }: Component): string[] => {
  const values = properties
    .filter(({ name }) => name === 'categories')
    .flatMap(({ raw }) => raw.match(/(?:\\.|[^,\\])+/g) ?? []);
  const tags = values.map((value) =>
    value.replace(/\\(.)/g, (_all, mark: string) => (/n/i.test(mark) ? '\n' : mark)).trim(),
  );
  return [...new Set(tags)].filter((tag) => tag !== '');
};

const alarmsIn = (component: Component) => component.components.filter(({ name }) => name === 'valarm').map(keptOf);

const remindersOf = (component: Component): number[] => [
  ...new Set(alarmsIn(component).flatMap((alarm) => alarmMinutes(alarm) ?? [])),
];

/** Returns whether a property has more than its field can hold: a language, an alternative text, or an unsafe URL. */
const saysMore = ({ name, raw, jcal }: Property): boolean =>
  name === 'url' ? UNSAFE_URL.test(raw) : WORDED.has(name) && Object.keys(jcal[1]).length > 0;

const extrasOf = (component: Component, title: string, { floats, zone }: Start): { ics?: IcsExtras } => {
  const kept = component.properties.filter((property) => !READ.has(property.name) || saysMore(property));
  const properties = kept.map((property) => property.kept);
  const components = component.components.map(keptOf).filter((inside) => !isPlain(inside, title));
  if (properties.length + components.length === 0 && !floats) return {};
  return { ics: { properties, components, ...(floats ? { floating: zone } : {}) } };
};
