/**
 * Every path that could change a plan x every state it can be in x every kind of credential, with what must come of it. Written
 * from the decision (docs/decisions.md, Every change of a plan is a move), not from the code: test/api/plan-paths.test.ts and the
 * fault trial R14 walk it.
 */
import { randomUUID } from 'node:crypto';
import { call, get, ok, patch, post, type Sent } from '../../faults/api.ts';

export const WHO = ['owner', 'session', 'proposer', 'other', 'helper', 'feed', 'stranger'] as const;
/** owner, session: the person. helper: the person's key without plan:decide. proposer, other: agents. feed: a key that opens feeds only. */
export type Who = (typeof WHO)[number];

type Status = 'proposed' | 'approved' | 'rejected' | 'executed';
/** `changed` since it was proposed; `waiting` for its time; `manual`: until it is executed by hand. `settings`: it changes these. */
export const STATES = {
  proposed: 'proposed',
  changed: 'proposed',
  waiting: 'approved',
  manual: 'approved',
  executed: 'executed',
  rejected: 'rejected',
  'imported proposed': 'proposed',
  'imported approved': 'approved',
  'imported executed': 'executed',
  'imported rejected': 'rejected',
  'settings proposed': 'proposed',
  'settings changed': 'proposed',
  'settings waiting': 'approved',
  'settings manual': 'approved',
  'settings executed': 'executed',
  'settings rejected': 'rejected',
} as const satisfies Record<string, Status>;
export type State = keyof typeof STATES;

// oxlint-disable-next-line typescript/no-explicit-any -- a plan as answered
export type Plan = Record<string, any> & { uid: string; version: number; status: Status };

/** A person with every kind of credential, and a stranger. */
export type Scene = { url: string; tokens: Record<Who, string>; persons: Set<string>; at: (n: number) => string };

export const aScene = async (url: string, today: string, execution: 'automatic' | 'manual'): Promise<Scene> => {
  const register = async () => {
    const registration = { email: `${randomUUID()}@example.org`, password: 'correct horse battery', timezone: 'UTC' };
    return (await ok(url, '', post('/user/register', registration))).body;
  };
  const me = await register();
  const key = async (token: string, kind: string, scopes?: string[]) =>
    (await ok(url, token, post('/user/keys', { kind, label: 'trial', ...(scopes ? { scopes } : {}) }))).body;
  const owner = await key(me.token, 'user');
  const less = (owner.scopes as string[]).filter((scope) => scope !== 'plan:decide');
  const feed = await key(me.token, 'feed', ['plan:read', 'plan:decide']);
  const stranger = await register();
  const tokens = {
    owner: owner.key,
    session: me.token,
    proposer: (await key(me.token, 'agent')).key,
    other: (await key(me.token, 'agent')).key,
    helper: (await key(me.token, 'user', less)).key,
    feed: feed.key,
    stranger: (await key(stranger.token, 'user')).key,
  };
  await ok(url, tokens.owner, patch('/user/update', { updates: { execution } }));
  const first = Temporal.PlainDate.from(today).add({ days: 2 });
  /** Places that don't overlap: sixteen a day. */
  const at = (n: number): string =>
    `${first.add({ days: Math.floor(n / 16) }).toString()}T${String(6 + (n % 16)).padStart(2, '0')}:00:00.000Z`;
  return { url, tokens, persons: new Set(['user:session', `user:${owner.id}`, `feed:${feed.id}`]), at };
};

let made = 0;
/** Each is another place of `Scene.at`. */
export const nextPlace = (): number => made++;

export const isOfSettings = (state: State): boolean => state.startsWith('settings ');
const isManual = (state: State): boolean => state.endsWith('manual');
/** No test reaches such a limit. */
const limitOf = (per_week: number) => ({ limits: { budget: { per_week } } });
const changeOf = (state: State, n: number, scheduled_for: string) =>
  isOfSettings(state)
    ? {
        ...{ action_type: 'configure', arguments: limitOf(10_000 + n), duration_minutes: null },
        scheduled_for: state === 'settings waiting' ? scheduled_for : null,
      }
    : { action_type: state === 'waiting' ? 'log' : 'schedule' };

