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

/** Thinks until it is told to answer. */
export const thinks = (change: object) => {
  let asked = (): void => undefined;
  let speak = (): void => undefined;
  const reached = new Promise<void>((resolve) => (asked = resolve));
  const told = new Promise<void>((resolve) => (speak = resolve));
  const behaviour: Behaviour = (request, response) => {
    asked();
    void told.then(() =>
      answers({ reply: 'As you wish.', actions: [{ ...ACTION, task_id: null, tempo_tag: null, tags: [], ...change }] })(
        request,
        response,
      ),
    );
  };
  return { behaviour, reached, speak: () => speak() };
};

const WAYS = ['/agent/plan', '/chat/respond', '/chat/plan-preview'];

type Correction = { path: string; who: Who; cancel: boolean };
const CORRECTIONS: Correction[] = WAYS.flatMap((path) =>
  (['proposer', 'owner', 'other'] as const).flatMap((who) => [false, true].map((cancel) => ({ path, who, cancel }))),
);
/** Where time is short: both who may, both corrections, and the other doors once. */
const FEW = CORRECTIONS.filter(({ path, who, cancel }) =>
  path === '/agent/plan' ? who !== 'other' : who === 'proposer' && !cancel,
);

/** A correction in words, of a plan that changes while the model thinks about it. @returns what went wrong */
const correctOne = async (
  scene: Scene,
  stub: StubModel,
  event: Meanwhile,
  { path, who, cancel }: Correction,
): Promise<string | null> => {
  const seen = await aPlan(scene, 'proposed');
  const later = seen['scheduled_for'].replace(':00:00', ':20:00');
  const change = { target_plan_uid: seen.uid, cancel, scheduled_for: cancel ? null : later, duration_minutes: null };
  const model = thinks(change);
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
  const isMade = cancel ? after.status === 'rejected' : after.status === 'proposed' && after['scheduled_for'] === later;
  const isRight = works && !path.endsWith('preview') ? isMade : after.version === before.version;
  if (after.status === 'proposed') await ok(scene.url, scene.tokens.owner, post('/agent/reject', { uid: seen.uid }));
  // Another agent's model is told that the plan is not its own; the built-in planner then asks, or plans anew.
  const isAnswered = works ? status === 200 : isExplained || (path !== '/chat/respond' && status === 409);
  if (isRight && (who === 'other' || isAnswered)) return null;
  return `${path} by ${who} (${cancel ? 'taking back' : 'moving'}), meanwhile ${event.name}: answered ${status}, ${before.status} at version ${before.version} is now ${after.status} at ${after.version}`;
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
