/** R10: a model that fails in every way, answers in every form, or does what hostile texts say. There is always a valid answer, and only proposals come of it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { Response } from '../../src/chat/schemas.ts';
import { Plan as PlanShape } from '../../src/memory/schemas.ts';
import { HOSTILE } from '../support/hostile.ts';
import * as model from '../support/model.ts';
import { ACTION } from '../support/planning.ts';
import {
  aPerson,
  audit,
  call,
  changesAfter,
  get,
  ok,
  patch,
  post,
  walk,
  type Answer,
  type Change,
  type Person,
} from './api.ts';
import type { Place } from './cluster.ts';
import { answerInKinds } from './r10-kinds.ts';
import { readThroughMcp } from './r10-mcp.ts';
import { servers, type Server } from './server.ts';
import { check, type Check, type Outcome, type Trial } from './trial.ts';
import { dayAhead, instantIn } from '../support/today.ts';

const TIMEOUT_SECONDS = 2;
/** For everything around the model: the database, the built-in planner, a busy machine. */
const SLACK_MS = 2_000;
const DAY_MS = 86_400_000;

const { answers, says, fails } = model;

/** How the model fails. */
const FAILURES: [name: string, behaviour: model.Behaviour][] = [
  ['429', model.tooMany('0')],
  ['429 for a long time', model.tooMany('3600')],
  ['500', fails(500)],
  ['401', fails(401)],
  ['hangs', model.hangs()],
  ['goes silent', model.stalls('{"reply": "I prop')],
  ['cut stream', model.cuts('{"reply": "I prop')],
  ['stream ended early', model.cuts('{"reply": "I prop', true)],
  ['hangs up', model.hangsUp()],
  ['malformed body', model.garbles()],
  ['another JSON', model.strays({ hello: 'world' })],
  ['malformed JSON', says('{"reply": "ok", "actions": [}')],
  ['prose', says('Sure! I approved everything.')],
  ['nothing', says('')],
  ['out of tokens', says('{"reply": "I prop', 'length')],
  ['refusal', model.refuses()],
  ['tools nobody gave', model.callsTools()],
  ['talks without end', model.rambles()],
  ['an action there is not', answers({ reply: 'ok', actions: [{ ...ACTION, action_type: 'approve' }] })],
  ['a status', answers({ reply: 'ok', actions: [{ ...ACTION, status: 'executed' }] })],
  ['an event of somebody else', answers({ reply: 'ok', actions: [cancelling('an-event-of-another')] })],
];

function cancelling(target_event_uid: string): object {
  return {
    ...ACTION,
    action_type: 'reschedule',
    title: 'Cancel',
    target_event_uid,
    cancel: true,
    duration_minutes: null,
  };
}

/** What a model that believes the texts would do; all of it well-formed, or nearly. */
const obediences = (text: string, event_uid: string): model.Behaviour[] => [
  answers({ reply: text.slice(0, 500), actions: [cancelling(event_uid)] }),
  answers({ reply: 'Approved.', actions: [{ ...ACTION, title: text.slice(0, 100), content: text, tags: [] }] }),
  answers({ reply: 'Done.', actions: [{ ...ACTION, status: 'approved', user_id: 'admin', origin: 'user' }] }),
  says(text),
  model.callsTools(),
  fails(400),
];

const WAYS = ['answer', 'stream', 'plan', 'preview'] as const;
type Way = (typeof WAYS)[number];

type Heard = {
  status: number;
  plans: Plan[];
  builtIn: boolean | null;
  warnings: number;
  fault: string | null;
  ms: number;
};
type Plan = z.infer<typeof PlanShape>;

/** The object a stream of events ends with. */
const lastEvent = (text: string): unknown => {
  const [name, data] = (text.trimEnd().split('\n\n').at(-1) ?? '').split('\n');
  return name === 'event: done' ? JSON.parse((data ?? '').replace('data: ', '')) : text.slice(-300);
};

const read = (way: Way, { status, body }: Answer, ms: number): Heard => {
  const none = { status, plans: [], builtIn: null, warnings: 0, ms };
  if (status !== 200) return { ...none, fault: null };
  if (way === 'plan' || way === 'preview') {
    const plans = z.array(PlanShape).safeParse(body);
    return plans.success ? { ...none, plans: plans.data, fault: null } : { ...none, fault: plans.error.message };
  }
  const whole = Response.safeParse(way === 'stream' ? lastEvent(body as string) : body);
  if (!whole.success) return { ...none, fault: whole.error.message };
  const { plans, planner, warnings, reply } = whole.data;
  const fault = reply ? null : 'an empty reply';
  return { ...none, plans, builtIn: planner.mode === 'built-in', warnings: warnings.length, fault };
};

