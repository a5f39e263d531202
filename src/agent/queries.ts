/** Reads plans: the queue, the plans of a task, due plans and expired ones. */
import { sql, type RawBuilder } from 'kysely';
import { countRows } from '../db/count-rows.ts';
import { isEnabled } from '../db/enabled-users.ts';
import type { Db } from '../db/database.ts';
import { fitting, pageOfRows, type Page } from '../db/row-pages.ts';
import { documentOf, eachKey, only } from '../db/rows-by-key.ts';
import { rivalsOf, type Rivals, type Wish } from '../domain/plan/rivals.ts';
import { revisionOf } from '../domain/plan/plan-transitions.ts';
import { PLAN_DEFAULTS } from '../domain/plan/plan-fields.ts';
import { KIND_OF_MOVE, STATUSES, TIMED_TYPES, type Status } from '../domain/plan/plan.ts';
import { wantedBy } from '../domain/plan/plan-time.ts';
import { mergeSpans, toSpan, type Span } from '../domain/time/spans.ts';
import { instantOf, type Instant, type Interval } from '../domain/time/time.ts';
import { isPlan, type PlanDoc } from '../domain/record/trace.ts';
import { notFound } from '../common/problem.ts';
import type { Author } from '../ledger/ledger-writer.ts';
import { findTraces } from '../ledger/trace-store.ts';

/** Plans of earlier releases lack some fields, and those of release 0.1 have no revision, so it is computed. */
export const asPlan = (plan: PlanDoc): PlanDoc => ({ ...PLAN_DEFAULTS, ...plan, revision: revisionOf(plan) });

export const findPlans = async (db: Db, user_id: string, uids: string[]): Promise<PlanDoc[]> =>
  (await findTraces(db, user_id, uids)).filter(isPlan).map(asPlan);

export const loadPlan = async (db: Db, user_id: string, uid: string): Promise<PlanDoc> => {
  const [plan] = await findPlans(db, user_id, [uid]);
  if (!plan) throw notFound('plan', uid);
  return plan;
};

/**
 * The plans that were refused by the write that proposed them, as it left them: the proposer itself is the actor of that second
 * version, and the policy decided. Uses the ledger's unique key.
 */
export const refusedAtOnce = async (db: Db, user_id: string, uids: string[]): Promise<PlanDoc[]> => {
  if (!uids.length) return [];
  const refused = sql`
    select payload from ledger
    where user_id = ${user_id} and subject = 'trace' and subject_uid = key.uid and kind = ${KIND_OF_MOVE.refuse}
      and actor = payload->>'proposed_by' and payload->'decision'->>'by' = 'policy' and ${only('version', 2)}`;
  const { rows } = await sql<{ payload: PlanDoc }>`select r.payload from ${eachKey(uids, refused, 'r')}`.execute(db);
  return rows.map(({ payload }) => asPlan(payload));
};

/**
 * The number of pending proposals of an actor, and of all actors of its origin. It counts up to `most`. Uses the index
 * traces_pending.
 */
export const pendingOf = async (
  db: Db,
  { user_id, origin, actor }: Pick<Author, 'user_id' | 'origin' | 'actor'>,
  most: number,
): Promise<{ own: number; all: number }> => {
  const pending = sql`select from traces where user_id = ${user_id} and type = 'agent_plan' and status = 'proposed' and origin = ${origin}`;
  const { rows } = await sql<{ own: number; all: number }>`
    select (select count(*) from (${pending} and proposed_by = ${actor} limit ${most}) o) as own,
           (select count(*) from (${pending} limit ${most}) a) as all`.execute(db);
  return rows[0] as { own: number; all: number };
};

