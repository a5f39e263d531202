/**
 * Converts a bearer token to a credential. Answers are cached for half a second, so a revocation takes effect everywhere within
 * one.
 */
import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import { isLoginToken, keyId } from '../domain/access/api-key-format.ts';
import { possibleScopes, type Caller, type KeyKind } from '../domain/access/caller.ts';
import { storedZone } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';
import { digest } from './api-keys.ts';
import type { Sessions } from './sessions.ts';

export type Credential = Omit<Caller, 'request_id' | 'idempotency'> & {
  kind: KeyKind;
};

/** A credential that was found, and the address of its account; null for a login. */
type Found = { credential: Credential; email: string | null };

const CACHE_MS = 500;
const USED_EVERY_MS = 60_000;

export const createAuthenticate = ({ db, clock, sessions }: { db: Db; clock: Clock; sessions: Sessions }) => {
  const cached = new LRUCache<string, Found>({ max: 10_000, ttl: CACHE_MS });
  const touched = new LRUCache<string, true>({ max: 10_000, ttl: USED_EVERY_MS });
  /** The users of keys by id, which never change. With the user, a distributed database looks on one machine only. */
  const owners = new LRUCache<string, string>({ max: 20_000 });

  /** Uses the indexes api_keys_id or api_keys_pkey, users_pkey, ledger_pkey. */
  const rowsOf = (id: string, owner = owners.get(id)) =>
    db
      .selectFrom('api_keys as k')
      .innerJoin('users as u', 'u.user_id', 'k.user_id')
      .innerJoin('ledger as l', (join) =>
        join.onRef('l.user_id', '=', 'k.user_id').onRef('l.seq', '=', 'u.profile_seq'),
      )
      .select([
        'k.user_id',
        'k.id',
        'k.kind',
        'k.scopes',
        'k.secret_hash',
        'k.expires_at',
        'u.admin',
        'u.email',
        sql<string>`l.payload->>'timezone'`.as('zone'),
      ])
      .where('k.id', '=', id)
      .$if(owner !== undefined, (query) => query.where('k.user_id', '=', owner as string))
      .execute();

  const credentialOf = (row: Awaited<ReturnType<typeof rowsOf>>[number]): Credential => ({
    user_id: row.user_id,
    credential_id: row.id,
    kind: row.kind,
    actor: `${row.kind}:${row.id}`,
    origin: row.kind === 'agent' ? 'agent' : 'user',
    scopes: new Set(possibleScopes(row.kind, row.admin).filter((scope) => row.scopes.includes(scope))),
    zone: storedZone(row.zone),
    expires_at: row.expires_at,
  });

  const findKey = async (key: string): Promise<Found | null> => {
    const id = keyId(key);
    if (!id) return null;
    const row = (await rowsOf(id)).find((r) => timingSafeEqual(r.secret_hash, digest(key)));
    if (!row) return null;
    owners.set(row.id, row.user_id);
    touch(row.user_id, row.id);
    return { credential: credentialOf(row), email: row.email };
  };

  const touch = (user_id: string, id: string): void => {
    if (touched.has(id)) return;
    touched.set(id, true);
    const used = db
      .updateTable('api_keys')
      .set({ last_used_at: clock.now() })
      .where('user_id', '=', user_id)
      .where('id', '=', id);
    used.execute().catch(() => undefined); // last_used_at is only information, so its failure is no reason to refuse a request.
  };

  const findSession = async (token: string): Promise<Found | null> => {
    const claims = sessions.verify(token);
    if (!claims) return null;
    const row = await db
      .selectFrom('users as u')
      .innerJoin('ledger as l', (join) =>
        join.onRef('l.user_id', '=', 'u.user_id').onRef('l.seq', '=', 'u.profile_seq'),
      )
      .select(['u.admin', 'u.epoch', sql<string>`l.payload->>'timezone'`.as('zone')])
      .where('u.user_id', '=', claims.sub)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('refresh_tokens')
            .select('id')
            .where('user_id', '=', claims.sub)
            .where('family', '=', claims.jti),
        ),
      )
      .executeTakeFirst();
    if (!row || row.epoch !== claims.epoch) return null;
    const credential: Credential = {
      user_id: claims.sub,
      credential_id: claims.jti,
      kind: 'user',
      actor: 'user:session',
      origin: 'user',
      scopes: new Set(possibleScopes('user', row.admin)),
      zone: storedZone(row.zone),
      expires_at: new Date(claims.exp * 1000).toISOString(),
    };
    return { credential, email: null };
  };

  const isOver = ({ expires_at }: Credential): boolean =>
    expires_at !== null && Date.parse(expires_at) <= clock.millis();

  const find = async (token: string): Promise<Found> => {
    const known = cached.get(token);
    const found = known ?? (isLoginToken(token) ? await findSession(token) : await findKey(token));
    if (!found || isOver(found.credential))
      throw problem('unauthenticated', 'The credential is unknown, expired or revoked.');
    if (!known) cached.set(token, found);
    return found;
  };

  return {
    /** @throws 401 for anything that is not a valid user or agent credential */
    bearer: async (token: string): Promise<Credential> => {
      const { credential } = await find(token);
      if (credential.kind === 'feed') throw problem('unauthenticated', 'A feed key is valid for calendar feeds only.');
      return credential;
    },
    /** @throws 401 for anything that is not a user or agent key of the account with this address */
    basic: async (email: string, key: string): Promise<Credential> => {
      const { credential, email: own } = await find(key);
      if (credential.kind === 'feed' || own !== email.trim().toLowerCase())
        throw problem(
          'unauthenticated',
          'Sign in with the e-mail address of the account, and with an API key of it as the password.',
        );
      return credential;
    },
    /** @throws 401 for anything that is not a valid feed key */
    feed: async (key: string): Promise<Credential> => {
      const { credential } = await find(key);
      if (credential.kind !== 'feed') throw problem('unauthenticated', 'Only a feed key may be used in an address.');
      return credential;
    },
    /** Finds a feed key by its id, for links that were signed in its name. null where it was revoked or has expired. */
    feedKey: async (user_id: string, id: string): Promise<Credential | null> => {
      const row = (await rowsOf(id, user_id)).find(({ kind }) => kind === 'feed');
      return row && !isOver(credentialOf(row)) ? credentialOf(row) : null;
    },
    /** Clears the cache of a user's credentials, after their zone, scopes or keys have changed. */
    forget: (user_id: string): void => {
      for (const [token, { credential }] of cached.entries()) if (credential.user_id === user_id) cached.delete(token);
    },
  };
};

export type Authenticate = ReturnType<typeof createAuthenticate>;
