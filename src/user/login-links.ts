/**
 * Login links: a ticket that opens one login without a password, used once within ten minutes. The process issues one for the owner
 * at its start, and a person issues one for a phone of theirs.
 */
import { randomBytes } from 'node:crypto';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { addMinutes } from '../domain/time/time.ts';
import { problem, Problem } from '../common/problem.ts';
import { digest } from './api-keys.ts';
import { findOwner } from './owner-reset.ts';
import { redeemTicket, storeTicket, unusedTickets, type TicketDeps } from './socket-tickets.ts';

const LIFE_MINUTES = 10;
/** A user has at most this many unused links, beside those that the process issues. */
const MAX_LINKS = 20;

/** `family` is the login that made the link. Where the process made it, there is none. */
type LinkCredential = { epoch: number; family?: string };
export type LinkedAccount = LinkCredential & { user_id: string };

/** The link of a ticket. Browsers do not send what is behind the `#`, so it is in no log. */
export const loginLink = (address: string, ticket: string): string => `${address}/console/#ticket=${ticket}`;

/** Socket tickets are in the same table. With another digest, neither kind is found by the route of the other. */
const digestOf = (ticket: string): Buffer => digest(`login ${ticket}`);

const epochOf = async (db: Db, user_id: string): Promise<number | undefined> =>
  (await db.selectFrom('users').select('epoch').where('user_id', '=', user_id).executeTakeFirst())?.epoch;

export const createLoginLinks = (deps: TicketDeps) => {
  const issue = async ({ user_id, ...credential }: LinkedAccount): Promise<{ ticket: string; expires_at: string }> => {
    const ticket = `${user_id}.${randomBytes(32).toString('base64url')}`;
    const expires_at = addMinutes(deps.clock.now(), LIFE_MINUTES);
    await storeTicket(deps, { user_id, hash: digestOf(ticket), credential, expires_at });
    return { ticket, expires_at };
  };

  return {
    /** Returns a ticket for the owner, or null where there is none. */
    issueForOwner: async (): Promise<string | null> => {
      const owner = await findOwner(deps.db);
      return owner ? (await issue({ user_id: owner.user_id, epoch: owner.epoch })).ticket : null;
    },

    /**
     * Returns a ticket for the caller, which ends with their login. A key is refused: it would get a login, which has every scope and
     * outlives the key.
     * @throws 403, 429
     */
    issueFor: async ({ user_id, actor, credential_id }: Caller): Promise<{ ticket: string; expires_at: string }> => {
      if (actor !== 'user:session')
        throw problem(
          'login_required',
          'An API key cannot make a login link. Log in, and make it with the login token.',
        );
      const { all } = await unusedTickets(deps, user_id, 'family', credential_id);
      if (all >= MAX_LINKS)
        throw new Problem('too_many_tickets', `You have ${all} login links that nobody has used: use one of them.`, {
          headers: { 'Retry-After': String(LIFE_MINUTES * 60) },
        });
      const epoch = await epochOf(deps.db, user_id);
      if (epoch === undefined) throw problem('unauthenticated', 'The account was erased.');
      return issue({ user_id, epoch, family: credential_id });
    },

    /**
     * Uses a ticket. Returns the account, its epoch at the time of the issue and the login that made it; null where it is unknown, used
     * or expired.
     */
    redeem: async (ticket: string): Promise<LinkedAccount | null> => {
      const found = await redeemTicket(deps, ticket, digestOf(ticket));
      return found && { user_id: found.user_id, ...(found.credential as LinkCredential) };
    },
  };
};

export type LoginLinks = ReturnType<typeof createLoginLinks>;
