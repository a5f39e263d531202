/** The queries of calendar sources. An instance claims a source before it reads it, so that one instance at a time does. */
import { sql } from 'kysely';
import { isEnabled } from '../../db/enabled-users.ts';
import type { Db } from '../../db/database.ts';
import { documentOf } from '../../db/rows-by-key.ts';
import type { Instant } from '../../domain/time/time.ts';
import type { EventResource } from '../schemas.ts';
import type { SourceFindings } from './findings.ts';
import type { Source } from './schemas.ts';

/**
 * A claim expires after this long, when its instance has crashed. Each part of a file that is stored renews it. When it is given back,
 * claimed_until stays as the end of the read, by which users take turns.
 */
const CLAIM = sql`now() + interval '3 minutes'`;
export const GIVEN_BACK = sql`claim = null, claimed_until = least(claimed_until, now())`;

/** What reading needs of a source. */
export type Claimed = {
  user_id: string;
  id: string;
  url: string;
  busy: boolean;
  refresh_minutes: number;
  etag: string | null;
  last_modified: string | null;
  failures: number;
  failing_since: Instant | null;
  unread: number;
};

/**
 * Claims at most `limit` sources that are to be read: one of each user, the longest due, and of no user one of whose sources is being
 * read. Users take turns: first comes the one whose last read, of any source, ended longest ago. So a user with many slow sources
 * delays nobody else. Uses the indexes calendar_sources_due and calendar_sources_pkey.
 */
export const claimSources = async (db: Db, claim: string, now: Instant, limit: number): Promise<Claimed[]> => {
  const free = sql`refresh_at <= ${now} and (claim is null or claimed_until < now())`;
  const { rows: due } = await sql<Held>`
    select d.user_id, d.id
    from (select distinct on (user_id) user_id, id from calendar_sources c where ${free} and ${isEnabled('c')} order by user_id, refresh_at) d
    cross join lateral (
      select max(s.claimed_until) as read_until, count(*) filter (where s.claim is not null and s.claimed_until >= now()) as reading
      from calendar_sources s where s.user_id = d.user_id) turn
    where turn.reading = 0
    order by turn.read_until nulls first limit ${limit}`.execute(db);
  if (!due.length) return [];
  // Another instance may have claimed some of them meanwhile.
  const { rows } = await sql<Claimed>`
    update calendar_sources set claim = ${claim}, claimed_until = ${CLAIM}
    where user_id = any(${due.map(({ user_id }) => user_id)}) and id = any(${due.map(({ id }) => id)}) and ${free}
    returning user_id, id, url, busy, refresh_minutes, etag, last_modified, failures, failing_since, unread`.execute(
    db,
  );
  return rows;
};

type Held = Pick<Claimed, 'user_id' | 'id'>;
const held = ({ user_id, id }: Held, claim: string) => sql`user_id = ${user_id} and id = ${id} and claim = ${claim}`;

/** Renews a claim in a transaction. @returns false where it was lost, or the source was changed or removed */
export const renewClaim = async (tx: Db, source: Held, claim: string): Promise<boolean> => {
  const { rows } = await sql`
    update calendar_sources set claimed_until = ${CLAIM} where ${held(source, claim)} returning 1`.execute(tx);
  return rows.length > 0;
};

export type Success = {
  /** What was found in the file; null where it had not changed. */
  findings: SourceFindings | null;
  etag: string | null;
  last_modified: string | null;
  unread: number | null;
  at: Instant;
  refresh_at: Instant;
};

