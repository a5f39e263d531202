/**
 * R14: every path that changes a plan, also one of the settings, x every state x every kind of credential, also while the model is
 * thinking or has named two readings; swaps by one plan or both; decisions that are taken back at the same moment; and an agent's
 * corrections against the person's approvals. No plan changes outside the table of moves, none by an agent once it is approved, and
 * nothing is carried out but what was approved.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { runRaces } from '../support/plans/races.ts';
import { CHANGED, walkSwaps } from '../support/plans/swaps.ts';
import { aModel, answers, says, type Behaviour, type StubModel } from '../support/model.ts';
import { chooseMeanwhile, correctMeanwhile, decideMeanwhile } from '../support/plans/meanwhile.ts';
import { ACTION } from '../support/planning.ts';
import {
  aScene,
  decidedOn,
  readHistories,
  STATES,
  walkPaths,
  WHO,
  type Plan,
  type Scene,
  type State,
  type Walk,
  type Who,
} from '../support/plans/paths.ts';
import { audit, call, get, ok, patch, post, walk as pages, type Answer, type Sent } from './api.ts';
import type { Place } from './cluster.ts';
import { servers } from './server.ts';
import { between, check, oneOf, random, type Check, type Outcome, type Trial } from './trial.ts';
import { dayAhead, instantIn } from '../support/today.ts';

/** People who storm at the same time, each with one plan after the other. */
const PEOPLE = 6;
/** A round lets everything loose within this time. */
const SPREAD_MS = 40;
const THINKING_MS = 60;

type Entry = { action: string; trace: Plan };

/** Thinks for a while, then moves the only pending plan of whoever asks, or says what is no plan: then the built-in planner answers. */
const moody: Behaviour = (request, response) => {
  const asked = JSON.stringify(request.body.messages);
  const [, uid = ''] = /(storm-\d+-\d+)/.exec(asked) ?? [];
  const day = /\d{4}-\d{2}-\d{2}T16:00/.exec(asked)?.[0] ?? null;
  const change = { target_plan_uid: uid, scheduled_for: day, duration_minutes: null, task_id: null, tempo_tag: null };
  const behaviour =
    random() < 0.3 ? says('As you wish.') : answers({ reply: 'Moved.', actions: [{ ...ACTION, ...change }] });
  setTimeout(() => behaviour(request, response), between(0, THINKING_MS));
};

const late = async (url: string, token: string, sent: Sent): Promise<Answer> => {
  await sleep(random() * SPREAD_MS);
  return call(url, token, sent);
};

/** One plan, proposed at 10:00; the agent moves it in every way it has while the person approves what they saw. */
const round = async (scene: Scene, uid: string, day: string, wrong: string[]): Promise<boolean> => {
  const { url, tokens } = scene;
  const action = {
    uid,
    action_type: 'schedule',
    title: `Rehearsal ${uid}`,
    scheduled_for: `${day}T10:00Z`,
    duration_minutes: 30,
  };
  const [seen] = (await ok(url, tokens.proposer, post('/agent/plan', { actions: [action] }))).body as [Plan];
  const prompt = (at: string) =>
    post(oneOf(['/agent/plan', '/chat/respond']), { prompt: `Move it to ${at}, that is ${day}T16:00` });
  const attacks: Sent[] = [
    prompt('15:00'),
    prompt('17:00'),
    patch('/memory/edit', { uid, updates: { scheduled_for: `${day}T${between(11, 19)}:00Z` } }),
    patch('/memory/edit', { uid, updates: { title: 'Something else', tags: ['#x'] } }),
    post('/agent/feedback', { uid, feedback_rating: between(1, 5) }),
    post('/chat/plan-preview', { prompt: `Move it to 18:00, that is ${day}T16:00` }),
  ];
  const bound = random() < 0.5 ? { expected_version: seen.version } : {};
  const [approval, ...others] = await Promise.all([
    late(url, tokens.owner, post('/agent/approve', { uid, ...bound })),
    ...attacks.map((sent) => late(url, tokens.proposer, sent)),
  ]);
  for (const { status, body } of [approval, ...others])
    if (status >= 500) wrong.push(`${uid}: answered ${status} ${JSON.stringify(body).slice(0, 200)}`);
  const after = (await ok(url, tokens.owner, get(`/agent/plan?uid=${uid}`))).body as Plan;
  const isApproved = approval.status === 200;
  if (isApproved && decidedOn(after) !== decidedOn(seen))
    wrong.push(`${uid} says something else than what was approved`);
  if (isApproved !== (after.status === 'executed'))
    wrong.push(`${uid}: approval ${approval.status}, now ${after.status}`);
  if (after.status === 'proposed') await ok(url, tokens.owner, post('/agent/reject', { uid }));
  return isApproved;
};

type Event = { uid: string; title: string; plan_uid: string | null; scheduled_for: string; duration_minutes: number };

/** Every event of a plan is what the plan said when a person approved it. */
const compareCalendar = async ({ url, tokens }: Scene): Promise<Walk> => {
  const [start, end] = [instantIn(0), `${dayAhead(700)}T00:00:00Z`];
  const events = await pages<Event>(url, tokens.owner, `/calendar/events?start=${start}&end=${end}&limit=1000`);
  const wrong: string[] = [];
  for (const event of events.filter((e) => e.plan_uid !== null)) {
    const history = (await ok(url, tokens.owner, get(`/memory/history?uid=${event.plan_uid}`))).body as Entry[];
    const approved = history.find(({ action }) => action === 'approved')?.trace;
    const says = (one: Record<string, unknown> | undefined): string =>
      JSON.stringify([one?.['title'], one?.['scheduled_for'], one?.['duration_minutes']]);
    if (says(approved) !== says(event))
      wrong.push(`${event.plan_uid}: approved ${says(approved)}, carried out ${says(event)}`);
  }
  return { tried: events.length, wrong };
};

