/**
 * Makes, lists and revokes API keys. Only the SHA-256 of a key is stored. The ledger records when a key is created and revoked.
 */
import { hash, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { Clock } from '../common/clock.ts';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import { keyId, makeKey } from '../domain/access/api-key-format.ts';
import { defaultScopes, possibleScopes, type Caller, type KeyKind, type Scope } from '../domain/access/caller.ts';
import { millis, readTime } from '../domain/time/time.ts';
import { invalid, invalidAt, notFound, problem } from '../common/problem.ts';
import { attest, saltOf } from '../ledger/attested.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import type { Key, NewKey, WhoAmI } from './schemas.ts';

export const digest = (secret: string): Buffer => Buffer.from(hash('sha256', secret), 'hex');

/** Splits a secret that this service wrote into its parts, which dots join. null for any other text, which needs no query. */
export const partsOf = (text: string, count: number): string[] | null => {
  const parts = text.split('.', count + 1);
  return parts.length === count && parts.every((part) => /^[\w-]{1,64}$/.test(part)) ? parts : null;
};

const randomByte = (): number => randomBytes(1)[0] as number;

/** What the ledger shows of a key, beside a digest of its hash (ledger/attested.ts): neither the secret nor its hash. */
type KeyDoc = Omit<Key, 'last_used_at' | 'revoked_at'>;

const MAX_KEYS = 200;

/**
 * The scopes of a new key. A key cannot have a scope that its maker lacks.
 * @throws 422 for scopes the kind cannot have, 403 for scopes the maker lacks
 */
const scopesFor = (kind: KeyKind, isAdmin: boolean, asked: Scope[] | undefined, held: ReadonlySet<Scope>): Scope[] => {
  if (!asked) return defaultScopes(kind, isAdmin).filter((scope) => held.has(scope));
  const possible = new Set(possibleScopes(kind, isAdmin));
  const faults = asked.flatMap((scope, i) =>
    possible.has(scope)
      ? []
      : [
          {
            path: `/scopes/${i}`,
            code: 'impossible_scope',
            message: `must not contain ${scope}, which a key of the kind ${kind} cannot hold on this account`,
          },
        ],
  );
  if (faults.length) throw invalid(faults);
  const missing = asked.filter((scope) => !held.has(scope));
  if (missing.length)
    throw problem(
      'insufficient_scope',
      `This credential lacks the scope ${missing.join(', ')}, so it cannot give it to a key.`,
      {
        missing,
      },
    );
  return [...new Set(asked)];
};

/** Records and stores a key in a transaction. */
const storeKey = async (writer: Writer, doc: KeyDoc, key: string): Promise<void> => {
  const { user_id } = writer.author;
  const secret_hash = digest(key);
  const salt = await saltOf(writer.tx, user_id);
  const said = salt ? { ...doc, secret: attest(salt, 'key', secret_hash.toString('hex')) } : doc;
  writer.record({ kind: 'key.created', subject: 'key', uid: doc.id, version: 1, payload: () => said });
  await writer.tx
    .insertInto('api_keys')
    .values({ ...doc, user_id, secret_hash, last_used_at: null })
    .execute();
};

/**
 * Refuses a caller whose credential was revoked while the request waited, so that it cannot make a new one. The caller holds
 * the user's lock, which revoking takes too. Uses the indexes api_keys_pkey and refresh_families.
 * @throws 401
 */
export const requireValidCredential = async (tx: Db, { own_id, user_id, credential_id }: Caller): Promise<void> => {
  const owner = own_id ?? user_id;
  const { rows } = await sql`
    select 1 from api_keys where user_id = ${owner} and id = ${credential_id}
    union all (select 1 from refresh_tokens where user_id = ${owner} and family = ${credential_id} limit 1)`.execute(
    tx,
  );
  if (!rows.length) throw problem('unauthenticated', 'The credential was revoked.');
};

/** `forget` clears what is cached of a user's credentials (authenticate.ts). */
type Deps = { db: Db; ledger: Ledger; clock: Clock; forget: (user_id: string) => void };

export const createKeys = ({ db, ledger, clock, forget }: Deps) => ({
  make: async (caller: Caller, wanted: NewKey): Promise<KeyDoc & { key: string }> => {
    const expires_at = wanted.expires_at === undefined ? null : readTime(wanted.expires_at, caller.zone, 'end');
    if (wanted.expires_at !== undefined && (!expires_at || millis(expires_at) <= clock.millis()))
      throw invalidAt('/expires_at', 'invalid_time', 'must be a time in the future');
    const { id, key } = makeKey(wanted.kind, randomByte);
    return ledger.write(caller, async (writer) => {
      await requireValidCredential(writer.tx, caller);
      const { admin } = await writer.tx
        .selectFrom('users')
        .select('admin')
        .where('user_id', '=', caller.user_id)
        .executeTakeFirstOrThrow();
      const { count } = await writer.tx
        .selectFrom('api_keys')
        .select((eb) => eb.fn.countAll<number>().as('count'))
        .where('user_id', '=', caller.user_id)
        .executeTakeFirstOrThrow();
      if (count >= MAX_KEYS)
        throw invalidAt('', 'too_many_keys', `would exceed the ${MAX_KEYS} keys of an account; revoke some first`);
      const scopes = scopesFor(wanted.kind, admin, wanted.scopes, caller.scopes);
      const doc = { id, kind: wanted.kind, label: wanted.label, scopes, expires_at, created_at: clock.now() };
      await storeKey(writer, doc, key);
      return { ...doc, key };
    });
  },

  /**
   * A page of the keys by id, those that were revoked too, which only the ledger still has. Uses the indexes api_keys_pkey and
   * ledger_user_id_subject_subject_uid_version_key.
   */
  list: async (user_id: string, after: string | undefined, limit: number): Promise<Key[]> => {
    const { rows } = await sql<Omit<Key, 'scopes'> & { scopes: string[]; admin: boolean }>`
      select k.*, u.admin from users u cross join lateral (
        (select id, kind, label, scopes, expires_at, last_used_at, created_at, null::timestamptz as revoked_at
         from api_keys where user_id = ${user_id} and id > ${after ?? ''} order by id limit ${limit})
        union all
        (select l.subject_uid, r.kind, r.label, r.scopes, r.expires_at, r.last_used_at, r.created_at,
                date_trunc('milliseconds', l.recorded_at)
         from (select subject_uid, payload, recorded_at from ledger
               where user_id = ${user_id} and subject = 'key' and subject_uid > ${after ?? ''} and version = 2
               order by subject_uid limit ${limit}) l
         cross join lateral jsonb_to_record(l.payload) as r(kind text, label text, scopes text[], expires_at timestamptz,
           last_used_at timestamptz, created_at timestamptz))
        order by id limit ${limit}) k
      where u.user_id = ${user_id} order by k.id`.execute(db);
    return rows.map(({ admin, ...row }) => ({
      ...row,
      scopes: possibleScopes(row.kind, admin).filter((scope) => row.scopes.includes(scope)),
    }));
  },

  /** The scopes of an agent key, also of a revoked one, which only the ledger has. Uses the same indexes as the list. */
  agentScopes: async (user_id: string, id: string): Promise<string[] | null> => {
    const { rows } = await sql<{ kind: KeyKind; scopes: string[] }>`
      select kind, scopes from api_keys where user_id = ${user_id} and id = ${id}
      union all
      select r.kind, r.scopes from ledger l cross join lateral jsonb_to_record(l.payload) as r(kind text, scopes text[])
      where l.user_id = ${user_id} and l.subject = 'key' and l.subject_uid = ${id} and l.version = 2`.execute(db);
    const [key] = rows;
    return key?.kind === 'agent' ? possibleScopes('agent', false).filter((scope) => key.scopes.includes(scope)) : null;
  },

  /** How many keys the list has. Uses the same indexes. */
  count: (user_id: string) =>
    countRows(
      db,
      sql`(select from api_keys where user_id = ${user_id}
           union all select from ledger where user_id = ${user_id} and subject = 'key' and version = 2) k`,
    ),

  /** Describes the caller's credential. Uses the index api_keys_pkey. */
  whoami: async ({ user_id, credential_id, origin, scopes, zone, expires_at }: Caller): Promise<WhoAmI> => {
    const key = await db
      .selectFrom('api_keys')
      .select(['id', 'label'])
      .where('user_id', '=', user_id)
      .where('id', '=', credential_id)
      .executeTakeFirst();
    return {
      ...{ user_id, kind: origin, key_id: key?.id ?? null, label: key?.label ?? null },
      ...{ scopes: [...scopes], timezone: zone, expires_at },
    };
  },

  revoke: async (caller: Caller, id: string): Promise<{ id: string; revoked: true }> => {
    await ledger.write(caller, async (writer) => {
      const row = await writer.tx
        .deleteFrom('api_keys')
        .where('user_id', '=', caller.user_id)
        .where('id', '=', id)
        .returning(['id', 'kind', 'label', 'scopes', 'expires_at', 'last_used_at', 'created_at'])
        .executeTakeFirst();
      if (!row) throw notFound('key', id);
      writer.record({ kind: 'key.revoked', subject: 'key', uid: id, version: 2, payload: () => row });
    });
    forget(caller.user_id);
    return { id, revoked: true };
  },

  /** Makes the owner's key at the first start: the one that the operator configured, or a generated one. */
  makeOwnerKey: async (writer: Writer, given: string | undefined): Promise<string> => {
    const made = makeKey('user', randomByte);
    const key = given ?? made.key;
    const id = keyId(key) ?? made.id;
    const scopes = defaultScopes('user', true);
    await storeKey(
      writer,
      { id, kind: 'user', label: 'owner', scopes, expires_at: null, created_at: clock.now() },
      key,
    );
    return key;
  },
});

export type Keys = ReturnType<typeof createKeys>;
