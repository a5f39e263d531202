/** A person who has a document of every kind. Each text field holds a marked word and the values that no agent may see. */
import { randomUUID } from 'node:crypto';
import { aKey, client, type Client, type TestApp } from '../app.ts';
import { aCalendarServer, calendarOf, vevent } from '../calendar-server.ts';
import type { MarkedWords } from './words.ts';

const PASSWORD = 'correct horse battery';
const DAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** The uids and ids of what there is. */
export type World = {
  user_id: string;
  email: string;
  me: Client;
  other: Client;
  /** The credential that is tried. */
  who: Client;
  /** Who it is in the ledger. */
  actor: string;
  word: (field: string) => string;
  source: string;
  /** The uid of the event of the source. */
  read: string;
  webhook: string;
  feed: string;
  key: string;
  /** Random ids, in which chance letters could be taken for a part of a word. */
  random: string[];
  /** A plan of the credential's own, where it may propose; the person has changed it. */
  own: string | null;
  /** A request of the person's with an Idempotency-Key. */
  kept: { key: string; trace: object };
};

/** A text as people write them: with words of its own around the marks. */
type Texts = { word: (field: string) => string; text: (field: string) => string; named: (field: string) => string };

const textsOf = ({ word }: MarkedWords): Texts => {
  const text = (field: string): string =>
    `Talk about ${word(field)} by ${word('sensitive.author')} in https://chat.example/${word('sensitive.chat')}`;
  return { word, text, named: (field) => `${word(field)} ${word('sensitive.author')}` };
};

/** The text fields that traces and plans have. */
const traceOf = (kind: string, { word, text, named }: Texts) => ({
  content: text(`${kind}.content`),
  tags: [word(`${kind}.tag`), named(`${kind}.tags`)],
  metadata: { [named(`${kind}.metadata name`)]: [text(`${kind}.metadata`)] },
  task_id: word(`${kind}.task`),
  tempo_tag: `@${word(`${kind}.tempo`)}`,
});

const remember = async (me: Client, texts: Texts, kept: World['kept']): Promise<void> => {
  const { word, text, named } = texts;
  const secrets = {
    authored_by: word('sensitive.author'),
    chat_url: `https://chat.example/${word('sensitive.chat')}`,
  };
  const traces = [
    {
      ...{ uid: word('note.uid'), type: `kind_${word('note.type')}`, ...traceOf('note', texts), ...secrets },
      notes: text('note.notes'),
      linked_event_uid: word('event.uid'),
    },
    { uid: word('thought.uid'), type: 'reflection', ...traceOf('thought', texts), notes: text('thought.notes') },
    { uid: word('gone.uid'), type: 'observation', content: text('gone.content'), notes: named('gone.notes') },
    { uid: 'changed', type: 'observation', content: text('changed.old') },
  ];
  await me.post('/memory/push', { traces }).expect(201);
  await me.delete(`/memory/remove?uid=${word('gone.uid')}`).expect(200);
  await me.patch('/memory/edit', { uid: 'changed', updates: { content: text('changed.new') } }).expect(200);
  await me
    .post('/memory/push', { traces: [kept.trace] })
    .set('Idempotency-Key', kept.key)
    .expect(201);
};

const eventOf = (kind: string, { word, text, named }: Texts) => ({
  title: named(`${kind}.title`),
  description: text(`${kind}.description`),
  location: text(`${kind}.location`),
  url: `https://meet.example/${word(`${kind}.url`)}`,
  tags: [word(`${kind}.tag`)],
  task_id: word(`${kind}.task`),
  tempo_tag: `@${word(`${kind}.tempo`)}`,
  duration_minutes: 60,
});

