/** Events and iCalendar files for tests. */
import type { EventDoc } from '../../src/domain/calendar/event-doc.ts';
import type { Schedule } from '../../src/domain/calendar/schedule.ts';
import { writingCalendar, type CalendarOptions } from '../../src/domain/calendar/ics/write-ics.ts';
import { wallToInstant } from '../../src/domain/time/time.ts';

/** Zones whose clocks change in different ways, or not at all. */
export const ZONES = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kolkata', 'America/Sao_Paulo'];

export const NOW = '2026-06-01T12:00:00.000Z';

/** `2026-11-21T09:00` as an instant. */
export const at = (minute: string) => `${minute}:00.000Z`;

/** An event at a wall time of its zone. */
export const anEvent = (more: Partial<EventDoc> = {}): EventDoc => {
  const { local_start = '2026-11-21T10:00:00', timezone = 'Europe/Berlin' } = more;
  return {
    uid: 'one@example.org',
    title: 'Sprint review',
    description: null,
    location: null,
    url: null,
    scheduled_for: wallToInstant(local_start, timezone),
    duration_minutes: 60,
    timezone,
    local_start,
    all_day: false,
    task_id: null,
    tempo_tag: null,
    tags: [],
    status: 'confirmed',
    busy: true,
    rrule: null,
    rdates: [],
    exdates: [],
    recurrence_id: null,
    reminders: [],
    sequence: 0,
    created_at: '2026-05-01T08:00:00.000Z',
    updated_at: '2026-05-02T08:00:00.000Z',
    ...more,
  };
};
export const aDay = (date: string, more: Partial<EventDoc> = {}): EventDoc =>
  anEvent({ local_start: `${date}T00:00:00`, all_day: true, duration_minutes: 1440, ...more });

/** Writes the whole calendar as one text. */
export const writeCalendar = (events: EventDoc[], options: CalendarOptions): string =>
  [...writingCalendar(events, options)].join('');

export const write = (...events: EventDoc[]) => writeCalendar(events, { name: 'Almanac', now: NOW });
export const linesOf = (text: string, name: string) =>
  text
    .replaceAll('\r\n ', '')
    .split('\r\n')
    .filter((line) => line.startsWith(name));
/** The lines of the events alone. */
export const eventLines = (text: string, name: string) => linesOf(text.slice(text.indexOf('BEGIN:VEVENT')), name);

/** A calendar file around some lines. */
export const file = (...lines: string[]) =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//test', ...lines, 'END:VCALENDAR'].join('\r\n');
export const vevent = (...lines: string[]) => [
  'BEGIN:VEVENT',
  'UID:one@example.org',
  'DTSTAMP:20260101T000000Z',
  ...lines,
  'END:VEVENT',
];

/** A series starting at a wall time of its zone. */
export const series = (
  rrule: string | undefined,
  wall: string,
  timezone: string,
  more: Partial<Schedule> = {},
): Schedule => ({
  uid: 'series',
  scheduled_for: wallToInstant(wall, timezone),
  duration_minutes: 60,
  timezone,
  local_start: wall,
  all_day: false,
  rrule,
  rdates: [],
  exdates: [],
  ...more,
});

export const allDay = (
  rrule: string | undefined,
  date: string,
  timezone: string,
  more: Partial<Schedule> = {},
): Schedule => series(rrule, `${date}T00:00:00`, timezone, { all_day: true, duration_minutes: 1440, ...more });