const storm = async (
  scenes: Scene[],
  rounds: number,
  say: (line: string) => void,
): Promise<{ approved: number; wrong: string[] }> => {
  const wrong: string[] = [];
  let [approved, done] = [0, 0];
  await Promise.all(
    scenes.map(async (scene, person) => {
      for (let i = 0; i < rounds / scenes.length; i++) {
        const day = dayAhead(2 + i);
        if (await round(scene, `storm-${person}-${i}`, day, wrong)) approved++;
        if (++done % 200 === 0) say(`${done} of ${rounds} races`);
      }
    }),
  );
  return { approved, wrong };
};

const toCheck = (what: string, walks: Walk[]): Check =>
  check(
    what,
    walks.reduce((sum, { tried }) => sum + tried, 0),
    { wrong: walks.flatMap(({ wrong }) => wrong) },
  );

/** Of a quick trial. The tests walk the others too (test/api/plan-paths.test.ts). */
const FEW: State[] = ['proposed', 'changed', 'manual', 'imported approved', 'settings changed', 'settings executed'];
const SOME: Who[] = ['owner', 'proposer', 'other', 'helper'];

const SOME_SWAPS: Who[] = ['owner', 'proposer'];
const RACES = { quick: 2, full: 30 };

const walkAll = async (
  urls: string[],
  stub: StubModel,
  quick: boolean,
): Promise<{ checks: Check[]; scenes: Scene[] }> => {
  const [url] = urls as [string];
  const scene = (execution: 'automatic' | 'manual' = 'automatic') => aScene(url, dayAhead(0), execution);
  const [automatic, manual, words, feed] = [await scene(), await scene('manual'), await scene(), await scene()];
  const states = quick ? FEW : (Object.keys(STATES) as State[]);
  const who = quick ? SOME : WHO;
  const paths = await walkPaths({ automatic, manual }, { who, states });
  const deciding = who.filter((one) => !['feed', 'stranger'].includes(one));
  const swaps = await walkSwaps({ automatic, manual }, { who: quick ? SOME_SWAPS : deciding });
  const races = await runRaces({ automatic, manual, urls }, quick ? RACES.quick : RACES.full);
  const corrections = await correctMeanwhile(words, stub, { all: !quick });
  const chosen = await chooseMeanwhile(words, stub, { all: !quick });
  const pressed = await decideMeanwhile(feed);
  const checks = [
    toCheck(`paths x states (${states.length}) x credentials (${who.length})`, [paths]),
    toCheck(`paths x swaps (${CHANGED.length} x 4 states), by either plan`, [swaps]),
    toCheck('decisions that are taken back at the same moment', [races]),
    toCheck('words about a plan that changes meanwhile', [corrections]),
    toCheck('readings that are chosen of a plan that changes meanwhile', [chosen]),
    toCheck('buttons for a plan that changes meanwhile', [pressed]),
  ];
  return { checks, scenes: [automatic, manual, words, feed] };
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const stub = await aModel();
  const env = { ...place.env, OPENAI_BASE_URL: stub.baseURL, OPENAI_API_KEY: 'x' };
  const instances = await servers(place.instances(2), env);
  const urls = instances.map(({ url }) => url);
  const [url] = urls as [string];
  const { checks, scenes } = await walkAll(urls, stub, quick);
  say(`${checks[0]?.tried} times a path was tried; now the races`);
  stub.script(moody);
  const rounds = quick ? 36 : 1_200;
  const stormy: Scene[] = [];
  for (let i = 0; i < PEOPLE; i++) stormy.push(await aScene(urls[i % urls.length] as string, dayAhead(0), 'automatic'));
  const { approved, wrong } = await storm(stormy, rounds, say);
  await sleep(1_000); // what is carried out late is carried out by now
  const everybody = [...scenes, ...stormy];
  const histories: Walk[] = [];
  for (const scene of everybody) histories.push(await readHistories(scene));
  const calendars: Walk[] = [];
  for (const scene of stormy) calendars.push(await compareCalendar(scene));
  const people = everybody.map(({ tokens }) => ({ user_id: tokens.owner.slice(0, 16), key: tokens.owner }));
  checks.push(
    check('corrections against approvals', rounds, { wrong }),
    toCheck('versions of plans, by the table of moves', histories),
    toCheck('events, against what was approved', calendars),
    check('ledgers verified', people.length, { wrong: await audit(url, people) }),
    check('processes', instances.length, { wrong: instances.flatMap((s) => s.accidents) }),
  );
  await Promise.all(instances.map((s) => s.stop()));
  await stub.close();
  const facts = [
    `${instances.length} instances; ${rounds} plans, each with one approval and six changes by its agent at once:`,
    `${approved} approved as they were seen.`,
  ];
  return { checks, facts };
};

export const R14: Trial = {
  id: 'R14',
  title: 'plans changed by every path, in every state, by everybody, at the same moment',
  places: ['postgres'],
  embedded: true,
  run,
};
