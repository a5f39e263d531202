/** Damage as somebody does it who owns the database: with the triggers off, and undone once it was looked at. */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Db } from '../../src/db/database.ts';
import type { Database } from '../../src/db/tables.ts';
import { entryHash, GENESIS_HASH, sha256Hex } from '../../src/domain/record/canonical-json.ts';
import { canonicalEntry } from '../../src/ledger/ledger-writer.ts';

type Tx = Transaction<Database>;

class Undone extends Error {}

/** Keeps every trigger from running in the transaction. SET LOCAL holds on every machine of a distributed database. */
export const withoutTriggers = async (tx: Db): Promise<void> => {
  await sql`set local session_replication_role = replica`.execute(tx);
};

/** Runs statements with the triggers off. What they did stays. */
export const damage = (db: Kysely<Database>, ...statements: string[]): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await withoutTriggers(tx);
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });

/** Runs `work` with the triggers off and takes back whatever it did. */
export const behindItsBack = async <T>(db: Kysely<Database>, work: (tx: Tx) => Promise<T>): Promise<T> => {
  let result: T | undefined;
  try {
    await db.transaction().execute(async (tx) => {
      await withoutTriggers(tx);
      result = await work(tx);
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return result as T;
};

type Chained = Parameters<typeof canonicalEntry>[0];
type Digests = Pick<Chained, 'payload_hash' | 'subject_digest'>;
type Entry = Omit<Chained, keyof Digests> & { subject_uid: string; payload_hash: Buffer };

/** The hash of an entry that follows another, as a forger computes it who knows how. */
export const forgedHash = (before: string, entry: Omit<Chained, keyof Digests>, digests: Digests): string => {
  const { user_id, seq, kind, subject, version, actor, recorded_at } = entry;
  return entryHash(before, canonicalEntry({ user_id, seq, kind, subject, version, actor, recorded_at, ...digests }));
};

/** Computes the hashes of a whole ledger again. */
export const hashAgain = async (tx: Db, user_id: string): Promise<void> => {
  const { rows } = await sql<Entry>`select * from ledger where user_id = ${user_id} order by seq`.execute(tx);
  let hash = GENESIS_HASH;
  for (const entry of rows) {
    const payload_hash = entry.payload_hash.toString('hex');
    hash = forgedHash(hash, entry, { subject_digest: sha256Hex(entry.subject_uid), payload_hash });
    await sql`update ledger set hash = decode(${hash}, 'hex') where user_id = ${user_id} and seq = ${entry.seq}`.execute(
      tx,
    );
  }
  await sql`update ledger_heads set hash = decode(${hash}, 'hex') where user_id = ${user_id}`.execute(tx);
};

/**
 * SQL for another time. Times without a zone are moved, because Citus updates a column only by functions that do not depend on
 * settings.
 */
export const moved = (time: string, by: string): string =>
  `((${time}) at time zone 'UTC' + interval '${by}') at time zone 'UTC'`;

/** Another value of a column's type than the one that is there; SQL, by udt_name. */
const OTHER: Record<string, (column: string) => string> = {
  text: (c) => `coalesce(${c}, '') || 'x'`,
  int2: (c) => `coalesce(${c}, 0) + 1`,
  int4: (c) => `${c} + 1`,
  int8: (c) => `coalesce(${c}, 0) + 1`,
  float4: (c) => `coalesce(${c}, 3) + 0.5`,
  bool: (c) => `not ${c}`,
  timestamptz: (c) => moved(`coalesce(${c}, '2026-01-01')`, '1 second'),
  _text: (c) => `array_append(coalesce(${c}, '{}'), 'x')`,
  tsvector: (c) => `${c} || 'forged:1'::tsvector`,
  jsonb: (c) => `jsonb_set('{"forged": null}', '{forged}', coalesce(${c}, 'null'))`,
  tstzrange: (c) => `tstzrange(${moved(`lower(${c})`, '-1 second')}, upper(${c}), '[)')`,
  int8range: (c) => `int8range(coalesce(lower(${c}), 0) - 1, upper(${c}))`,
  bytea: (c) => `sha256(${c})`,
};

export const otherValue = (column: string, type: string): string => {
  const other = OTHER[type];
  if (!other) throw new Error(`no other value known for a column of type ${type}: add one`);
  return other(`"${column}"`);
};

export type Column = { table: string; column: string; type: string };

export const columnsOf = async (db: Db, tables: string[]): Promise<Column[]> => {
  const { rows } = await sql<Column>`
    select table_name as table, column_name as column, udt_name as type from information_schema.columns
    where table_schema = current_schema() and table_name = any(${tables}) order by 1, ordinal_position`.execute(db);
  return rows;
};
