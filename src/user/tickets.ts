/** Socket tickets: single use, 30 seconds, stored hashed, good on any instance. */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import type { Caller, Scope } from '../domain/caller.ts';
import { addMinutes } from '../domain/time.ts';
import { digest } from './keys.ts';

const LIFE_MINUTES = 0.5;

/** What a ticket stands for. */
export type TicketCredential = Omit<Caller, 'request_id' | 'idempotency' | 'scopes'> & { scopes: Scope[] };

export const createTickets = ({ db, clock }: { db: Db; clock: Clock }) => ({
  issue: async (caller: Caller): Promise<{ ticket: string; expires_at: string }> => {
    const ticket = `${caller.user_id}.${randomBytes(32).toString('base64url')}`;
    const expires_at = addMinutes(clock.now(), LIFE_MINUTES);
    const { request_id: _, idempotency: __, ...rest } = caller;
    const credential: TicketCredential = { ...rest, scopes: [...caller.scopes] };
    const { user_id } = caller;
    await db
      .insertInto('tickets')
      .values({ user_id, hash: digest(ticket), credential: JSON.stringify(credential), expires_at })
      .execute();
    return { ticket, expires_at };
  },

  /** Uses a ticket up. Null where it is unknown, used or too old. */
  redeem: async (ticket: string): Promise<TicketCredential | null> => {
    const row = await db
      .deleteFrom('tickets')
      .where('user_id', '=', ticket.split('.')[0] ?? '')
      .where('hash', '=', digest(ticket))
      .returning(['credential', 'expires_at'])
      .executeTakeFirst();
    return row && Date.parse(row.expires_at) > clock.millis() ? (row.credential as TicketCredential) : null;
  },

  sweep: async (): Promise<void> => {
    await db.deleteFrom('tickets').where('expires_at', '<', clock.now()).execute();
  },
});

export type Tickets = ReturnType<typeof createTickets>;
