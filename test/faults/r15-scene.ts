/** What the user of the generated requests has: a full calendar, a large event, alarms, traces, and the things that are named. */
import { ok, patch, post, type Person } from './api.ts';
import { EXPENSIVE, RULES, textOf } from './r15-expensive.ts';
import { KNOWN } from './requests.ts';
import { millisIn } from '../support/today.ts';

const DAY_MS = 86_400_000;
const FULL_DAYS = 55;

const stamp = (at: number): string => new Date(at).toISOString().replace(/[-:]|\.\d+/g, '');

export const icsOf = (components: readonly string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//trial//EN', ...components, 'END:VCALENDAR', ''].join('\r\n');

export const veventOf = (uid: string, lines: readonly string[]): string =>
  ['BEGIN:VEVENT', `UID:${uid}`, 'DTSTAMP:20260101T000000Z', ...lines, 'END:VEVENT'].join('\r\n');

/** Events over the next weeks, which the planner reads. */
export const events = (count: number, prefix = 'full'): string[] =>
  Array.from({ length: count }, (_, n) =>
    veventOf(`${prefix}-${n}`, [
      `DTSTART:${stamp(millisIn(Math.round((n * FULL_DAYS * DAY_MS) / count)))}`,
      'DURATION:PT20M',
      `SUMMARY:Meeting ${n} with team ${n % 50} about the budget`,
    ]),
  );

const MOST_COMMENTS = 990;
/** An event with nearly as many lines as one may have. */
const commented = veventOf('commented', [
  'DTSTART:20261201T100000Z',
  'DURATION:PT1H',
  'SUMMARY:Commented',
  ...Array.from({ length: MOST_COMMENTS }, (_, n) => `COMMENT:the ${n}th comment`),
]);

/** An event that happens often, with an alarm that rings again for a century. */
const alarmed = veventOf('alarmed', [
  'DTSTART:20260101T000000Z',
  'DURATION:PT5M',
  'RRULE:FREQ=DAILY',
  'SUMMARY:Alarmed',
  ...['BEGIN:VALARM', 'ACTION:DISPLAY', 'DESCRIPTION:Alarm', 'TRIGGER:-PT1H', 'REPEAT:100', 'DURATION:P365D'],
  'END:VALARM',
]);

const TRACES = { quick: 200, full: 2_000 };

const send = async (url: string, key: string, method: string, path: string, body: string): Promise<void> => {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'text/calendar' };
  const response = await fetch(url + path, { method, headers, body });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 300)}`);
};

export const fillScene = async (url: string, person: Person, quick: boolean): Promise<void> => {
  const { key, agent, user_id } = person;
  await ok(
    url,
    key,
    patch('/user/update', { user_id, updates: { execution: 'manual', memory: { record_chat: false } } }),
  );
  await send(url, key, 'POST', '/calendar/import', icsOf(events(quick ? 500 : 2_000)));
  await send(url, key, 'PUT', `/dav/calendars/${user_id}/calendar/commented.ics`, icsOf([commented]));
  await send(url, key, 'PUT', `/dav/calendars/${user_id}/calendar/alarmed.ics`, icsOf([alarmed]));
  await send(
    url,
    key,
    'POST',
    '/calendar/import',
    icsOf(
      RULES.slice(0, 3).map((rule, n) =>
        veventOf(`rule-${n}`, ['DTSTART:20240229T090000Z', 'DURATION:PT5M', `RRULE:${rule}`, `SUMMARY:Rule ${n}`]),
      ),
    ),
  );
  const count = quick ? TRACES.quick : TRACES.full;
  for (let from = 0; from < count; from += 100) {
    const traces = Array.from({ length: 100 }, (_, n) => ({
      ...{ type: 'observation', task_id: KNOWN.task, tags: [KNOWN.tag] },
      content: textOf(EXPENSIVE[(from + n) % EXPENSIVE.length] as (typeof EXPENSIVE)[number], 2_000).replace(
        /^\s*$/,
        'empty',
      ),
    }));
    await ok(url, key, post('/memory/push', { traces }));
  }
  const trace = { uid: KNOWN.trace, type: 'observation', content: 'known', task_id: KNOWN.task, tags: [KNOWN.tag] };
  await ok(url, key, post('/memory/push', { traces: [trace] }));
  const event = { uid: KNOWN.event, title: 'known', scheduled_for: '2026-12-03T10:00', duration_minutes: 30 };
  await ok(url, key, post('/calendar/create', event));
  const action = { uid: KNOWN.plan, action_type: 'log', title: 'known', task_id: KNOWN.task };
  await ok(url, agent, post('/agent/plan', { actions: [action] }));
};
