/**
 * Converts a bearer token to a credential. One of a disabled account is refused with 403. Answers are cached for half a second.
 * An instance that revokes a credential forgets what it has cached, so the credential is refused there at once, and elsewhere within a
 * second.
 */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import { isLoginToken } from '../domain/access/api-key-format.ts';
import { possibleScopes } from '../domain/access/caller.ts';
import { storedZone } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';
import { accountDisabled } from './disabled.ts';
import type { Sessions } from './sessions.ts';
import { createKeyLookup, type Credential, type Found } from './find-key.ts';

const CACHE_MS = 500;
export const createAuthenticate = ({ db, clock, sessions }: { db: Db; clock: Clock; sessions: Sessions }) => {
  const cached = new LRUCache<string, Found>({ max: 10_000, ttl: CACHE_MS });
  /** Counts the calls of `forget`: a credential that was read before such a call is not cached after it. */
  let forgotten = 0;
  const { rowsOf, credentialOf, findKey } = createKeyLookup({ db, clock });

  const findSession = async (token: string): Promise<Found | null> => {
    const claims = sessions.verify(token);
    if (!claims) return null;
    const row = await db
      .selectFrom('users as u')
      .innerJoin('ledger as l', (join) =>
        join.onRef('l.user_id', '=', 'u.user_id').onRef('l.seq', '=', 'u.profile_seq'),
      )
      .select(['u.admin', 'u.epoch', 'u.disabled', sql<string>`l.payload->>'timezone'`.as('zone')])
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
    return { credential, email: null, disabled: row.disabled };
  };

  const isOver = ({ expires_at }: Credential): boolean =>
    expires_at !== null && Date.parse(expires_at) <= clock.millis();

  const find = async (token: string): Promise<Found> => {
    const known = cached.get(token);
    const before = forgotten;
    const found = known ?? (isLoginToken(token) ? await findSession(token) : await findKey(token));
    if (!found || isOver(found.credential))
      throw problem('unauthenticated', 'The credential is unknown, expired or revoked.');
    if (!known && before === forgotten) cached.set(token, found);
    if (found.disabled) throw accountDisabled();
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
      const row = (await rowsOf(id, user_id)).find(({ kind, disabled }) => kind === 'feed' && !disabled);
      return row && !isOver(credentialOf(row)) ? credentialOf(row) : null;
    },
    /** Clears the cache of a user's credentials, after their zone, scopes or keys have changed. */
    forget: (user_id: string): void => {
      forgotten += 1;
      for (const [token, { credential }] of cached.entries()) if (credential.user_id === user_id) cached.delete(token);
    },
  };
};

export type { Credential };

export type Authenticate = ReturnType<typeof createAuthenticate>;
