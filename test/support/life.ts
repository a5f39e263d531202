/** A person who uses everything, and leaves in every text they may choose a word that is nowhere else. */
import { sql } from 'kysely';
import request from 'supertest';
import { client, type Client, type TestApp } from './app.ts';
import { follow } from './follower.ts';

let lives = 0;

export type Life = Client & {
  user_id: string;
  email: string;
  password: string;
  refresh_token: string;
  /** A key of the person's, an agent's, the calendar feed's, and a socket ticket. */
  keys: { user: string; agent: string; feed: string; ticket: string };
  /** Every word left somewhere. */
  marks: string[];
};

/** Registers a person and lets them live a day. `timezone` should be nobody else's. */
export const aLife = async (app: TestApp, timezone = 'Antarctica/Troll'): Promise<Life> => {
  const life = (lives += 1);
  const marks: string[] = [timezone];
  /** Words end in digits, so that stemming leaves them whole. */
  const mark = (what: string): string => {
    const word = `zq${what}${life}x${marks.length}7`;
    marks.push(word);
    return word;
  };
  const email = `${mark('mail')}@${mark('host')}.example`;
  const password = 'correct horse battery';
  const registration = { email, password, display_name: `Ada ${mark('name')}`, timezone };
  const { body: session } = await client(app, null).post('/user/register', registration).expect(201);
  const me = client(app, session.token);
  const key = async (kind: string): Promise<string> =>
    (await me.post('/user/keys', { kind, label: mark('label') }).expect(201)).body.key;
  const keys = { user: await key('user'), agent: await key('agent'), feed: await key('feed'), ticket: '' };
  const agent = client(app, keys.agent);
  await live(app, me, agent, mark);
  await me.post('/user/login', { email, password }).expect(200);
  keys.ticket = (await me.post('/user/ws-ticket', {}).expect(200)).body.ticket;
  const { user_id } = session.user;
  await leaveImport(app, user_id, mark);
  // As an administrator would.
  await app.services.invitations.make(
    { user_id, actor: 'user:session', origin: 'user' },
    { label: mark('guest'), expires_at: new Date(app.clock.millis() + 86_400_000).toISOString() },
  );
  return { ...me, user_id, email, password, refresh_token: session.refresh_token, keys, marks };
};

type Mark = (what: string) => string;

/** What an import leaves whose process has ended before all of it was stored. */
const leaveImport = async (app: TestApp, user_id: string, mark: Mark): Promise<void> => {
  const { db } = app.database.handle;
  const id = mark('import');
  await sql`insert into imports (user_id, id, kind, author, touched_at)
    values (${user_id}, ${id}, 'traces', ${JSON.stringify({ actor: mark('actor') })}::jsonb, now())`.execute(db);
  await sql`insert into import_parts (user_id, import_id, position, items)
    values (${user_id}, ${id}, 0, ${mark('item')})`.execute(db);
};

const live = async (app: TestApp, me: Client, agent: Client, mark: Mark): Promise<void> => {
  await settle(me, mark);
  await remember(me, agent, mark);
  await plan(me, agent, mark);
  await keepCalendar(app, me, mark);
  await me.post('/chat/respond', { prompt: `Log that ${mark('prompt')} was fine` }).expect(200);
  const exported = `/memport/export?user_id=${(await me.get('/user/profile')).body.user_id}&export_format=summary`;
  await me.get(`${exported}&checkpoint=${mark('tag')}&task_id=${mark('asked')}`).expect(200);
  const socket = await follow(app.url, { token: me.token });
  await socket.close();
};

const settle = async (me: Client, mark: Mark): Promise<void> => {
  const limits = { cadence: [{ id: mark('rule'), action_type: 'reflect', tag: mark('tag'), max: 90, per: 'day' }] };
  await me.patch('/user/update', { updates: { limits } }).expect(200);
  const range = mark('range');
  const preferences = {
    time_ranges: [{ name: range, days: ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], start: '06:30', end: '23:30' }],
    tag_mappings: { [`@${mark('tag')}`]: { ranges: [range], duration_minutes: 90 } },
    task_overrides: { [mark('task')]: { duration_minutes: 120 } },
  };
  await me.post('/tempo/adjust', { preferences }).expect(200);
  await me
    .post('/calendar/sources', { url: `https://${mark('feed')}.example/${mark('path')}`, name: mark('source') })
    .expect(201);
  await me
    .post('/user/webhooks', { url: `https://${mark('hook')}.example/${mark('path')}`, description: mark('hook') })
    .expect(201);
};

