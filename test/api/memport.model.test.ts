/** full(from) + diff = full(to), always: random histories of traces, events and the profile against what the realtime changes told. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { applied, byUid, exported, lines, walk, type Difference, type Query } from '../support/memport.ts';
import { runs } from '../support/thoroughness.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const TRACES = ['a', 'b', 'c', 'd'];
const EVENTS = ['e'];
const SENSITIVE = ['Mia', 'the boat'];

const task_id = fc.constantFrom(null, 'one', 'two');
const tags = fc.constantFrom([], ['#x'], ['#x', 'the boat']);
const text = fc.constantFrom('Mia was here', 'on the boat', 'MIA and the boat', 'elsewhere');
const trace = {
  content: text,
  task_id,
  tags,
  authored_by: fc.constantFrom(null, null, ...SENSITIVE),
  metadata: fc.constantFrom({}, { k: 'Mia', n: [1, { deep: 'the boat' }] }, { mia: 1, MIA: 2, n: [2] }),
  notes: fc.constantFrom(null, 'by Mia'),
  feedback_rating: fc.constantFrom(null, 1, 5),
  linked_trace_ids: fc.array(fc.constantFrom(...TRACES), { maxLength: 3 }),
  timestamp: fc.constantFrom('2026-11-01T10:00:00Z', '2026-11-02T10:00:00Z', '2026-10-01T10:00:00Z'),
};
const event = {
  title: text,
  task_id,
  tags,
  description: fc.constantFrom(null, 'with Mia'),
  scheduled_for: fc.constantFrom('2026-12-01T10:00', '2026-12-02T10:00', '2026-11-30T10:00'),
};
const ics = (uid: string, title: string): string =>
  [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//x//EN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    'DTSTART:20261205T100000Z',
    'DTEND:20261205T110000Z',
    `SUMMARY:${title}`,
    'X-OWN:kept',
    'RRULE:FREQ=WEEKLY;COUNT=3',
    'END:VEVENT',
    'END:VCALENDAR',
    '',
  ].join('\r\n');

type Act = (user: TestUser) => PromiseLike<unknown>;

/** What is refused (a uid twice, an event that is not there) changes nothing, which is a history too. */
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constantFrom(...TRACES), fc.record(trace)).map(
      ([uid, fields]): Act =>
        (user) =>
          user.post('/memory/push', { traces: [{ uid, type: 'observation', ...fields }] }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...TRACES), fc.record(trace, { requiredKeys: [] })).map(
      ([uid, updates]): Act =>
        (user) =>
          user.patch('/memory/edit', { uid, updates }),
    ),
  },
  fc.constantFrom(...TRACES).map(
    (uid): Act =>
      (user) =>
        user.delete(`/memory/remove?uid=${uid}`),
  ),
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...EVENTS), fc.record(event)).map(
      ([uid, fields]): Act =>
        (user) =>
          user.post('/calendar/create', { uid, duration_minutes: 30, ...fields }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...EVENTS), fc.record(event, { requiredKeys: [] })).map(
      ([uid, updates]): Act =>
        (user) =>
          user.patch('/calendar/edit', { user_id: user.user_id, uid, updates }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...EVENTS).map(
      (uid): Act =>
        (user) =>
          user.delete(`/calendar/remove?uid=${uid}`),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(fc.constantFrom(...EVENTS), text).map(
      ([uid, title]): Act =>
        (user) =>
          user.post('/calendar/import', undefined).set('Content-Type', 'text/calendar').send(ics(uid, title)),
    ),
  },
  fc
    .record(
      {
        display_name: fc.constantFrom('Mia', 'Ada'),
        timezone: fc.constantFrom('UTC', 'Asia/Tokyo'),
        execution: fc.constant('manual'),
      },
      { requiredKeys: [] },
    )
    .map(
      (updates): Act =>
        (user) =>
          user.patch('/user/update', { user_id: user.user_id, updates }),
    ),
  fc.boolean().map(
    (use_learned): Act =>
      (user) =>
        user.post('/tempo/adjust', { user_id: user.user_id, preferences: { use_learned } }),
  ),
);

type Doc = Record<string, unknown> & { uid: string; subject: string };
/** What there was at a seq. */
type Model = (seq: number) => Doc[];

type Message = { sequence: number; type: string; subject: string; data: Record<string, unknown> };

const profileOf = async (user: TestUser): Promise<Doc> => {
  const { body } = await user.get('/user/profile').expect(200);
  const { email: _e, tempo, ...profile } = body;
  const { learned: _l, user_id: _u, timezone: _t, ...preferences } = tempo;
  return { subject: 'profile', uid: user.user_id, ...profile, tempo: preferences };
};

const docOf = ({ type, subject: uid, data }: Message): Doc => {
  const { ics: _own, ...doc } = data;
  return { subject: type.startsWith('event.') ? 'event' : 'trace', ...doc, uid };
};

