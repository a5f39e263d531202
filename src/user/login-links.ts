/**
 * Login links: a ticket that opens one session of the owner without a password, used once within ten minutes. Only the process
 * issues them, at its start; no route does.
 */
import { randomBytes } from 'node:crypto';
import { addMinutes } from '../domain/time/time.ts';
import { digest } from './api-keys.ts';
import { findOwner } from './owner-reset.ts';
import { redeemTicket, storeTicket, type TicketDeps } from './socket-tickets.ts';

const LIFE_MINUTES = 10;

/** Socket tickets are in the same table. With another digest, neither kind is found by the route of the other. */
const digestOf = (ticket: string): Buffer => digest(`login ${ticket}`);

export const createLoginLinks = (deps: TicketDeps) => ({
  /** Returns a ticket for the owner, or null where there is none. */
  issueForOwner: async (): Promise<string | null> => {
    const owner = await findOwner(deps.db);
    if (!owner) return null;
    const { user_id, epoch } = owner;
    const ticket = `${user_id}.${randomBytes(32).toString('base64url')}`;
    const expires_at = addMinutes(deps.clock.now(), LIFE_MINUTES);
    await storeTicket(deps, { user_id, hash: digestOf(ticket), credential: { epoch }, expires_at });
    return ticket;
  },

  /** Uses a ticket. Returns the account, and its epoch at the time of the issue; null where it is unknown, used or expired. */
  redeem: async (ticket: string): Promise<{ user_id: string; epoch: number } | null> => {
    const found = await redeemTicket(deps, ticket, digestOf(ticket));
    return found && { user_id: found.user_id, ...(found.credential as { epoch: number }) };
  },
});

export type LoginLinks = ReturnType<typeof createLoginLinks>;
