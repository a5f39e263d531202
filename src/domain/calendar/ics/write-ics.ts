/**
 * Writes events as iCalendar text (RFC 5545, RFC 7986). ical-generator writes the calendar and the properties that it supports.
 * The others, and those that it writes wrongly (times in gaps and folds, floating times, RECURRENCE-ID of all-day events, URL,
 * alarms before properties, properties kept from a file), are made as jCal and written by jcal-text.ts.
 */
import { createHash } from 'node:crypto';
import { ICalCalendar, ICalCalendarMethod, ICalEventStatus, ICalEventTransparency } from 'ical-generator';
import ICAL from 'ical.js';
import type { EventDoc, JcalProperty } from '../event-doc.ts';
import type { EventStatus } from '../event-fields.ts';
import { durationText, lengthOf } from '../durations.ts';
import { eventEnd, recurs, strictRrule } from '../series-expansion.ts';
import { millis } from '../../time/time.ts';
import type { Instant } from '../../time/time.ts';
import { instantAt, wallAt, wallOf, wallText } from '../../time/wall-time.ts';
import { alarmsOf } from './alarms.ts';
import { contentLine, contentLines, folded, readable } from './jcal-text.ts';
import { vtimezone } from './vtimezone.ts';

export type CalendarOptions = {
  /** The calendar's name; a single resource of a calendar has none. */
  name?: string;
  /** The method of a message to a person (RFC 5546); a feed or export has none. */
  method?: keyof typeof ICalCalendarMethod;
  now: Instant;
  /** How often programs should fetch a feed again, in minutes. */
  refresh_minutes?: number;
};

/** The writer yields after this many events, which take some five milliseconds, or after this many characters of them. */
const CHUNK = 50;
const CHUNK_CHARACTERS = 50_000;

/** The characters that an event has beside its times. */
export const sizeOf = ({ title, description, location, ics }: EventDoc): number =>
  JSON.stringify([title, description, location, ics]).length;

function* chunksOf(events: readonly EventDoc[]): Generator<EventDoc[]> {
  let [chunk, size]: [EventDoc[], number] = [[], 0];
  for (const event of events) {
    chunk.push(event);
    size += sizeOf(event);
    if (chunk.length < CHUNK && size < CHUNK_CHARACTERS) continue;
    yield chunk;
    [chunk, size] = [[], 0];
  }
  if (chunk.length) yield chunk;
}

const STATUS: Record<EventStatus, ICalEventStatus> = {
  confirmed: ICalEventStatus.CONFIRMED,
  tentative: ICalEventStatus.TENTATIVE,
  cancelled: ICalEventStatus.CANCELLED,
};

/**
 * Writes one VCALENDAR in pieces: a VEVENT for each event (masters and overrides alike) and a VTIMEZONE for each zone, with CRLF
 * and at most 75 octets a line. Without `method` DTSTAMP is the last change (RFC 5545 §3.8.7.2), so a feed's text changes only
 * with its events.
 */
export function* writingCalendar(events: EventDoc[], options: CalendarOptions): Generator<string> {
  const [end = '', ...head] = generatedLines([], options).toReversed();
  yield folded(head.toReversed());
  for (const lines of zonesOf(events, Number(options.now.slice(0, 4)))) yield folded(lines);
  const masters = new Map(events.filter((event) => !event.recurrence_id).map((event) => [event.uid, event]));
  for (const chunk of chunksOf(events)) {
    const generated = eventLines(generatedLines(chunk, options));
    const lines = chunk.flatMap((event, i) => linesOf(event, masters.get(event.uid) ?? event, generated[i] ?? []));
    yield folded(lines);
  }
  yield folded([end]);
}

/** Returns the unfolded lines that ical-generator writes. */
const generatedLines = (events: EventDoc[], { name, method, now, refresh_minutes }: CalendarOptions): string[] => {
  const calendar = new ICalCalendar({
    prodId: { company: 'Almanac', product: 'Almanac' },
    name: name === undefined ? null : escaped(name),
    method: method ? ICalCalendarMethod[method] : null,
    ttl: refresh_minutes ? refresh_minutes * 60 : null,
  });
  for (const event of events) {
    calendar.createEvent({
      start: event.scheduled_for,
      stamp: method ? now : event.updated_at,
      sequence: event.sequence,
      summary: plain(event.title),
      ...(event.description === null ? {} : { description: plain(event.description) }),
      ...(event.location === null ? {} : { location: plain(event.location) }),
      status: STATUS[event.status],
      transparency: event.busy ? ICalEventTransparency.OPAQUE : ICalEventTransparency.TRANSPARENT,
      created: event.created_at,
      lastModified: event.updated_at,
    });
  }
  return calendar
    .toString()
    .replaceAll(/\r\n[ \t]/g, '')
    .trimEnd()
    .split('\r\n');
};