/** Of an actor's pending proposals those of the newest requests, soonest first as in the queue. Uses the index traces_pending. */
export const newestPendingOf = async (
  db: Db,
  { user_id, origin, actor }: Pick<Author, 'user_id' | 'origin' | 'actor'>,
  most: number,
): Promise<PlanDoc[]> => {
  const { rows } = await sql<{ payload: PlanDoc | null }>`
    select ${fitting(sql`page.proposal_id desc nulls last, page.uid desc`)}
    from (select seq, coalesce(scheduled_for, 'infinity') as at, proposal_id, uid from traces
          where user_id = ${user_id} and type = 'agent_plan' and status = 'proposed' and origin = ${origin}
            and proposed_by = ${actor}
          order by proposal_id desc nulls last, uid desc limit ${most}) page
    cross join ${documentOf(user_id, 'page')}
    order by page.at, page.uid`.execute(db);
  return rows.flatMap(({ payload }) => (payload ? asPlan(payload) : []));
};

export type Activity = Record<Status, number> & { proposed_by: string; last_used_at: Instant | null };

/** A page of the agents that have proposed plans, with the number of plans in each status. Uses the index traces_proposed_by. */
export const activityPage = async (
  db: Db,
  user_id: string,
  after: string | undefined,
  limit: number,
): Promise<Activity[]> => {
  const counts = STATUSES.map((status) => sql`count(*) filter (where status = ${status}) as ${sql.ref(status)}`);
  const { rows } = await sql<Activity>`
    select a.*, k.last_used_at
    from (select proposed_by, ${sql.join(counts)} from traces
          where user_id = ${user_id} and type = 'agent_plan' and origin = 'agent' and proposed_by > ${after ?? ''}
          group by proposed_by order by proposed_by limit ${limit}) a
    left join api_keys k on k.user_id = ${user_id} and 'agent:' || k.id = a.proposed_by
    order by a.proposed_by`.execute(db);
  return rows;
};

/** How many agents have proposed plans. It reads one entry of the index traces_proposed_by for each, however many plans. */
export const countAgents = (db: Db, user_id: string): Promise<number | null> => {
  const first = (after: RawBuilder<unknown>) => sql`
    select proposed_by as agent from traces
    where user_id = ${user_id} and type = 'agent_plan' and origin = 'agent' ${after} order by proposed_by limit 1`;
  return countRows(
    db,
    sql`(with recursive agents as ((${first(sql``)}) union all
           select (${first(sql`and proposed_by > agents.agent`)}) from agents where agents.agent is not null)
         select from agents where agent is not null) a`,
  );
};

/** `pending` leaves out imported plans, which are records that nobody decides on. */
export type QueueFilter = {
  statuses: Status[];
  pending?: boolean;
  task_id?: string | undefined;
  proposal_id?: string | undefined;
};

const queued = (user_id: string, { statuses, pending = false, task_id, proposal_id }: QueueFilter) => sql`traces t
  where t.user_id = ${user_id} and t.type = 'agent_plan' and t.status = any(${statuses})
    ${task_id === undefined ? sql`` : sql`and t.task_id = ${task_id}`}
    ${proposal_id === undefined ? sql`` : sql`and t.proposal_id = ${proposal_id}`} ${pending ? sql`and t.origin <> 'import'` : sql``}`;

/** How many plans the queue has. Uses the index traces_plans. */
export const countQueue = (db: Db, user_id: string, filter: QueueFilter): Promise<number | null> =>
  countRows(db, queued(user_id, filter));

/** A page of plans, soonest first; those without a time come last. Uses the index traces_plans, or traces_proposal. */
export const queuePage = async (
  db: Db,
  user_id: string,
  filter: QueueFilter,
  limit: number,
  after?: { scheduled_for: string; uid: string },
): Promise<Page<PlanDoc>> => {
  const beyond = after
    ? sql`and (coalesce(t.scheduled_for, 'infinity'), t.uid) > (${after.scheduled_for}::timestamptz, ${after.uid})`
    : sql``;
  const { rows } = await sql<{ payload: PlanDoc; fits: boolean }>`
    select ${fitting(sql`page.at, page.uid`)}
    from (select t.seq, coalesce(t.scheduled_for, 'infinity') as at, t.uid from ${queued(user_id, filter)} ${beyond}
          order by at, t.uid limit ${limit + 1}) page
    cross join ${documentOf(user_id, 'page')}
    order by page.at, page.uid`.execute(db);
  const { items, more } = pageOfRows(rows, limit);
  return { items: items.map((row) => asPlan(row.payload)), more };
};

