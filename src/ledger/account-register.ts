/** The register of all accounts that were ever made: a chain of hashes, so that the audit misses one that was removed. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { entryHash, GENESIS_HASH } from '../domain/record/canonical-json.ts';

/** An advisory lock with an arbitrary number, because each row follows from the one before. */
const LOCK = 7_263_549_026;
const PAGE = 1_000;

/** Adds an account at the end, where it is not there. It is the last statement of its transaction, which others wait for. */
export const registerAccount = async (tx: Db, account: string): Promise<void> => {
  await sql`select pg_advisory_xact_lock(${sql.lit(LOCK)})`.execute(tx);
  await sql`
    insert into accounts (position, account, hash)
    select coalesce(max(position), 0) + 1, ${account}::text,
           sha256(coalesce((select hash from accounts order by position desc limit 1), decode(${GENESIS_HASH}, 'hex')) || convert_to(${account}::text, 'UTF8'))
    from accounts
    on conflict (account) do nothing`.execute(tx);
};

export type Register = {
  /** Those that are in the register. */
  accounts: string[];
  /** The hash of the last row, to be kept elsewhere: rows that are cut off at the end are noticed only by it. */
  head: string;
  /** The first row that does not follow from the one before; null where all do. */
  first_bad: number | null;
};

/** Verifies the register, in pages. */
export const readRegister = async (db: Db): Promise<Register> => {
  const accounts: string[] = [];
  let head = GENESIS_HASH;
  let first_bad: number | null = null;
  for (let after = 0, more = true; more;) {
    const { rows } = await sql<{ position: number; account: string; hash: Buffer }>`
      select position, account, hash from accounts where position > ${after} order by position limit ${PAGE}`.execute(
      db,
    );
    for (const row of rows) {
      accounts.push(row.account);
      head = entryHash(head, row.account);
      if (head !== row.hash.toString('hex') || row.position !== accounts.length) first_bad ??= accounts.length;
      after = row.position;
    }
    more = rows.length === PAGE;
  }
  return { accounts, head, first_bad };
};
