/**
 * Erases an account: its text is removed from every table, and its ledger stays as a chain of hashes that can be verified
 * (audit.ts). The hashes were computed from digests of uids and documents, so the digests can replace them.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import type { Writer } from './ledger-writer.ts';

/** The kind of the last entry of an erased account. */
export const ERASED = 'account.erased';
/** The kinds of the entries that disable an account and enable it again. */
export const DISABLED = 'account.disabled';
export const ENABLED = 'account.enabled';

/** The tables that keep rows of an erased account. */
const KEPT: ReadonlySet<string> = new Set(['ledger', 'erased_accounts']);

/** All tables with user data. They are found by their column user_id, so that a table of a later migration is included. */
const tablesOfUsers = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select c.table_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = current_schema() and c.column_name = 'user_id' and t.table_type = 'BASE TABLE' order by c.table_name = 'users', 1`.execute(
    db,
  );
  return rows.map(({ name }) => name).filter((name) => !KEPT.has(name));
};

/**
 * Replaces uids by their digests and removes documents. A uid may be equal to the digest of another one and would collide with
 * it, so uids of that form get a temporary value first, longer than any uid (255 at most).
 */
const blank = async (db: Db, user_id: string): Promise<void> => {
  // The cast keeps the bytes of the text, which are UTF-8 (requirements.ts). Citus allows no convert_to() here, as it is not immutable.
  const digest = sql`encode(sha256(replace(subject_uid, chr(92), repeat(chr(92), 2))::bytea), 'hex')`;
  const update = (uid: RawBuilder<unknown>, which: RawBuilder<unknown>) =>
    sql`update ledger set payload = null, bytes = null, subject_uid = ${uid} where user_id = ${user_id} and ${which}`.execute(
      db,
    );
  await update(sql`repeat(${digest}, 4)`, sql`subject_uid ~ '^[0-9a-f]{64}$'`);
  await update(digest, sql`length(subject_uid) < 256`);
  await update(sql`left(subject_uid, 64)`, sql`length(subject_uid) = 256`);
};

export type End = { seq: number; hash: string };

/**
 * Erases the writer's account, as the last write of its ledger. Writes that wait for the user's lock then find no account, and
 * so do inserts of rows that belong to it.
 * @returns the end of the ledger
 */
export const eraseAccount = async ({ tx, author: { user_id }, flush }: Writer): Promise<End> => {
  await flush();
  // Citus passes SET LOCAL on to the other machines, but not set_config().
  await sql`set local almanac.erasing = ${sql.lit(user_id)}`.execute(tx);
  await blank(tx, user_id);
  const { rows } = await sql<{ seq: number; hash: Buffer }>`
    insert into erased_accounts (user_id, seq, hash, recorded_at)
    select user_id, seq, hash, recorded_at from ledger_heads where user_id = ${user_id} returning seq, hash`.execute(
    tx,
  );
  for (const table of await tablesOfUsers(tx))
    await sql`delete from ${sql.table(table)} where user_id = ${user_id}`.execute(tx);
  const [end] = rows as [{ seq: number; hash: Buffer }];
  return { seq: end.seq, hash: end.hash.toString('hex') };
};
