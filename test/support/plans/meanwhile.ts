/** A plan changes between the moment somebody reads it and the moment their words, or their press of a button, reach it. */
import { call, get, ok, patch, post, type Sent } from '../../faults/api.ts';
import type { Behaviour, StubModel } from '../model.ts';
import { answers } from '../model.ts';
import { aPlan, decidedOn, type Plan, type Scene, type Walk, type Who } from './paths.ts';
import { ACTION } from '../planning.ts';

type Meanwhile = {
  name: string;
  by: Who;
  send: ((plan: Plan) => Sent) | null;
  /** What of it is decided: nothing, what it says, or what becomes of it. */
  changes: 'nothing' | 'what it says' | 'its status';
};

const decision = (name: string, move: string, by: Who): Meanwhile => ({
  name,
  by,
  send: ({ uid, version }) => post(`/agent/${move}`, { uid, expected_version: version }),
  changes: 'its status',
});

export const MEANWHILE: Meanwhile[] = [
  { name: 'nothing', by: 'owner', send: null, changes: 'nothing' },
  {
    name: 'feedback by another agent',
    by: 'other',
    send: ({ uid }) => post('/agent/feedback', { uid, feedback_rating: 1 }),
    changes: 'nothing',
  },
  {
    name: 'tags by the proposer',
    by: 'proposer',
    send: ({ uid }) => patch('/memory/edit', { uid, updates: { tags: ['#later'] } }),
    changes: 'nothing',
  },
  {
    name: 'an edit by the person',
    by: 'owner',
    send: ({ uid }) => patch('/memory/edit', { uid, updates: { content: 'By the person.' } }),
    changes: 'what it says',
  },
  {
    name: 'an edit by the proposer',
    by: 'proposer',
    send: ({ uid }) => patch('/memory/edit', { uid, updates: { content: 'By the agent.' } }),
    changes: 'what it says',
  },
  decision('an approval', 'approve', 'owner'),
  decision('a rejection', 'reject', 'owner'),
  decision('a withdrawal', 'withdraw', 'proposer'),
];

const read = async ({ url, tokens }: Scene, { uid }: Plan): Promise<Plan> =>
  (await ok(url, tokens.owner, get(`/agent/plan?uid=${uid}`))).body;

const happen = async ({ url, tokens }: Scene, plan: Plan, { by, send }: Meanwhile): Promise<void> => {
  if (send) await ok(url, tokens[by], send(plan));
};

const BLANK = { ...ACTION, task_id: null, tempo_tag: null, tags: [], duration_minutes: null };
const moving = (...changes: object[]) => ({
  reply: 'As you wish.',
  actions: changes.map((change) => ({ ...BLANK, ...change })),
});

/** Thinks until it is told to answer. */
const thinks = (answer: object) => {
  let asked = (): void => undefined;
  let speak = (): void => undefined;
  const reached = new Promise<void>((resolve) => (asked = resolve));
  const told = new Promise<void>((resolve) => (speak = resolve));
  const behaviour: Behaviour = (request, response) => {
    asked();
    void told.then(() => answers(answer)(request, response));
  };
  return { behaviour, reached, speak: () => speak() };
};

const WAYS = ['/agent/plan', '/chat/respond', '/chat/plan-preview'];

/** What the words ask for. */
const WISHES = ['moving', 'taking back', 'other settings'] as const;
type Wish = (typeof WISHES)[number];
type Correction = { path: string; who: 'proposer' | 'owner' | 'other'; wish: Wish };
const CORRECTIONS: Correction[] = WAYS.flatMap((path) =>
  (['proposer', 'owner', 'other'] as const).flatMap((who) => WISHES.map((wish) => ({ path, who, wish }))),
);
/** Where time is short: both who may, all corrections, and the other doors once. */
const FEW = CORRECTIONS.filter(({ path, who, wish }) =>
  path === '/agent/plan' ? who !== 'other' : who === 'proposer' && wish === 'moving',
);

const SETTINGS = { hours: null, only_in_hours: null, per_day: null, per_week: 77_777, usual_minutes: null };

