/**
 * Login sessions: a JWT that is valid for an hour, and a refresh token that is replaced at each use. Using an old refresh token
 * again ends the login, except in the first minute, when the answer may have been lost.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Clock } from '../common/clock.ts';
import { countRows } from '../db/count-rows.ts';
import type { DatabaseHandle, Db } from '../db/database.ts';
import { addMinutes, instantOf } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';
import { digest, partsOf } from './api-keys.ts';
import type { LoginSession } from './schemas.ts';

const ISSUER = 'almanac';
const TOKEN_MINUTES = 60;
const REFRESH_DAYS = 30;
/** A user has at most this many logins. The next one ends the oldest. */
const MAX_SESSIONS = 100;
/** Within this time the previous refresh token is answered with the same successor, as long as nobody has used that one. */
const GRACE_MS = 60_000;
const MAX_CLIENT = 300;
/** Each login stores this many used refresh tokens, to detect that one is used again. */
const MAX_USED = 50;

/** `jti` is the family, which identifies the login. When it ends, its tokens end too. */
const Claims = z.object({ sub: z.string(), jti: z.string(), epoch: z.number(), exp: z.number() });
export type Claims = z.infer<typeof Claims>;

export type Tokens = { token: string; token_type: 'Bearer'; expires_at: string; refresh_token: string };

const issuedAt = (expires_at: string): string => addMinutes(expires_at, -REFRESH_DAYS * 24 * 60);
const issued = (column: string) => sql`${sql.ref(column)} - ${sql.lit(`${REFRESH_DAYS} days`)}::interval`;

type Refresh = { id: string; secret: string };
/** A login: its family, when it began, and the User-Agent. */
type Origin = { family: string; started_at: string; client: string | null };

