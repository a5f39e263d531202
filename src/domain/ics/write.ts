/**
 * Events as iCalendar text (RFC 5545, RFC 7986). ical-generator makes the calendar and what it has words for; what it has
 * none for or gets wrong (times in gaps and folds, RECURRENCE-ID of all-day events, URL, alarms before properties, kept
 * properties with parameters) is set on the jCal form, which ical.js then writes in the RFC's order.
 */
import { ICalCalendar, ICalCalendarMethod, ICalEventStatus, ICalEventTransparency } from 'ical-generator';
import ICAL from 'ical.js';
import type { EventDoc, EventStatus, JcalComponent, JcalProperty } from '../calendar.ts';
import { eventEnd, recurs, strictRrule } from '../recurrence.ts';
import { millis } from '../time.ts';
import type { Instant } from '../time.ts';
import { instantAt, wallAt, wallOf, wallText } from '../walls.ts';
import { alarmsOf } from './alarms.ts';
import { vtimezone } from './vtimezone.ts';

export type CalendarOptions = {
  name: string;
  /** RFC 5546: a message to someone; a feed or export has none. */
  method?: keyof typeof ICalCalendarMethod;
  now: Instant;
  /** How often programs should fetch a feed again. */
  refresh_minutes?: number;
};

// ical.js counts the space a folded line begins with on top
ICAL.foldLength = 74;

const STATUS: Record<EventStatus, ICalEventStatus> = {
  confirmed: ICalEventStatus.CONFIRMED,
  tentative: ICalEventStatus.TENTATIVE,
  cancelled: ICalEventStatus.CANCELLED,
};

/**
 * One VCALENDAR with a VEVENT for each event (masters and overrides alike) and a VTIMEZONE for each zone. CRLF, at most 75
 * octets a line. Without `method` DTSTAMP is the last change, as RFC 5545 §3.8.7.2 has it, so a feed's text changes
 * only with its events.
 */
export const writeCalendar = (events: EventDoc[], options: CalendarOptions): string => {
  const calendar = generated(events, options);
  const masters = new Map(events.filter((event) => !event.recurrence_id).map((event) => [event.uid, event]));
  let at = 0;
  const components = calendar[2].map((component) => {
    const event = component[0] === 'vevent' ? events[at++] : undefined;
    return event ? finished(component, event, masters.get(event.uid) ?? event) : component;
  });
  return ICAL.stringify([[calendar[0], calendar[1], components]]);
};