const keepCalendar = async (me: Client, texts: Texts): Promise<void> => {
  const { word, text, named } = texts;
  const at = (time: string) => ({ scheduled_for: `2026-11-${time}` });
  for (const one of [
    { uid: word('event.uid'), ...eventOf('event', texts), ...at('27T10:00') },
    { uid: word('series.uid'), ...eventOf('series', texts), ...at('24T15:00'), rrule: 'FREQ=DAILY;COUNT=6' },
    { uid: 'renamed', title: named('renamed.old'), ...at('25T10:00'), duration_minutes: 30 },
    { uid: 'cancelled', title: named('cancelled.title'), ...at('25T12:00'), duration_minutes: 30 },
    { uid: 'target', title: named('target.title'), ...at('25T17:00'), duration_minutes: 30 },
  ])
    await me.post('/calendar/create', one).expect(201);
  await me.patch('/calendar/edit', { uid: 'renamed', updates: { title: named('renamed.new') } }).expect(200);
  await me.delete('/calendar/remove?uid=cancelled').expect(200);
  const updates = { title: named('override.title'), description: text('override.description') };
  const occurrence = { uid: word('series.uid'), recurrence_id: '2026-11-25T15:00', scope: 'this' };
  await me.patch('/calendar/edit', { ...occurrence, updates }).expect(200);
  const file = calendarOf(
    vevent(word('file.uid'), {
      ...{ DTSTART: '20261126T080000Z', DTEND: '20261126T083000Z', SUMMARY: named('file.title') },
      ...{ COMMENT: text('file.comment'), 'X-OTHER': word('file.other') },
      ...{ 'ATTENDEE;CN=Ann': `mailto:${word('file.guest')}@example.org` },
    }),
  );
  await me.post('/calendar/import').set('Content-Type', 'text/calendar').send(file).expect(200);
};

/** @returns the id of the source and the uid that its event has here */
const readSource = async (
  app: TestApp,
  me: Client,
  { word, text, named }: Texts,
): Promise<[id: string, uid: string]> => {
  const server = await aCalendarServer();
  const path = `/${word('source.url')}.ics`;
  server.play(
    path,
    calendarOf(
      vevent('read', {
        ...{ DTSTART: '20261126T100000Z', DTEND: '20261126T110000Z', SUMMARY: named('read.title') },
        ...{ DESCRIPTION: text('read.description'), LOCATION: text('read.location') },
      }),
    ),
  );
  const wanted = { url: server.at(path), name: named('source.name') };
  const { body } = await me.post('/calendar/sources', wanted).expect(201);
  await app.services.calendar.sourceRefresh.settle();
  server.close();
  const listed = (await me.get('/calendar/events?start=2026-11-26&end=2026-11-26').expect(200)).body;
  const read = listed.find(({ source_uid }: { source_uid?: string }) => source_uid === body.id);
  return [body.id, read.uid];
};

type Proposer = { me: Client; other: Client; who: Client; mayPropose: boolean };

const planAndDecide = async ({ me, other, who, mayPropose }: Proposer, texts: Texts): Promise<string | null> => {
  const { word, text, named } = texts;
  const action = (kind: string, time: string, more: object = {}) => {
    return {
      ...{ uid: word(`${kind}.uid`), action_type: 'schedule', title: named(`${kind}.title`), ...traceOf(kind, texts) },
      ...{ reasoning: text(`${kind}.reasoning`), scheduled_for: `2026-11-${time}`, duration_minutes: 30, ...more },
    };
  };
  await me.post('/agent/plan', { actions: [action('mine', '24T09:00')] }).expect(200);
  const actions = [
    action('theirs', '24T10:00', { arguments: { location: text('theirs.location') } }),
    action('move', '24T11:00', {
      ...{ action_type: 'reschedule', target_event_uid: 'target' },
      arguments: { title: named('move.new title'), description: text('move.new description') },
    }),
    action('approved', '24T12:00', { action_type: 'log' }),
    action('rejected', '24T13:00'),
    action('withdrawn', '24T14:00'),
    action('done', '25T09:00'),
    action('reflected', '23T09:00', { action_type: 'reflect' }),
  ];
  await other.post('/agent/plan', { actions }).expect(200);
  await me.post('/agent/reject', { uid: word('rejected.uid'), note: text('rejected.note') }).expect(200);
  await other.post('/agent/withdraw', { uid: word('withdrawn.uid'), note: text('withdrawn.note') }).expect(200);
  for (const kind of ['approved', 'done', 'reflected'])
    await me.post('/agent/approve', { uid: word(`${kind}.uid`) }).expect(200);
  for (const kind of ['done', 'reflected'])
    await me.post('/agent/execute', { task_id: word(`${kind}.task`) }).expect(200);
  await me.post('/agent/feedback', { uid: word('mine.uid'), notes: text('mine.notes') }).expect(200);
  if (!mayPropose) return null;
  const own = { uid: 'own', action_type: 'schedule', title: 'Own', scheduled_for: '2026-11-24T19:00' };
  await who.post('/agent/plan', { actions: [{ ...own, duration_minutes: 30 }] }).expect(200);
  const updates = { title: named('own.title'), content: text('own.content'), notes: text('own.notes') };
  await me.patch('/memory/edit', { uid: 'own', updates }).expect(200);
  return 'own';
};

