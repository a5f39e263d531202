/**
 * Every way to decide on a swap by one of its plans and to take that back, for each that was changed or not, with what must come
 * of it. Written from the decision (docs/decisions.md, Plans of one request belong together), as paths.ts is.
 */
import { call, get, ok, patch, post, type Answer, type Sent } from '../../faults/api.ts';
import { decidedOn, nextPlace, type Plan, type Scene, type Walk, type Who } from './paths.ts';

type Pair<T> = [T, T];
export type Swap = { plans: Pair<Plan>; events: Pair<string>; starts: Pair<string> };

const read = async ({ url, tokens }: Scene, { uid }: { uid: string }): Promise<Plan> =>
  (await ok(url, tokens.owner, get(`/agent/plan?uid=${uid}`))).body;

export const readBoth = async (scene: Scene, { plans: [one, other] }: Swap): Promise<Pair<Plan>> => [
  await read(scene, one),
  await read(scene, other),
];

/** Whether the events are where they were (`there`), where the other was (`exchanged`), or elsewhere. */
export const placesOf = async ({ url, tokens }: Scene, { events, starts }: Swap): Promise<string> => {
  const now: string[] = [];
  for (const uid of events)
    now.push((await ok(url, tokens.owner, get(`/calendar/event?uid=${uid}`))).body.scheduled_for);
  if (now.join() === starts.join()) return 'there';
  return now.join() === starts.toReversed().join() ? 'exchanged' : now.join(' and ');
};

/** Two waiting plans that exchange places. Those that are `changed` are at version 2, the others at 1. */
export const aSwap = async (scene: Scene, changed: Pair<boolean>): Promise<Swap> => {
  const { url, tokens, at } = scene;
  const places = [nextPlace(), nextPlace()];
  const starts = places.map(at) as Pair<string>;
  const events: string[] = [];
  for (const [i, scheduled_for] of starts.entries()) {
    const event = { title: `Rehearsal ${places[i]}`, scheduled_for, duration_minutes: 30 };
    events.push((await ok(url, tokens.owner, post('/calendar/create', event))).body.uid);
  }
  const actions = events.map((target_event_uid, i) => ({
    ...{ action_type: 'reschedule', title: `Move rehearsal ${places[i]}`, target_event_uid },
    scheduled_for: starts[1 - i],
  }));
  const { body } = await ok(url, tokens.proposer, post('/agent/plan', { actions }));
  for (const [i, is] of changed.entries())
    if (is)
      await ok(url, tokens.proposer, patch('/memory/edit', { uid: body[i].uid, updates: { title: `Changed ${i}` } }));
  const swap: Swap = { plans: body, events: events as Pair<string>, starts };
  const plans = await readBoth(scene, swap);
  if (plans[0]['swaps_with'] !== plans[1].uid) throw new Error(`no swap: ${JSON.stringify(plans[0])}`);
  return { ...swap, plans };
};

/** A request that names both plans, each with its version. */
const listed = (...plans: Plan[]) => ({
  uids: plans.map(({ uid }) => uid),
  expected_versions: Object.fromEntries(plans.map(({ uid, version }) => [uid, version])),
});

type Status = Plan['status'];
/** A swap in a state, decided on by the versions of both plans. With `approved` execution is by hand. */
export const aSwapThatIs = async (scene: Scene, state: Status, changed: Pair<boolean>): Promise<Swap> => {
  const swap = await aSwap(scene, changed);
  if (state === 'proposed') return swap;
  const way = state === 'rejected' ? 'reject' : 'approve';
  await ok(scene.url, scene.tokens.owner, post(`/agent/${way}`, listed(...swap.plans)));
  const plans = await readBoth(scene, swap);
  for (const { uid, status } of plans) if (status !== state) throw new Error(`${uid} should be ${state}, is ${status}`);
  return { ...swap, plans };
};

type Expected = string;
/** `named` and `other` say which of the two plans were changed after they were proposed. */
type Path = {
  name: string;
  on: Status[];
  send: (named: Plan, other: Plan) => Sent;
  expect: (changed: { named: boolean; other: boolean }) => Expected;
  becomes: Status;
  /** Also the agent that proposed it may. */
  agents?: true;
};

const own = ({ uid, version }: Plan) => ({ uid, expected_version: version });
const both = (named: Plan, other: Plan) => ({ ...own(named), expected_versions: { [other.uid]: other.version } });
const always = (): Expected => '200';

const APPROVED: Pick<Path, 'on' | 'becomes'> = { on: ['proposed'], becomes: 'executed' };
const TAKEN_BACK: Pick<Path, 'on' | 'becomes'> = { on: ['approved', 'rejected', 'executed'], becomes: 'proposed' };

