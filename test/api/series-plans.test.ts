/** A plan that changes a series from one occurrence on: proposed, approved, executed once, and taken back. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anApp, onMonday, type Client, type TestApp, type TestUser } from '../support/app.ts';

let app: TestApp;
let person: TestUser;
let user: Client;
let agent: Client;
let guitar: string;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const SECOND = '2026-12-03T16:30:00.000Z';
const at = { scheduled_for: '2026-12-03T18:00' };
const from = (recurrence_id: string) => ({ arguments: { scope: 'following', recurrence_id } });

/** It is Monday 23 November, and guitar is on each Thursday at 17:30. */
beforeEach(async () => {
  ({ person, user, agent } = await onMonday(app));
  const series = { scheduled_for: '2026-11-19T17:30', duration_minutes: 45, rrule: 'FREQ=WEEKLY;BYDAY=TH' };
  guitar = (await user.post('/calendar/create', { title: 'Guitar', ...series }).expect(201)).body.uid;
});

const starts = async (end = '2026-12-20'): Promise<string[]> => {
  const { body } = await user.get(`/calendar/events?start=2026-11-15&end=${end}`).expect(200);
  return (body as { title: string; scheduled_for: string }[])
    .filter(({ title }) => title === 'Guitar')
    .map((event) => event.scheduled_for.slice(5, 16));
};
const AS_BEFORE = ['11-19T16:30', '11-26T16:30', '12-03T16:30', '12-10T16:30', '12-17T16:30'];

const action = (more: object) => ({ action_type: 'reschedule', title: 'Guitar', target_event_uid: guitar, ...more });
const propose = async (more: object, by = agent) =>
  (await by.post('/agent/plan', { actions: [action(more)] }).expect(200)).body[0];
const approve = async ({ uid, version }: { uid: string; version: number }) =>
  (await user.post('/agent/approve', { uid, expected_version: version }).expect(200)).body;
const undo = (uid: string) => user.post('/agent/undo', { uid });
const now = async (uid: string) => (await user.get(`/agent/plan?uid=${uid}`).expect(200)).body;
const take = (scheduled_for: string) =>
  user.post('/calendar/create', { title: 'Dentist', scheduled_for, duration_minutes: 30 }).expect(201);