/** The plan of a correction, what the model makes of the words, and whether that has come about. */
const corrected = async (scene: Scene, wish: Wish) => {
  const seen = await aPlan(scene, wish === 'other settings' ? 'settings proposed' : 'proposed');
  const target = { target_plan_uid: seen.uid };
  if (wish === 'taking back')
    return { seen, change: { ...target, cancel: true }, isMade: ({ status }: Plan) => status === 'rejected' };
  if (wish === 'moving') {
    const later = seen['scheduled_for'].replace(':00:00', ':20:00');
    const isMade = (plan: Plan): boolean => plan.status === 'proposed' && plan['scheduled_for'] === later;
    return { seen, change: { ...target, scheduled_for: later }, isMade };
  }
  const isMade = (plan: Plan): boolean =>
    plan.status === 'proposed' && plan['arguments'].limits.budget.per_week === SETTINGS.per_week;
  return { seen, change: { ...target, action_type: 'configure', title: '', settings: SETTINGS }, isMade };
};

/** A correction in words, of a plan that changes while the model thinks about it. @returns what went wrong */
const correctOne = async (
  scene: Scene,
  stub: StubModel,
  event: Meanwhile,
  { path, who, wish }: Correction,
): Promise<string | null> => {
  const { seen, change, isMade } = await corrected(scene, wish);
  const model = thinks(moving(change));
  stub.script(model.behaviour);
  const sent = call(scene.url, scene.tokens[who], post(path, { prompt: `Change ${seen['title']}` }));
  await Promise.race([model.reached, sent]);
  await happen(scene, seen, event);
  const before = await read(scene, seen);
  model.speak();
  const { status, body } = await sent;
  const after = await read(scene, seen);
  // A conversation explains in its reply what is not possible.
  const isExplained = path === '/chat/respond' && status === 200 && body.plans.length === 0 && body.reply !== '';
  const works = who !== 'other' && event.changes === 'nothing';
  const isRight = works && !path.endsWith('preview') ? isMade(after) : after.version === before.version;
  if (after.status === 'proposed') await ok(scene.url, scene.tokens.owner, post('/agent/reject', { uid: seen.uid }));
  // Another agent's model is told that the plan is not its own; the built-in planner then asks, or plans anew.
  const isAnswered = works ? status === 200 : isExplained || (path !== '/chat/respond' && status === 409);
  if (isRight && (who === 'other' || isAnswered)) return null;
  return `${path} by ${who} (${wish}), meanwhile ${event.name}: answered ${status}, ${before.status} at version ${before.version} is now ${after.status} at ${after.version}`;
};

export const correctMeanwhile = async (scene: Scene, stub: StubModel, { all }: { all: boolean }): Promise<Walk> => {
  const walk: Walk = { tried: 0, wrong: [] };
  for (const event of MEANWHILE)
    for (const correction of all ? CORRECTIONS : FEW) {
      const wrong = await correctOne(scene, stub, event, correction);
      walk.tried++;
      if (wrong) walk.wrong.push(wrong);
    }
  return walk;
};

const versionsOf = async ({ url, tokens }: Scene): Promise<string> => {
  const { body } = await ok(url, tokens.owner, get('/agent/queue?status=all&limit=1000'));
  return (body as Plan[])
    .map(({ uid, version }) => `${uid} ${version}`)
    .toSorted()
    .join();
};