const aTrace = (mark: Mark, uid = mark('uid')): Record<string, unknown> & { uid: string } => ({
  uid,
  type: mark('type'),
  content: `Met ${mark('content')} about it.`,
  task_id: mark('task'),
  tempo_tag: `@${mark('tempo')}`,
  tags: [mark('tag')],
  metadata: { [mark('member')]: mark('value') },
  linked_trace_ids: [mark('link')],
  linked_event_uid: mark('event'),
  notes: mark('notes'),
  authored_by: `Jane ${mark('author')}`,
  chat_url: `https://${mark('chat')}.example/1`,
});

const remember = async (me: Client, agent: Client, mark: Mark): Promise<void> => {
  const [first, second] = [aTrace(mark), aTrace(mark)];
  await me.post('/memory/push', { traces: [first, second] }).expect(201);
  await agent
    .post('/memory/push', { traces: [{ type: 'observation', content: mark('agent') }] })
    .set('Idempotency-Key', mark('idempotency'))
    .expect(201);
  await me.patch('/memory/edit', { uid: first.uid, updates: { content: mark('edit'), notes: null } }).expect(200);
  await me.post('/agent/feedback', { uid: first.uid, feedback_rating: 4, notes: mark('feedback') }).expect(200);
  await me.delete(`/memory/remove?uid=${second.uid}`).expect(200);
  await me.post('/memory/search', { query: mark('query') }).expect(200);
};

const plan = async (me: Client, agent: Client, mark: Mark): Promise<void> => {
  const at = (hour: number) => `2026-11-23T${hour}:00`;
  const action = (hour: number) => ({
    uid: mark('plan'),
    action_type: 'schedule',
    title: mark('title'),
    content: mark('content'),
    reasoning: mark('reason'),
    metadata: { [mark('argument')]: mark('value') },
    task_id: mark('task'),
    scheduled_for: at(hour),
    duration_minutes: 30,
  });
  const [approved, rejected, withdrawn, logged] = [action(10), action(11), action(12), action(13)] as const;
  const actions = [approved, rejected, withdrawn, { ...logged, action_type: 'log' }];
  await agent.post('/agent/plan', { actions }).expect(200);
  await me.post('/agent/approve', { uid: approved.uid, note: mark('note') }).expect(200);
  await me.post('/agent/reject', { uid: rejected.uid, note: mark('note') }).expect(200);
  await agent.post('/agent/withdraw', { uid: withdrawn.uid, note: mark('note') }).expect(200);
};

const keepCalendar = async (app: TestApp, me: Client, mark: Mark): Promise<void> => {
  const event = (day: number) => ({
    uid: mark('event'),
    title: mark('title'),
    description: mark('description'),
    location: mark('place'),
    url: `https://${mark('url')}.example/`,
    task_id: mark('task'),
    tempo_tag: `@${mark('tempo')}`,
    tags: [mark('tag')],
    scheduled_for: `2026-12-0${day}T10:00`,
    duration_minutes: 30,
    timezone: 'Asia/Kathmandu',
  });
  const [single, series, gone] = [event(1), { ...event(2), rrule: 'FREQ=DAILY;COUNT=5' }, event(3)];
  for (const one of [single, series, gone]) await me.post('/calendar/create', one).expect(201);
  const recurrence_id = '2026-12-03T10:00';
  const edited = { uid: series.uid, recurrence_id, scope: 'this', timezone: 'Asia/Kathmandu' };
  await me.patch('/calendar/edit', { ...edited, updates: { title: mark('override') } }).expect(200);
  await me.patch('/calendar/edit', { uid: single.uid, updates: { location: mark('place') } }).expect(200);
  await me.delete(`/calendar/remove?uid=${gone.uid}`).expect(200);
  const ics = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:${mark('prodid')}`,
    'BEGIN:VEVENT',
    `UID:${mark('ics')}`,
    'DTSTAMP:20261101T000000Z',
    'DTSTART:20261205T100000Z',
    `SUMMARY:${mark('summary')}`,
    `X-${mark('XNAME').toUpperCase()}:${mark('xvalue')}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ].join('\r\n');
  await request(app.server)
    .post('/calendar/import')
    .set({ Authorization: `Bearer ${me.token}`, 'Content-Type': 'text/calendar' })
    .send(ics)
    .expect(200);
};
