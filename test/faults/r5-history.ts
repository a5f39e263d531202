/** Random histories for R5: steps as numbers, so that they can be generated again and shrunk, and the requests they become. */
import fc from 'fast-check';
import type { TestApp } from '../support/app.ts';
import { call, get, patch, post, type Answer, type Person, type Sent } from './api.ts';
import type { Doc, Model } from './r5-model.ts';

const ACTS = [
  ...['push', 'push', 'push', 'edit', 'edit', 'edit', 'remove', 'feedback'],
  ...['plan', 'plan', 'approve', 'approve', 'reject', 'withdraw', 'editPlan', 'execute'],
  ...['event', 'event', 'editEvent', 'editEvent', 'removeEvent'],
  ...['settings', 'tempo', 'time', 'time'],
] as const;
type Act = (typeof ACTS)[number];

/** What is done, and the numbers that decide with what. */
export type Step = { act: Act; a: number; b: number; c: number };

const number = fc.nat(9999);
export const history = fc.array(fc.record({ act: fc.constantFrom(...ACTS), a: number, b: number, c: number }), {
  minLength: 6,
  maxLength: 20,
  size: 'max',
});

export const TASKS = ['alpha', 'beta', 'gamma'];
export const TAGS = ['#legal', '#money', '@deep_work'];
export const TEMPO = ['@morning', '@deep_work'];
export const TYPES = ['observation', 'reflection', 'idea'];
const WORDS = ['contract', 'supplier', 'thesis', 'chapter', 'budget', 'garden', 'train', 'letter'];
/** No value is part of another, so that the simplest blanking is right. */
const AUTHORS = ['Jane Doe', 'Ravi Rao', null, null];
const CHATS = ['https://chat.example/one', null, null];

const at = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];
const orNull = <T>(list: readonly T[], n: number): T | null => (n % (list.length + 1) ? (at(list, n) ?? null) : null);

/** A quarter of an hour of three days, so that many things happen at the same time. */
const moment = (n: number): string => new Date(Date.parse('2026-11-20T00:00:00Z') + (n % 288) * 900_000).toISOString();
/** Half an hour of the working days to come. */
const slot = (n: number): string =>
  new Date(Date.parse('2026-11-23T08:00:00Z') + (n % 4) * 86_400_000 + (n % 20) * 1_800_000).toISOString();

export type Actor = {
  /** Carries out a step. @returns its answers; none where there is nothing to do it with. */
  act: (step: Step) => Promise<{ sent: Sent; answer: Answer }[]>;
};

