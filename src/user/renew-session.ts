/** Begins logins, and exchanges a refresh token for the next one. */
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle, Db } from '../db/database.ts';
import { addMinutes } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';
import { digest, partsOf } from './api-keys.ts';
import type { Tokens, Refresh } from './session-tokens.ts';
import { accountDisabled } from './disabled.ts';
import { lockAccount } from './end-sessions.ts';
import type { SessionTokens } from './session-tokens.ts';

export type SessionRenewalDeps = {
  sealOf: SessionTokens['sealOf'];
  clock: Clock;
  transaction: DatabaseHandle['transaction'];
  tokensOf: SessionTokens['tokensOf'];
  successorOf: SessionTokens['successorOf'];
  db: Db;
  isSealed: SessionTokens['isSealed'];
};

export const REFRESH_DAYS = 30;

/** A user has at most this many logins. The next one ends the oldest. */
const MAX_SESSIONS = 100;

/** Within this time the previous refresh token is answered with the same successor, as long as nobody has used that one. */
const GRACE_MS = 60_000;

const MAX_CLIENT = 300;

/** Each login stores this many used refresh tokens, to detect that one is used again. */
const MAX_USED = 50;

const issuedAt = (expires_at: string): string => addMinutes(expires_at, -REFRESH_DAYS * 24 * 60);

/** A login: its family, when it began, and the User-Agent. */
type Origin = { family: string; started_at: string; client: string | null };

const newRefresh = (): Refresh => ({
  id: randomBytes(12).toString('hex'),
  secret: randomBytes(32).toString('base64url'),
});

const refused = () => problem('unauthenticated', 'The refresh token is unknown, expired or used: log in again.');

/** Ends the oldest logins. Uses the index refresh_families, whose part of one user is small. */
const endOldest = (tx: Db, user_id: string): Promise<unknown> =>
  sql`
    delete from refresh_tokens where user_id = ${user_id} and family in (
      select family from refresh_tokens where user_id = ${user_id}
      group by family order by max(expires_at) desc, family offset ${MAX_SESSIONS})`.execute(tx);

/** Uses the index refresh_families. */
const isLogin = async (tx: Db, user_id: string, family: string): Promise<boolean> =>
  (await tx
    .selectFrom('refresh_tokens')
    .select('id')
    .where('user_id', '=', user_id)
    .where('family', '=', family)
    .limit(1)
    .executeTakeFirst()) !== undefined;

const forgetUsed = (tx: Db, user_id: string, family: string): Promise<unknown> =>
  sql`
    delete from refresh_tokens where user_id = ${user_id} and id in (
      select id from refresh_tokens where user_id = ${user_id} and family = ${family} and used
      order by expires_at desc, id offset ${MAX_USED})`.execute(tx);

export const createSessionRenewal = ({
  sealOf,
  clock,
  transaction,
  tokensOf,
  successorOf,
  db,
  isSealed,
}: SessionRenewalDeps) => {
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

  /**
   * Starts a session. The lock keeps the password as it is meanwhile.
   * @param epoch of the account when the password was checked
   * @param client the User-Agent
   * @param while_family the login that has to exist still, where one made the link that is used
   * @returns null where the password changed since, or that login has ended
   * @throws 403 where the account is disabled
   */
  const start = async (
    user_id: string,
    epoch: number,
    client: string | undefined,
    while_family?: string,
  ): Promise<Tokens | null> => {
    const origin = {
      family: randomBytes(16).toString('hex'),
      started_at: clock.now(),
      client: client?.slice(0, MAX_CLIENT) ?? null,
    };
    const refresh = newRefresh();
    const isLocked = await transaction(async (tx) => {
      const account = await lockAccount(tx, user_id);
      if (account?.epoch !== epoch) return { value: false };
      if (account.disabled) throw accountDisabled();
      if (while_family !== undefined && !(await isLogin(tx, user_id, while_family))) return { value: false };
      return { value: true, last: Promise.all([store(tx, user_id, origin, refresh), endOldest(tx, user_id)]) };
    });
    return isLocked ? tokensOf(user_id, epoch, origin.family, refresh) : null;
  };

  /** Exchanges a refresh token for a new session. @returns the tokens with user_id @throws 401 */
  const refresh = async (token: string): Promise<Tokens & { user_id: string }> => {
    const [user_id = '', id = '', own = ''] = partsOf(token, 3) ?? [];
    if (!own) throw refused();
    const next = successorOf(token);
    const outcome = await db.transaction().execute(async (tx) => {
      // The account is locked first, as everywhere, so that no deadlock occurs.
      const row = await tx
        .selectFrom('users as u')
        .innerJoin('refresh_tokens as r', 'r.user_id', 'u.user_id')
        .select(['r.hash', 'r.used', 'r.used_at', 'r.family', 'r.expires_at', 'r.started_at', 'r.client', 'u.epoch'])
        .select(['r.seal', 'u.salt', 'u.disabled'])
        .where('r.user_id', '=', user_id)
        .where('r.id', '=', id)
        .forUpdate()
        .executeTakeFirst();
      if (!row || !timingSafeEqual(row.hash, digest(own)) || Date.parse(row.expires_at) <= clock.millis()) return null;
      if (!isSealed(user_id, id, row) || row.disabled) return null;
      if (row.used) {
        if (await mayRepeat(tx, user_id, row.used_at, next)) return tokensOf(user_id, row.epoch, row.family, next);
        await tx.deleteFrom('refresh_tokens').where('user_id', '=', user_id).where('family', '=', row.family).execute();
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
  };

  return { start, refresh };
};
