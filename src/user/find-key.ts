/** Finds API keys and feed keys, and notes when a key was used. */
import { timingSafeEqual } from 'node:crypto';
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import { keyId } from '../domain/access/api-key-format.ts';
import { possibleScopes, type Caller, type KeyKind } from '../domain/access/caller.ts';
import { storedZone } from '../domain/time/time.ts';
import { digest } from './api-keys.ts';

export type KeyLookupDeps = { db: Db; clock: Clock };

export type Credential = Omit<Caller, 'request_id' | 'idempotency'> & {
  kind: KeyKind;
};

/** A credential that was found, the address of its account (null for a login), and whether that is disabled. */
export type Found = { credential: Credential; email: string | null; disabled: boolean };

const USED_EVERY_MS = 60_000;

export const createKeyLookup = ({ db, clock }: KeyLookupDeps) => {
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
        'u.disabled',
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
    return { credential: credentialOf(row), email: row.email, disabled: row.disabled };
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

  return { rowsOf, credentialOf, findKey };
};
