/** Tickets by which a browser opens a socket: single use, valid for 30 seconds on any instance, stored as hashes. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import { isUsedUp, type Held } from '../domain/access/quota.ts';
import { addMinutes } from '../domain/time/time.ts';
import { Problem } from '../common/problem.ts';
import { digest, partsOf } from './api-keys.ts';

const LIFE_MINUTES = 0.5;
/** A user holds at most this many unused tickets, agents a share of them (domain/access/quota.ts). */
const MAX_TICKETS = 100;

/** The credential that the socket of a ticket has. */
export type TicketCredential = Omit<Caller, 'request_id' | 'idempotency' | 'scopes'> & { scopes: Scope[] };

/** Uses the ticket that was stored with this hash. null where it is unknown, used or expired. */
export const redeemTicket = async (
  { db, clock }: { db: Db; clock: Clock },
  ticket: string,
  hash: Buffer,
): Promise<{ user_id: string; credential: unknown } | null> => {
  const [user_id] = partsOf(ticket, 2) ?? [];
  if (user_id === undefined) return null;
  const row = await db
    .deleteFrom('tickets')
    .where('user_id', '=', user_id)
    .where('hash', '=', hash)
    .returning(['credential', 'expires_at'])
    .executeTakeFirst();
  return row && Date.parse(row.expires_at) > clock.millis() ? { user_id, credential: row.credential } : null;
};

export const createTickets = ({ db, clock }: { db: Db; clock: Clock }) => ({
  issue: async (caller: Caller): Promise<{ ticket: string; expires_at: string }> => {
    const ticket = `${caller.user_id}.${randomBytes(32).toString('base64url')}`;
    const expires_at = addMinutes(clock.now(), LIFE_MINUTES);
    const { request_id: _, idempotency: __, ...rest } = caller;
    const credential: TicketCredential = { ...rest, scopes: [...caller.scopes] };
    const { user_id } = caller;
    // The first statement also deletes expired tickets. Uses the index tickets_pkey.
    const { rows } = await sql<Held>`
      with old as (delete from tickets where user_id = ${user_id} and expires_at <= ${clock.now()})
      select count(*) as all, count(*) filter (where credential->>'credential_id' = ${caller.credential_id}) as own
      from tickets where user_id = ${user_id} and expires_at > ${clock.now()}`.execute(db);
    const held = rows[0] ?? { all: 0, own: 0 };
    if (isUsedUp(caller, MAX_TICKETS, held))
      throw new Problem(
        'too_many_tickets',
        `You have ${held.all} tickets that nobody has used, ${held.own} of this credential: use them.`,
        { headers: { 'Retry-After': String(LIFE_MINUTES * 60) } },
      );
    await db
      .insertInto('tickets')
      .values({ user_id, hash: digest(ticket), credential: JSON.stringify(credential), expires_at })
      .execute();
    return { ticket, expires_at };
  },

  /** Uses a ticket. null where it is unknown, used or expired. */
  redeem: async (ticket: string): Promise<TicketCredential | null> =>
    ((await redeemTicket({ db, clock }, ticket, digest(ticket)))?.credential ?? null) as TicketCredential | null,

  sweep: async (): Promise<void> => {
    await db.deleteFrom('tickets').where('expires_at', '<', clock.now()).execute();
  },
});

export type Tickets = ReturnType<typeof createTickets>;