/** A fresh plan in a state. */
export const aPlan = async (scene: Scene, state: State): Promise<Plan> => {
  const { url, tokens, at } = scene;
  const n = nextPlace();
  const uid = `plan-${n}`;
  const body = { title: `Rehearsal ${n}`, task_id: `task-${n}`, scheduled_for: at(n), duration_minutes: 30 };
  const read = async (): Promise<Plan> => (await ok(url, tokens.owner, get(`/agent/plan?uid=${uid}`))).body;
  if (state.startsWith('imported ')) {
    const proposed_by = await proposerOf(scene);
    const trace = { type: 'agent_plan', action_type: 'schedule', timestamp: at(0), content: 'As it was.', proposed_by };
    const traces = [{ ...trace, ...body, uid, status: STATES[state] }];
    await ok(url, tokens.owner, post('/memport/import', { traces }));
    return read();
  }
  const action = { ...body, uid, ...changeOf(state, n, at(n)) };
  const [plan] = (await ok(url, tokens.proposer, post('/agent/plan', { actions: [action] }))).body;
  if (plan.status !== 'proposed') throw new Error(`a plan was refused: ${JSON.stringify(plan.decision)}`);
  if (state.endsWith('changed'))
    await ok(url, tokens.proposer, patch('/memory/edit', { uid, updates: { content: 'Changed.' } }));
  if (STATES[state] === 'approved' || STATES[state] === 'executed')
    await ok(url, tokens.owner, post('/agent/approve', { uid }));
  if (STATES[state] === 'rejected') await ok(url, tokens.owner, post('/agent/reject', { uid }));
  const now = await read();
  if (now.status !== STATES[state]) throw new Error(`${uid} should be ${state}, and is ${now.status}`);
  return now;
};

const proposers = new WeakMap<Scene, string>();
/** Actor of the proposing agent: an import may say that this is whose proposal it was. */
const proposerOf = async (scene: Scene): Promise<string> => {
  const known = proposers.get(scene) ?? (await aPlan(scene, 'proposed'))['proposed_by'];
  proposers.set(scene, known);
  return known;
};

/** none: not even a new version. noted: a new version that says the same of what is decided on. rewritten: it says something else. */
type Change = 'none' | 'noted' | 'rewritten' | Status;
type Outcome = { status: number[]; change: Change };
const is = (status: number | number[], change: Change = 'none'): Outcome => ({ status: [status].flat(), change });

type Case = { who: Who; state: State; status: Status; isPerson: boolean; isRecord: boolean };
export type Path = {
  name: string;
  send: (plan: Plan, scene: Scene) => Sent;
  expect: (c: Case) => Outcome;
  /** Where it makes sense; default everywhere. */
  on?: (state: State) => boolean;
};

const decidesOnly =
  (expect: (c: Case) => Outcome) =>
  (c: Case): Outcome =>
    c.isPerson ? expect(c) : is(403);

const approved = (c: Case): Outcome => {
  if (c.status === 'approved' || c.status === 'executed') return is(200);
  return c.status === 'proposed' && !c.isRecord ? is(200, 'executed') : is(409);
};

/** An edit of what is decided on. */
const rewritten = (c: Case): Outcome => {
  if (c.isPerson) return c.isRecord || c.status === 'rejected' ? is(409) : is(200, 'rewritten');
  if (c.who === 'proposer' && c.status === 'proposed') return c.isRecord ? is(409) : is(200, 'rewritten');
  return is(403);
};

const noted = (c: Case): Outcome => {
  if (c.isPerson) return c.status === 'rejected' ? is(409) : is(200, 'noted');
  return c.who === 'proposer' && c.status === 'proposed' ? is(200, 'noted') : is(403);
};

const isRun = ({ status, isRecord }: Case): boolean => !isRecord && (status === 'approved' || status === 'executed');
const onCalendar = (c: Case): Outcome => (c.isPerson || c.who === 'helper' ? is(200, 'noted') : is(403));
const action = ({ uid }: Plan) => ({ uid, action_type: 'schedule', title: 'Something else', duration_minutes: 15 });
const editing = (updates: (plan: Plan) => object) => (plan: Plan) =>
  patch('/memory/edit', { uid: plan.uid, updates: updates(plan) });

