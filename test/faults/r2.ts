/** R2: approved plans in plenty, four executors on one Postgres, kill -9 all the while. Each plan takes effect exactly once. */
import { setTimeout as sleep } from 'node:timers/promises';
import { aPerson, audit, ok, patch, post, type Person } from './api.ts';
import type { Place, Query } from './cluster.ts';
import { servers, type Server } from './server.ts';
import { between, check, exactlyOnce, oneOf, type Check, type Outcome, type Trial } from './trial.ts';
import { dayAhead } from '../support/today.ts';

const EXECUTORS = 4;
const AT_ONCE = 100;
const ACTIONS = ['schedule', 'log', 'reflect'] as const;
const MINUTE_MS = 60_000;
/** Blocks of five minutes, one after the other, from two days ahead. */
const BLOCK_MINUTES = 5;
const POOL = '6';
/** A plan that nobody carries out for this long is lost. */
const PATIENCE_MS = 60_000;

const actionsFrom = (from: number, count: number): object[] =>
  Array.from({ length: count }, (_, i) => {
    const n = from + i;
    const action_type = ACTIONS[n % ACTIONS.length];
    const at = new Date(Date.parse(dayAhead(3)) + n * BLOCK_MINUTES * MINUTE_MS);
    const when = action_type === 'schedule' ? { scheduled_for: at.toISOString(), duration_minutes: BLOCK_MINUTES } : {};
    return { action_type, title: `Plan ${n}`, task_id: `task-${n % 10}`, ...when };
  });

/** Proposed by the agent, approved by the person; by hand, so that nothing is carried out before arm() says so. */
const approved = async ({ url }: Server, { key, agent }: Person, count: number): Promise<void> => {
  await ok(url, key, patch('/user/update', { updates: { execution: 'manual' } }));
  for (let from = 0; from < count; from += AT_ONCE) {
    const actions = actionsFrom(from, Math.min(AT_ONCE, count - from));
    const { body: plans } = await ok(url, agent, post('/agent/plan', { actions }));
    const uids = (plans as { uid: string }[]).map((p) => p.uid);
    const { body: decided } = await ok(url, key, post('/agent/approve', { uids }));
    const refused = (decided as { status: number }[]).find((d) => d.status !== 200);
    if (refused) throw new Error(`a plan was not approved: ${JSON.stringify(refused)}`);
  }
};

/**
 * Hands all plans to the executors, due within a few seconds: what approval does under automatic execution, but with
 * nothing carried out in the approval itself. Keeps what is to happen in a table of its own.
 */
const arm = async (query: Query, withinSeconds: number): Promise<number> => {
  // The uid chooses the moment, because Citus takes no random() here.
  await query(
    `update traces set due_at = to_timestamp(extract(epoch from now()) + 1 + (hashtext(uid) & 1023) / 1024.0 * $1::int)
     where type = 'agent_plan' and status = 'approved'`,
    [withinSeconds],
  );
  // The service refuses to start on a distributed database where a table with a user_id is not distributed.
  await query(
    `create table armed as select user_id as owner, uid, action_type, due_at from traces where due_at is not null`,
  );
  const [row] = await query<{ count: number }>('select count(*)::int as count from armed');
  return row?.count ?? 0;
};

const waiting = async (query: Query): Promise<number> =>
  (await query<{ count: number }>('select count(*)::int as count from traces where due_at is not null'))[0]?.count ?? 0;

/** Kills a random executor whenever another random share of the work is done, until all is done. */
const killWhileTheyWork = async (
  place: Place,
  executors: Server[],
  plans: number,
  kills: number,
  say: (line: string) => void,
): Promise<number> => {
  const marks = Array.from({ length: kills }, () => between(0, Math.floor(plans * 0.97))).sort((a, b) => a - b);
  const starting = new Map<Server, Promise<boolean>>();
  let killed = 0;
  let told = 0;
  let moved = { at: performance.now(), left: plans };
  for (;;) {
    const left = await place.sql(waiting);
    if (left < moved.left) moved = { at: performance.now(), left };
    const up = executors.filter((e) => !starting.has(e));
    if ((left === 0 && killed >= kills) || performance.now() - moved.at > PATIENCE_MS) break;
    if (killed < kills && plans - left >= (marks[killed] as number) && up.length) {
      const victim = oneOf(up);
      await victim.kill();
      killed += 1;
      starting.set(
        victim,
        victim.start().finally(() => starting.delete(victim)),
      );
    }
    if (plans - left >= told + plans / 10) {
      told = plans - left;
      say(`${told} of ${plans} carried out, ${killed} kills`);
    }
    await sleep(between(10, 100));
  }
  await Promise.all(starting.values());
  return killed;
};

const key = (user_id: string, uid: string): string => `${user_id} ${uid}`;