const choose = async (me: Client, user_id: string, { word, named }: Texts): Promise<void> => {
  const cadence = [{ id: word('limits.id'), action_type: 'log', tag: word('limits.tag'), max: 1, per: 'week' }];
  const updates = { display_name: named('profile.name'), execution: 'manual', limits: { cadence } };
  await me.patch('/user/update', { user_id, updates }).expect(200);
  const name = word('tempo.range');
  const preferences = {
    time_ranges: [{ name, days: DAYS, start: '06:00', end: '23:00' }],
    tag_mappings: { [`@${word('tempo.tag')}`]: { ranges: [name], duration_minutes: 25 } },
    task_overrides: { [word('tempo.task')]: { ranges: [name] } },
  };
  await me.post('/tempo/adjust', { preferences }).expect(200);
  const looks = `<propertyupdate xmlns="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><set><prop><displayname>${named('look.name')}</displayname><C:calendar-description>${named('look.description')}</C:calendar-description></prop></set></propertyupdate>`;
  for (const collection of ['calendar', 'agent-plan'])
    await me
      .proppatch(`/dav/calendars/${user_id}/${collection}/`)
      .set('Content-Type', 'application/xml')
      .send(looks)
      .expect(207);
};

/** Every value of a document has its word only when it was asked for, so this also decides the order of words. */
export const markedPerson = async (
  app: TestApp,
  words: MarkedWords,
  scopes: string[] | undefined,
  kind: 'user' | 'agent' = 'agent',
): Promise<World> => {
  const texts = textsOf(words);
  const { word, text, named } = texts;
  const email = `${randomUUID()}.${word('profile.email')}@example.org`;
  const account = { email, password: PASSWORD, timezone: 'Europe/Berlin' };
  const { body } = await client(app, null).post('/user/register', account).expect(201);
  const me = client(app, body.token);
  const { user_id } = body.user;
  await choose(me, user_id, texts);
  const keyOf = async (wanted: object): Promise<{ id: string; key: string }> =>
    (await me.post('/user/keys', wanted).expect(201)).body;
  const key = await keyOf({ kind: 'agent', label: named('key.agent') });
  const feed = await keyOf({ kind: 'feed', label: named('key.feed') });
  const unused = await keyOf({ kind: 'user', label: named('key.unused') });
  const other = client(app, key.key);
  const who = await aKey(app, me, kind, scopes);
  const kept = {
    key: `kept-${word('kept.key')}`,
    trace: { uid: word('kept.uid'), type: 'observation', content: text('kept.content') },
  };
  await remember(me, texts, kept);
  await keepCalendar(me, texts);
  const [source, read] = await readSource(app, me, texts);
  const mayPropose = scopes === undefined || scopes.includes('plan:propose');
  const own = await planAndDecide({ me, other, who, mayPropose }, texts);
  await me.post('/chat/respond', { prompt: `Note that ${word('chat.noted')} is well` }).expect(200);
  await me.post('/chat/respond', { prompt: `When is ${word('chat.asked')}?` }).expect(200);
  for (const include of ['traces', 'traces,events,profile']) {
    const tag = include === 'traces' ? word('checkpoint.plain') : word('checkpoint.all');
    const parameters = { export_format: 'full', include, task_id: word(`checkpoint.task ${include}`) };
    await me.post('/memport/checkpoints', { tag: `all-${tag}`, parameters: { export_format: 'full', include } });
    await me.post('/memport/checkpoints', { tag, parameters }).expect(201);
  }
  const hook = { url: `http://127.0.0.1:9/${word('webhook.url')}`, description: named('webhook.description') };
  const webhook = (await me.post('/user/webhooks', hook).expect(201)).body.id;
  await app.sender.settle();
  return {
    ...{ user_id, email, me, other, who, word, source, read, webhook, feed: feed.key, key: unused.id, own, kept },
    actor: `${kind}:${who.id}`,
    random: [key.id, feed.id, unused.id, who.id],
  };
};
