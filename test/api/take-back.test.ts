/** All that one agent caused is taken back in one write, what cannot be stays with its reason, and the whole is taken back again. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { possibleScopes } from '../../src/domain/access/caller.ts';
import { aKey, anApp, aUser, type Client, type TestApp, type TestUser } from '../support/app.ts';
import { runs } from '../support/thoroughness.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

const DAY = '2026-11-27';
const at = (hour: number, day = DAY): string => `${day}T${String(hour).padStart(2, '0')}:00`;

type Doc = Record<string, unknown> & { uid: string; version: number };

const propose = async (agent: Client, ...actions: object[]): Promise<Doc[]> =>
  (await agent.post('/agent/plan', { actions }).expect(200)).body;
const block = (title: string, hour: number, more: object = {}) => ({
  ...{ action_type: 'schedule', title, scheduled_for: at(hour), duration_minutes: 30, ...more },
});
const move = (target_event_uid: string, hour: number, more: object = {}) => ({
  ...{ action_type: 'reschedule', title: 'Move it', target_event_uid, scheduled_for: at(hour), ...more },
});
const approve = async (user: TestUser, plans: Doc[]): Promise<Doc[]> => {
  const { body } = await user.post('/agent/approve', { uids: plans.map(({ uid }) => uid) }).expect(200);
  return body.map(({ plan }: { plan: Doc }) => plan);
};
const carriedOut = async (user: TestUser, ...actions: object[]): Promise<Doc[]> => {
  const plans = await approve(user, await propose(user.agent, ...actions));
  expect(plans.map(({ status }) => status)).toEqual(plans.map(() => 'executed'));
  return plans;
};
const anEvent = async (user: TestUser, title: string, hour: number): Promise<Doc> =>
  (
    await user
      .post('/calendar/create', { title, scheduled_for: at(hour), duration_minutes: 30, on_conflict: 'keep' })
      .expect(201)
  ).body;
const note = async (who: Client, uid: string, content: string): Promise<void> => {
  await who.post('/memory/push', { traces: [{ uid, type: 'observation', content }] }).expect(201);
};

const agentOf = async (user: TestUser): Promise<string> =>
  (await user.get('/agent/activity').expect(200)).body[0].agent.id;
const takeBack = async (user: TestUser, more: object = {}) =>
  (await user.post('/agent/take-back', { agent: await agentOf(user), since: '0', ...more }).expect(200)).body;
const restore = (user: TestUser, seq: number, more: object = {}) => user.post('/agent/take-back', { seq, ...more });
const headOf = async (user: TestUser): Promise<number> => (await user.get('/debug/audit').expect(200)).body.head.seq;

const state = ({ version: _v, seq: _s, updated_at: _u, sequence: _q, ...rest }: Doc) => rest;
/** What a person sees: the calendar, the proposals that wait, and the notes. */
const seen = async (user: TestUser) => {
  const events = (await user.get(`/calendar/events?start=2026-11-01&end=2027-01-31`).expect(200)).body as Doc[];
  const waiting = (await user.get('/agent/queue').expect(200)).body as Doc[];
  const traces = (await user.get('/memory/pull?limit=1000').expect(200)).body as Doc[];
  const notes = traces.filter(({ type, transition }) => type === 'observation' && transition == null);
  return {
    events: events.map(state).toSorted((a, b) => a.uid.localeCompare(b.uid)),
    waiting: waiting.map(({ uid }) => uid).toSorted(),
    notes: Object.fromEntries(notes.map(({ uid, content }) => [uid, content])),
  };
};
const uidsOf = (docs: Doc[]): string[] => docs.map(({ uid }) => uid).toSorted();
const causes = (body: { left: { trace: Doc; problem: { code: string } }[] }) =>
  Object.fromEntries(body.left.map(({ trace, problem }) => [trace.uid, problem.code]));

/** A person with events and notes, before an agent comes. */
const aPerson = async () => {
  const user = await aUser(app);
  const dentist = await anEvent(user, 'Dentist', 9);
  const lunch = await anEvent(user, 'Lunch with Jo', 12);
  await note(user, 'mine', 'My note about tides');
  return { user, dentist, lunch };
};