/** Two readings, of a plan that changes before one of them is chosen. @returns what went wrong */
const chooseOne = async (
  scene: Scene,
  stub: StubModel,
  event: Meanwhile,
  { path, who, wish }: Correction,
): Promise<string[]> => {
  const { url, tokens } = scene;
  const { seen, change, isMade } = await corrected(scene, wish);
  const readings = moving({ title: 'Something new', choice: 1 }, { ...change, choice: 2 });
  stub.script(answers({ ...readings, reply: 'Which do you mean?', choices: ['a new one', 'the other one'] }));
  const before = await versionsOf(scene);
  const { status, body } = await call(url, tokens[who], post(path, { prompt: `Change ${seen['title']}` }));
  const wrong = (await versionsOf(scene)) === before ? [] : ['a plan came or changed before a reading was chosen'];
  if (status >= 500) wrong.push(`answered ${status}`);
  if (path === '/chat/respond') {
    if (body.choices?.length !== 2) wrong.push(`offers ${body.choices?.length} readings`);
    await happen(scene, seen, event);
    const [known, at] = [await versionsOf(scene), await read(scene, seen)];
    stub.script(); // A label is read without a model.
    const chosen = await call(url, tokens[who], post(path, { prompt: 'the other one' }));
    const [now, after] = [await versionsOf(scene), await read(scene, seen)];
    if (chosen.status >= 500 || stub.requests.length > 0)
      wrong.push(`the choice is answered ${chosen.status}, with ${stub.requests.length} requests to the model`);
    const others = (all: string): string => all.replace(new RegExp(`${seen.uid} \\d+`), '');
    if (others(now) !== others(known)) wrong.push('the choice of one reading made another plan');
    const isRight = event.changes === 'its status' ? after.version === at.version : isMade(after);
    if (!isRight)
      wrong.push(`chosen, ${at.status} at version ${at.version} is now ${after.status} at ${after.version}`);
  }
  if ((await read(scene, seen)).status === 'proposed')
    await ok(url, tokens.owner, post('/agent/reject', { uid: seen.uid }));
  return wrong.map((fault) => `${path} by ${who} (${wish}), before the choice ${event.name}: ${fault}`);
};

/** Of two readings that a model names nothing comes until one is chosen, and then only that one. */
export const chooseMeanwhile = async (scene: Scene, stub: StubModel, { all }: { all: boolean }): Promise<Walk> => {
  const walk: Walk = { tried: 0, wrong: [] };
  const asked = CORRECTIONS.filter(({ who }) => who !== 'other');
  const inChat = asked.filter(({ path }) => path === '/chat/respond');
  for (const [n, event] of MEANWHILE.entries()) {
    // The other doors end before anything can happen.
    const tried = event.send ? inChat : asked;
    for (const one of tried.filter((_, i) => all || (i + n) % 2 === 0)) {
      walk.wrong.push(...(await chooseOne(scene, stub, event, one)));
      walk.tried++;
    }
  }
  return walk;
};

const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };

/** The page that a link of the proposals' feed opens, and its buttons: they decide about what the page showed. */
export const decideMeanwhile = async (scene: Scene): Promise<Walk> => {
  const { url, tokens } = scene;
  const walk: Walk = { tried: 0, wrong: [] };
  for (const event of MEANWHILE)
    for (const decision of ['approve', 'reject']) {
      const seen = await aPlan(scene, 'proposed');
      const feed = await (await fetch(`${url}/calendar/proposals.ics?key=${tokens.feed}`)).text();
      const links = [...feed.replaceAll('\r\n ', '').matchAll(/UID:proposal-(\S+)[^]*?decide\?token=([\w.-]+)/g)];
      const token = links.find(([, uid]) => uid === seen.uid)?.[2] ?? '';
      const page = await (await fetch(`${url}/calendar/decide?token=${token}&decision=${decision}`)).text();
      const button = /value="([^"]+)" *class="named"/.exec(page)?.[1] ?? '';
      await happen(scene, seen, event);
      const before = await read(scene, seen);
      const body = `token=${encodeURIComponent(button)}`;
      const { status } = await fetch(`${url}/calendar/decide`, { method: 'POST', headers: FORM, body });
      const after = await read(scene, seen);
      const decided = decision === 'approve' ? 'executed' : 'rejected';
      const isRight =
        event.changes === 'nothing'
          ? status === 200 && after.status === decided && decidedOn(after) === decidedOn(seen)
          : after.version === before.version && (event.changes === 'its status' || status === 412);
      walk.tried++;
      if (!isRight)
        walk.wrong.push(
          `${decision} on the page, meanwhile ${event.name}: answered ${status}, now ${after.status} at ${after.version}`,
        );
      if (after.status === 'proposed') await ok(url, tokens.owner, post('/agent/reject', { uid: seen.uid }));
    }
  return walk;
};