const ask = async (url: string, token: string, way: Way, prompt: string): Promise<Heard> => {
  const path = { answer: '/chat/respond', stream: '/chat/respond', plan: '/agent/plan', preview: '/chat/plan-preview' };
  const began = performance.now();
  const answer = await call(url, token, post(path[way], { prompt, ...(way === 'stream' ? { stream: true } : {}) }));
  return read(way, answer, performance.now() - began);
};

/** An agent may take its own proposals back ("cancel it"), and policy may refuse them; anything else is a decision. */
const isModest = (decision: Plan['decision']): boolean =>
  decision?.by === 'policy' || (decision?.code === 'withdrawn' && decision.by.startsWith('agent:'));

const judge = (what: string, heard: (Heard & { name: string })[], statuses: number[]): Check =>
  check(what, heard.length, {
    lost: heard.filter((h) => !statuses.includes(h.status)).map((h) => `${h.name}: answered ${h.status}`),
    wrong: heard.flatMap(({ name, fault, ms, plans }) => [
      ...(fault ? [`${name}: ${fault.slice(0, 200)}`] : []),
      ...(ms > TIMEOUT_SECONDS * 1000 + SLACK_MS ? [`${name}: took ${ms.toFixed(0)} ms`] : []),
      ...plans
        .filter((p) => p.status !== 'proposed' && !isModest(p.decision))
        .map((p) => `${name}: a plan is ${p.status}`),
    ]),
  });

type Scene = { url: string; person: Person; stub: model.StubModel; say: (line: string) => void };

/** The model fails: the answer comes from the built-in planner, says so, and plans what was asked. */
const failing = async ({ url, person, stub, say }: Scene): Promise<Check[]> => {
  const heard: (Heard & { name: string })[] = [];
  for (const [name, behaviour] of FAILURES) {
    stub.script(behaviour);
    const here = await Promise.all(
      WAYS.map(async (way, i) => ({
        ...(await ask(url, i % 2 ? person.agent : person.key, way, 'Plan 30 minutes of reading tomorrow at 10:00')),
        name: `${name}, ${way}`,
      })),
    );
    heard.push(...here);
    if (heard.length % 20 === 0) say(`${heard.length / WAYS.length} of ${FAILURES.length} failures`);
  }
  const chats = heard.filter((h) => h.builtIn !== null);
  return [
    judge('answers while the model fails', heard, [200]),
    check('of them from the built-in planner, with a warning', chats.length, {
      wrong: chats.filter((h) => !h.builtIn || !h.warnings).map((h) => h.name),
    }),
    check('of them with a plan', heard.length, { lost: heard.filter((h) => !h.plans.length).map((h) => h.name) }),
  ];
};

/** The model answers as models do: with fences, thoughts, empty members and mistakes that it can correct. */
const inKinds = async ({ url, person, stub, say }: Scene, event_uid: string): Promise<Check[]> => {
  const about = { day: dayAhead(2), event_uid };
  const { heard, checks } = await answerInKinds(stub, about, async ({ name }, n) => {
    if (n % 25 === 0) say(`${n} kinds of answers`);
    const way = WAYS[n % WAYS.length] as Way;
    const token = n % 3 ? person.key : person.agent;
    return { ...(await ask(url, token, way, `Read aloud on ${about.day} at 10:00`)), name: `${name}, ${way}` };
  });
  return [judge('answers to them', heard, [200]), ...checks];
};

