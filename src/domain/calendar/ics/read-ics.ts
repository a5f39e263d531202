/**
 * Reads iCalendar files as events. Many real files are invalid, so each component is read on its own: faults are reported with
 * their line, and the valid components are imported.
 */
import { createHash } from 'node:crypto';
import type { VisitCount } from '../rrule.ts';
import { instantOf, millis } from '../../time/time.ts';
import type { Instant } from '../../time/time.ts';
import { zoneByName } from '../../time/tzid-names.ts';
import { wallOf } from '../../time/wall-time.ts';
import { clocksOf, saying, type ZoneCount } from './tzid-clocks.ts';
import { MAX_EVENTS, MAX_FINDINGS, readingComponents, textIn } from './components.ts';
import type { Component, Finding, LeftOut } from './components.ts';
import { eventOf, occurrenceAt } from './vevent.ts';
import type { ParsedEvent, ReadContext } from './vevent.ts';
import { OUTDATED, outdatedIn } from './outdated.ts';
import { paceOf } from './pace.ts';
import { occurrenceOf, type Period } from './periods.ts';
import { slicesOf } from './text-pieces.ts';
import { fault, isFault } from './ics-times.ts';
import type { Stamp } from './ics-times.ts';

/** `line` is the line of the file where the event begins. */
export type ReadEvent = { line: number; event: ParsedEvent };

/** `left` are the components that are not imported. */
export type ReadCalendar = { events: ReadEvent[]; report: Finding[]; left: LeftOut[] };

export type ReadOptions = {
  /** The zone of floating times and all-day events. */
  zone: string;
  /** The encoding that the sender declares; it is used where the bytes are not UTF-8. */
  charset?: string | undefined;
};

type Draft = ReadEvent & { recurrence: Stamp | null; stamp: Instant | null; periods: Period[] };
/** Collects the results of reading a file. */
type Notes = { report: (finding: Finding) => void; left: LeftOut[]; visits: VisitCount; zones: ZoneCount };

/**
 * The rules of one file may visit this many periods, which takes under a second. A valid rule needs one visit, and one for each
 * of a COUNT.
 */
const MAX_VISITS = 2_000_000;

/** These properties do not describe the event and differ each time a program writes it. */
const VOLATILE = /^(dtstamp|created|last-modified|sequence)$/;

/**
 * Reads a file: events and overrides (`recurrence_id`), one for each uid and occurrence, the faults, and what is left out. It
 * reads at most 20,000 events and never throws. A file of 5 MB takes a second, so it yields every few milliseconds.
 */
export function* readingCalendar(
  input: string | Uint8Array,
  { zone, charset }: ReadOptions,
): Generator<undefined, ReadCalendar> {
  const { components, report, left } = yield* readingComponents(input, charset);
  const addFinding: Notes['report'] = (finding) => {
    if (report.length < MAX_FINDINGS) report.push(finding);
  };
  const notes: Notes = { report: addFinding, left, visits: { count: 0 }, zones: { searched: 0, compared: 0 } };
  const calendars = components.filter(({ name }) => name === 'vcalendar');
  if (calendars.length === 0) {
    const message = 'The text contains no VCALENDAR.';
    return { events: [], report: [{ line: 1, component: '', level: 'error', message }], left: [] };
  }
  const drafts: Draft[] = [];
  for (const calendar of calendars) yield* readingOne(calendar, zone, notes, drafts);
  const events = yield* current(yield* newest(yield* identified(drafts), notes), notes);
  const byLine = (a: { line: number }, b: { line: number }) => a.line - b.line;
  return { events, report: report.toSorted(byLine), left: left.toSorted(byLine) };
}

function* readingOne(calendar: Component, zone: string, notes: Notes, drafts: Draft[]): Generator<undefined> {
  const [zones = [], events = []] = ['vtimezone', 'vevent'].map((kind) =>
    calendar.components.filter(({ name }) => name === kind),
  );
  yield;
  for (const other of calendar.components) {
    if (other.name === 'vevent' || other.name === 'vtimezone') continue;
    const [line, component, uid] = [other.line, other.name.toUpperCase(), valueOf(other, 'uid')];
    const reason = `${component} is not an event and was ignored.`;
    notes.report({ line, component, level: 'warning', message: reason });
    notes.left.push({ line, at: line, component, uid, outcome: 'skipped', reason });
    yield;
  }
  const named = valueOf(calendar, 'x-wr-timezone');
  const calendarZone = named === null ? null : zoneByName(named);
  const reading: Omit<ReadContext, 'warn'> = {
    clock: yield* clocksOf(zones, events, { zone, fallback: calendarZone ?? zone, count: notes.zones }),
    zone,
    calendarZone,
    isCancelled: valueOf(calendar, 'method')?.toUpperCase() === 'CANCEL',
    visits: notes.visits,
  };
  const said = new Set<string>();
  const read: Draft[] = [];
  for (const component of events) {
    const draft = yield* draftOf(component, reading, notes, said);
    if (draft) read.push(draft);
    yield;
  }
  sayFloating(read, zone, calendarZone, notes);
  for (const draft of read) drafts.push(draft);
}

/** RFC 5545 says that times without a zone are the same on every wall clock. Some programs mean the zone of the calendar. */
const sayFloating = (drafts: Draft[], zone: string, calendarZone: string | null, { report }: Notes): void => {
  const first = drafts.find(({ event }) => event.ics?.floating === zone);
  if (!first || calendarZone === null || calendarZone === zone) return;
  const { line, event } = first;
  const message = `Times without a time zone were read in ${zone}, although the calendar is in ${calendarZone}.`;
  report({ line, component: 'VEVENT', uid: event.uid, level: 'warning', message });
};

