/**
 * Reads proposals as the resources of calendar programs: what waits for a decision and has a time, and what of it changed after a
 * seq. A proposal changes also when the event changes that it moves or cancels, since it shows that event.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../db/database.ts';
import { eachKey, entryOf, oneByOne, onlyKey } from '../../db/rows-by-key.ts';
import { markOf, writeLedgerPosition } from '../../ledger/ledger-position.ts';
import { isPlan, type PlanDoc, type TraceDoc } from '../../domain/record/trace.ts';
import { asPlan } from '../queries.ts';

/** `etag` is the ledger position of the last change of what the proposal shows. */
export type PlanState = { uid: string; seq: number; etag: string };

type Row = { uid: string; seq: number; hash: Buffer };

const stateOf = ({ uid, seq, hash }: Row): PlanState => ({
  uid,
  seq,
  etag: writeLedgerPosition({ seq, mark: markOf(hash) }),
});

/** The last change of plans `t` and of the events that they change. Uses the index ledger_pkey and the unique key of the ledger. */
const lastChanges = (user_id: string, plans: RawBuilder<unknown>, more: RawBuilder<unknown>): RawBuilder<unknown> => {
  const target = sql`
    select seq, hash from ledger
    where user_id = ${user_id} and subject = 'event' and subject_uid = p.payload->>'target_event_uid'
    order by version desc limit 1`;
  return sql`
    select t.uid, greatest(t.seq, e.seq) as seq, case when e.seq > t.seq then e.hash else p.hash end as hash ${more}
    from ${plans} cross join ${entryOf(user_id, 't', sql`hash, payload`, 'p')} left join ${oneByOne(target, 'e')} on true`;
};

/** All that wait for a decision. There are at most 10,000 (`too_many_pending`). Uses the index traces_plans. */
export const pendingStates = async (db: Db, user_id: string, after = 0): Promise<PlanState[]> => {
  const pending = sql`
    (select uid, seq from traces
     where user_id = ${user_id} and type = 'agent_plan' and status = 'proposed' and scheduled_for is not null and origin <> 'import') t`;
  const { rows } = await sql<Row>`
    select * from (${lastChanges(user_id, pending, sql``)}) s where seq > ${after} order by seq, uid`.execute(db);
  return rows.map(stateOf);
};

/** Plans with their states, read at one moment, so that a tag stands for this text. Uses the index traces_pkey. */
export const plansWithStates = async (
  db: Db,
  user_id: string,
  uids: readonly string[],
): Promise<{ plan: PlanDoc; state: PlanState }[]> => {
  if (!uids.length) return [];
  // A condition on the type would let Postgres read all plans of the user by an index of plans.
  const traces = eachKey(uids, sql`select uid, seq from traces where user_id = ${user_id} and ${onlyKey()}`, 't');
  const { rows } = await sql<Row & { payload: TraceDoc }>`${lastChanges(user_id, traces, sql`, p.payload`)}`.execute(
    db,
  );
  return rows.flatMap(({ payload, ...row }) => (isPlan(payload) ? { plan: asPlan(payload), state: stateOf(row) } : []));
};

/** The proposals that were decided on, or lost their time, after a seq. Uses the index traces_plan_seq. */
export const goneProposals = async (
  db: Db,
  user_id: string,
  after: number,
): Promise<{ uid: string; seq: number }[]> => {
  const { rows } = await sql<{ uid: string; seq: number }>`
    select uid, seq from traces
    where user_id = ${user_id} and type = 'agent_plan' and seq > ${after} and origin <> 'import'
      and (status <> 'proposed' or scheduled_for is null)
    order by seq`.execute(db);
  return rows;
};
