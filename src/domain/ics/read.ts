/**
 * iCalendar files as events. Files of the real world are broken in many ways: each component is read for itself, what
 * cannot be kept is told with its line, and the good ones go in.
 */
import { createHash } from 'node:crypto';
import { NEVER_OCCURS } from '../rrule.ts';
import { instantOf, isZone, millis } from '../time.ts';
import { wallOf } from '../walls.ts';
import { clocksOf } from './clocks.ts';
import { jcalOf, MAX_FINDINGS, readComponents, textIn } from './components.ts';
import type { Component, Finding } from './components.ts';
import { eventOf, occurrenceAt } from './event.ts';
import type { ParsedEvent, Reading } from './event.ts';
import { fault, isFault } from './times.ts';
import type { Stamp } from './times.ts';

/** `line` is where the event begins in its file. */
export type ReadEvent = { line: number; event: ParsedEvent };

type Draft = ReadEvent & { recurrence: Stamp | null };
type Tell = (finding: Finding) => void;

/** Each takes a tenth of a second to be found out. */
const MAX_ENDLESS_SEARCHES = 20;

/**
 * Reads a file: events and overrides (`recurrence_id`), one for each uid and occurrence, and what was wrong. `zone` is for
 * floating times and all-day events. Of at most 20,000 components; never throws.
 */
export const readCalendar = (
  input: string | Uint8Array,
  { zone }: { zone: string },
): { events: ReadEvent[]; report: Finding[] } => {
  const { components, report } = readComponents(input);
  const tell: Tell = (finding) => {
    if (report.length < MAX_FINDINGS) report.push(finding);
  };
  const calendars = components.filter(({ name }) => name === 'vcalendar');
  if (calendars.length === 0) {
    const message = 'There is no calendar in this text.';
    return { events: [], report: [{ line: 1, component: '', level: 'error', message }] };
  }
  const drafts = calendars.flatMap((calendar) => readOne(calendar, zone, tell));
  return { events: newest(identified(drafts), tell), report: report.toSorted((a, b) => a.line - b.line) };
};

const readOne = (calendar: Component, zone: string, tell: Tell): Draft[] => {
  const [zones = [], events = []] = ['vtimezone', 'vevent'].map((kind) =>
    calendar.components.filter(({ name }) => name === kind),
  );
  for (const { line, name } of calendar.components) {
    const component = name.toUpperCase();
    if (name === 'vevent' || name === 'vtimezone') continue;
    tell({ line, component, level: 'warning', message: `${component} is no event and is left out.` });
  }
  const calendarZone = valueOf(calendar, 'x-wr-timezone');
  const reading: Omit<Reading, 'warn'> = {
    clock: clocksOf(zones, events, zone),
    zone,
    calendarZone: calendarZone !== null && isZone(calendarZone) ? calendarZone : null,
    isCancelled: valueOf(calendar, 'method') === 'CANCEL',
  };
  const searches = { left: MAX_ENDLESS_SEARCHES };
  return events.flatMap((component) => draftOf(component, reading, searches, tell) ?? []);
};

const draftOf = (
  component: Component,
  reading: Omit<Reading, 'warn'>,
  searches: { left: number },
  tell: Tell,
): Draft | null => {
  const { line } = component;
  const own = valueOf(component, 'uid');
  const uid = own ?? uidOf(component);
  const note = (at: number, level: Finding['level'], message: string) =>
    tell({ line: at, component: 'VEVENT', uid, level, message });
  if (own === null) note(line, 'warning', 'UID is missing; one was made from the content.');
  try {
    if (searches.left === 0 && component.properties.some(({ name }) => name === 'rrule')) {
      throw fault(line, 'Not read, as too many rules before it never occur.');
    }
    return { line, ...eventOf(component, uid, { ...reading, warn: (at, message) => note(at, 'warning', message) }) };
  } catch (error) {
    const { message, cause } = isFault(error) ? error : fault(line, 'It cannot be read.');
    if (message === NEVER_OCCURS) searches.left -= 1;
    note(cause, 'error', message);
    return null;
  }
};

const valueOf = (component: Component, name: string): string | null => textIn(component, name)?.trim() || null;

/** The same for the same content, so that importing it again changes nothing. */
const uidOf = (component: Component): string =>
  `${createHash('sha256')
    .update(JSON.stringify(jcalOf(component)))
    .digest('hex')
    .slice(0, 32)}@without-uid`;

/** Overrides by the instant of their occurrence; a date for one of a timed series is told by the master only. */
const identified = (drafts: Draft[]): ReadEvent[] => {
  const masters = new Map(drafts.filter(({ recurrence }) => !recurrence).map(({ event }) => [event.uid, event]));
  return drafts.map(({ line, event, recurrence }) => {
    if (!recurrence) return { line, event };
    const master = masters.get(event.uid) ?? { ...event, all_day: event.all_day && recurrence.form === 'date' };
    const { local_start, scheduled_for, timezone, all_day } = master;
    const start = { wall: wallOf(local_start), at: millis(scheduled_for), zone: timezone, isDay: all_day };
    return { line, event: { ...event, recurrence_id: instantOf(occurrenceAt(recurrence, start)) } };
  });
};

/** One for each uid and occurrence: the highest SEQUENCE, among equals the last. */
const newest = (found: ReadEvent[], tell: Tell): ReadEvent[] => {
  const kept = new Map<string, ReadEvent>();
  for (const one of found) {
    const key = JSON.stringify([one.event.uid, one.event.recurrence_id]);
    const other = kept.get(key);
    const isNewer = !other || one.event.sequence >= other.event.sequence;
    const older = isNewer ? other : one;
    if (isNewer) kept.set(key, one);
    if (!older) continue;
    const message = 'The same event stands in this file twice; the newer one counts.';
    tell({ line: older.line, component: 'VEVENT', uid: older.event.uid, level: 'warning', message });
  }
  return [...kept.values()];
};