export const PATHS: Path[] = [
  {
    name: 'approve',
    send: ({ uid, version }) => post('/agent/approve', { uid, expected_version: version }),
    expect: decidesOnly(approved),
  },
  {
    name: 'approve without a version',
    send: ({ uid }) => post('/agent/approve', { uid }),
    expect: decidesOnly((c) => (c.state.endsWith('changed') ? is(428) : approved(c))),
  },
  {
    name: 'approve several',
    send: ({ uid, version }) => post('/agent/approve', { uids: [uid], expected_versions: { [uid]: version } }),
    expect: decidesOnly((c) => is(200, approved(c).change)),
  },
  {
    name: 'approve with edits',
    send: ({ uid, version }) =>
      post('/agent/approve', { uid, expected_version: version, edits: { title: 'Renamed by a person' } }),
    expect: decidesOnly((c) => (c.status === 'proposed' ? approved(c) : is(409))),
  },
  {
    name: 'reject',
    send: ({ uid }) => post('/agent/reject', { uid }),
    expect: decidesOnly((c) => {
      if (c.isRecord || c.status === 'executed') return is(409);
      return c.status === 'rejected' ? is(200) : is(200, 'rejected');
    }),
  },
  {
    name: 'approve its proposal',
    send: (plan) => {
      const known = plan['proposal_id'] ? { expected_versions: { [plan.uid]: plan.version } } : {};
      return post('/agent/approve', { proposal_id: plan['proposal_id'] ?? 'none', ...known });
    },
    expect: decidesOnly((c) => (c.isRecord ? is(404) : is(200, c.status === 'proposed' ? 'executed' : 'none'))),
  },
  {
    name: 'reject its proposal',
    send: (plan) => post('/agent/reject', { proposal_id: plan['proposal_id'] ?? 'none' }),
    expect: decidesOnly((c) => (c.isRecord ? is(404) : is(200, c.status === 'proposed' ? 'rejected' : 'none'))),
  },
  {
    name: 'withdraw its proposal',
    send: (plan) => post('/agent/withdraw', { proposal_id: plan['proposal_id'] ?? 'none' }),
    expect: (c) => {
      if (c.isRecord) return is(404);
      const mayWithdraw = c.isPerson || c.who === 'proposer';
      return is(200, mayWithdraw && c.status === 'proposed' ? 'rejected' : 'none');
    },
  },
  {
    name: 'make it repeat',
    send: editing(() => ({ rrule: 'FREQ=WEEKLY;COUNT=2' })),
    expect: (c) => {
      // Neither a log nor a change of the settings can repeat.
      if (c.state === 'waiting' || isOfSettings(c.state)) return c.isPerson ? is([409, 422]) : is([403, 422]);
      return c.isPerson && c.status === 'executed' ? is([409, 422]) : rewritten(c);
    },
  },
  {
    name: 'withdraw',
    send: ({ uid }) => post('/agent/withdraw', { uid }),
    expect: (c) => {
      if (!c.isPerson && c.who !== 'proposer') return is(403);
      return c.status === 'proposed' && !c.isRecord ? is(200, 'rejected') : is(409);
    },
  },
  { name: 'edit the title', send: editing(({ title }) => ({ title: `${title}!` })), expect: rewritten },
  {
    name: 'edit the time',
    send: editing((plan) => ({ scheduled_for: plan['scheduled_for'].replace(':00:00', ':15:00') })),
    expect: (c) => (c.isPerson && c.status === 'executed' ? is([409, 422]) : rewritten(c)),
    on: (state) => !isOfSettings(state) || state === 'settings waiting',
  },
  {
    name: 'edit the settings',
    send: editing((plan) => ({ arguments: limitOf(plan['arguments'].limits.budget.per_week + 10_000) })),
    expect: (c) => (c.isPerson && c.status === 'executed' ? is([409, 422]) : rewritten(c)),
    on: isOfSettings,
  },
  { name: 'edit the tags', send: editing(() => ({ tags: [randomUUID()] })), expect: noted },
  {
    name: 'feedback',
    send: ({ uid }) => post('/agent/feedback', { uid, feedback_rating: 3, notes: randomUUID() }),
    expect: () => is(200, 'noted'),
  },
  {
    name: 'remove',
    send: ({ uid }) => ({ method: 'DELETE', path: `/memory/remove?uid=${uid}` }),
    expect: () => is(409),
  },
  {
    name: 'push its uid',
    send: (plan) =>
      post('/memory/push', { traces: [{ ...action(plan), type: 'agent_plan', content: 'Something else' }] }),
    expect: () => is(409),
  },
  {
    name: 'push its uid as another type',
    send: ({ uid }) => post('/memory/push', { traces: [{ uid, type: 'observation', content: 'Something else' }] }),
    expect: () => is(409),
  },
  { name: 'propose its uid', send: (plan) => post('/agent/plan', { actions: [action(plan)] }), expect: () => is(409) },
  {
    name: 'preview its uid',
    send: (plan) => post('/chat/plan-preview', { actions: [action(plan)] }),
    expect: () => is(409),
  },
  {
    name: 'import its uid',
    send: (plan) => {
      const { uid, title, status, timestamp } = plan;
      const trace = {
        uid,
        type: 'agent_plan',
        action_type: 'schedule',
        content: 'Something else',
        timestamp,
      };
      return post('/memport/import', {
        traces: [{ ...trace, title, status: status === 'executed' ? 'proposed' : 'executed' }],
      });
    },
    expect: decidesOnly(() => is(200)),
  },
  {
    name: 'execute',
    send: ({ uid, ...plan }) => post('/agent/execute', { task_id: plan['task_id'], uid }),
    expect: (c) => (isRun(c) ? is(200, isManual(c.state) ? 'executed' : 'none') : is(409)),
  },
  {
    name: 'simulate',
    send: ({ uid, ...plan }) => post('/agent/execute', { task_id: plan['task_id'], uid, simulate: true }),
    expect: (c) => (isRun(c) ? is(200) : is(409)),
  },
  {
    name: 'edit its event',
    send: (plan) => patch('/calendar/edit', { uid: plan['linked_event_uid'], updates: { title: 'Renamed' } }),
    expect: onCalendar,
    on: (state) => state === 'executed',
  },
  {
    name: 'remove its event',
    send: (plan) => ({ method: 'DELETE', path: `/calendar/remove?uid=${plan['linked_event_uid']}` }),
    expect: onCalendar,
    on: (state) => state === 'executed',
  },
  {
    name: 'undo',
    send: ({ uid }) => post('/agent/undo', { uid }),
    expect: decidesOnly((c) => {
      if (c.status === 'proposed') return is(200);
      return c.isRecord ? is(409) : is(200, 'proposed');
    }),
  },
  {
    name: 'try to undo',
    send: ({ uid }) => post('/agent/undo', { uid, simulate: true }),
    expect: decidesOnly((c) => (c.status !== 'proposed' && c.isRecord ? is(409) : is(200))),
  },
];