function* draftOf(
  component: Component,
  reading: Omit<ReadContext, 'warn'>,
  notes: Notes,
  said: Set<string>,
): Generator<undefined, Draft | null> {
  const { line } = component;
  const own = valueOf(component, 'uid');
  const uid = own ?? (yield* uidOf(component));
  const note = (at: number, level: Finding['level'], message: string) =>
    notes.report({ line: at, component: 'VEVENT', uid, level, message });
  if (own === null) note(line, 'warning', 'UID is missing; Almanac made one from the content.');
  try {
    if (notes.visits.count > MAX_VISITS && component.properties.some(({ name }) => name === 'rrule'))
      throw fault(
        line,
        'The component was not read, because the recurrence rules before it reached the limit of work for one file. Import it in another file.',
      );
    const warn = (at: number, message: string) => note(at, 'warning', message);
    return {
      line,
      ...(yield* eventOf(component, uid, { ...reading, clock: saying(reading.clock, said, warn), warn })),
    };
  } catch (error) {
    const { message, cause } = isFault(error) ? error : fault(line, 'The component cannot be read.');
    note(cause, 'error', message);
    // What was made from the content of a component names no event that was read before.
    notes.left.push({ line, at: cause, component: 'VEVENT', uid: own, outcome: 'failed', reason: message });
    return null;
  }
}

const valueOf = (component: Component, name: string): string | null => textIn(component, name)?.trim() || null;

/** Derives a uid from the content, so that another import of the same content changes nothing. */
function* uidOf({ properties }: Component): Generator<undefined, string> {
  const isDue = paceOf();
  const made = createHash('sha256');
  // This is the JSON of all names and values, written in pieces.
  let [mark, isFirst] = ['[', true];
  for (const { name, raw } of properties) {
    if (VOLATILE.test(name)) continue;
    made.update(`${mark}[${JSON.stringify(name)},"`);
    for (const piece of slicesOf(raw)) {
      if (isDue(200 + piece.length)) yield;
      made.update(JSON.stringify(piece).slice(1, -1));
    }
    made.update('"]');
    [mark, isFirst] = [',', false];
  }
  made.update(isFirst ? '[]' : ']');
  return `${made.digest('hex').slice(0, 32)}@without-uid`;
}

type Identified = Pick<Draft, 'line' | 'event' | 'stamp' | 'periods'>;

/**
 * Assigns overrides to the instant of their occurrence. For a RECURRENCE-ID that is only a date, the master of a timed series
 * gives the time.
 */
function* identified(drafts: Draft[]): Generator<undefined, Identified[]> {
  const masters = new Map(drafts.filter(({ recurrence }) => !recurrence).map(({ event }) => [event.uid, event]));
  const all: Identified[] = [];
  for (const { line, event, recurrence, stamp, periods } of drafts) {
    yield;
    if (!recurrence) {
      all.push({ line, event, stamp, periods });
      continue;
    }
    const master = masters.get(event.uid) ?? { ...event, all_day: event.all_day && recurrence.form === 'date' };
    const { local_start, scheduled_for, timezone, all_day } = master;
    const start = { wall: wallOf(local_start), at: millis(scheduled_for), zone: timezone, isDay: all_day };
    const recurrence_id = instantOf(occurrenceAt(recurrence, start));
    all.push({ line, event: { ...event, recurrence_id }, stamp, periods });
  }
  return all;
}

/** Selects one for each uid and occurrence: the highest SEQUENCE, then the last modified, then the last in the file. */
function* newest(found: Identified[], notes: Notes): Generator<undefined, ReadEvent[]> {
  const kept = new Map<string, Identified>();
  for (const one of found) {
    yield;
    const key = keyOf(one.event);
    const other = kept.get(key);
    const isNewer = !other || !isBefore(one, other);
    const older = isNewer ? other : one;
    if (isNewer) kept.set(key, one);
    if (!older) continue;
    skip(older, 'The file contains this event twice; the newer one was used.', notes);
  }
  const events = new Map([...kept].map(([key, { line, event }]) => [key, { line, event }]));
  for (const { line, event, periods } of kept.values()) {
    const removed = new Set(periods.length > 0 ? event.exdates : []);
    for (const period of periods) {
      yield;
      const own = occurrenceOf(event, period);
      // An own VEVENT for the occurrence counts before its period.
      if (!removed.has(own.recurrence_id) && !events.has(keyOf(own)) && events.size < MAX_EVENTS)
        events.set(keyOf(own), { line, event: own });
    }
  }
  return [...events.values()];
}

const keyOf = ({ uid, recurrence_id }: ParsedEvent): string => JSON.stringify([uid, recurrence_id]);

/** Leaves out the changed occurrences that a newer version of their series has removed. */
function* current(found: ReadEvent[], notes: Notes): Generator<undefined, ReadEvent[]> {
  const tests = new Map(
    found.flatMap(({ event }) => (event.recurrence_id === null ? [[event.uid, outdatedIn(event)] as const] : [])),
  );
  const kept: ReadEvent[] = [];
  for (const one of found) {
    yield;
    if (tests.get(one.event.uid)?.(one.event)) skip(one, OUTDATED, notes);
    else kept.push(one);
  }
  return kept;
}

const skip = ({ line, event: { uid } }: ReadEvent, reason: string, { report, left }: Notes): void => {
  report({ line, component: 'VEVENT', uid, level: 'warning', message: reason });
  left.push({ line, at: line, component: 'VEVENT', uid, outcome: 'skipped', reason });
};

type Version = { event: ParsedEvent; stamp: Instant | null };

const isBefore = (a: Version, b: Version): boolean =>
  a.event.sequence === b.event.sequence
    ? a.stamp !== null && b.stamp !== null && a.stamp < b.stamp
    : a.event.sequence < b.event.sequence;