/** The calendar as ical-generator makes it, in jCal form. */
const generated = (events: EventDoc[], { name, method, now, refresh_minutes }: CalendarOptions): JcalComponent => {
  const since = Math.min(...events.map((event) => Number(event.local_start.slice(0, 4))));
  const calendar = new ICalCalendar({
    prodId: { company: 'Almanac', product: 'Almanac' },
    name: escaped(name),
    method: method ? ICalCalendarMethod[method] : null,
    ttl: refresh_minutes ? refresh_minutes * 60 : null,
    timezone: { name: null, generator: (zone) => vtimezone(zone, since, Number(now.slice(0, 4))) },
  });
  for (const event of events) {
    calendar.createEvent({
      start: event.scheduled_for,
      stamp: method ? now : event.updated_at,
      timezone: event.all_day ? null : event.timezone,
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
  return ICAL.parse(calendar.toString());
};

const finished = ([name, properties]: JcalComponent, event: EventDoc, master: EventDoc): JcalComponent => [
  name,
  [
    ['uid', {}, 'text', oneLine(event.uid)],
    ...properties.filter(([property]) => property !== 'uid' && property !== 'dtstart'),
    ...timesOf(event, master),
    ...(event.url === null ? [] : [['url', {}, 'uri', oneLine(event.url)] satisfies JcalProperty]),
    ...(event.tags.length === 0 ? [] : [['categories', {}, 'text', ...event.tags.map(plain)] satisfies JcalProperty]),
    ...ownProperty('task-id', event.task_id),
    ...ownProperty('tempo-tag', event.tempo_tag),
    ...(event.ics?.properties ?? []),
  ],
  [...alarmsOf(event.reminders, event.ics?.components ?? [], plain(event.title))],
];

const timesOf = (event: EventDoc, master: EventDoc): JcalProperty[] => {
  const rule = strictRrule(event);
  return [
    ...startAndEnd(event),
    ...(rule === null ? [] : [ICAL.parse.property(`RRULE:${rule}`) satisfies JcalProperty]),
    ...event.rdates.toSorted().map((at) => occurrenceTime('rdate', at, event)),
    ...event.exdates.toSorted().map((at) => occurrenceTime('exdate', at, event)),
    ...(event.recurrence_id ? [occurrenceTime('recurrence-id', event.recurrence_id, master)] : []),
  ];
};

const startAndEnd = (event: EventDoc): JcalProperty[] => {
  const end = eventEnd(event);
  if (event.all_day) {
    const last = wallText(wallAt(millis(end), event.timezone)).slice(0, 10);
    return [dateProperty('dtstart', event.local_start), dateProperty('dtend', last)];
  }
  // a series repeats its wall time, so that must stand here even where this one start is another instant
  const isWall = recurs(event) || instantAt(wallOf(event.local_start), event.timezone) === millis(event.scheduled_for);
  const start = isWall
    ? wallProperty('dtstart', event.local_start, event.timezone)
    : utcProperty('dtstart', event.scheduled_for);
  return [
    start,
    ...(event.duration_minutes > 0
      ? [isWall ? timeProperty('dtend', end, event.timezone) : utcProperty('dtend', end)]
      : []),
    ...(isWall ? [] : ownProperty('timezone', event.timezone)),
  ];
};

/** A time that names an occurrence of a series: in DTSTART's form, and the wall time the rule makes, also within a gap. */
const occurrenceTime = (name: string, at: Instant, { all_day, timezone, local_start }: EventDoc): JcalProperty => {
  const shown = wallText(wallAt(millis(at), timezone));
  if (all_day) return dateProperty(name, shown);
  const meant = `${shown.slice(0, 10)}T${local_start.slice(11)}`;
  return instantAt(wallOf(meant), timezone) === millis(at)
    ? wallProperty(name, meant, timezone)
    : timeProperty(name, at, timezone);
};

/** A time on the zone's wall clock; in UTC where that shows it twice and means the first. */
const timeProperty = (name: string, at: Instant, zone: string): JcalProperty => {
  const wall = wallAt(millis(at), zone);
  return instantAt(wall, zone) === millis(at) ? wallProperty(name, wallText(wall), zone) : utcProperty(name, at);
};

const wallProperty = (name: string, wall: string, zone: string): JcalProperty =>
  zone === 'UTC' ? [name, {}, 'date-time', `${wall}Z`] : [name, { tzid: zone }, 'date-time', wall];

const utcProperty = (name: string, at: Instant): JcalProperty => [name, {}, 'date-time', `${at.slice(0, 19)}Z`];

const dateProperty = (name: string, wall: string): JcalProperty => [name, {}, 'date', wall.slice(0, 10)];

/** What only Almanac knows, so that a feed read by another Almanac keeps it. */
const ownProperty = (name: string, value: string | null): JcalProperty[] =>
  value === null ? [] : [[`x-almanac-${name}`, {}, 'text', plain(value)]];

/** Text without the control characters that iCalendar has no escape for. */
const plain = (text: string): string => text.replace(/\r\n?/g, '\n').replace(/(?![\n\t])\p{Cc}/gu, '');

const oneLine = (text: string): string => plain(text).replaceAll('\n', '');

/** TEXT (RFC 5545 §3.3.11), for the calendar's name: ical-generator writes that one as it is. */
const escaped = (text: string): string =>
  plain(text)
    .replace(/[\\;,]/g, (mark) => `\\${mark}`)
    .replaceAll('\n', '\\n');