export const SWAP_PATHS: Path[] = [
  {
    name: 'approve without a version',
    ...APPROVED,
    send: ({ uid }) => post('/agent/approve', { uid }),
    expect: ({ named, other }) => (named || other ? '428' : '200'),
  },
  {
    name: 'approve by the version of the one',
    ...APPROVED,
    send: (named) => post('/agent/approve', own(named)),
    expect: ({ other }) => (other ? '428' : '200'),
  },
  {
    name: 'approve by If-Match',
    ...APPROVED,
    send: ({ uid, version }) => post('/agent/approve', { uid }, { 'If-Match': `"${version}"` }),
    expect: ({ other }) => (other ? '428' : '200'),
  },
  {
    name: 'approve by the version of the other only',
    ...APPROVED,
    send: ({ uid }, other) => post('/agent/approve', { uid, expected_versions: { [other.uid]: other.version } }),
    expect: ({ named }) => (named ? '428' : '200'),
  },
  {
    name: 'approve by a version of the other that is over',
    ...APPROVED,
    send: (named, other) => post('/agent/approve', { ...own(named), expected_versions: { [other.uid]: 1 } }),
    expect: ({ other }) => (other ? '412' : '200'),
  },
  {
    name: 'approve by both versions',
    ...APPROVED,
    send: (...two) => post('/agent/approve', both(...two)),
    expect: always,
  },
  {
    name: 'approve both by one version',
    ...APPROVED,
    send: (named, other) =>
      post('/agent/approve', { uids: [named.uid, other.uid], expected_versions: { [named.uid]: named.version } }),
    expect: ({ other }) => (other ? '428 428' : '200 200'),
  },
  {
    name: 'approve both by both versions',
    ...APPROVED,
    send: (...two) => post('/agent/approve', listed(...two)),
    expect: () => '200 200',
  },
  {
    name: 'reject by the version of the one',
    on: ['proposed'],
    becomes: 'rejected',
    send: (named) => post('/agent/reject', own(named)),
    expect: always,
  },
  {
    name: 'withdraw by the version of the one',
    on: ['proposed'],
    becomes: 'rejected',
    agents: true,
    send: (named) => post('/agent/withdraw', own(named)),
    expect: always,
  },
  { name: 'undo', ...TAKEN_BACK, send: ({ uid }) => post('/agent/undo', { uid }), expect: always },
  {
    name: 'undo by the version of the one',
    ...TAKEN_BACK,
    send: (named) => post('/agent/undo', own(named)),
    expect: ({ other }) => (other ? '428' : '200'),
  },
  {
    name: 'undo by a version of the other that is over',
    ...TAKEN_BACK,
    send: (named, other) => post('/agent/undo', { ...own(named), expected_versions: { [other.uid]: 1 } }),
    expect: ({ other }) => (other ? '412' : '200'),
  },
  { name: 'undo by both versions', ...TAKEN_BACK, send: (...two) => post('/agent/undo', both(...two)), expect: always },
];

const saidBy = ({ status, body }: Answer): string =>
  Array.isArray(body) ? (body as { status: number }[]).map((one) => one.status).join(' ') : String(status);

const mayTry = ({ agents }: Path, who: Who): boolean =>
  who === 'owner' || who === 'session' || (agents === true && who === 'proposer');

type Try = { path: Path; who: Who; swap: Swap; half: 0 | 1; changed: Pair<boolean> };

/** Tries one path. @returns what is wrong with what came of it, and whether the plans are as they were */
const tryOne = async (
  scene: Scene,
  { path, who, swap, half, changed }: Try,
): Promise<{ wrong: string | null; isSame: boolean }> => {
  const [named, other] = [swap.plans[half], swap.plans[1 - half] as Plan];
  const answer = saidBy(await call(scene.url, scene.tokens[who], path.send(named, other)));
  const is = { named: changed[half], other: changed[1 - half] as boolean };
  const expected = mayTry(path, who) ? path.expect(is) : '403';
  const after = await readBoth(scene, swap);
  const status = expected.startsWith('200') ? path.becomes : named.status;
  const places = await placesOf(scene, swap);
  const faults = [
    ...(answer === expected ? [] : [`answered ${answer}, not ${expected}`]),
    ...after.flatMap((plan, i) => [
      ...(plan.status === status ? [] : [`plan ${i} is ${plan.status}, not ${status}`]),
      ...(decidedOn(plan) === decidedOn(swap.plans[i] as Plan) ? [] : [`plan ${i} says something else`]),
    ]),
    ...(places === (status === 'executed' ? 'exchanged' : 'there') ? [] : [`the events are ${places}`]),
  ];
  const said = `${path.name} of a swap that is ${named.status} (changed: ${changed.join(', ')}), plan ${half}, by ${who}: `;
  return {
    wrong: faults.length ? said + faults.join('; ') : null,
    isSame: after.every(({ version }, i) => version === swap.plans[i]?.version),
  };
};

export const CHANGED: Pair<boolean>[] = [
  [false, false],
  [true, false],
  [false, true],
  [true, true],
];

/** Tries every path by either plan, with these credentials. A swap that nothing came of is tried again. */
export const walkSwaps = async (
  scenes: Record<'automatic' | 'manual', Scene>,
  {
    who,
    paths = SWAP_PATHS,
    changes = CHANGED,
  }: { who: readonly Who[]; paths?: readonly Path[]; changes?: Pair<boolean>[] },
): Promise<Walk> => {
  const walk: Walk = { tried: 0, wrong: [] };
  for (const state of ['proposed', 'approved', 'rejected', 'executed'] as const)
    for (const changed of changes) {
      const scene = scenes[state === 'approved' ? 'manual' : 'automatic'];
      let swap: Swap | undefined;
      for (const path of paths.filter(({ on }) => on.includes(state)))
        for (const half of [0, 1] as const)
          for (const one of who) {
            swap ??= await aSwapThatIs(scene, state, changed);
            const { wrong, isSame } = await tryOne(scene, { path, who: one, swap, half, changed });
            walk.tried++;
            if (wrong) walk.wrong.push(wrong);
            if (!isSame) swap = undefined;
          }
    }
  return walk;
};
