/** Calendar stories: what their tests say over and over. */
import { expect } from 'vitest';
import request from 'supertest';
import type { Client, TestApp, TestUser } from './app.ts';

export type Event = {
  uid: string;
  title: string;
  scheduled_for: string;
  end: string;
  version: number;
  seq: number;
  recurrence_id: string | null;
  overrides: object;
};

export const create = async (user: Client, body: object): Promise<Event> =>
  (await user.post('/calendar/create', body).expect(201)).body;

export const list = async (user: Client, query: string): Promise<Event[]> =>
  (await user.get(`/calendar/events?${query}`).expect(200)).body;

export const times = (events: Event[]): string[] => events.map((event) => event.scheduled_for);
export const titles = (events: Event[]): string[] => events.map((event) => event.title);

export const NOVEMBER = 'start=2026-11-01&end=2026-11-30';

export const call = { title: 'Call with the supplier', scheduled_for: '2026-11-27T15:30', duration_minutes: 20 };

/** Approves a plan of an agent's, so that its block stands in the calendar. */
export const aBlock = async (
  user: TestUser,
  title: string,
  scheduled_for: string,
  duration_minutes = 60,
): Promise<{ plan: string; event: string }> => {
  const action = { action_type: 'schedule', title, scheduled_for, duration_minutes };
  const { body } = await user.agent.post('/agent/plan', { actions: [action] }).expect(200);
  const approved = await user.post('/agent/approve', { uid: body[0].uid }).expect(200);
  expect(approved.body.status).toBe('executed');
  return { plan: body[0].uid, event: approved.body.linked_event_uid };
};

/** What happens in the last quarter of 2026, as lines to compare. */
export const AUTUMN = 'start=2026-10-01&end=2026-12-31';
export const told = (events: Event[]): string[] => events.map((o) => `${o.scheduled_for} ${o.end} ${o.title}`);

/** Sends an .ics file. */
export const imported = (app: TestApp, user: Client, text: string, query = '') =>
  request(app.server)
    .post(`/calendar/import${query}`)
    .set('Authorization', `Bearer ${user.token}`)
    .set('Content-Type', 'text/calendar')
    .send(text);

export const calendarText = (...components: string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Test//EN', ...components, 'END:VCALENDAR', ''].join('\r\n');

export const vevent = (...lines: string[]): string =>
  ['BEGIN:VEVENT', 'DTSTAMP:20261101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');

/** A series of four Mondays, its second occurrence moved, and a single event. */
export const WEEKLY = vevent(
  'UID:weekly',
  'DTSTART;TZID=Europe/Berlin:20261019T090000',
  'DURATION:PT15M',
  'SUMMARY:Weekly',
  'RRULE:FREQ=WEEKLY;COUNT=4',
  'X-COLOUR:red',
);
export const MOVED = vevent(
  'UID:weekly',
  'RECURRENCE-ID;TZID=Europe/Berlin:20261026T090000',
  'DTSTART;TZID=Europe/Berlin:20261027T110000',
  'DURATION:PT15M',
  'SUMMARY:Weekly, late',
);
export const SINGLE = vevent(
  'UID:single',
  'DTSTART:20261121T100000Z',
  'DTEND:20261121T110000Z',
  'SUMMARY:Single',
  'CATEGORIES:a,b',
);