const DECIDED_ON = [
  'title',
  'content',
  'action_type',
  'scheduled_for',
  'duration_minutes',
  'rrule',
  'exdates',
  'on_conflict',
  'timezone',
  'swaps_with',
  'target_event_uid',
  'arguments',
  'task_id',
  'tempo_tag',
];
export const decidedOn = (plan: Record<string, unknown>): string =>
  JSON.stringify(DECIDED_ON.map((field) => plan[field]));

const outcomeOf = (path: Path, who: Who, state: State): Outcome => {
  if (who === 'feed') return is(401);
  // A stranger reaches only things of their own: where a uid is new to them, they make one.
  if (who === 'stranger') return is([200, 201, 404, 409]);
  const status = STATES[state];
  return path.expect({
    who,
    state,
    status,
    isPerson: who === 'owner' || who === 'session',
    isRecord: state.startsWith('imported '),
  });
};

const faultOf = (before: Plan, after: Plan, answer: number, { status, change }: Outcome): string | null => {
  if (!status.includes(answer)) return `answered ${answer}, not ${status.join(' or ')}`;
  const isSame = decidedOn(before) === decidedOn(after);
  const grew = after.version > before.version;
  const is: Record<string, boolean> = {
    none: !grew && isSame,
    noted: grew && isSame && after.status === before.status,
    rewritten: grew && !isSame && after.status === before.status,
  };
  if (is[change] ?? (grew && after.status === change)) return null;
  return `should be ${change}, and is ${after.status} at version ${after.version} instead of ${before.version}${isSame ? '' : ', saying something else'}`;
};

const limitOfPlan = (plan: Plan): number => plan['arguments'].limits.budget.per_week;
/** The limit that the person has. */
export const limitNow = async ({ url, tokens }: Scene): Promise<number | null> =>
  (await ok(url, tokens.owner, get('/user/profile'))).body.settings.limits.budget.per_week;

/** What is wrong with the settings: they change when such a plan is executed or its execution is taken back, and never else. */
const settingsFault = (before: Plan, after: Plan, [was, now]: [number | null, number | null]): string | null => {
  const [isDone, isNow] = [before, after].map(({ status }) => status === 'executed');
  if (isDone === isNow) return now === was ? null : `the limit was ${was} and is ${now}`;
  const isRight = isNow ? now === limitOfPlan(after) : now !== limitOfPlan(before);
  return isRight ? null : `the limit is ${now} after a plan that says ${limitOfPlan(after)} is ${after.status}`;
};

