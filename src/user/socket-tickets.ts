/**
 * Tickets by which a browser opens a socket: single use, valid for 30 seconds on any instance, stored as hashes and sealed. Those of
 * login links are in the same table (login-links.ts).
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import { isUsedUp, type Held } from '../domain/access/quota.ts';
import { addMinutes } from '../domain/time/time.ts';
import { Problem } from '../common/problem.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { digest, partsOf } from './api-keys.ts';
import { isSealOf, sealOf } from './seal.ts';

const LIFE_MINUTES = 0.5;
/** A user holds at most this many unused tickets, agents a share of them (domain/access/quota.ts). */
const MAX_TICKETS = 100;

/** The credential that the socket of a ticket has. */
export type TicketCredential = Omit<Caller, 'request_id' | 'idempotency' | 'scopes'> & { scopes: Scope[] };

export type TicketDeps = { db: Db; clock: Clock; secret: string };
type Ticket = { user_id: string; hash: Buffer; credential: object; expires_at: string };

/** What a row of a ticket decides. The hash has the kind of the ticket in it. */
const sealed = ({ user_id, hash, credential, expires_at }: Ticket): string =>
  `ticket ${user_id} ${hash.toString('hex')} ${Date.parse(expires_at)} ${canonicalJson(credential)}`;

export const storeTicket = async ({ db, secret }: TicketDeps, ticket: Ticket): Promise<void> => {
  await db
    .insertInto('tickets')
    .values({ ...ticket, credential: JSON.stringify(ticket.credential), seal: sealOf(secret, sealed(ticket)) })
    .execute();
};

/** Uses the ticket that was stored with this hash. null where it is unknown, used or expired, or another wrote it. */
export const redeemTicket = async (
  { db, clock, secret }: TicketDeps,
  ticket: string,
  hash: Buffer,
): Promise<{ user_id: string; credential: unknown } | null> => {
  const [user_id] = partsOf(ticket, 2) ?? [];
  if (user_id === undefined) return null;
  const row = await db
    .deleteFrom('tickets')
    .where('user_id', '=', user_id)
    .where('hash', '=', hash)
    .returning(['credential', 'expires_at', 'seal'])
    .executeTakeFirst();
  if (!row?.seal || Date.parse(row.expires_at) <= clock.millis()) return null;
  const { credential, expires_at, seal } = row;
  const stored = { user_id, hash, credential: credential as object, expires_at };
  return isSealOf(secret, sealed(stored), seal) ? { user_id, credential } : null;
};

/**
 * Counts the tickets of a user that nobody has used and whose credential has this member: all, and those with this value. Deletes
 * expired tickets too. Uses the index tickets_pkey.
 */
export const unusedTickets = async (
  { db, clock }: TicketDeps,
  user_id: string,
  member: 'credential_id' | 'family',
  value: string,
): Promise<Held> => {
  const named = sql`credential->>${sql.lit(member)}`;
  const { rows } = await sql<Held>`
    with old as (delete from tickets where user_id = ${user_id} and expires_at <= ${clock.now()})
    select count(*) as all, count(*) filter (where ${named} = ${value}) as own
    from tickets where user_id = ${user_id} and expires_at > ${clock.now()} and ${named} is not null`.execute(db);
  return rows[0] ?? { all: 0, own: 0 };
};

/** Ends the login links that a user has made, in a transaction that ends logins. */
export const endLoginLinks = async (tx: Db, user_id: string): Promise<void> => {
  await sql`delete from tickets where user_id = ${user_id} and credential->>'family' is not null`.execute(tx);
};

export const createTickets = (deps: TicketDeps) => {
  const { db, clock } = deps;
  return {
    issue: async (caller: Caller): Promise<{ ticket: string; expires_at: string }> => {
      const ticket = `${caller.user_id}.${randomBytes(32).toString('base64url')}`;
      const expires_at = addMinutes(clock.now(), LIFE_MINUTES);
      const { request_id: _, idempotency: __, ...rest } = caller;
      const credential: TicketCredential = { ...rest, scopes: [...caller.scopes] };
      const { user_id } = caller;
      const held = await unusedTickets(deps, user_id, 'credential_id', caller.credential_id);
      if (isUsedUp(caller, MAX_TICKETS, held))
        throw new Problem(
          'too_many_tickets',
          `You have ${held.all} tickets that nobody has used, ${held.own} of this credential: use them.`,
          { headers: { 'Retry-After': String(LIFE_MINUTES * 60) } },
        );
      await storeTicket(deps, { user_id, hash: digest(ticket), credential, expires_at });
      return { ticket, expires_at };
    },

    /** Uses a ticket. null where it is unknown, used or expired. */
    redeem: async (ticket: string): Promise<TicketCredential | null> =>
      ((await redeemTicket(deps, ticket, digest(ticket)))?.credential ?? null) as TicketCredential | null,

    sweep: async (): Promise<void> => {
      await db.deleteFrom('tickets').where('expires_at', '<', clock.now()).execute();
    },
  };
};

export type Tickets = ReturnType<typeof createTickets>;
