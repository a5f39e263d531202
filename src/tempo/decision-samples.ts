/**
 * Reads a person's decisions about agents' plans as samples for learning: when a plan was proposed, and when it was approved to
 * be.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { documentOf, only, oneByOne } from '../db/rows-by-key.ts';
import { learn, type Sample } from '../domain/plan/tempo-learning.ts';
import type { Learned } from '../domain/plan/tempo.ts';
import type { Instant } from '../domain/time/time.ts';

/** Only the latest decisions count, since habits change. */
const LATEST = 1_000;

type Row = {
  action_type: string;
  tempo_tag: string | null;
  tags: string[];
  status: string;
  proposed_start: Instant;
  proposed_minutes: number | null;
  decided_start: Instant;
  decided_minutes: number | null;
  rating: number | null;
};

const sampleOf = (row: Row): Sample => ({
  action_type: row.action_type,
  tags: row.tempo_tag === null ? row.tags : [row.tempo_tag, ...row.tags],
  proposed: { start: row.proposed_start, duration_minutes: row.proposed_minutes },
  decided: row.status === 'rejected' ? null : { start: row.decided_start, duration_minutes: row.decided_minutes },
  rating: row.rating,
});

/**
 * The newest rating that a person gave a plan `t`. Ratings by agents do not count. A person's version has a rating of its own
 * where the rating differs from the version before, or where it is feedback that changes nothing because an agent had given the
 * same. Agents' versions are skipped by their actor without reading them. Uses the ledger's unique key.
 */
const personsRating = (user_id: string): RawBuilder<unknown> => {
  const versions = sql`select version, kind, actor, payload->'feedback_rating' as rating, payload->'notes' as notes
    from ledger where user_id = ${user_id} and subject = 'trace' and subject_uid = t.uid`;
  return oneByOne(
    sql`
      select v.rating from (${versions} and t.rating is not null and not starts_with(actor, 'agent:') order by version desc) v
      left join ${oneByOne(sql`${versions} and ${only('version', sql`v.version - 1`)}`, 'before')} on true
      where v.rating is distinct from coalesce(before.rating, 'null')
         or (v.kind = 'trace.updated' and v.notes is not distinct from before.notes)
      order by v.version desc limit 1`,
    'rated',
  );
};

/**
 * Learns from plans with a time that a person approved or rejected, not from those that policy, expiry or their agent ended.
 * Uses the indexes traces_plans, ledger_pkey.
 */
export const learnedFrom = async (db: Db, user_id: string, zone: string): Promise<Learned> => {
  const { rows } = await sql<Row>`
    select t.action_type, t.tempo_tag, t.tags, t.status,
           first.payload->>'scheduled_for' as proposed_start, (first.payload->>'duration_minutes')::float8 as proposed_minutes,
           now.payload->>'scheduled_for' as decided_start, (now.payload->>'duration_minutes')::float8 as decided_minutes,
           (rated.rating #>> '{}')::float8 as rating
    from (select * from traces p where p.user_id = ${user_id} and p.type = 'agent_plan' and p.scheduled_for is not null
             and p.status in ('approved', 'executed', 'rejected')
           order by p.seq desc limit ${LATEST}) t
    cross join ${documentOf(user_id, 't', 'now')}
    cross join ${oneByOne(
      sql`select payload from ledger where user_id = ${user_id} and subject = 'trace' and subject_uid = t.uid and ${only('version', 1)}`,
      'first',
    )}
    left join ${personsRating(user_id)} on true
    where first.payload->>'scheduled_for' is not null
      and (t.status <> 'rejected' or now.payload->'decision'->>'code' = 'user')`.execute(db);
  return learn(rows.map(sampleOf), zone);
};