export type Walk = { tried: number; wrong: string[] };

/** Tries every path in every state with these credentials. A plan that nothing came of is tried again. */
export const walkPaths = async (
  scenes: Record<'automatic' | 'manual', Scene>,
  {
    who,
    states = Object.keys(STATES) as State[],
    paths = PATHS,
  }: { who: readonly Who[]; states?: State[]; paths?: readonly Path[] },
): Promise<Walk> => {
  const walk: Walk = { tried: 0, wrong: [] };
  for (const state of states) {
    const scene = scenes[isManual(state) ? 'manual' : 'automatic'];
    let before = await aPlan(scene, state);
    for (const path of paths.filter(({ on }) => on?.(state) ?? true))
      for (const one of who) {
        const was = isOfSettings(state) ? await limitNow(scene) : null;
        const { status } = await call(scene.url, scene.tokens[one], path.send(before, scene));
        const after: Plan = (await ok(scene.url, scene.tokens.owner, get(`/agent/plan?uid=${before.uid}`))).body;
        const fault =
          faultOf(before, after, status, outcomeOf(path, one, state)) ??
          (isOfSettings(state) ? settingsFault(before, after, [was, await limitNow(scene)]) : null);
        walk.tried++;
        if (fault) walk.wrong.push(`${path.name} of a plan that is ${state}, by ${one}: ${fault}`);
        if (after.version !== before.version) before = await aPlan(scene, state);
      }
  }
  return walk;
};

type Entry = { version: number; actor: { kind: string; id: string }; trace: Plan };

const STEPS = new Set([
  ...['proposed>approved', 'proposed>rejected', 'approved>executed', 'approved>rejected'],
  ...['approved>proposed', 'rejected>proposed', 'executed>proposed'],
]);

/** What is wrong with the step from one version of a plan to the next, if anything. */
const breachOf = (from: Plan, { actor: { kind, id }, trace: to }: Entry, persons: Set<string>): string | null => {
  const actor = `${kind}:${id}`;
  const isPerson = persons.has(actor);
  const isAgent = actor.startsWith('agent:');
  const isRewritten = decidedOn(from) !== decidedOn(to);
  const step = `${from.status}>${to.status}`;
  if (from.status !== to.status && !STEPS.has(step)) return `${step} is no move`;
  if (to.status === 'approved' && from.status !== 'approved' && !isPerson) return `approved by ${actor}`;
  if (to.status === 'proposed' && from.status !== 'proposed' && !isPerson) return `taken back by ${actor}`;
  if (from['origin'] === 'import' && (from.status !== to.status || isRewritten))
    return `an imported plan was changed by ${actor}`;
  if (isAgent && from.status !== 'proposed' && isRewritten) return `rewritten by ${actor} when it was ${from.status}`;
  if (isRewritten && !isPerson && from['proposed_by'] !== actor) return `rewritten by ${actor}, whose it is not`;
  if (from.status === 'rejected' && isRewritten) return `rewritten by ${actor} after it was rejected`;
  return null;
};

/** Reads the histories of all plans, and finds every step that no table of moves allows. */
export const readHistories = async (scene: Scene): Promise<Walk> => {
  const walk: Walk = { tried: 0, wrong: [] };
  for (let next: string | undefined = '/agent/queue?status=all&limit=200'; next;) {
    const page = await ok(scene.url, scene.tokens.owner, get(next));
    for (const { uid } of page.body as Plan[]) {
      const history = (await ok(scene.url, scene.tokens.owner, get(`/memory/history?uid=${uid}&limit=1000`))).body;
      const entries = (history as Entry[]).toReversed();
      const first = entries[0]?.trace as Plan;
      if (first.status !== 'proposed' && first['origin'] !== 'import')
        walk.wrong.push(`${uid} began as ${first.status}`);
      for (const [i, entry] of entries.slice(1).entries()) {
        walk.tried++;
        const breach = breachOf((entries[i] as Entry).trace, entry, scene.persons);
        if (breach) walk.wrong.push(`${uid} at version ${entry.version}: ${breach}`);
      }
    }
    next = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1];
  }
  return walk;
};