export const createActor = (app: TestApp, person: Person, model: Model): Actor => {
  let made = 0;
  /** Of the form of a UUID, as the service's own. */
  const uid = (): string => `00000000-0000-4000-8000-${String((made += 1)).padStart(12, '0')}`;
  const traces = (fits: (doc: Doc) => boolean): Doc[] => [...model.now().traces.values()].filter(fits);
  const ordinary = () => traces((doc) => doc['type'] !== 'agent_plan' && !doc['transition']);
  const plans = (...statuses: string[]) =>
    traces((doc) => doc['type'] === 'agent_plan' && statuses.includes(doc['status'] as string));

  const content = (a: number, b: number): string => {
    const quoted = b % 5 === 0 ? `, said jane doe (${CHATS[0]})` : '';
    return `${at(WORDS, a)} and ${at(WORDS, b)}${quoted}, note ${a % 7}.`;
  };

  const aTrace = (a: number, b: number, c: number): object => ({
    ...(c % 2 ? { uid: uid() } : {}),
    type: at(TYPES, a),
    content: content(a, b),
    timestamp: moment(b),
    task_id: orNull(TASKS, c),
    tempo_tag: orNull(TEMPO, b),
    tags: TAGS.filter((_, i) => (a >> i) % 2),
    notes: c % 3 ? null : `noted by Ravi Rao, ${c % 11}`,
    authored_by: at(AUTHORS, c),
    chat_url: at(CHATS, a),
    metadata: c % 4 ? {} : { seen: { by: 'ravi rao', times: c } },
    linked_trace_ids: traces(() => true)
      .filter((_, i) => i % 7 === a % 7)
      .slice(0, 3)
      .map((doc) => doc.uid),
  });

  const updates = (a: number, b: number, c: number): object =>
    [
      { content: content(a, b) },
      { task_id: orNull(TASKS, b), tempo_tag: orNull(TEMPO, c) },
      { tags: TAGS.filter((_, i) => (b >> i) % 2), content: content(b, c) },
      { timestamp: moment(c) },
      { notes: b % 2 ? null : content(c, b), feedback_rating: b % 3 ? 1 + (b % 5) : null },
      { authored_by: at(AUTHORS, b), chat_url: at(CHATS, c) },
      {
        metadata: { seen: [a, { b }, 'jane doe'] },
        linked_trace_ids: ordinary()
          .slice(0, 2)
          .map((doc) => doc.uid),
      },
    ][a % 7] as object;

  const anAction = (a: number, b: number, c: number): object => {
    const target = at([...model.now().events.values()], b);
    const kind = at(['schedule', 'schedule', 'reflect', 'log', target ? 'reschedule' : 'schedule'], a);
    const takesRoom = kind === 'schedule' || kind === 'reschedule';
    return {
      uid: uid(),
      action_type: kind,
      title: `${at(WORDS, b)} ${c % 13}`,
      task_id: orNull(TASKS, a),
      tempo_tag: orNull(TEMPO, c),
      tags: TAGS.filter((_, i) => (c >> i) % 2),
      ...(takesRoom ? { duration_minutes: 30, ...(c % 4 ? { scheduled_for: slot(c) } : {}) } : {}),
      ...(!takesRoom && b % 2
        ? { scheduled_for: new Date(app.clock.millis() + 60_000 * (1 + (b % 3000))).toISOString() }
        : {}),
      ...(kind === 'reschedule' ? { target_event_uid: target?.uid } : {}),
    };
  };

  const anEvent = (a: number, b: number, c: number): object => ({
    uid: uid(),
    title: `${at(WORDS, a)} ${b % 13}`,
    scheduled_for: slot(b),
    duration_minutes: 30 + (c % 4) * 15,
    timezone: at(['Europe/Berlin', 'America/New_York', 'UTC'], c),
    task_id: orNull(TASKS, b),
    tempo_tag: orNull(TEMPO, a),
    tags: TAGS.filter((_, i) => (c >> i) % 2),
    busy: a % 3 > 0,
    ...(a % 3 === 0 ? { rrule: at(['FREQ=DAILY;COUNT=6', 'FREQ=WEEKLY', 'FREQ=DAILY;INTERVAL=2;COUNT=4'], b) } : {}),
  });

  /** Of a series, the occurrence some days after its first, which need not be there. */
  const scopeOf = (event: Doc, a: number, c: number): object => {
    if (event['rrule'] === null) return {};
    const first = Date.parse(event['scheduled_for'] as string);
    const recurrence_id = new Date(first + (c % 4) * 86_400_000).toISOString();
    return at([{ scope: 'all' }, { scope: 'this', recurrence_id }, { scope: 'following', recurrence_id }], a) ?? {};
  };

  const changes = (b: number, c: number): object =>
    [
      { title: `${at(WORDS, c)} again` },
      { scheduled_for: slot(c) },
      { duration_minutes: 15 + (c % 5) * 15, tags: TAGS.filter((_, i) => (c >> i) % 2) },
      { task_id: orNull(TASKS, c), description: content(b, c), busy: c % 2 > 0 },
    ][b % 4] as object;

  const target = (list: Doc[], n: number, ask: (doc: Doc) => Sent): Sent[] => {
    const doc = at(list, n);
    return doc ? [ask(doc)] : [];
  };

  const requests: Record<Act, (a: number, b: number, c: number) => Sent[]> = {
    push: (a, b, c) => [
      post('/memory/push', { traces: Array.from({ length: 1 + (a % 3) }, (_, i) => aTrace(a + i, b + 3 * i, c + i)) }),
    ],
    edit: (a, b, c) => target(ordinary(), a, ({ uid }) => patch('/memory/edit', { uid, updates: updates(b, c, a) })),
    remove: (a) => target(ordinary(), a, ({ uid }) => ({ method: 'DELETE', path: `/memory/remove?uid=${uid}` })),
    feedback: (a, b) =>
      target(
        traces((doc) => !doc['transition']),
        a,
        ({ uid }) => post('/agent/feedback', { uid, feedback_rating: 1 + (b % 5), notes: `Jane Doe thinks ${b % 9}` }),
      ),
    plan: (a, b, c) => [
      post('/agent/plan', { actions: Array.from({ length: 1 + (b % 2) }, (_, i) => anAction(a + i, b + i, c + i)) }),
    ],
    approve: (a, b) =>
      target(plans('proposed'), a, ({ uid, version }) =>
        post('/agent/approve', { uid, expected_version: version, ...(b % 2 ? { note: 'Ravi Rao agrees' } : {}) }),
      ),
    reject: (a) => target(plans('proposed', 'approved'), a, ({ uid }) => post('/agent/reject', { uid, note: 'no' })),
    withdraw: (a) => target(plans('proposed'), a, ({ uid }) => post('/agent/withdraw', { uid })),
    editPlan: (a, b) =>
      target(plans('proposed', 'approved', 'executed'), a, ({ uid }) =>
        patch('/memory/edit', { uid, updates: { title: `${at(WORDS, b)} anew`, content: content(b, a) } }),
      ),
    execute: (a) => [post('/agent/execute', { task_id: at(TASKS, a) })],
    event: (a, b, c) => [post('/calendar/create', anEvent(a, b, c))],
    editEvent: (a, b, c) =>
      target([...model.now().events.values()], a, (event) =>
        patch('/calendar/edit', { uid: event.uid, updates: changes(b, c), ...scopeOf(event, c, b) }),
      ),
    removeEvent: (a, b, c) =>
      target([...model.now().events.values()], a, (event) => ({
        method: 'DELETE',
        path: `/calendar/remove?${new URLSearchParams({ uid: event.uid, ...scopeOf(event, b, c) }).toString()}`,
      })),
    settings: (a, b) => [
      patch('/user/update', {
        updates: at(
          [
            { display_name: `Ada ${b % 20}` },
            { execution: b % 2 ? 'manual' : 'automatic' },
            { limits: { budget: { per_day: b % 3 ? 3 : null } } },
            { timezone: at(['Europe/Berlin', 'Asia/Kolkata'], b) },
          ],
          a,
        ),
      }),
    ],
    tempo: (a, b) => [
      post('/tempo/adjust', {
        user_id: person.user_id,
        preferences: {
          task_overrides: { [at(TASKS, a) as string]: b % 4 ? { duration_minutes: 10 + (b % 50) } : null },
        },
      }),
    ],
    time: () => [],
  };

  /** Agents propose and withdraw; the rest is the person's. */
  const tokenOf = ({ path }: Sent, b: number): string =>
    path === '/agent/withdraw' || (path === '/agent/plan' && b % 3 > 0) ? person.agent : person.key;

  return {
    act: async ({ act, a, b, c }) => {
      if (act === 'time') {
        app.clock.advance(1 + (a % 300) * 600_000);
        await app.executor.round();
      } else if (a % 3 === 0 || act === 'settings' || act === 'tempo') app.clock.advance(1 + (b % 5000));
      // Else all of it happens in the same millisecond; but what is told to nobody begins one, as its time is not known here.
      const answers: { sent: Sent; answer: Answer }[] = [];
      for (const sent of requests[act](a, b, c))
        answers.push({ sent, answer: await call(app.url, tokenOf(sent, b), sent) });
      return answers;
    },
  };
};

export const profileOf = async (app: TestApp, { key, user_id }: Person): Promise<Doc> => {
  const { body } = await call(app.url, key, get('/user/profile'));
  const { learned: _l, timezone: _z, user_id: _u, ...tempo } = body.tempo;
  const { display_name, timezone, settings } = body;
  return { uid: user_id, user_id, display_name, timezone, settings, tempo };
};