const counts = async (query: Query, text: string): Promise<Map<string, number>> => {
  const rows = await query<{ user_id: string; uid: string; times: number }>(text);
  return new Map(rows.map((r) => [key(r.user_id, r.uid), r.times]));
};

/** From the ledger, where everything that ever happened stands, and from what is shown now. */
const compare = async (query: Query): Promise<Check[]> => {
  const armed = await query<{ user_id: string; uid: string; action_type: string; due_at: string }>(
    'select owner as user_id, uid, action_type, due_at from armed',
  );
  const all = armed.map((a) => key(a.user_id, a.uid));
  const scheduled = armed.filter((a) => a.action_type === 'schedule').map((a) => key(a.user_id, a.uid));
  const executions = await counts(
    query,
    `select user_id, subject_uid as uid, count(*)::int as times from ledger where kind = 'plan.executed' group by 1, 2`,
  );
  // An effect's trace links to its plan first; the records of transitions are no effects.
  const traces = await counts(
    query,
    `select user_id, payload->'linked_trace_ids'->>0 as uid, count(*)::int as times from ledger
     where kind = 'trace.created' and payload->>'transition' is null and payload->'linked_trace_ids'->>0 is not null group by 1, 2`,
  );
  const created = await counts(
    query,
    `select user_id, payload->>'plan_uid' as uid, count(*)::int as times from ledger where kind = 'event.created' group by 1, 2`,
  );
  const shown = await counts(
    query,
    `select user_id, plan_uid as uid, count(*)::int as times from events group by 1, 2`,
  );
  const records = await counts(
    query,
    `select user_id, transition_of as uid, count(*)::int as times from traces where transition_of is not null group by 1, 2`,
  );
  const undone = await query<{ uid: string; status: string }>(
    `select a.uid, t.status from armed a join traces t on t.user_id = a.owner and t.uid = a.uid where t.status <> 'executed'`,
  );
  const early = await query<{ uid: string }>(
    `select a.uid from armed a join ledger l on l.user_id = a.owner and l.subject_uid = a.uid and l.kind = 'plan.executed'
     where (l.payload->>'executed_at')::timestamptz < date_trunc('milliseconds', a.due_at)`,
  );
  return [
    check('approved plans', all.length, { lost: undone.map((p) => `${p.uid} is ${p.status}`) }),
    exactlyOnce('executions in the ledger', all, executions),
    exactlyOnce('traces left by plans', all, traces),
    exactlyOnce('events made by plans (ledger)', scheduled, created),
    exactlyOnce('events made by plans (calendar)', scheduled, shown),
    check('records of approval and execution', 2 * all.length, {
      lost: all.filter((k) => (records.get(k) ?? 0) < 2),
      doubled: all.filter((k) => (records.get(k) ?? 0) > 2),
    }),
    check('plans carried out before their time', all.length, { wrong: early.map((p) => p.uid) }),
  ];
};

const prepare = async (place: Place, executors: Server[], total: number, say: (line: string) => void) => {
  const people: Person[] = [];
  for (let i = 0; i < Math.min(20, Math.max(4, total / 1000)); i++)
    people.push(await aPerson((executors[0] as Server).url));
  const each = total / people.length;
  const ahead = [...people];
  let done = 0;
  const worker = async (server: Server): Promise<void> => {
    for (let person = ahead.shift(); person; person = ahead.shift()) {
      await approved(server, person, each);
      done += each;
      say(`${done} of ${total} plans approved`);
    }
  };
  await Promise.all(executors.map(worker));
  return { people, plans: await place.sql((query) => arm(query, total > 2000 ? 20 : 3)) };
};

const run = async (place: Place, quick: boolean, say: (line: string) => void): Promise<Outcome> => {
  const [total, kills] = quick ? [800, 6] : [20_000, 50];
  const executors = await servers(place.instances(EXECUTORS), { ...place.env, DATABASE_POOL: POOL });
  const { people, plans } = await prepare(place, executors, total, say);
  const began = performance.now();
  const killed = await killWhileTheyWork(place, executors, plans, kills, say);
  const seconds = (performance.now() - began) / 1000;
  say('comparing');
  const checks = [
    check('plans made', total, { lost: Array.from({ length: total - plans }, () => 'not approved') }),
    ...(await place.sql(compare)),
    check('ledgers verified', people.length, { wrong: await audit((executors[0] as Server).url, people) }),
    check('executors killed and started again', killed, { wrong: executors.flatMap((e) => e.accidents) }),
  ];
  await Promise.all(executors.map((e) => e.stop()));
  const facts = [
    `${plans} plans of ${people.length} people, ${executors.length} executors, ${killed} kills:`,
    `${seconds.toFixed(0)} s, ${(plans / seconds).toFixed(0)} plans/s with the restarts.`,
  ];
  return { checks, facts };
};

export const R2: Trial = {
  id: 'R2',
  title: 'executors killed while they work',
  places: ['postgres'],
  embedded: false,
  run,
};