/** The plans of a proposal in the order of the request, as a later one may take the time that an earlier one frees, and whether each still waits for a decision. Uses the index traces_proposal. @throws 404 */
export const plansOfProposal = async (
  db: Db,
  user_id: string,
  proposal_id: string,
): Promise<{ uid: string; open: boolean }[]> => {
  const { rows } = await sql<{ uid: string; open: boolean }>`
    select uid, status = 'proposed' as open from traces
    where user_id = ${user_id} and proposal_id = ${proposal_id} and type = 'agent_plan' and origin <> 'import'
    order by uid`.execute(db);
  if (!rows.length) throw notFound('proposal', proposal_id);
  return rows;
};

/** A page names this many rivals of each plan, and their number. */
const RIVALS_NAMED = 20;

/** For each plan that takes time, the other proposals that want the same time. Uses the index traces_wanted. */
export const conflictsOf = async (db: Db, user_id: string, plans: PlanDoc[]): Promise<Map<string, Rivals>> => {
  const asked = plans.flatMap((plan) => {
    const wanted = wantedBy(plan);
    return wanted ? [{ uid: plan.uid, span: toSpan(wanted) }] : [];
  });
  if (!asked.length) return new Map();
  const { rows } = await sql<{ uid: string; start: number; end: number }>`
    select uid, (extract(epoch from lower(wanted)) * 1000)::float8 as start, (extract(epoch from upper(wanted)) * 1000)::float8 as end
    from traces where user_id = ${user_id} and wanted && ${spanning(asked)}::tstzrange`.execute(db);
  const all = rows.map(({ uid, start, end }): Wish => ({ uid, span: [start, end] }));
  return rivalsOf(asked, all, RIVALS_NAMED);
};

/** The times in a window that waiting proposals want. Uses the index traces_wanted. */
export const wantedTimes = async (db: Db, user_id: string, { start, end }: Interval): Promise<Span[]> => {
  const { rows } = await sql<{ start: number; end: number }>`
    select (extract(epoch from lower(wanted)) * 1000)::float8 as start, (extract(epoch from upper(wanted)) * 1000)::float8 as end
    from traces where user_id = ${user_id} and wanted && tstzrange(${start}, ${end})`.execute(db);
  return mergeSpans(rows.map((row): Span => [row.start, row.end]));
};

/** The range from the first start to the last end. */
const spanning = (wishes: Wish[]): string => {
  const from = wishes.reduce((first, { span }) => Math.min(first, span[0]), Infinity);
  const to = wishes.reduce((last, { span }) => Math.max(last, span[1]), -Infinity);
  return `[${instantOf(from)},${instantOf(to)})`;
};

export type TaskPlans = { task_id: string; uid: string | undefined };

/**
 * Plans of a task with one status, without imported records. Those that need not wait come first, then by time. Uses the index
 * traces_task_plans.
 */
export const plansOfTask = async (
  db: Db,
  user_id: string,
  { task_id, uid }: TaskPlans,
  status: Status,
  now: Instant,
  limit: number,
): Promise<PlanDoc[]> => {
  const { rows } = await sql<{ payload: PlanDoc }>`
    select l.payload
    from (select t.seq, t.action_type = any(${TIMED_TYPES}) and coalesce(t.scheduled_for > ${now}, false) as waits, t.scheduled_for, t.uid
          from traces t
          where t.user_id = ${user_id} and t.type = 'agent_plan' and t.task_id = ${task_id} and t.status = ${status}
            and t.origin <> 'import' ${uid === undefined ? sql`` : sql`and t.uid = ${uid}`}
          order by waits, t.scheduled_for, t.uid limit ${limit}) page
    cross join ${documentOf(user_id, 'page')}
    order by page.waits, page.scheduled_for, page.uid`.execute(db);
  return rows.map((r) => asPlan(r.payload));
};

/** Some plans of a task with any status, for the answer that none is approved. */
export const somePlansOfTask = async (
  db: Db,
  user_id: string,
  { task_id, uid }: TaskPlans,
): Promise<{ uid: string; status: Status; origin: string }[]> => {
  const { rows } = await sql<{ uid: string; status: Status; origin: string }>`
    select uid, status, origin from traces
    where user_id = ${user_id} and type = 'agent_plan' and task_id = ${task_id} ${uid === undefined ? sql`` : sql`and uid = ${uid}`}
    limit 100`.execute(db);
  return rows;
};