/** Lets it all happen, and learns of it as any client can: by the changes, and by looking at the profile. */
const live = async (user: TestUser, acts: Act[]): Promise<{ model: Model; head: number; first: number }> => {
  const profiles: { seq: number; doc: Doc }[] = [];
  const look = async (): Promise<number> => {
    const { as_of_seq: seq } = await exported(user, { export_format: 'full', limit: 1 });
    profiles.push({ seq, doc: await profileOf(user) });
    return seq;
  };
  const first = (await look()) - 1;
  let head = first + 1;
  for (const one of acts) {
    await one(user);
    head = await look();
  }
  const { changes } = (await user.get('/agent/changes?after=0&limit=1000').expect(200)).body as { changes: Message[] };
  const model: Model = (seq) => {
    const there = new Map<string, Doc>();
    for (const change of changes.filter(({ sequence }) => sequence <= seq)) {
      const doc = docOf(change);
      if (change.type.endsWith('.removed')) there.delete(`${doc.subject} ${doc.uid}`);
      else there.set(`${doc.subject} ${doc.uid}`, doc);
    }
    const profile = profiles.findLast((known) => known.seq <= seq)?.doc ?? profiles[0]?.doc;
    return [...there.values(), ...(profile && seq > 0 ? [profile] : [])];
  };
  return { model, head, first };
};

const ALL = 'traces,events,profile';
const QUERIES: Query[] = [
  { include: ALL },
  { include: ALL },
  { include: ALL, task_id: 'one' },
  { include: ALL, tag: '#x' },
  { include: 'events' },
  {},
  { task_id: 'two' },
];

const isMeant = (doc: Doc, { include, task_id: task, tag }: Query): boolean => {
  const name = doc.subject === 'profile' ? 'profile' : `${doc.subject}s`;
  if (!(typeof include === 'string' ? include : 'traces').split(',').includes(name)) return false;
  return (
    doc.subject === 'profile' ||
    ((task === undefined || doc['task_id'] === task) && (tag === undefined || (doc['tags'] as unknown[]).includes(tag)))
  );
};

const withoutSubject = ({ subject: _subject, ...doc }: Doc): Omit<Doc, 'subject'> => doc;

/** In the order of an export. */
const isInOrder = (results: Doc[]): boolean => {
  const place = (doc: Doc): string =>
    `${['trace', 'event', 'profile'].indexOf(doc.subject)} ${String(doc['timestamp'] ?? doc['scheduled_for'])} ${doc.uid}`;
  return results.every((doc, i) => i === 0 || place(results[i - 1] as Doc) < place(doc));
};

/** How an export is read: one page, by cursor, or streamed; all the same. */
const readings = (user: TestUser, query: Query) => [
  async () => (await exported<Doc>(user, query)).results,
  () => walk<Doc>(user, { ...query, limit: 2 }),
  () => lines<Doc>(app, user, query),
];

/** Without the paths of what goes: the client had those. */
const whatItTells = ({ patch = [], ...rest }: Difference) => ({
  ...rest,
  patch: patch.map(({ op, path, value }) => (op === 'remove' ? null : { path, value })),
});

type Ask = { query: Query; reading: number; points: [number, number] };

const look = async (user: TestUser, blind: Client, model: Model, { query, reading, points: [from, to] }: Ask) => {
  const at = async (seq: number, who: Client) =>
    (await exported<Doc>(user, { export_format: 'full', as_of: seq, ...query }, who)).results;
  const whole = (await readings(user, { export_format: 'full', as_of: to, ...query })[reading]?.()) ?? [];
  const meant = byUid(model(to).filter((doc) => isMeant(doc, query)));
  expect(byUid(whole)).toEqual(query['include'] ? meant : meant.map(withoutSubject));
  if (query['include']) expect(isInOrder(whole)).toBe(true);
  const diff = { export_format: 'diff', from, to, ...query };
  const told = await readings(user, diff)[reading]?.();
  expect(applied(await at(from, user), told as Difference[])).toEqual(byUid(whole));
  const differences = (await exported<Difference>(user, diff, blind)).results;
  const expected = byUid(await at(to, blind));
  expect(applied(await at(from, blind), differences)).toEqual(expected);
  expect(new Set(differences.map(({ subject, uid }) => `${subject} ${uid}`)).size).toBe(differences.length);
  const known = model(to).map((doc) => doc['authored_by']);
  for (const value of SENSITIVE.filter((name) => known.includes(name)))
    expect(JSON.stringify([expected, differences.map(whatItTells)]).toLowerCase()).not.toContain(value.toLowerCase());
};

describe('full and diff against a model', () => {
  test('over random histories, points, filters, subjects and credentials', { timeout: 300_000 }, async () => {
    const asks = fc.array(
      fc.record({
        query: fc.constantFrom(...QUERIES),
        reading: fc.nat({ max: 2 }),
        points: fc.tuple(fc.nat(), fc.nat()),
      }),
      { minLength: 3, maxLength: 3 },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 8, maxLength: 24, size: 'max' }), asks, async (acts, wanted) => {
        const user = await aUser(app);
        const blind = await aKey(app, user, 'user', ['export:read', 'calendar:read', 'user:read']);
        const { model, head, first } = await live(user, acts);
        for (const ask of wanted) {
          const points = ask.points.map((n) => first + (n % (head + 1 - first))).toSorted((a, b) => a - b);
          await look(user, blind, model, { ...ask, points: points as [number, number] });
        }
      }),
      { numRuns: runs(30), endOnFailure: true },
    );
  });
});