/** Returns, for each VEVENT, the lines that are taken from ical-generator. */
const eventLines = (lines: string[]): string[][] => {
  const all: string[][] = [];
  for (const line of lines) {
    if (line === 'BEGIN:VEVENT') all.push([]);
    else if (!/^(UID|DTSTART|(BEGIN|END):)/.test(line)) all.at(-1)?.push(line);
  }
  return all;
};

/** Writes a VTIMEZONE for each zone of the events, correct from the first to the last year in which they begin. */
const zonesOf = (events: EventDoc[], now: number): string[][] => {
  const years = new Map<string, { first: number; last: number }>();
  for (const event of events) {
    const { timezone, local_start, rdates } = event;
    if (event.all_day || timezone === 'UTC' || isFloating(event)) continue;
    const { first = Infinity, last = now } = years.get(timezone) ?? {};
    const own = [local_start, ...rdates].map((at) => Number(at.slice(0, 4)));
    years.set(timezone, { first: Math.min(first, ...own), last: Math.max(last, ...own) });
  }
  return [...years].map(([zone, { first, last }]) => vtimezone(zone, first, last).split('\r\n'));
};

const linesOf = (event: EventDoc, master: EventDoc, generated: string[]): string[] => {
  const kept = (event.ics?.properties ?? []).filter((property) => stillSays(property, event));
  const said = new Set(kept.map(([name]) => name.toUpperCase()));
  const properties: JcalProperty[] = [
    ...timesOf(event, master),
    ...(event.url === null ? [] : [['url', {}, 'uri', oneLine(event.url)] satisfies JcalProperty]),
    ...(event.tags.length === 0 ? [] : [['categories', {}, 'text', ...event.tags.map(plain)] satisfies JcalProperty]),
    ...ownProperty('task-id', event.task_id),
    ...ownProperty('tempo-tag', event.tempo_tag),
    ...kept,
  ];
  const alarms = alarmsOf(event.reminders, event.ics?.components ?? [], plain(event.title));
  return [
    'BEGIN:VEVENT',
    contentLine(['uid', {}, 'text', uidOf(event.uid)]),
    ...generated.filter((line) => !said.has(/^[A-Z-]*/.exec(line)?.[0] ?? '')),
    ...properties.map(contentLine),
    ...alarms.flatMap(contentLines),
    'END:VEVENT',
  ];
};

/** Returns whether a kept property still has the value of its field, so that it can be written instead of the field. */
const stillSays = (property: JcalProperty, event: EventDoc): boolean => {
  const [name] = property;
  if (name === 'url') return event.url === null;
  // A rule that Almanac cannot compute belongs to an event without another one.
  if (name === 'rrule') return !event.rrule && !event.recurrence_id;
  const field = { summary: event.title, description: event.description, location: event.location }[name];
  return field === undefined || readable(property)?.[3] === field;
};

/** Returns whether the event's time is floating, the same on every wall clock. */
const isFloating = ({ ics, timezone, all_day }: EventDoc): boolean => !all_day && ics?.floating === timezone;

const timesOf = (event: EventDoc, master: EventDoc): JcalProperty[] => {
  const rule = ruleOf(event);
  return [
    ...startAndEnd(event),
    ...(rule === null ? [] : [ICAL.parse.property(`RRULE:${rule}`) satisfies JcalProperty]),
    ...event.rdates.toSorted().map((at) => occurrenceTime('rdate', at, event)),
    ...event.exdates.toSorted().map((at) => occurrenceTime('exdate', at, event)),
    ...(event.recurrence_id ? [occurrenceTime('recurrence-id', event.recurrence_id, master)] : []),
  ];
};

/** Writes UNTIL in the form of DTSTART (RFC 5545 §3.3.10). */
const ruleOf = (event: EventDoc): string | null => {
  const rule = strictRrule(event);
  if (!isFloating(event)) return rule;
  return (
    rule?.replace(/(?<=UNTIL=)\d{8}T\d{6}Z/, (until) =>
      wallText(wallAt(wallOf(until.slice(0, -1)), event.timezone)).replaceAll(/[-:]/g, ''),
    ) ?? null
  );
};

