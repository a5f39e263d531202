/**
 * Decisions that are taken back at the same moment as something else happens to the plan, through every instance of the service: each
 * takes effect once, and nothing stays on the calendar that no plan stands for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { call, get, ok, patch, post, type Answer, type Sent } from '../../faults/api.ts';
import { aPlan, decidedOn, nextPlace, type Plan, type Scene, type State, type Walk } from './paths.ts';
import { aSwapThatIs, placesOf, readBoth } from './swaps.ts';
import { instantIn } from '../today.ts';

/** People with automatic and with manual execution, and the URLs of all instances. */
export type Races = { automatic: Scene; manual: Scene; urls: string[] };
type Race = {
  name: string;
  run: (races: Races) => Promise<string[]>;
  /** It waits until the time of a plan is over. */ waits?: true;
};

const AT_ONCE = 4;
const SOON_MS = 1_500;
const POLL_MS = 100;

const read = async ({ url, tokens }: Scene, uid: string): Promise<Plan> =>
  (await ok(url, tokens.owner, get(`/agent/plan?uid=${uid}`))).body;

/** The person's requests at the same moment, each to another instance. */
const atOnce = ({ urls }: Races, { tokens }: Scene, all: Sent[]): Promise<Answer[]> =>
  Promise.all(all.map((sent, i) => call(urls[i % urls.length] as string, tokens.owner, sent)));

const undo = (uid: string): Sent => post('/agent/undo', { uid });
const undos = (uid: string): Sent[] => Array.from({ length: AT_ONCE }, () => undo(uid));
const statusesOf = (answers: Answer[]): string => answers.map(({ status }) => status).join(' ');

/** How often a plan began to wait again. */
const reopened = async ({ url, tokens }: Scene, uid: string): Promise<number> => {
  const history = (await ok(url, tokens.owner, get(`/memory/history?uid=${uid}&limit=1000`))).body as { trace: Plan }[];
  const statuses = history.toReversed().map(({ trace }) => trace.status);
  return statuses.filter((status, i) => i > 0 && status === 'proposed' && statuses[i - 1] !== 'proposed').length;
};

/** How many events a plan has on the calendar. */
const eventsOf = async ({ url, tokens }: Scene, { uid, ...plan }: Plan): Promise<number> => {
  const start = plan['scheduled_for'] as string;
  const end = Temporal.Instant.from(start).add({ minutes: 30 }).toString();
  const { body } = await ok(url, tokens.owner, get(`/calendar/events?start=${start}&end=${end}`));
  return (body as { plan_uid: string | null }[]).filter(({ plan_uid }) => plan_uid === uid).length;
};

type Fact = string | number | boolean;
const faultsIn = (said: Record<string, [is: Fact, must: Fact]>): string[] =>
  Object.entries(said).flatMap(([what, [is, must]]) => (is === must ? [] : [`${what}: ${is}, not ${must}`]));

const wants = (times: number, status: number): string => Array.from({ length: times }, () => status).join(' ');

const undoOften = (state: State): Race => ({
  name: `undo ${AT_ONCE} times of a plan that is ${state}`,
  run: async (races) => {
    const scene = races[state === 'manual' ? 'manual' : 'automatic'];
    const plan = await aPlan(scene, state);
    const answers = await atOnce(races, scene, undos(plan.uid));
    return faultsIn({
      answers: [statusesOf(answers), wants(AT_ONCE, 200)],
      status: [(await read(scene, plan.uid)).status, 'proposed'],
      'times it was taken back': [await reopened(scene, plan.uid), 1],
      events: [await eventsOf(scene, plan), 0],
    });
  },
});

/** A proposal whose time is over before anybody decides. */
const anExpiredPlan = async (scene: Scene): Promise<Plan> => {
  const { url, tokens } = scene;
  const action = { action_type: 'schedule', title: `Soon ${nextPlace()}`, duration_minutes: 1 };
  const actions = [{ ...action, scheduled_for: instantIn(SOON_MS) }];
  let [plan] = (await ok(url, tokens.proposer, post('/agent/plan', { actions }))).body as [Plan];
  while (plan.status === 'proposed') {
    await sleep(POLL_MS);
    plan = await read(scene, plan.uid);
  }
  // A proposal that came too late was refused with a time that is over only now.
  while (Date.parse(plan['scheduled_for']) >= Date.parse(instantIn(0))) await sleep(POLL_MS);
  return plan;
};

const undoExpired: Race = {
  name: `undo ${AT_ONCE} times of a plan that expired`,
  waits: true,
  run: async (races) => {
    const scene = races.automatic;
    const plan = await anExpiredPlan(scene);
    const answers = await atOnce(races, scene, undos(plan.uid));
    const uids = [...new Set(answers.map(({ body }) => body.uid as string))];
    const { body: queue } = await ok(scene.url, scene.tokens.owner, get('/agent/queue?limit=1000'));
    const again = (queue as Plan[]).filter((one) => one['linked_trace_ids'].includes(plan.uid));
    const faults = faultsIn({
      answers: [statusesOf(answers), wants(AT_ONCE, 200)],
      'proposals in the answers': [uids.length, 1],
      'proposals in the queue': [again.length, 1],
      status: [(await read(scene, plan.uid)).status, 'rejected'],
    });
    for (const { uid } of again) await ok(scene.url, scene.tokens.owner, post('/agent/reject', { uid }));
    const late = await atOnce(races, scene, undos(plan.uid));
    return [...faults, ...faultsIn({ 'answers after its decision': [statusesOf(late), wants(AT_ONCE, 409)] })];
  },
};

