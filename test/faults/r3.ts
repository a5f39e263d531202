/** R3: everybody approves at once. No two blocks overlap, no budget or cadence rule is overshot, and nothing is refused without a reason. */
import { aPerson, audit, call, ok, patch, post, walk, type Answer, type Person } from './api.ts';
import type { Place } from './cluster.ts';
import { servers, type Server } from './server.ts';
import { between, check, oneOf, random, type Check, type Outcome, type Trial } from './trial.ts';
import { dayAhead, instantIn } from '../support/today.ts';

const ZONE = 'Europe/Berlin';
const DAYS = 20;
const AT_ONCE = 100;
/** Share of approvals that are of a plan somebody else is approving at the same moment on the other instance. */
const TWICE = 0.3;
const PER_DAY = 5;
const MEETINGS_PER_DAY = 2;
const REFLECTIONS_PER_WEEK = 3;

const LIMITS = {
  budget: { per_day: PER_DAY },
  cadence: [
    { id: 'meetings', action_type: 'schedule', tag: '@meeting', max: MEETINGS_PER_DAY, per: 'day' },
    { id: 'reflections', action_type: 'reflect', max: REFLECTIONS_PER_WEEK, per: 'week' },
  ],
};

type Plan = {
  uid: string;
  status: string;
  action_type: string;
  tempo_tag: string | null;
  scheduled_for: string;
  duration_minutes: number | null;
};
type Event = { uid: string; plan_uid: string | null; scheduled_for: string; end: string };

/** Mostly blocks of half an hour to two hours in the same twelve hours of a day: they overlap nearly all. */
const anAction = (): object => {
  const day = dayAhead(between(2, DAYS + 1));
  const time = `${String(between(8, 19)).padStart(2, '0')}:${oneOf(['00', '15', '30', '45'])}`;
  const kind = random();
  const what =
    kind < 0.8
      ? { action_type: 'schedule', duration_minutes: 15 * between(2, 8), tempo_tag: oneOf(['@meeting', '@deep_work']) }
      : { action_type: kind < 0.9 ? 'reflect' : 'log' };
  return { ...what, title: 'Wanted by many', scheduled_for: `${day}T${time}` };
};

/** Proposed without limits, which would refuse most of them at once; then the limits are set. */
const propose = async ({ url }: Server, { key, agent }: Person, count: number): Promise<Plan[]> => {
  const plans: Plan[] = [];
  for (let made = 0; made < count; made += AT_ONCE) {
    const actions = Array.from({ length: Math.min(AT_ONCE, count - made) }, anAction);
    plans.push(...((await ok(url, agent, post('/agent/plan', { actions }))).body as Plan[]));
  }
  await ok(url, key, patch('/user/update', { updates: { limits: LIMITS } }));
  return plans;
};

const dayOf = (plan: Plan): string =>
  Temporal.Instant.from(plan.scheduled_for).toZonedDateTimeISO(ZONE).toPlainDate().toString();
const weekOf = (plan: Plan): string => {
  const date = Temporal.PlainDate.from(dayOf(plan));
  return date.subtract({ days: date.dayOfWeek - 1 }).toString();
};

/** The rules a plan counts against, and what it is counted under. */
const rulesOf = (plan: Plan): { name: string; max: number }[] => [
  { name: `plans on ${dayOf(plan)}`, max: PER_DAY },
  ...(plan.action_type === 'schedule' && plan.tempo_tag === '@meeting'
    ? [{ name: `meetings on ${dayOf(plan)}`, max: MEETINGS_PER_DAY }]
    : []),
  ...(plan.action_type === 'reflect'
    ? [{ name: `reflections in the week of ${weekOf(plan)}`, max: REFLECTIONS_PER_WEEK }]
    : []),
];

const overlapsOf = (events: Event[]): string[] => {
  const sorted = events.toSorted((a, b) => a.scheduled_for.localeCompare(b.scheduled_for));
  const found: string[] = [];
  let last: Event | undefined;
  for (const event of sorted) {
    if (last && event.scheduled_for < last.end) found.push(`${last.uid} and ${event.uid} at ${event.scheduled_for}`);
    if (!last || event.end > last.end) last = event;
  }
  return found;
};

const isTaken = (plan: Plan, events: Event[]): boolean => {
  if (plan.action_type !== 'schedule') return false;
  const start = Date.parse(plan.scheduled_for);
  const end = start + (plan.duration_minutes ?? 0) * 60_000;
  return events.some((e) => Date.parse(e.scheduled_for) < end && Date.parse(e.end) > start);
};