/** Takes all back that the agent does in `work`, and that again. @returns what could not be taken back */
const thereAndBack = async (user: TestUser, work: () => Promise<unknown>): Promise<unknown[]> => {
  const before = await seen(user);
  await work();
  const during = await seen(user);
  expect(during).not.toEqual(before);
  const done = await takeBack(user);
  expect(await seen(user)).toEqual(before);
  await restore(user, done.seq).expect(200);
  expect(await seen(user)).toEqual(during);
  return done.left;
};

describe('all that an agent caused', () => {
  test('is taken back in one write, and again what it was by the seq of that', async () => {
    const { user, dentist, lunch } = await aPerson();
    const before = await seen(user);
    const [made] = await carriedOut(user, block('Focus', 14), move(dentist.uid, 16), {
      ...{ action_type: 'reschedule', title: 'Cancel lunch', target_event_uid: lunch.uid, arguments: { cancel: true } },
    });
    await carriedOut(user, { action_type: 'log', title: 'Read', content: 'Read twenty pages' });
    await note(user.agent, 'its', 'A note of the agent');
    await user.agent.patch('/memory/edit', { uid: 'mine', updates: { content: 'Rewritten by the agent' } }).expect(200);
    const [waits] = await propose(user.agent, block('Later', 17));
    const during = await seen(user);
    expect(during.waiting).toEqual([waits?.uid]);
    expect(during.notes).toMatchObject({ mine: 'Rewritten by the agent', its: 'A note of the agent' });

    const head = await headOf(user);
    const simulated = await takeBack(user, { simulate: true });
    expect(await headOf(user)).toBe(head);
    expect(await seen(user)).toEqual(during);
    const done = await takeBack(user);
    expect(await seen(user)).toEqual(before);
    expect(done).toMatchObject({ left: [], more: false });
    expect(simulated.seq).toBeNull();
    expect(uidsOf(simulated.taken_back)).toEqual(uidsOf(done.taken_back));
    expect(uidsOf(simulated.events)).toEqual(uidsOf(done.events));
    expect(done.events.find(({ uid }: Doc) => uid === made?.['linked_event_uid'])).toMatchObject({ removed: true });
    expect(done.events.find(({ uid }: Doc) => uid === dentist.uid)).toMatchObject({
      scheduled_for: dentist['scheduled_for'],
    });
    const { body: plan } = await user.get(`/agent/plan?uid=${made?.uid}`).expect(200);
    expect(plan).toMatchObject({ status: 'executed', decision: { code: 'undone' } });

    // There is nothing left, so a second time changes nothing.
    expect(await takeBack(user)).toMatchObject({ seq: null, taken_back: [], left: [] });
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });

    const { body: again } = await restore(user, done.seq, { simulate: true }).expect(200);
    expect(again.seq).toBeNull();
    expect(await seen(user)).toEqual(before);
    await restore(user, done.seq).expect(200);
    expect(await seen(user)).toEqual(during);
    expect((await user.get(`/agent/plan?uid=${made?.uid}`).expect(200)).body).toMatchObject({
      status: 'executed',
      decision: { code: 'user' },
    });
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });

    // And once more.
    await takeBack(user);
    expect(await seen(user)).toEqual(before);
  });

  test('in a chain: two plans that moved one event, and one that moved what another had made', async () => {
    const { user, dentist } = await aPerson();
    const left = await thereAndBack(user, async () => {
      await carriedOut(user, move(dentist.uid, 16));
      await carriedOut(user, move(dentist.uid, 18));
      const [made] = await carriedOut(user, block('Focus', 14));
      await carriedOut(user, move(made?.['linked_event_uid'] as string, 15));
    });
    expect(left).toEqual([]);
  });

  test('but not what somebody else changed since, which stays with the reason', async () => {
    const { user, dentist } = await aPerson();
    const [moved] = await carriedOut(user, move(dentist.uid, 16));
    const [made, other] = await carriedOut(user, block('Focus', 14), block('Reading', 10));
    const [event] = await carriedOut(user, block('Walk', 19));
    await user
      .patch('/calendar/edit', { uid: made?.['linked_event_uid'], updates: { title: 'Focus on tides' } })
      .expect(200);
    await anEvent(user, 'A call', 9);
    await note(user.agent, 'shared', 'A note of the agent');
    await user.patch('/memory/edit', { uid: 'shared', updates: { content: 'Now mine' } }).expect(200);
    await note(user.agent, 'own', 'Another note');
    const done = await takeBack(user);
    expect(causes(done)).toEqual({ [made?.uid as string]: 'changed_since', shared: 'changed_since' });
    expect(uidsOf(done.taken_back)).toEqual(
      [moved, other, event]
        .map((plan) => plan?.uid)
        .concat('own')
        .toSorted(),
    );
    const { events, notes } = await seen(user);
    expect(events.map(({ title }) => title).toSorted()).toEqual([
      'A call',
      'Dentist',
      'Focus on tides',
      'Lunch with Jo',
    ]);
    expect(notes).toEqual({ mine: 'My note about tides', shared: 'Now mine' });
    await restore(user, done.seq).expect(200);
    expect((await seen(user)).notes).toMatchObject({ own: 'Another note', shared: 'Now mine' });
  });

  test('and an event of the person that returns takes no time from what stays', async () => {
    const { user, lunch } = await aPerson();
    await carriedOut(user, {
      ...{ action_type: 'reschedule', title: 'Cancel lunch', target_event_uid: lunch.uid, arguments: { cancel: true } },
    });
    const [kept] = await carriedOut(user, block('Focus', 12));
    await user
      .patch('/calendar/edit', { uid: kept?.['linked_event_uid'], updates: { title: 'Focus on tides' } })
      .expect(200);
    const during = await seen(user);
    const done = await takeBack(user);
    expect(causes(done)).toEqual({ [kept?.uid as string]: 'changed_since' });
    const { events, waiting } = await seen(user);
    expect(events.map(({ title }) => title).toSorted()).toEqual(['Dentist', 'Focus on tides', 'Lunch with Jo']);
    expect(waiting).toEqual([]);
    expect(await takeBack(user)).toMatchObject({ seq: null, taken_back: [] });
    await restore(user, done.seq).expect(200);
    expect(await seen(user)).toEqual(during);
  });

  test('also where one plan took the time from which another had moved an event', async () => {
    const { user, dentist } = await aPerson();
    const left = await thereAndBack(user, async () => {
      await carriedOut(user, move(dentist.uid, 8));
      await carriedOut(user, block('Focus', 9));
    });
    expect(left).toEqual([]);
  });

  test('also where two events exchanged their places', async () => {
    const { user, dentist, lunch } = await aPerson();
    const left = await thereAndBack(user, async () => {
      const plans = await carriedOut(user, move(dentist.uid, 12), move(lunch.uid, 9));
      expect(plans[0]).toMatchObject({ swaps_with: plans[1]?.uid });
    });
    expect(left).toEqual([]);
  });

  test('up to the moment that was looked at: what came later stays', async () => {
    const { user } = await aPerson();
    await carriedOut(user, block('Focus', 14));
    await note(user.agent, 'its', 'A note of the agent');
    await note(user.agent, 'late', 'Another note');
    const { as_of: until, taken_back } = await takeBack(user, { simulate: true });
    await carriedOut(user, block('Reading', 16));
    await propose(user.agent, block('Walk', 17));
    await note(user.agent, 'later', 'A later note');
    await user.agent.patch('/memory/edit', { uid: 'late', updates: { content: 'Changed later' } }).expect(200);
    const done = await takeBack(user, { until });
    expect(uidsOf([...done.taken_back, { uid: 'late', version: 1 }])).toEqual(uidsOf(taken_back));
    const { events, waiting, notes } = await seen(user);
    expect(events.map(({ title }) => title).toSorted()).toEqual(['Dentist', 'Lunch with Jo', 'Reading']);
    expect(waiting).toHaveLength(1);
    expect(Object.keys(notes).toSorted()).toEqual(['late', 'later', 'mine']);
  });

  test('since a moment only, and nothing of others', async () => {
    const { user } = await aPerson();
    const other = await aKey(app, user, 'agent', possibleScopes('agent', false));
    await carriedOut(user, block('Early', 14));
    await note(user.agent, 'early', 'An early note');
    const since = String((await headOf(user)) + 1);
    await carriedOut(user, block('Late', 15));
    await note(user.agent, 'late', 'A late note');
    await note(other, 'others', 'A note of another agent');
    await approve(user, await propose(other, block('Of another', 16)));
    const agent = (
      (await user.get('/agent/activity').expect(200)).body as { agent: { id: string }; executed: number }[]
    ).find(({ executed }) => executed === 2)?.agent.id;
    const { body } = await user.post('/agent/take-back', { agent, since }).expect(200);
    expect(body.left).toEqual([]);
    const { events, notes } = await seen(user);
    expect(events.map(({ title }) => title).toSorted()).toEqual(['Dentist', 'Early', 'Lunch with Jo', 'Of another']);
    expect(Object.keys(notes).toSorted()).toEqual(['early', 'mine', 'others']);
  });

  test('in parts where it is more than one request takes, and what stays does not hide the rest', async () => {
    const { user } = await aPerson();
    const notes = (from: number, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...{ uid: `n${from + n}`, type: 'observation', content: `Note ${from + n}` },
      }));
    await propose(user.agent, block('Focus', 14));
    await user.agent.post('/memory/push', { traces: notes(0, 250) }).expect(201);
    await user.agent.post('/memory/push', { traces: notes(250, 3) }).expect(201);
    for (const n of [250, 251, 252])
      await user.patch('/memory/edit', { uid: `n${n}`, updates: { content: 'Now mine' } }).expect(200);
    const counts: unknown[] = [];
    for (let n = 0; n < 3; n++) {
      const { taken_back, left, more } = await takeBack(user);
      counts.push([taken_back.length, left.length, more]);
    }
    expect(counts).toEqual([
      [201, 3, true],
      [50, 3, false],
      [0, 3, false],
    ]);
  });

  test('where an approved plan waits for its time, it is cancelled, and waits for a decision when that is taken back', async () => {
    const { user } = await aPerson();
    const [plan] = await propose(user.agent, {
      ...{ action_type: 'log', title: 'Write up', content: 'Written', scheduled_for: at(20, '2026-12-03') },
    });
    expect(await approve(user, [plan as Doc])).toMatchObject([{ status: 'approved' }]);
    const done = await takeBack(user);
    expect(done.taken_back).toMatchObject([{ uid: plan?.uid, status: 'rejected', decision: { code: 'undone' } }]);
    await restore(user, done.seq).expect(200);
    expect((await seen(user)).waiting).toEqual([plan?.uid]);
  });

  test('a plan that was taken back waits again when its own decision is taken back', async () => {
    const { user } = await aPerson();
    const [made] = await carriedOut(user, block('Focus', 14));
    await takeBack(user);
    const { body } = await user.post('/agent/undo', { uid: made?.uid }).expect(200);
    expect(body).toMatchObject({ status: 'proposed', decision: null });
    const [again] = await approve(user, [{ ...(made as Doc) }]).catch(() => []);
    expect(again).toBeUndefined();
    await user.post('/agent/approve', { uid: made?.uid, expected_version: body.version }).expect(200);
    expect((await seen(user)).events.map(({ title }) => title)).toContain('Focus');
  });
});