export const createSessions = ({ handle, clock, secret }: { handle: DatabaseHandle; clock: Clock; secret: string }) => {
  const { db, transaction } = handle;

  const newRefresh = (): Refresh => ({
    id: randomBytes(12).toString('hex'),
    secret: randomBytes(32).toString('base64url'),
  });

  /** Proves that this service stored a refresh token, because only it has the secret. */
  const sealOf = (user_id: string, id: string, family: string, stored: Buffer): Buffer =>
    createHmac('sha256', secret)
      .update(`session ${user_id} ${id} ${family} ${stored.toString('hex')}`)
      .digest();

  /** A row without a seal is of an earlier release, and counts until its account is recorded (account-baseline.ts). */
  const isSealed = (
    user_id: string,
    id: string,
    { seal, family, hash, salt }: { seal: Buffer | null; family: string; hash: Buffer; salt: Buffer | null },
  ): boolean => {
    if (seal === null) return salt === null;
    const own = sealOf(user_id, id, family, hash);
    return seal.length === own.length && timingSafeEqual(seal, own);
  };

  /**
   * The successor of a refresh token. It follows from the token and the service's secret, so it can be answered again although
   * only its hash is stored.
   */
  const successorOf = (token: string): Refresh => {
    const derived = (use: string): Buffer => createHmac('sha256', secret).update(`${use} ${token}`).digest();
    return { id: derived('id').subarray(0, 12).toString('hex'), secret: derived('secret').toString('base64url') };
  };

  const tokensOf = (user_id: string, epoch: number, family: string, { id, secret: own }: Refresh): Tokens => {
    const iat = Math.floor(clock.millis() / 1000);
    const exp = iat + TOKEN_MINUTES * 60;
    const token = jwt.sign({ sub: user_id, jti: family, epoch, iat, exp, iss: ISSUER, aud: ISSUER }, secret, {
      algorithm: 'HS256',
    });
    return {
      token,
      token_type: 'Bearer',
      expires_at: instantOf(exp * 1000),
      refresh_token: `${user_id}.${id}.${own}`,
    };
  };

  /**
   * Reads the account and locks it until the transaction ends. The join with a distributed table makes this the lock of the user's
   * machine on a database that is distributed with Citus, where each machine has a copy of users.
   */
  const lockAccount = (tx: Db, user_id: string): Promise<{ epoch: number } | undefined> =>
    tx
      .selectFrom('users as u')
      .innerJoin('ledger_heads as h', 'h.user_id', 'u.user_id')
      .select('u.epoch')
      .where('h.user_id', '=', user_id)
      .forNoKeyUpdate('u')
      .executeTakeFirst();

  /** Adds a refresh token to a locked account. */
  const store = (
    tx: Db,
    user_id: string,
    { family, started_at, client }: Origin,
    { id, secret: own }: Refresh,
  ): Promise<unknown> => {
    const stored = digest(own);
    const row = { user_id, id, family, started_at, client, hash: stored, seal: sealOf(user_id, id, family, stored) };
    return tx
      .insertInto('refresh_tokens')
      .values({ ...row, expires_at: addMinutes(clock.now(), REFRESH_DAYS * 24 * 60) })
      .execute();
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
   * Ends sessions under the lock of the account. Without it a concurrent refresh could add a token that the statement does not
   * see. Lock and work are sent together.
   */
  const underLock = <T>(user_id: string, work: (tx: Db) => Promise<T>): Promise<T> =>
    db.transaction().execute(async (tx) => {
      const [, done] = await Promise.all([lockAccount(tx, user_id), work(tx)]);
      return done;
    });

  const endUnderLock = (user_id: string, family: string | undefined): Promise<boolean> =>
    underLock(user_id, async (tx) => {
      const ended = await tx
        .deleteFrom('refresh_tokens')
        .where('user_id', '=', user_id)
        .$if(family !== undefined, (q) => q.where('family', '=', family as string))
        .executeTakeFirst();
      return ended.numDeletedRows > 0n;
    });

  /** Whether a used token is answered again: soon after its use, and while nobody has used its successor. */
  const mayRepeat = async (tx: Db, user_id: string, used_at: string | null, next: Refresh): Promise<boolean> => {
    if (used_at === null || clock.millis() - Date.parse(used_at) > GRACE_MS) return false;
    const successor = await tx
      .selectFrom('refresh_tokens')
      .select('used')
      .where('user_id', '=', user_id)
      .where('id', '=', next.id)
      .executeTakeFirst();
    return successor?.used === false;
  };

  return {
    /**
     * Starts a session. The lock keeps the password as it is meanwhile.
     * @param epoch of the account when the password was checked
     * @param client the User-Agent
     * @returns null where the password changed since
     */
    start: async (user_id: string, epoch: number, client: string | undefined): Promise<Tokens | null> => {
      const origin = {
        family: randomBytes(16).toString('hex'),
        started_at: clock.now(),
        client: client?.slice(0, MAX_CLIENT) ?? null,
      };
      const refresh = newRefresh();
      const isLocked = await transaction(async (tx) => {
        const account = await lockAccount(tx, user_id);
        if (account?.epoch !== epoch) return { value: false };
        return { value: true, last: Promise.all([store(tx, user_id, origin, refresh), endOldest(tx, user_id)]) };
      });
      return isLocked ? tokensOf(user_id, epoch, origin.family, refresh) : null;
    },

    /** Exchanges a refresh token for a new session. @returns the tokens with user_id @throws 401 */
    refresh: async (token: string): Promise<Tokens & { user_id: string }> => {
      const [user_id = '', id = '', own = ''] = partsOf(token, 3) ?? [];
      if (!own) throw refused();
      const next = successorOf(token);
      const outcome = await db.transaction().execute(async (tx) => {
        // The account is locked first, as everywhere, so that no deadlock occurs.
        const row = await tx
          .selectFrom('users as u')
          .innerJoin('refresh_tokens as r', 'r.user_id', 'u.user_id')
          .select(['r.hash', 'r.used', 'r.used_at', 'r.family', 'r.expires_at', 'r.started_at', 'r.client', 'u.epoch'])
          .select(['r.seal', 'u.salt'])
          .where('r.user_id', '=', user_id)
          .where('r.id', '=', id)
          .forUpdate()
          .executeTakeFirst();
        if (!row || !timingSafeEqual(row.hash, digest(own)) || Date.parse(row.expires_at) <= clock.millis())
          return null;
        if (!isSealed(user_id, id, row)) return null;
        if (row.used) {
          if (await mayRepeat(tx, user_id, row.used_at, next)) return tokensOf(user_id, row.epoch, row.family, next);
          await tx
            .deleteFrom('refresh_tokens')
            .where('user_id', '=', user_id)
            .where('family', '=', row.family)
            .execute();
          return null; // Somebody else may hold the newer token, so both end.
        }
        await tx
          .updateTable('refresh_tokens')
          .set({ used: true, used_at: clock.now() })
          .where('user_id', '=', user_id)
          .where('id', '=', id)
          .execute();
        await forgetUsed(tx, user_id, row.family);
        const started_at = row.started_at ?? issuedAt(row.expires_at);
        await store(tx, user_id, { family: row.family, started_at, client: row.client }, next);
        return tokensOf(user_id, row.epoch, row.family, next);
      });
      if (!outcome) throw refused();
      return { ...outcome, user_id };
    },

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

    /** Ends every login but this one. @returns how many */
    endOthers: (user_id: string, family: string): Promise<number> =>
      underLock(user_id, async (tx) => {
        const { rows } = await sql<{ ended: number }>`
          with ended as (delete from refresh_tokens where user_id = ${user_id} and family <> ${family} returning family)
          select count(distinct family) as ended from ended`.execute(tx);
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