type Given = { uid: string; answer: Answer };

const judge = (given: Given[], plans: Plan[], events: Event[]): Check[] => {
  const used = new Map<string, { times: number; max: number }>();
  const decided = plans.filter((p) => p.status === 'approved' || p.status === 'executed');
  for (const { name, max } of decided.flatMap(rulesOf))
    used.set(name, { times: (used.get(name)?.times ?? 0) + 1, max });
  const isFull = ({ name, max }: { name: string; max: number }): boolean => (used.get(name)?.times ?? 0) >= max;
  const over = [...used].filter(([, { times, max }]) => times > max).map(([name, { times }]) => `${times} ${name}`);
  const byUid = new Map(plans.map((p) => [p.uid, p]));
  const yes = new Set(given.filter((g) => g.answer.status === 200).map((g) => g.uid));
  const no = [...new Set(given.filter((g) => g.answer.status === 409).map((g) => g.uid))];
  const blocks = Map.groupBy(events, (e) => e.plan_uid ?? '');
  const scheduled = decided.filter((p) => p.action_type === 'schedule');
  return [
    check('approvals at once', given.length, {
      wrong: given
        .filter((g) => g.answer.status !== 200 && g.answer.status !== 409)
        .map((g) => `${g.answer.status} ${JSON.stringify(g.answer.body).slice(0, 200)}`),
    }),
    check('plans answered 200', yes.size, {
      lost: [...yes].filter((uid) => !decided.some((p) => p.uid === uid)),
      wrong: decided.filter((p) => !yes.has(p.uid)).map((p) => `${p.uid} was approved without an answer that said so`),
    }),
    check('blocks in the calendar', scheduled.length, {
      lost: scheduled.filter((p) => !blocks.has(p.uid)).map((p) => p.uid),
      doubled: scheduled.filter((p) => (blocks.get(p.uid)?.length ?? 0) > 1).map((p) => p.uid),
      wrong: overlapsOf(events),
    }),
    check('budgets and cadence rules', used.size, { wrong: over }),
    // What was decided only grew, so a refusal that was right then can still be explained now.
    check('plans answered 409', no.length, {
      wrong: no.filter((uid) => {
        const plan = byUid.get(uid) as Plan;
        return !yes.has(uid) && !isTaken(plan, events) && !rulesOf(plan).some(isFull);
      }),
    }),
  ];
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const approvals = quick ? 200 : 1000;
  const instances = await servers(place.instances(2), place.env);
  const [first] = instances as [Server];
  const person = await aPerson(first.url, ZONE);
  const plans = await propose(first, person, Math.round(approvals * (1 - TWICE)));
  const wanted = plans.filter((p) => p.status === 'proposed').map((p) => p.uid);
  const again = Array.from({ length: approvals - wanted.length }, () => oneOf(wanted));
  say(`${approvals} approvals of ${wanted.length} plans at once`);
  const began = performance.now();
  const given = await Promise.all(
    [...wanted, ...again].map(async (uid, i): Promise<Given> => {
      const { url } = instances[i % instances.length] as Server;
      return { uid, answer: await call(url, person.key, post('/agent/approve', { uid })) };
    }),
  );
  const seconds = (performance.now() - began) / 1000;
  const now = await walk<Plan>(first.url, person.key, '/agent/queue?status=all&limit=1000');
  const [start, end] = [instantIn(0), `${dayAhead(DAYS + 10)}T00:00:00Z`];
  const events = await walk<Event>(first.url, person.key, `/calendar/events?start=${start}&end=${end}&limit=1000`);
  const checks = [
    ...judge(given, now, events),
    check('ledgers verified', 1, { wrong: await audit(first.url, [person]) }),
    check('instances', instances.length, { wrong: instances.flatMap((s) => s.accidents) }),
  ];
  await Promise.all(instances.map((s) => s.stop()));
  const said = given.filter((g) => g.answer.status === 200).length;
  const facts = [
    `${approvals} approvals over ${instances.length} instances in ${seconds.toFixed(1)} s (${(approvals / seconds).toFixed(0)}/s),`,
    `${said} answered 200; ${events.length} blocks in the calendar.`,
  ];
  return { checks, facts };
};

export const R3: Trial = {
  id: 'R3',
  title: 'overlapping plans approved all at once',
  places: ['postgres'],
  embedded: true,
  run,
};