describe('a move', () => {
  test('moves the occurrence and all later ones by the same wall time, and is taken back', async () => {
    const plan = await propose({ ...at, ...from(SECOND) });
    expect(plan).toMatchObject({ status: 'proposed', scheduled_for: '2026-12-03T17:00:00.000Z', duration_minutes: 45 });
    const done = await approve(plan);
    expect(done.status).toBe('executed');
    expect(done.linked_event_uid).not.toBe(guitar);
    expect(await starts()).toEqual(['11-19T16:30', '11-26T16:30', '12-03T17:00', '12-10T17:00', '12-17T17:00']);
    expect(await starts('2027-04-02')).toContain('04-01T16:00');
    await undo(plan.uid).expect(200);
    expect(await starts()).toEqual(AS_BEFORE);
    const { body } = await user.get(`/calendar/event?uid=${guitar}`).expect(200);
    expect(body).toMatchObject({ rrule: 'FREQ=WEEKLY;BYDAY=TH', split_to: null });
    await user.get(`/calendar/event?uid=${done.linked_event_uid}`).expect(404);
    await approve(await now(plan.uid));
    expect(await starts()).toContain('12-10T17:00');
  });

  test('begins with the next occurrence where it names none, and never changes what has been', async () => {
    const plan = await propose({ scheduled_for: '2026-11-26T18:00', arguments: { scope: 'following' } });
    expect(plan.arguments).toEqual({ scope: 'following', recurrence_id: '2026-11-26T16:30:00.000Z' });
    await approve(plan);
    expect(await starts()).toEqual(['11-19T16:30', '11-26T17:00', '12-03T17:00', '12-10T17:00', '12-17T17:00']);
  });

  test('to another day takes the rule along', async () => {
    await approve(await propose({ scheduled_for: '2026-11-30T17:30', ...from(SECOND) }));
    expect(await starts()).toEqual(['11-19T16:30', '11-26T16:30', '11-30T16:30', '12-07T16:30', '12-14T16:30']);
  });

  test('moves an occurrence that had a time of its own', async () => {
    const edit = { uid: guitar, recurrence_id: SECOND, updates: { scheduled_for: '2026-12-04T09:00' } };
    await user.patch('/calendar/edit', edit).expect(200);
    await approve(await propose({ ...at, ...from(SECOND) }));
    expect(await starts()).toEqual(['11-19T16:30', '11-26T16:30', '12-03T17:00', '12-10T17:00', '12-17T17:00']);
  });

  test('of the length alone keeps the times', async () => {
    await approve(await propose({ duration_minutes: 60, ...from(SECOND) }));
    const { body } = await user.get('/calendar/events?start=2026-11-15&end=2026-12-20').expect(200);
    expect(await starts()).toEqual(AS_BEFORE);
    expect(body.map((event: { duration_minutes: number }) => event.duration_minutes)).toEqual([45, 45, 60, 60, 60]);
  });

  test('of the length alone keeps the times of the rule where the first one has another', async () => {
    const edit = { uid: guitar, recurrence_id: SECOND, updates: { scheduled_for: '2026-12-04T09:00' } };
    await user.patch('/calendar/edit', edit).expect(200);
    await approve(await propose({ duration_minutes: 60, ...from(SECOND) }));
    expect(await starts()).toEqual(AS_BEFORE);
  });

  test('is carried out once, however often it is approved at the same time', async () => {
    const { uid } = await propose({ ...at, ...from(SECOND) });
    const answers = await Promise.all(Array.from({ length: 4 }, () => user.post('/agent/approve', { uid })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await starts()).toEqual(['11-19T16:30', '11-26T16:30', '12-03T17:00', '12-10T17:00', '12-17T17:00']);
  });

  test('stays the same when it is sent again', async () => {
    const own = { ...at, arguments: { scope: 'following' }, uid: 'guitar-later' };
    const first = await propose(own);
    expect(await propose(own)).toEqual(first);
  });
});

test('new texts are for the later ones only', async () => {
  const { arguments: which } = from(SECOND);
  await approve(await propose({ arguments: { ...which, location: 'Music school' } }));
  const { body } = await user.get('/calendar/events?start=2026-11-15&end=2026-12-12').expect(200);
  expect(body.map((event: { location: string | null }) => event.location)).toEqual([
    null,
    null,
    'Music school',
    'Music school',
  ]);
  expect(await starts()).toEqual(AS_BEFORE);
});

describe('a cancellation', () => {
  test('ends the series before its next occurrence; what has been stays, and an undo brings the rest back', async () => {
    const plan = await propose({ arguments: { scope: 'following', cancel: true } });
    await approve(plan);
    expect(await starts()).toEqual(['11-19T16:30']);
    await undo(plan.uid).expect(200);
    expect(await starts()).toEqual(AS_BEFORE);
  });
});

describe('taken time', () => {
  test('is answered at the proposal for every occurrence of 90 days, with times at which all are free', async () => {
    await take('2026-12-17T18:15');
    const plan = await propose({ ...at, ...from(SECOND) });
    expect(plan).toMatchObject({ status: 'rejected', decision: { by: 'policy', code: 'slot:blocked' } });
    expect(plan.decision.note).toContain(
      '1 of 13 occurrences in the 90 days is taken: 2026-12-17 18:00 (Europe/Berlin)',
    );
    const others = plan.decision.alternatives.map(({ start }: { start: string }) => start);
    expect(others).toHaveLength(3);
    for (const scheduled_for of others)
      expect(await propose({ scheduled_for, ...from(SECOND) })).toMatchObject({ status: 'proposed' });
  });

  test('is found at the end of the 90 days too', async () => {
    await take('2027-02-25T18:15');
    expect(await propose({ ...at, ...from(SECOND) })).toMatchObject({ decision: { code: 'slot:blocked' } });
  });

  test('is left out where a time is searched', async () => {
    const { arguments: which } = from(SECOND);
    await take('2026-12-10T18:00');
    const plan = await propose({ arguments: { ...which, after: '18:00', before: '20:00' } });
    expect(plan).toMatchObject({ status: 'proposed' });
    await approve(plan);
    expect((await starts()).slice(2)[0]).toMatch(/^12-03T1[78]/);
  });

  test('of the series itself is free', async () => {
    const edit = { scheduled_for: '2026-12-10T17:30', ...from(SECOND) };
    await approve(await propose(edit));
    expect(await starts()).toEqual(['11-19T16:30', '11-26T16:30', '12-10T16:30', '12-17T16:30']);
  });

  test('of a proposal of the same request is taken', async () => {
    const other = { action_type: 'schedule', title: 'Dinner', scheduled_for: '2026-12-17T18:15', duration_minutes: 60 };
    const actions = [action({ ...at, ...from(SECOND) }), other];
    const { body } = await agent.post('/agent/plan', { actions }).expect(200);
    expect(body.map(({ status }: { status: string }) => status)).toEqual(['proposed', 'proposed']);
    await approve(body[0]);
    await user.post('/agent/approve', { uid: body[1].uid }).expect(409);
  });

  test('is answered at the approval, and nothing changes', async () => {
    const plan = await propose({ ...at, ...from(SECOND) });
    await take('2026-12-17T18:15');
    const { body } = await user.post('/agent/approve', { uid: plan.uid }).expect(409);
    expect(body).toMatchObject({ code: 'slot_taken', busy: [{ title: 'Dentist' }] });
    expect(await now(plan.uid)).toMatchObject({ status: 'proposed' });
    expect(await starts()).toEqual(AS_BEFORE);
    await user.post('/agent/approve', { uid: plan.uid, edits: { scheduled_for: '2026-12-03T18:45' } }).expect(200);
    expect(await starts()).toContain('12-17T17:45');
  });
});

test('the time of the rule is checked where an occurrence leaves its own', async () => {
  const updates = { scheduled_for: '2026-12-04T09:00' };
  await user.patch('/calendar/edit', { uid: guitar, recurrence_id: SECOND, updates }).expect(200);
  const { uid } = await propose({ scheduled_for: '2026-12-03T17:30', ...from(SECOND) });
  await take('2026-12-03T17:30');
  expect((await user.post('/agent/approve', { uid }).expect(409)).body.code).toBe('slot_taken');
});

test('an occurrence beside the rule is checked too where it comes before those of the rule', async () => {
  const rdates = ['2026-12-02T10:00', '2026-12-04T10:00'];
  const series = { scheduled_for: '2026-11-30T10:00', duration_minutes: 45, rrule: 'FREQ=WEEKLY;COUNT=4', rdates };
  const { uid } = (await user.post('/calendar/create', { title: 'Course', ...series }).expect(201)).body;
  await take('2026-12-05T10:00');
  const move = { target_event_uid: uid, scheduled_for: '2026-12-03T10:00', ...from('2026-12-02T09:00:00.000Z') };
  expect(await propose(move)).toMatchObject({ decision: { code: 'slot:blocked' } });
});

describe('the rule of a series that a person moves', () => {
  test.each([
    ['2026-12-07T07:00', 'FREQ=MONTHLY;BYDAY=1MO,3MO;UNTIL=20270110T000000Z', '2026-12-21T07:00'],
    ['2026-12-01T07:00', 'FREQ=WEEKLY;BYDAY=MO', '2026-11-30T07:00'],
  ])('stays where it cannot follow: from %s %s', async (scheduled_for, rrule, to) => {
    const event = { title: 'Club', scheduled_for, duration_minutes: 30, rrule };
    const { uid } = (await user.post('/calendar/create', event).expect(201)).body;
    const edit = { uid, scope: 'all', updates: { scheduled_for: to } };
    expect((await user.patch('/calendar/edit', edit).expect(200)).body.rrule).toBe(rrule);
  });
});

describe('a series that changed while the proposal waited', () => {
  test('is not found where it was removed', async () => {
    const { uid } = await propose({ ...at, ...from(SECOND) });
    await user.delete(`/calendar/remove?uid=${guitar}`).expect(200);
    expect((await user.post('/agent/approve', { uid }).expect(404)).body.code).toBe('event_not_found');
  });

  test('has no such occurrence where it ended before', async () => {
    const { uid } = await propose({ ...at, ...from(SECOND) });
    await user
      .delete(`/calendar/remove?uid=${guitar}&scope=following&recurrence_id=2026-11-26T16:30:00.000Z`)
      .expect(200);
    const { body } = await user.post('/agent/approve', { uid }).expect(422);
    expect(body.errors).toMatchObject([{ path: '/recurrence_id', code: 'no_occurrence' }]);
    expect(await starts()).toEqual(['11-19T16:30']);
  });

  test('is not taken back where the person changed it since', async () => {
    const done = await approve(await propose({ ...at, ...from(SECOND) }));
    const uid = done.linked_event_uid;
    await user
      .patch('/calendar/edit', { uid, scope: 'all', updates: { title: 'Guitar', location: 'Home' } })
      .expect(200);
    expect((await undo(done.uid).expect(409)).body.code).toBe('changed_since');
  });
});

test('all that the agent did is taken back', async () => {
  await approve(await propose({ ...at, ...from(SECOND) }));
  const { body: keys } = await person.get('/user/keys').expect(200);
  const { id } = (keys as { id: string; kind: string; label: string }[]).find(
    (key) => key.kind === 'agent' && key.label === 'test',
  )!;
  const { body } = await person.post('/agent/take-back', { agent: id, since: '0' }).expect(200);
  expect(body.left).toEqual([]);
  expect(await starts()).toEqual(AS_BEFORE);
  await person.post('/agent/take-back', { seq: body.seq }).expect(200);
  expect(await starts()).toEqual(['11-19T16:30', '11-26T16:30', '12-03T17:00', '12-10T17:00', '12-17T17:00']);
});

describe('what cannot be', () => {
  const refused = async (more: object) =>
    (await agent.post('/agent/plan', { actions: [action(more)] }).expect(422)).body.errors;

  test('is said with its place', async () => {
    const { body } = await take('2026-11-24T10:00');
    expect(await refused({ target_event_uid: body.uid, ...at, arguments: { scope: 'following' } })).toMatchObject([
      { path: '/actions/0/arguments/scope', code: 'not_recurring' },
    ]);
    expect(await refused({ ...at, arguments: { scope: 'all' } })).toMatchObject([
      { path: '/actions/0/arguments/scope' },
    ]);
    expect(await refused({ ...at, ...from('2026-12-04T16:30:00.000Z') })).toMatchObject([
      { path: '/actions/0/arguments/recurrence_id', code: 'no_occurrence' },
    ]);
  });

  const create = async (title: string, scheduled_for: string, rrule: string, more: object = {}): Promise<string> => {
    const event = { title, scheduled_for, duration_minutes: 30, rrule, ...more };
    return (await user.post('/calendar/create', event).expect(201)).body.uid;
  };

  test('is a change of what has been', async () => {
    const past = { scope: 'following', recurrence_id: '2026-11-19T16:30:00.000Z' };
    const wishes = [
      { scheduled_for: '2026-12-24T18:00', arguments: past },
      { arguments: { ...past, cancel: true } },
      { arguments: { ...past, title: 'Lute' } },
    ];
    for (const wish of wishes)
      expect(await refused(wish)).toMatchObject([
        { path: '/actions/0/arguments/recurrence_id', code: 'no_occurrence' },
      ]);
  });

  test.each([{ arguments: {} }, { arguments: { cancel: true } }])(
    'is an approval after the occurrence has ended: %j',
    async ({ arguments: more }) => {
      const { arguments: which } = from(SECOND);
      const { uid } = await propose({ scheduled_for: '2026-12-04T18:00', arguments: { ...which, ...more } });
      app.clock.set('2026-12-03T18:00:00.000Z');
      const { body } = await user.post('/agent/approve', { uid }).expect(422);
      expect(body.errors).toMatchObject([{ path: '/recurrence_id', code: 'no_occurrence' }]);
      expect(await starts()).toEqual(AS_BEFORE);
    },
  );

  test('is another time for more occurrences than are checked', async () => {
    const uid = await create('Water', '2026-11-24T00:00', 'FREQ=HOURLY', { duration_minutes: 5 });
    const which = { target_event_uid: uid, ...from('2026-11-24T10:00:00.000Z') };
    const searched = { ...which, arguments: { ...which.arguments, after: '12:00' } };
    for (const wish of [{ ...which, scheduled_for: '2026-11-24T11:10' }, searched])
      expect(await refused(wish)).toMatchObject([{ path: '/actions/0/arguments/scope', code: 'too_many_occurrences' }]);
    await propose({ ...which, arguments: { ...which.arguments, cancel: true } });
  });

  test('is a start among the earlier occurrences', async () => {
    const [fault] = await refused({ scheduled_for: '2026-11-26T17:45', ...from('2026-12-10T16:30:00.000Z') });
    expect(fault).toMatchObject({ path: '/actions/0/scheduled_for' });
    expect(fault.message).toContain('after the earlier occurrences');
    // One that a person has moved beyond it counts too.
    const updates = { scheduled_for: '2026-12-04T09:00' };
    await user.patch('/calendar/edit', { uid: guitar, recurrence_id: '2026-11-26T16:30:00.000Z', updates }).expect(200);
    await refused({ scheduled_for: '2026-12-04T09:15', ...from(SECOND) });
    await propose({ scheduled_for: '2026-12-04T09:45', ...from(SECOND) });
  });

  test.each([
    ['2026-11-23T07:00', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE,FR;UNTIL=20261225T000000Z', '2026-12-07', '2026-12-09'],
    ['2026-11-23T07:00', 'FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR', '2026-11-26', '2026-11-27'],
    ['2026-12-07T07:00', 'FREQ=MONTHLY;BYDAY=1MO,3MO;UNTIL=20270110T000000Z', '2026-12-07', '2026-12-21'],
    ['2026-11-23T07:00', 'FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TH;COUNT=6', '2026-12-07', '2026-12-10'],
    // Its start is not one of its rule, and each later one is.
    ['2026-11-26T07:00', 'FREQ=MONTHLY;BYMONTHDAY=3', '2026-12-03', '2026-12-04'],
  ])('is a rule that does not follow: from %s %s', async (start, rrule, day, to) => {
    const move = { target_event_uid: await create('Gym', start, rrule), ...from(`${day}T06:00:00.000Z`) };
    expect(await refused({ ...move, scheduled_for: `${to}T07:00` })).toMatchObject([
      { path: '/actions/0/scheduled_for', code: 'invalid_rrule' },
    ]);
    await propose({ ...move, scheduled_for: `${day}T07:15` });
  });

  test('is another day where the rule names days of the month', async () => {
    const series = { scheduled_for: '2026-12-03T09:00', duration_minutes: 30, rrule: 'FREQ=MONTHLY;BYMONTHDAY=3' };
    const { uid } = (await user.post('/calendar/create', { title: 'Rent', ...series }).expect(201)).body;
    const [fault] = await refused({
      target_event_uid: uid,
      scheduled_for: '2026-12-04T09:00',
      ...from('2026-12-03T08:00:00.000Z'),
    });
    expect(fault).toMatchObject({ path: '/actions/0/scheduled_for', code: 'invalid_rrule' });
    expect(fault.message).toContain('every month on day 3');
  });

  test('is a swap of two series', async () => {
    const series = { scheduled_for: '2026-11-19T19:00', duration_minutes: 45, rrule: 'FREQ=WEEKLY' };
    const { uid } = (await user.post('/calendar/create', { title: 'Choir', ...series }).expect(201)).body;
    const actions = [
      action({ scheduled_for: '2026-12-03T19:00', ...from(SECOND) }),
      action({ target_event_uid: uid, scheduled_for: '2026-12-03T17:30', ...from('2026-12-03T18:00:00.000Z') }),
    ];
    const { body } = await agent.post('/agent/plan', { actions }).expect(200);
    expect(body).toMatchObject([
      { status: 'rejected', swaps_with: null, decision: { code: 'slot:blocked' } },
      { status: 'rejected', swaps_with: null, decision: { code: 'slot:blocked' } },
    ]);
  });
});

test('each occurrence must be in the tempo hours where the person wants that', async () => {
  const series = { scheduled_for: '2026-11-23T12:00', duration_minutes: 30, rrule: 'FREQ=DAILY' };
  const { uid } = (await user.post('/calendar/create', { title: 'Walk', ...series }).expect(201)).body;
  const move = { target_event_uid: uid, scheduled_for: '2026-11-24T12:30', ...from('2026-11-24T11:00:00.000Z') };
  const plan = await propose(move);
  expect(plan.status).toBe('proposed');
  const weekdays = { name: 'weekdays', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '08:00', end: '20:00' };
  await person.post('/tempo/adjust', { preferences: { time_ranges: [weekdays] } }).expect(200);
  await person.patch('/user/update', { updates: { limits: { only_in_tempo: true } } }).expect(200);
  expect(await propose(move)).toMatchObject({ status: 'rejected', decision: { code: 'slot:outside_tempo' } });
  // A change of the agent's own proposal is no way around it.
  const time = { scheduled_for: '2026-11-24T13:00' };
  for (const updates of [time, { ...time, arguments: { scope: 'following' } }]) {
    const { body } = await agent.patch('/memory/edit', { uid: plan.uid, updates }).expect(409);
    expect(body.code).toBe('limit_reached');
  }
});

describe('an edit of the arguments', () => {
  const edit = (uid: string, given: object) => agent.patch('/memory/edit', { uid, updates: { arguments: given } });

  test('that makes one occurrence all later ones says so in the text, and the reverse', async () => {
    const { arguments: all } = from(SECOND);
    const one = { recurrence_id: SECOND };
    const { uid } = await propose({ ...at, arguments: one, content: 'Only this once' });
    const { body: wider } = await edit(uid, all).expect(200);
    expect(wider).toMatchObject({
      title: 'Move “Guitar” and all later ones',
      content: expect.not.stringContaining('Only'),
    });
    expect((await edit(uid, one).expect(200)).body.title).toBe('Move “Guitar”');
  });

  test.each([
    { recurrence_id: '2026-12-04T16:30:00.000Z' },
    { recurrence_id: '2026-11-19T16:30:00.000Z', scope: 'following' },
    { recurrence_id: '2026-11-19T16:30:00.000Z', scope: 'following', cancel: true },
  ])('names an occurrence that can be changed: %j', async (given) => {
    const { uid } = await propose({ ...at, ...from(SECOND) });
    const { body } = await edit(uid, given).expect(422);
    expect(body.errors).toMatchObject([{ path: '/updates/arguments/recurrence_id', code: 'no_occurrence' }]);
  });
});

test('tempo hours are those of ten years, as for a new series', async () => {
  const series = { scheduled_for: '2026-12-01T10:00', duration_minutes: 30, rrule: 'FREQ=MONTHLY' };
  const { uid } = (await user.post('/calendar/create', { title: 'Rent', ...series }).expect(201)).body;
  const weekdays = { name: 'weekdays', days: ['MO', 'TU', 'WE', 'TH', 'FR'], start: '08:00', end: '20:00' };
  await person.post('/tempo/adjust', { preferences: { time_ranges: [weekdays] } }).expect(200);
  await person.patch('/user/update', { updates: { limits: { only_in_tempo: true } } }).expect(200);
  // The first one on a Saturday is that of May.
  const move = { target_event_uid: uid, scheduled_for: '2026-12-01T11:00', ...from('2026-12-01T09:00:00.000Z') };
  expect(await propose(move)).toMatchObject({ decision: { code: 'slot:outside_tempo' } });
});

test('a calendar program and its page say that all later ones are meant', async () => {
  const { uid } = await propose({ ...at, ...from(SECOND) });
  const scopes = ['plan:read', 'calendar:read'];
  const { body } = await user.post('/user/keys', { kind: 'feed', label: 'phone', scopes }).expect(201);
  const { text } = await user.get(`/calendar/proposals.ics?key=${body.key}`).expect(200);
  const plain = text.replaceAll('\r\n ', '').replaceAll('\\,', ',');
  expect(plain).toContain('Moves “Guitar”, Thu 3 Dec 2026 17:30–18:15 (Europe/Berlin) and all later ones.');
  expect(plain).toContain(uid);
});

describe('the built-in planner', () => {
  const later = { scope: 'following', recurrence_id: '2026-11-26T16:30:00.000Z' };
  const say = async (prompt: string) => (await user.post('/chat/respond', { prompt }).expect(200)).body;

  test.each([
    ['From now on guitar starts at six', '2026-11-26T17:00:00.000Z'],
    ['guitar is an hour later from now on', '2026-11-26T17:30:00.000Z'],
    ['from now on guitar is on Fridays at five', '2026-11-27T16:00:00.000Z'],
    ['move guitar to 18:15 permanently', '2026-11-26T17:15:00.000Z'],
  ])('moves all later ones: %s', async (prompt, scheduled_for) => {
    const { plans, reply } = await say(prompt);
    expect(plans).toMatchObject([{ action_type: 'reschedule', scheduled_for, arguments: later }]);
    expect(reply).toContain('“Guitar” and all later ones: move it to');
  });

  test.each(['cancel guitar from now on', 'cancel all guitar', 'stop guitar for good'])(
    'cancels all later ones: %s',
    async (prompt) => {
      const { plans, reply } = await say(prompt);
      expect(plans).toMatchObject([{ arguments: { cancel: true, ...later } }]);
      expect(reply).toContain('and all later ones');
      await approve(plans[0]);
      expect(await starts()).toEqual(['11-19T16:30']);
    },
  );

  test.each(['cancel guitar on Thursday', 'move guitar to Friday at five'])('changes one: %s', async (prompt) => {
    const { plans } = await say(prompt);
    expect(plans).toHaveLength(1);
    expect(plans[0].arguments.scope).toBeUndefined();
  });
});

test('an agent cannot decide on it', async () => {
  const { uid } = await propose({ ...at, ...from(SECOND) });
  await agent.post('/agent/approve', { uid }).expect(403);
  expect(await starts()).toEqual(AS_BEFORE);
});