const startAndEnd = (event: EventDoc): JcalProperty[] => {
  const end = eventEnd(event);
  if (event.all_day) {
    const last = wallText(wallAt(millis(end), event.timezone)).slice(0, 10);
    const zone = ownProperty('timezone', event.timezone);
    return [dateProperty('dtstart', event.local_start), dateProperty('dtend', last), ...zone];
  }
  // A series repeats its wall time, so the wall time is written even where this start is another instant.
  const isWall = recurs(event) || instantAt(wallOf(event.local_start), event.timezone) === millis(event.scheduled_for);
  const start = isWall
    ? wallProperty('dtstart', event.local_start, event)
    : utcProperty('dtstart', event.scheduled_for);
  const showsZone = isWall && !isFloating(event);
  return [
    start,
    ...(event.duration_minutes > 0 ? [isWall ? endProperty(end, event) : utcProperty('dtend', end)] : []),
    ...(showsZone ? [] : ownProperty('timezone', event.timezone)),
  ];
};

/**
 * Writes DTEND, which most programs expect. It writes DURATION instead for nominal days, because a DTEND means exact time for all of
 * a series, and where the end is the second of two equal wall times in a fold: programs that read the start as the second one too
 * would put it after an end in UTC.
 */
const endProperty = (end: Instant, event: EventDoc): JcalProperty => {
  const wall = wallAt(millis(end), event.timezone);
  const length = lengthOf(event);
  return length.days === 0 && instantAt(wall, event.timezone) === millis(end)
    ? wallProperty('dtend', wallText(wall), event)
    : ['duration', {}, 'duration', durationText(length)];
};

/** Writes a time that identifies an occurrence: in the form of DTSTART, with the wall time that the rule gives, also in a gap. */
const occurrenceTime = (name: string, at: Instant, series: EventDoc): JcalProperty => {
  const { all_day, timezone, local_start } = series;
  const shown = wallText(wallAt(millis(at), timezone));
  if (all_day) return dateProperty(name, shown);
  const meant = `${shown.slice(0, 10)}T${local_start.slice(11)}`;
  return instantAt(wallOf(meant), timezone) === millis(at)
    ? wallProperty(name, meant, series)
    : timeProperty(name, at, series);
};

/**
 * Writes a time on the event's wall clock, or in UTC where it is the second of two equal wall times, because programs read the
 * first.
 */
const timeProperty = (name: string, at: Instant, event: EventDoc): JcalProperty => {
  const wall = wallAt(millis(at), event.timezone);
  return instantAt(wall, event.timezone) === millis(at)
    ? wallProperty(name, wallText(wall), event)
    : utcProperty(name, at);
};

const wallProperty = (name: string, wall: string, event: EventDoc): JcalProperty => {
  if (isFloating(event)) return [name, {}, 'date-time', wall];
  return event.timezone === 'UTC'
    ? [name, {}, 'date-time', `${wall}Z`]
    : [name, { tzid: event.timezone }, 'date-time', wall];
};

const utcProperty = (name: string, at: Instant): JcalProperty => [name, {}, 'date-time', `${at.slice(0, 19)}Z`];

const dateProperty = (name: string, wall: string): JcalProperty => [name, {}, 'date', wall.slice(0, 10)];

/** Writes a property that only Almanac reads, so that another Almanac which reads the feed keeps the value. */
const ownProperty = (name: string, value: string | null): JcalProperty[] =>
  value === null ? [] : [[`x-almanac-${name}`, {}, 'text', plain(value)]];

/** Removes control characters, for which iCalendar has no escape. */
const plain = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '');

const oneLine = (text: string): string => plain(text).replaceAll('\n', '');

/**
 * Readers leave out control characters, and white space around a UID, so two uids of an earlier release could become one UID. Such a
 * uid is written as its digest.
 */
const uidOf = (uid: string): string =>
  plain(uid).trim() === uid ? uid : `uid-${createHash('sha256').update(uid).digest('hex').slice(0, 40)}`;

/** Escapes TEXT (RFC 5545 §3.3.11) for the calendar's name, which ical-generator does not escape. */
const escaped = (text: string): string =>
  plain(text)
    .replace(/[\\;,]/g, (mark) => `\\${mark}`)
    .replaceAll('\n', '\\n');
