/** Reads which plans an agent caused. */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { documentOf, oneByOne } from '../../db/rows-by-key.ts';
import { OFF_CALENDAR, type Status } from '../../domain/plan/plan.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { asPlan } from '../queries.ts';

/** What one actor caused after one seq, as far as it was not changed again after another one. */
export type Caused = { user_id: string; actor: string; after: number; until: number };

/** Whether the user has, or had, an agent key with this id. Uses the unique key of the ledger. */
export const isAgent = async (db: Db, user_id: string, id: string): Promise<boolean> => {
  const { rows } = await sql`
    select from ledger where user_id = ${user_id} and subject = 'key' and subject_uid = ${id} and version = 1
      and payload->>'kind' = 'agent'`.execute(db);
  return rows.length > 0;
};

/**
 * The plans of an agent that were proposed, approved or executed then, the last changed first, without those whose effects are gone.
 * Uses the indexes traces_proposed_by and the unique key of the ledger.
 */
export const plansCausedBy = async (
  db: Db,
  { user_id, actor, after, until }: Caused,
  statuses: readonly Status[],
  limit: number,
): Promise<PlanDoc[]> => {
  const caused = sql`select 1 as is_caused from ledger
    where user_id = ${user_id} and subject = 'trace' and subject_uid = t.uid and seq > ${after}
      and kind in ('plan.proposed', 'plan.approved', 'plan.executed') order by version desc limit 1`;
  const { rows } = await sql<{ payload: PlanDoc }>`
    select l.payload from traces t
    cross join ${oneByOne(caused, 'c')}
    cross join ${documentOf(user_id, 't')}
    where t.user_id = ${user_id} and t.type = 'agent_plan' and t.proposed_by = ${actor} and t.origin = 'agent'
      and t.status = any(${statuses}) and t.seq > ${after} and t.seq <= ${until}
      and not (t.status = 'executed' and coalesce(l.payload->'decision'->>'code', '') = any(${OFF_CALENDAR}))
    order by t.seq desc limit ${limit}`.execute(db);
  return rows.map(({ payload }) => asPlan(payload));
};
