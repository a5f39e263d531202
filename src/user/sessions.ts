/**
 * Login sessions: a JWT that is valid for an hour, and a refresh token that is replaced at each use. Using an old refresh token
 * again ends the login.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import { addMinutes, instantOf } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';
import { digest, partsOf } from './api-keys.ts';

const ISSUER = 'almanac';
const TOKEN_MINUTES = 60;
const REFRESH_DAYS = 30;
/** A user has at most this many logins. The next one ends the oldest. */
const MAX_SESSIONS = 100;
/** Each login stores this many used refresh tokens, to detect that one is used again. */
const MAX_USED = 50;

/** `jti` is the family, which identifies the login. When it ends, its tokens end too. */
const Claims = z.object({ sub: z.string(), jti: z.string(), epoch: z.number(), exp: z.number() });
export type Claims = z.infer<typeof Claims>;

export type Tokens = { token: string; token_type: 'Bearer'; expires_at: string; refresh_token: string };

export const createSessions = ({ db, clock, secret }: { db: Db; clock: Clock; secret: string }) => {
  /**
   * Adds a refresh token and signs a JWT. The statement locks the account's row and requires the epoch under which the password
   * was checked, so a login with a password that changes meanwhile fails.
   * @returns null then
   */
  const issue = async (tx: Db, user_id: string, epoch: number, family: string): Promise<Tokens | null> => {
    const id = randomBytes(12).toString('hex');
    const refresh = randomBytes(32).toString('base64url');
    const iat = Math.floor(clock.millis() / 1000);
    const exp = iat + TOKEN_MINUTES * 60;
    const expires_at = addMinutes(clock.now(), REFRESH_DAYS * 24 * 60);
    const { rows } = await sql`
      insert into refresh_tokens (user_id, id, family, hash, expires_at)
      select user_id, ${id}, ${family}, ${digest(refresh)}::bytea, ${expires_at}::timestamptz
      from (select user_id from users where user_id = ${user_id} and epoch = ${epoch} for no key update) as account
      returning id`.execute(tx);
    if (!rows.length) return null;
    const token = jwt.sign({ sub: user_id, jti: family, epoch, iat, exp, iss: ISSUER, aud: ISSUER }, secret, {
      algorithm: 'HS256',
    });
    return {
      token,
      token_type: 'Bearer',
      expires_at: instantOf(exp * 1000),
      refresh_token: `${user_id}.${id}.${refresh}`,
    };
  };

  const refused = () => problem('unauthenticated', 'The refresh token is unknown, expired or used: log in again.');

  /** Ends the oldest logins. Uses the index refresh_families, whose part of one user is small. */
  const endOldest = (tx: Db, user_id: string): Promise<unknown> =>
    sql`
      delete from refresh_tokens where user_id = ${user_id} and family in (
        select family from refresh_tokens where user_id = ${user_id}
        group by family order by max(expires_at) desc, family offset ${MAX_SESSIONS})`.execute(tx);

  const forgetUsed = (tx: Db, user_id: string, family: string): Promise<unknown> =>
    sql`
      delete from refresh_tokens where user_id = ${user_id} and id in (
        select id from refresh_tokens where user_id = ${user_id} and family = ${family} and used
        order by expires_at desc, id offset ${MAX_USED})`.execute(tx);

  /**
   * Ends sessions under the lock of the account. Without it a concurrent refresh could add a token that this statement does not
   * see.
   */
  const endUnderLock = (user_id: string, family: string | undefined): Promise<boolean> =>
    db.transaction().execute(async (tx) => {
      await tx.selectFrom('users').select('user_id').where('user_id', '=', user_id).forNoKeyUpdate().execute();
      const ended = await tx
        .deleteFrom('refresh_tokens')
        .where('user_id', '=', user_id)
        .$if(family !== undefined, (q) => q.where('family', '=', family as string))
        .executeTakeFirst();
      return ended.numDeletedRows > 0n;
    });

  return {
    /**
     * Starts a session.
     * @param epoch of the account when the password was checked
     * @returns null where the password changed since
     */
    start: async (user_id: string, epoch: number): Promise<Tokens | null> => {
      const tokens = await issue(db, user_id, epoch, randomBytes(16).toString('hex'));
      if (tokens) await endOldest(db, user_id);
      return tokens;
    },

    /** Exchanges a refresh token for a new session. @returns the tokens with user_id @throws 401 */
    refresh: async (token: string): Promise<Tokens & { user_id: string }> => {
      const [user_id = '', id = '', refresh = ''] = partsOf(token, 3) ?? [];
      if (!refresh) throw refused();
      const outcome = await db.transaction().execute(async (tx) => {
        // The account is locked first, as everywhere, so that no deadlock occurs.
        const row = await tx
          .selectFrom('users as u')
          .innerJoin('refresh_tokens as r', 'r.user_id', 'u.user_id')
          .select(['r.hash', 'r.used', 'r.family', 'r.expires_at', 'u.epoch'])
          .where('r.user_id', '=', user_id)
          .where('r.id', '=', id)
          .forUpdate()
          .executeTakeFirst();
        if (!row || !timingSafeEqual(row.hash, digest(refresh)) || Date.parse(row.expires_at) <= clock.millis())
          return null;
        if (row.used) {
          await tx
            .deleteFrom('refresh_tokens')
            .where('user_id', '=', user_id)
            .where('family', '=', row.family)
            .execute();
          return null; // Somebody else may hold the newer token, so both end.
        }
        await tx
          .updateTable('refresh_tokens')
          .set({ used: true })
          .where('user_id', '=', user_id)
          .where('id', '=', id)
          .execute();
        await forgetUsed(tx, user_id, row.family);
        return issue(tx, user_id, row.epoch, row.family);
      });
      if (!outcome) throw refused();
      return { ...outcome, user_id };
    },

    /** Ends one login. @returns whether it existed */
    end: endUnderLock,

    /** Ends every login. */
    endAll: (user_id: string): Promise<boolean> => endUnderLock(user_id, undefined),

    /** Ends every login in a transaction that has changed the account's row and so holds its lock (new password). */
    endAllIn: async (tx: Db, user_id: string): Promise<void> => {
      await tx.deleteFrom('refresh_tokens').where('user_id', '=', user_id).execute();
    },

    /** The claims of a login token, or null where this service did not sign it or it has expired. */
    verify: (token: string): Claims | null => {
      try {
        const verified = jwt.verify(token, secret, {
          algorithms: ['HS256'],
          issuer: ISSUER,
          audience: ISSUER,
          clockTimestamp: Math.floor(clock.millis() / 1000),
        });
        return Claims.parse(verified);
      } catch {
        return null;
      }
    },

    sweep: async (): Promise<void> => {
      await db.deleteFrom('refresh_tokens').where('expires_at', '<', clock.now()).execute();
    },
  };
};

export type Sessions = ReturnType<typeof createSessions>;