/** A person edits the links of an executed plan, before or while it is taken back. What it made goes, and is made once again. */
const undoAgainstLinks = (when: 'before' | 'meanwhile'): Race => ({
  name: `undo of a plan whose links are edited ${when}`,
  run: async (races) => {
    const scene = races.automatic;
    const plan = await aPlan(scene, 'executed');
    const edits = [{ child_trace_ids: [] }, { linked_event_uid: null, child_trace_ids: plan['linked_trace_ids'] }].map(
      (updates) => patch('/memory/edit', { uid: plan.uid, updates }),
    );
    if (when === 'before') for (const sent of edits) await ok(scene.url, scene.tokens.owner, sent);
    const answers = await atOnce(races, scene, [undo(plan.uid), ...(when === 'before' ? [] : edits), undo(plan.uid)]);
    const now = await read(scene, plan.uid);
    const faults = faultsIn({
      'answers of undo': [statusesOf([answers[0], answers.at(-1)] as Answer[]), '200 200'],
      'server errors': [answers.filter(({ status }) => status >= 500).length, 0],
      status: [now.status, 'proposed'],
      events: [await eventsOf(scene, plan), 0],
    });
    const again = post('/agent/approve', { uid: plan.uid, expected_version: now.version });
    const { status } = await call(scene.url, scene.tokens.owner, again);
    return [
      ...faults,
      ...faultsIn({
        'answer to another approval': [status, 200],
        'events after it': [await eventsOf(scene, plan), 1],
      }),
    ];
  },
});

const undoAgainstEvent: Race = {
  name: 'undo of a plan whose event is edited meanwhile',
  run: async (races) => {
    const scene = races.automatic;
    const plan = await aPlan(scene, 'executed');
    const edit = patch('/calendar/edit', { uid: plan['linked_event_uid'], updates: { title: 'Mine' } });
    const statuses = statusesOf(await atOnce(races, scene, [undo(plan.uid), edit]));
    const isUndone = statuses === '200 404';
    return faultsIn({
      answers: [isUndone || statuses === '409 200', true],
      events: [await eventsOf(scene, plan), isUndone ? 0 : 1],
      status: [(await read(scene, plan.uid)).status, isUndone ? 'proposed' : 'executed'],
    });
  },
};

const swapUndone = (state: 'approved' | 'rejected' | 'executed'): Race => ({
  name: `undo by both plans of a swap that is ${state}`,
  run: async (races) => {
    const scene = races[state === 'approved' ? 'manual' : 'automatic'];
    const swap = await aSwapThatIs(scene, state, [false, true]);
    const uids = swap.plans.map(({ uid }) => uid);
    const answers = await atOnce(races, scene, [...uids, ...uids].map(undo));
    const counts = [await reopened(scene, uids[0] as string), await reopened(scene, uids[1] as string)];
    return faultsIn({
      answers: [statusesOf(answers), wants(4, 200)],
      'times they were taken back': [counts.join(' '), '1 1'],
      statuses: [(await readBoth(scene, swap)).map(({ status }) => status).join(' '), 'proposed proposed'],
      events: [await placesOf(scene, swap), 'there'],
    });
  },
});

/** The person decides by what they read of both plans, or of one, while the agent changes one of them. */
const swapApproved: Race = {
  name: 'approvals of a swap whose plans are changed meanwhile',
  run: async (races) => {
    const scene = races.automatic;
    const swap = await aSwapThatIs(scene, 'proposed', [true, false]);
    const [one, other] = swap.plans;
    const bound = { expected_version: one.version, expected_versions: { [other.uid]: other.version } };
    const change = ({ uid }: Plan) =>
      call(scene.url, scene.tokens.proposer, patch('/memory/edit', { uid, updates: { title: 'Something else' } }));
    const [answers, changes] = await Promise.all([
      atOnce(races, scene, [
        post('/agent/approve', { uid: one.uid, ...bound }),
        post('/agent/approve', { uid: one.uid, expected_version: one.version }),
        post('/agent/approve', { uid: other.uid, expected_version: other.version }),
      ]),
      Promise.all([change(other), change(one)]),
    ]);
    const after = await readBoth(scene, swap);
    const isExecuted = answers.some(({ status }) => status === 200);
    const asSeen = after.filter((plan, i) => decidedOn(plan) === decidedOn(swap.plans[i] as Plan)).length;
    return faultsIn({
      'other answers': [answers.filter(({ status }) => ![200, 412, 428].includes(status)).length, 0],
      'other answers to the agent': [changes.filter(({ status }) => ![200, 403].includes(status)).length, 0],
      statuses: [after.map(({ status }) => status).join(' '), wantsOf(isExecuted ? 'executed' : 'proposed')],
      'plans that say what was approved': [isExecuted ? asSeen : 2, 2],
      events: [await placesOf(scene, swap), isExecuted ? 'exchanged' : 'there'],
    });
  },
};
const wantsOf = (status: string): string => `${status} ${status}`;

const RACES: Race[] = [
  ...(['waiting', 'manual', 'executed', 'rejected'] as const).map(undoOften),
  undoExpired,
  undoAgainstLinks('before'),
  undoAgainstLinks('meanwhile'),
  undoAgainstEvent,
  ...(['approved', 'rejected', 'executed'] as const).map(swapUndone),
  swapApproved,
];

/** Runs every race so many times; those that wait for the clock only where the clock of the service runs. */
export const runRaces = async (races: Races, rounds: number, { clockRuns = true } = {}): Promise<Walk> => {
  const walk: Walk = { tried: 0, wrong: [] };
  for (let i = 0; i < rounds; i++)
    for (const { name, run } of RACES.filter(({ waits }) => clockRuns || !waits)) {
      const faults = await run(races);
      walk.tried++;
      if (faults.length) walk.wrong.push(`${name}: ${faults.join('; ')}`);
    }
  return walk;
};
