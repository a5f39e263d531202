/**
 * Login sessions: a JWT that is valid for an hour, and a refresh token that is replaced at each use. Using an old refresh token
 * again ends the login, except in the first minute, when the answer may have been lost.
 */
import jwt from 'jsonwebtoken';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../common/clock.ts';
import { countRows } from '../db/count-rows.ts';
import type { DatabaseHandle, Db } from '../db/database.ts';
import type { LoginSession } from './schemas.ts';
import { createSessionTokens, ISSUER } from './session-tokens.ts';
import { createSessionEnd } from './end-sessions.ts';
import { endLoginLinks } from './socket-tickets.ts';
import { createSessionRenewal, REFRESH_DAYS } from './renew-session.ts';

/** `jti` is the family, which identifies the login. When it ends, its tokens end too. */
const Claims = z.object({ sub: z.string(), jti: z.string(), epoch: z.number(), exp: z.number() });
export type Claims = z.infer<typeof Claims>;

const issued = (column: string) => sql`${sql.ref(column)} - ${sql.lit(`${REFRESH_DAYS} days`)}::interval`;

export const createSessions = ({ handle, clock, secret }: { handle: DatabaseHandle; clock: Clock; secret: string }) => {
  const { db, transaction } = handle;

  const { sealOf, isSealed, successorOf, tokensOf } = createSessionTokens({ secret, clock });
  const { start, refresh } = createSessionRenewal({ sealOf, clock, transaction, tokensOf, successorOf, db, isSealed });
  const { underLock, endUnderLock } = createSessionEnd({ db });
  return {
    start,
    refresh,
    /** A page of the logins that can still be refreshed, by id. Uses the index refresh_families. */
    list: async (
      user_id: string,
      current: string,
      after: string | undefined,
      limit: number,
    ): Promise<LoginSession[]> => {
      const { rows } = await sql<Omit<LoginSession, 'current'>>`
        select family as id, min(coalesce(started_at, ${issued('expires_at')})) as started_at,
               max(${issued('expires_at')}) as last_used_at, max(expires_at) as expires_at, max(client) as client
        from refresh_tokens
        where user_id = ${user_id} and family > ${after ?? ''} and expires_at > ${clock.now()}
        group by family order by family limit ${limit}`.execute(db);
      return rows.map((row) => ({ ...row, current: row.id === current }));
    },

    count: (user_id: string) =>
      countRows(
        db,
        sql`(select distinct family from refresh_tokens where user_id = ${user_id} and expires_at > ${clock.now()}) f`,
      ),

    /** Ends every login but this one, and the links by which another could begin. @returns how many */
    endOthers: (user_id: string, family: string): Promise<number> =>
      underLock(user_id, async (tx) => {
        const { rows } = await sql<{ ended: number }>`
          with ended as (delete from refresh_tokens where user_id = ${user_id} and family <> ${family} returning family)
          select count(distinct family) as ended from ended`.execute(tx);
        await endLoginLinks(tx, user_id);
        return rows[0]?.ended ?? 0;
      }),

    /** Ends one login. @returns whether it existed */
    end: endUnderLock,

    /** Ends every login. */
    endAll: (user_id: string): Promise<boolean> => endUnderLock(user_id, undefined),

    /** Ends every login in a transaction that has changed the account's row and so holds its lock (new password). */
    endAllIn: async (tx: Db, user_id: string): Promise<void> => {
      await tx.deleteFrom('refresh_tokens').where('user_id', '=', user_id).execute();
    },

    /** Seals the refresh tokens that an earlier release stored, in the transaction that records their account. */
    sealAll: async (tx: Db, user_id: string): Promise<void> => {
      const unsealed = await tx
        .selectFrom('refresh_tokens')
        .select(['id', 'family', 'hash'])
        .where('user_id', '=', user_id)
        .where('seal', 'is', null)
        .execute();
      const seals = unsealed.map(({ id, family, hash }) => sealOf(user_id, id, family, hash));
      await sql`
        update refresh_tokens r set seal = s.seal from unnest(${unsealed.map(({ id }) => id)}::text[], ${seals}::bytea[]) as s(id, seal)
        where r.user_id = ${user_id} and r.id = s.id`.execute(tx);
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