/** The number of a user's plans with each status, without imported ones. Uses the index traces_plans. */
export const countByStatus = async (db: Db, user_id: string): Promise<Record<Status, number>> => {
  const { rows } = await sql<{ status: Status; count: number }>`
    select status, count(*) as count from traces where user_id = ${user_id} and type = 'agent_plan' and origin <> 'import' group by status`.execute(
    db,
  );
  const counts = new Map(rows.map(({ status, count }) => [status, count]));
  return Object.fromEntries(STATUSES.map((status) => [status, counts.get(status) ?? 0])) as Record<Status, number>;
};

/** What an execution wrote, and when; `seq` is that of its record, which follows what it wrote. */
export type Execution = { effects: { kind: string; uid: string }[]; at: Instant; seq: number };

/**
 * The records of the plans' last execution. A person can edit the links of a plan, so the ledger says which these are: an execution
 * adds its record as the last link. Uses the ledger's unique key.
 */
export const executionRecords = async (db: Db, user_id: string, plans: PlanDoc[]): Promise<Map<string, Execution>> => {
  const last = sql`
    select payload->'child_trace_ids'->>-1 as record from ledger
    where user_id = ${user_id} and subject = 'trace' and subject_uid = key.uid and kind = ${KIND_OF_MOVE.execute}
    order by version desc limit 1`;
  const uids = plans.map(({ uid }) => uid);
  const { rows } = await sql<{ record: string }>`select l.record from ${eachKey(uids, last, 'l')}`.execute(db);
  const records = await findTraces(
    db,
    user_id,
    rows.map(({ record }) => record),
  );
  return new Map(
    records.map((t) => [
      t.transition?.plan_uid ?? '',
      { effects: (t.metadata['effects'] ?? []) as Execution['effects'], at: t.timestamp, seq: t.seq },
    ]),
  );
};

/**
 * Makes approved plans due, or with `manual` not due, like dueAt of approval-rules.ts. Imported plans are records and never
 * due. Only the projection stores when a plan is due; it is not part of the plan's history.
 */
export const setDue = async (db: Db, user_id: string, mode: 'automatic' | 'manual', now: Instant): Promise<void> => {
  const due =
    mode === 'manual'
      ? sql`null`
      : sql`case when action_type = any(${TIMED_TYPES}) then greatest(scheduled_for, ${now}::timestamptz) else ${now}::timestamptz end`;
  await sql`update traces set due_at = ${due}
    where user_id = ${user_id} and type = 'agent_plan' and status = 'approved' and origin <> 'import'`.execute(db);
};

export type Work = { user_id: string; uid: string; what: 'due' | 'expired' };

/**
 * Plans that became due and proposals that expired after `from` (an instant or `-infinity`), of all users that are not disabled,
 * oldest first. Uses the indexes traces_due and traces_lapse.
 */
export const workAt = async (db: Db, from: string, now: Instant, limit: number): Promise<Work[]> => {
  const { rows } = await sql<Work>`
    (select user_id, uid, 'due' as what from traces t where due_at > ${from} and due_at <= ${now} and ${isEnabled('t')} order by due_at limit ${limit})
    union all
    (select user_id, uid, 'expired' from traces t where expires_at > ${from} and expires_at <= ${now} and ${isEnabled('t')} order by expires_at limit ${limit})`.execute(
    db,
  );
  return rows;
};

/** When the executor has work next, for all users or for one. */
export const nextWork = async (db: Db, user_id?: string): Promise<Instant | null> => {
  const mine = user_id === undefined ? sql`` : sql`and user_id = ${user_id}`;
  const { rows } = await sql<{ at: Instant | null }>`
    select least((select min(due_at) from traces where due_at is not null ${mine}),
                 (select min(expires_at) from traces where expires_at is not null ${mine})) as at`.execute(db);
  return rows[0]?.at ?? null;
};