describe('what took something back', () => {
  test('is not taken back where the time is taken or a note was changed, and says so', async () => {
    const { user } = await aPerson();
    await carriedOut(user, block('Focus', 14));
    await note(user.agent, 'its', 'A note');
    const done = await takeBack(user);
    await anEvent(user, 'Mine now', 14);
    const { body } = await restore(user, done.seq).expect(409);
    expect(body.code).toBe('slot_taken');
    expect((await seen(user)).notes).toEqual({ mine: 'My note about tides' });
  });

  test('is not any other entry of the ledger', async () => {
    const { user } = await aPerson();
    const [made] = await carriedOut(user, block('Focus', 14));
    await user.post('/agent/feedback', { uid: made?.uid, feedback_rating: 4 }).expect(200);
    await user.patch('/user/update', { updates: { display_name: 'Ada' } }).expect(200);
    await user.patch('/calendar/edit', { uid: made?.['linked_event_uid'], updates: { title: 'Mine' } }).expect(200);
    const last = await headOf(user);
    for (let seq = 1; seq <= last; seq++) expect((await restore(user, seq).expect(409)).body.code).toBe('not_undoable');
    expect(await headOf(user)).toBe(last);
    await restore(user, 100_000).expect(410);
  });
});

describe('is refused', () => {
  test('to agents, for keys of others, and where the request is wrong', async () => {
    const { user } = await aPerson();
    await propose(user.agent, block('Focus', 14));
    const agent = await agentOf(user);
    await user.agent.post('/agent/take-back', { agent, since: '0' }).expect(403);
    const stranger = await aUser(app);
    expect((await stranger.post('/agent/take-back', { agent, since: '0' }).expect(404)).body.code).toBe(
      'key_not_found',
    );
    for (const wrong of [
      {},
      { agent },
      { since: '0' },
      { agent, since: '0', seq: 3 },
      { agent, since: 'Tuesday' },
      { seq: 0 },
      { seq: 1, until: 3 },
      { agent, since: '0', until: 0 },
    ])
      await user.post('/agent/take-back', wrong).expect(422);
    expect((await seen(user)).waiting).toHaveLength(1);
  });
});