/** Saves that a source was read, and gives the claim back. `unread` is null where the file had not changed. */
export const saveSuccess = async (db: Db, source: Held, claim: string, success: Success): Promise<void> => {
  const { etag, last_modified, unread, findings, at, refresh_at } = success;
  const found = findings
    ? sql`unread_components = ${JSON.stringify(findings.unread_components)}::jsonb, warnings = ${JSON.stringify(findings.warnings)}::jsonb,`
    : sql``;
  await sql`
    update calendar_sources set etag = ${etag}, last_modified = ${last_modified}, unread = coalesce(${unread}::int, unread), ${found}
      events = (select count(*) from events e where e.user_id = ${source.user_id} and e.source_uid = ${source.id}),
      failures = 0, failing_since = null, last_error = null, last_success_at = ${at}, refresh_at = ${refresh_at},
      ${GIVEN_BACK}
    where ${held(source, claim)}`.execute(db);
};

export type Failed = { failures: number; failing_since: Instant; last_error: string; refresh_at: Instant };

export const saveFailed = async (db: Db, source: Held, claim: string, failed: Failed): Promise<void> => {
  const { failures, failing_since, last_error, refresh_at } = failed;
  await sql`
    update calendar_sources set failures = ${failures}, failing_since = ${failing_since}, last_error = ${last_error},
      refresh_at = ${refresh_at}, ${GIVEN_BACK}
    where ${held(source, claim)}`.execute(db);
};

/** Gives the claim back. The source is still due, and another instance reads it. */
export const releaseSource = async (db: Db, source: Held, claim: string): Promise<void> => {
  await sql`update calendar_sources set ${GIVEN_BACK} where ${held(source, claim)}`.execute(db);
};

export type SourceRow = Omit<Source, 'status'>;

/** The sources of a user, or one of them. */
export const findSources = async (
  db: Db,
  user_id: string,
  { id, after = '', limit = 1 }: { id?: string; after?: string | undefined; limit?: number },
): Promise<SourceRow[]> => {
  const { rows } = await sql<SourceRow>`
    select id, name, url, busy, color, refresh_minutes, events, unread, unread_components, warnings, failing_since, failures, last_error, last_success_at, refresh_at,
           created_at, updated_at
    from calendar_sources where user_id = ${user_id} and ${id === undefined ? sql`id > ${after}` : sql`id = ${id}`}
    order by id limit ${limit}`.execute(db);
  return rows;
};

/** A page of the uids of a source's events. Uses the index events_source. */
export const uidsOfSource = async (db: Db, user_id: string, source_uid: string): Promise<string[]> => {
  const { rows } = await sql<{ uid: string }>`
    select uid from events where user_id = ${user_id} and source_uid = ${source_uid} order by uid`.execute(db);
  return rows.map(({ uid }) => uid);
};

/** Some of a source's events. Uses the indexes events_source and ledger_pkey. */
export const eventsOfSource = async (
  db: Db,
  user_id: string,
  source_uid: string,
  limit: number,
): Promise<EventResource[]> => {
  const { rows } = await sql<{ payload: EventResource }>`
    select l.payload
    from (select seq from events where user_id = ${user_id} and source_uid = ${source_uid} order by uid limit ${limit}) e
    cross join ${documentOf(user_id, 'e')}`.execute(db);
  return rows.map(({ payload }) => payload);
};

/** The events of a source that are marked since an instant or longer, and still count as busy. Uses the index events_source. */
export const staleEvents = async (
  db: Db,
  { user_id, id }: Held,
  until: Instant,
  limit: number,
): Promise<EventResource[]> => {
  const { rows } = await sql<{ payload: EventResource }>`
    select l.payload
    from (select seq from events where user_id = ${user_id} and source_uid = ${id} and busy order by uid) e
    cross join ${documentOf(user_id, 'e')}
    where l.payload ->> 'stale_since' <= ${until} limit ${limit}`.execute(db);
  return rows.map(({ payload }) => payload);
};

/** The sources of all users by state, for the metrics. */
export const countSources = async (db: Db): Promise<Record<'ok' | 'failing', number>> => {
  const { rows } = await sql<Record<'ok' | 'failing', number>>`
    select count(*) filter (where failing_since is null) as ok, count(*) filter (where failing_since is not null) as failing
    from calendar_sources`.execute(db);
  return rows[0] ?? { ok: 0, failing: 0 };
};