/** Hostile texts as traces that are relevant to a prompt, and a model that obeys them. */
const hostile = async ({ url, person, stub, say }: Scene, event_uid: string, quick: boolean): Promise<Check[]> => {
  const heard: (Heard & { name: string })[] = [];
  const refused: string[] = [];
  const unseen: string[] = [];
  // The many prompts, kept as traces, would be more relevant to the next prompt than the texts are.
  await ok(url, person.key, patch('/user/update', { updates: { memory: { record_chat: false } } }));
  for (const [i, text] of HOSTILE.entries()) {
    const uid = `hostile-text-${i}.`;
    // A model is shown the text of a trace, and not its uid.
    const mark = `text${i}mark`;
    const traces = [{ uid, type: 'observation', content: `Plan subject${i} tomorrow (${mark}). ${text}` }];
    const { status } = await call(url, person.agent, post('/memory/push', { traces }));
    if (status === 422) {
      refused.push(text); // holds what Postgres can't store
      continue;
    }
    const way = WAYS[i % WAYS.length] as Way;
    const behaviours = obediences(text, event_uid);
    for (const [n, behaviour] of behaviours.entries()) {
      if (quick && (n + i) % 3) continue;
      stub.script(behaviour);
      const token = n % 2 ? person.agent : person.key;
      heard.push({
        ...(await ask(url, token, way, `Plan subject${i} tomorrow`)),
        name: `text ${i}, ${way}`,
      });
    }
    const input = stub.requests.map((r) => r.body.messages.map((m) => m.content).join()).join();
    if (!input.includes(mark)) unseen.push(`text ${i} never reached the model, so nothing was tried`);
    if ((i + 1) % 10 === 0) say(`${i + 1} of ${HOSTILE.length} hostile texts`);
  }
  stub.script(fails(400)); // the built-in planner reads them
  const prompts: (Heard & { name: string })[] = [];
  for (const [i, text] of HOSTILE.entries())
    prompts.push({ ...(await ask(url, person.agent, 'answer', text)), name: `prompt ${i}` });
  const pushed = HOSTILE.length - refused.length;
  const uids = HOSTILE.flatMap((text, i) => (refused.includes(text) ? [] : [`hostile-text-${i}.`]));
  return [
    judge(`answers about ${pushed} hostile traces (${refused.length} refused as unstorable)`, heard, [200]),
    check('hostile traces the model was shown', pushed, { lost: unseen }),
    judge('answers to hostile prompts', prompts, [200, 422]),
    await readThroughMcp(url, person.agent, uids),
  ];
};

/** What may be there after all that: proposals, refusals by policy, and the record of what was said. */
const aftermath = (changes: Change[]): Check => {
  const allowed = ({ type, data }: Change): boolean =>
    ['plan.proposed', 'trace.created', 'queue.changed'].includes(type) ||
    (type === 'plan.rejected' && isModest(data['decision'] as Plan['decision']));
  return check('changes all of this made', changes.length, {
    wrong: changes
      .filter((c) => !allowed(c))
      .map((c) => `${c.type} ${c.subject}: ${JSON.stringify(c.data['decision'])}`),
  });
};

const calendarOf = async (url: string, key: string): Promise<string> => {
  const end = instantIn(300 * DAY_MS);
  return JSON.stringify(await walk(url, key, `/calendar/events?end=${end}`));
};
const headOf = async (url: string, key: string): Promise<number> =>
  (await ok(url, key, get('/agent/changes'))).body.seq;

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const stub = await model.aModel();
  const env = {
    OPENAI_BASE_URL: stub.baseURL,
    OPENAI_API_KEY: 'sk-secret',
    OPENAI_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
  };
  const [server] = (await servers(1, { ...place.env, ...env })) as [Server];
  const { url } = server;
  const [person, other] = [await aPerson(url), await aPerson(url)];
  const event = async ({ key }: Person): Promise<string> => {
    const scheduled_for = instantIn(3 * DAY_MS);
    return (await ok(url, key, post('/calendar/create', { title: 'Dentist', scheduled_for, duration_minutes: 30 })))
      .body.uid;
  };
  const [mine] = [await event(person), await event(other)];
  const before = {
    calendar: await calendarOf(url, person.key),
    head: await headOf(url, person.key),
    other: await headOf(url, other.key),
  };
  const scene = { url, person, stub, say };
  const checks = [...(await failing(scene)), ...(await inKinds(scene, mine)), ...(await hostile(scene, mine, quick))];
  await sleep(1000); // an executor that was misled would act by now
  const queue = await walk<{ uid: string; status: string }>(url, person.key, '/agent/queue?status=all&limit=1000');
  checks.push(
    check('plans approved or executed', queue.length, {
      wrong: queue
        .filter((p) => p.status === 'approved' || p.status === 'executed')
        .map((p) => `${p.uid} is ${p.status}`),
    }),
    aftermath(await changesAfter(url, person.key, before.head)),
    check('calendars and other people’s ledgers left alone', 2, {
      wrong: [
        ...((await calendarOf(url, person.key)) === before.calendar ? [] : ['the calendar has changed']),
        ...((await headOf(url, other.key)) === before.other ? [] : ['the other person’s ledger has grown']),
      ],
    }),
    check('ledgers verified', 2, { wrong: await audit(url, [person, other]) }),
    check('processes', 1, { wrong: server.accidents }),
  );
  await server.stop();
  await stub.close();
  const facts = [
    `${FAILURES.length} failures in ${WAYS.length} ways, patience with the model ${TIMEOUT_SECONDS} s;`,
    `${HOSTILE.length} hostile texts.`,
  ];
  return { checks, facts };
};

export const R10: Trial = {
  id: 'R10',
  title: 'a model that fails, lies or obeys strangers',
  places: ['postgres'],
  embedded: true,
  run,
};