const step = fc.record({
  does: fc.constantFrom(
    'book',
    'book',
    'propose',
    'move',
    'move',
    'cancel',
    'note',
    'rewrite',
    'forget',
    'undo',
    'edit',
    'add',
  ),
  nth: fc.nat(20),
  hour: fc.integer({ min: 8, max: 19 }),
});
type Step = { does: string; nth: number; hour: number };

/** What persons change, which may stand in the way of a take-back. */
const isOfPerson = ({ does }: Step): boolean => does === 'edit' || does === 'add';

const act = async (user: TestUser, { does, nth, hour }: Step): Promise<void> => {
  const { events, notes } = await seen(user);
  const event = events[nth % Math.max(1, events.length)]?.uid;
  const name = Object.keys(notes)[nth % Math.max(1, Object.keys(notes).length)];
  const decide = async (action: object): Promise<void> => {
    const [plan] = await propose(user.agent, action);
    if (plan?.['status'] === 'proposed') await user.post('/agent/approve', { uid: plan.uid });
  };
  if (does === 'book') await decide(block(`Block ${nth}`, hour));
  else if (does === 'propose') await propose(user.agent, block(`Wish ${nth}`, hour));
  else if (does === 'note')
    await user.agent.post('/memory/push', { traces: [{ type: 'observation', content: `Note ${nth}` }] });
  else if (does === 'add')
    await user.post('/calendar/create', {
      title: 'Mine',
      scheduled_for: at(hour),
      duration_minutes: 30,
      on_conflict: 'keep',
    });
  else if (does === 'undo') {
    const plans = (await user.get('/agent/queue?status=executed').expect(200)).body as Doc[];
    if (plans.length) await user.post('/agent/undo', { uid: plans[nth % plans.length]?.uid });
  } else if (name !== undefined && does === 'rewrite')
    await user.agent.patch('/memory/edit', { uid: name, updates: { content: `Again ${nth}` } });
  else if (name !== undefined && does === 'forget') await user.agent.delete(`/memory/remove?uid=${name}`);
  else if (event !== undefined && does === 'move') await decide(move(event, hour));
  else if (event !== undefined && does === 'cancel')
    await decide({ action_type: 'reschedule', title: 'Cancel', target_event_uid: event, arguments: { cancel: true } });
  else if (event !== undefined && does === 'edit')
    await user.patch('/calendar/edit', { uid: event, updates: { title: `Mine ${nth}` } });
};

test('any history of an agent is taken back and again as it was; what persons changed stays', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 2, maxLength: 14 }), async (steps) => {
      const { user } = await aPerson();
      await propose(user.agent, block('First', 7));
      const agent = await agentOf(user);
      const since = String((await headOf(user)) + 1);
      const before = await seen(user);
      for (const one of steps) await act(user, one);
      const during = await seen(user);
      const ask = async (more: object = {}) =>
        (await user.post('/agent/take-back', { agent, since, ...more }).expect(200)).body;
      const simulated = await ask({ simulate: true });
      expect(await seen(user)).toEqual(during);
      const done = await ask();
      expect(uidsOf(done.taken_back)).toEqual(uidsOf(simulated.taken_back));
      expect(causes(done)).toEqual(causes(simulated));
      const after = await seen(user);
      if (!steps.some(isOfPerson)) {
        expect(causes(done)).toEqual({});
        expect(after).toEqual(before);
      }
      expect(await ask()).toMatchObject({ seq: null, taken_back: [] });
      if (done.seq !== null) await restore(user, done.seq).expect(200);
      expect(await seen(user)).toEqual(during);
      expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
    }),
    { numRuns: runs(25) },
  );
});
