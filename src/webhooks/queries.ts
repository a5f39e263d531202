/**
 * The queries of webhooks. An instance claims a webhook for a while before it sends, so that one instance at a time does; each
 * save renews the claim, and fails where it was lost.
 */
import { sql } from 'kysely';
import { isEnabled } from '../db/enabled-users.ts';
import type { Db } from '../db/database.ts';
import type { Instant } from '../domain/time/time.ts';
import type { Secrets } from './delivery.ts';
import type { Delivery, Webhook } from './schemas.ts';

/** A claim expires after this long, when its instance has crashed. It is renewed before every delivery that could outlast it. */
export const CLAIM_MS = 60_000;
const CLAIM = sql`now() + ${CLAIM_MS}::int * interval '1 millisecond'`;

/** What a sender needs of a webhook. */
export type Claimed = Secrets & {
  user_id: string;
  id: string;
  url: string;
  types: string[] | null;
  description: string | null;
  scopes: string[];
  seq: number;
  failures: number;
  failing_since: Instant | null;
  log: Delivery[];
};

const CLAIMED = sql`w.user_id, w.id, w.url, w.secret, w.previous_secret, w.previous_until, w.types, w.description, w.scopes, w.seq, w.failures, w.failing_since, w.log`;

/**
 * Claims at most `limit` webhooks that have something to send, those first that were served longest ago. `users` limits it to
 * the webhooks of some users, by the primary key.
 */
export const claimDue = async (
  db: Db,
  claim: string,
  { now, limit, users }: { now: Instant; limit: number; users: string[] | null },
): Promise<Claimed[]> => {
  const whose = users === null ? sql`` : sql`and w.user_id = any(${users})`;
  const free = sql`w.status = 'active' and (w.claimed_until is null or w.claimed_until < now())
    and (w.retry_at is null or w.retry_at <= ${now}) and ${isEnabled('w')}`;
  const { rows: due } = await sql<Held>`
    select w.user_id, w.id from webhooks w join ledger_heads h on h.user_id = w.user_id
    where ${free} and h.seq > w.seq ${whose}
    order by w.served_at nulls first limit ${limit}`.execute(db);
  if (!due.length) return [];
  // Another instance may have claimed or served some of them meanwhile, so the condition is checked again.
  const { rows } = await sql<Claimed>`
    update webhooks w set claim = ${claim}, claimed_until = ${CLAIM}
    where w.user_id = any(${due.map(({ user_id }) => user_id)}) and w.id = any(${due.map(({ id }) => id)}) and ${free}
    returning ${CLAIMED}`.execute(db);
  return rows;
};

type Held = Pick<Claimed, 'user_id' | 'id'>;
const held = ({ user_id, id }: Held, claim: string) =>
  sql`user_id = ${user_id} and id = ${id} and claim = ${claim} and status = 'active' and ${isEnabled('webhooks')}`;

/**
 * Saves that everything up to `seq` was sent, and renews the claim. @returns the newest seq of the ledger; null where the claim
 * was lost, or the webhook was changed, paused or removed
 */
export const saveProgress = async (
  db: Db,
  webhook: Held,
  claim: string,
  { seq, log, delivered_at }: { seq: number; log: Delivery[]; delivered_at: Instant | null },
): Promise<number | null> => {
  const { rows } = await sql<{ head: number }>`
    update webhooks set seq = ${seq}, log = ${JSON.stringify(log)}, failures = 0, failing_since = null, retry_at = null,
      last_delivery_at = coalesce(${delivered_at}::timestamptz, last_delivery_at), claimed_until = ${CLAIM}
    where ${held(webhook, claim)}
    returning (select h.seq from ledger_heads h where h.user_id = ${webhook.user_id}) as head`.execute(db);
  return rows[0]?.head ?? null;
};

export type Failure = {
  seq: number;
  log: Delivery[];
  failures: number;
  failing_since: Instant;
  retry_at: Instant | null;
};

/** Saves that the message after `seq` could not be delivered, and gives the claim back. */
export const saveFailure = async (db: Db, webhook: Held, claim: string, failure: Failure): Promise<boolean> => {
  const { seq, log, failures, failing_since, retry_at } = failure;
  const { rows } = await sql`
    update webhooks set seq = ${seq}, log = ${JSON.stringify(log)}, failures = ${failures}, failing_since = ${failing_since},
      retry_at = ${retry_at}, claim = null, claimed_until = null, served_at = now()
    where ${held(webhook, claim)} returning 1`.execute(db);
  return rows.length > 0;
};

/** Serves a webhook again at a time, although nothing failed at its endpoint. */
export const postpone = async (db: Db, webhook: Held, claim: string, at: Instant): Promise<void> => {
  await sql`update webhooks set retry_at = ${at} where ${held(webhook, claim)}`.execute(db);
};

/** Gives the claim back. */
export const release = async (db: Db, { user_id, id }: Held, claim: string): Promise<void> => {
  await sql`
    update webhooks set claim = null, claimed_until = null, served_at = now()
    where user_id = ${user_id} and id = ${id} and claim = ${claim}`.execute(db);
};

export type Row = Webhook & Secrets & { log: Delivery[] };

/** The webhooks of a user, or one of them, with what their ledger has after their position. */
export const findWebhooks = async (
  db: Db,
  user_id: string,
  { id, after = '', limit = 1 }: { id?: string; after?: string | undefined; limit?: number },
): Promise<Row[]> => {
  const { rows } = await sql<Row>`
    select w.id, w.url, w.types, w.description, w.scopes, w.status, w.paused_reason, w.failing_since, w.failures,
           w.retry_at as next_attempt_at, w.last_delivery_at, w.seq, greatest(h.seq - w.seq, 0) as behind, w.created_at, w.updated_at,
           w.secret, w.previous_secret, w.previous_until, w.log
    from webhooks w join ledger_heads h on h.user_id = w.user_id
    where w.user_id = ${user_id} and ${id === undefined ? sql`w.id > ${after}` : sql`w.id = ${id}`}
    order by w.id limit ${limit}`.execute(db);
  return rows;
};

/** The webhooks of all users by state, for the metrics. */
export const countWebhooks = async (db: Db): Promise<Record<'active' | 'failing' | 'paused', number>> => {
  const { rows } = await sql<Record<'active' | 'failing' | 'paused', number>>`
    select count(*) filter (where status = 'active' and failing_since is null) as active,
           count(*) filter (where status = 'active' and failing_since is not null) as failing,
           count(*) filter (where status = 'paused') as paused from webhooks`.execute(db);
  return rows[0] ?? { active: 0, failing: 0, paused: 0 };
};
