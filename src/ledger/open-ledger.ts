/** Opens the ledger of a new account. */
import type { Clock } from '../common/clock.ts';
import type { Transaction } from 'kysely';
import type { Db } from '../db/database.ts';
import type { Database } from '../db/tables.ts';
import { GENESIS_HASH } from '../domain/record/canonical-json.ts';
import type { Instant } from '../domain/time/time.ts';
import { registerAccount } from './account-register.ts';
import { createWriter, type Author, type Head, type Writer } from './ledger-writer.ts';

export type OpenDeps = { db: Db; clock: Clock; committed: (user_id: string, seq: number, entries: number) => void };

/** The recorded_at before the first entry. */
const EPOCH: Instant = '1970-01-01T00:00:00.000Z';

export type NewAccount = { email: string; password_hash: string; admin: boolean; salt: Buffer };

export const createOpen = ({ db, clock, committed }: OpenDeps) => {
  /** Opens a ledger in a transaction that also writes to another one. @returns what `work` does, and how many entries there are */
  const openWithin = async <T>(
    tx: Transaction<Database>,
    author: Author,
    account: NewAccount,
    work: (writer: Writer) => Promise<T>,
  ): Promise<{ value: T; seq: number }> => {
    const { user_id } = author;
    const head: Head = { seq: 0, hash: GENESIS_HASH, recorded_at: EPOCH };
    await tx
      .insertInto('users')
      .values({ user_id, ...account })
      .execute();
    await tx
      .insertInto('ledger_heads')
      .values({ ...head, user_id, hash: Buffer.from(head.hash, 'hex') })
      .execute();
    const { writer } = createWriter(tx, author, head, clock);
    const value = await work(writer);
    await writer.flush();
    await registerAccount(tx, user_id);
    return { value, seq: head.seq };
  };

  /**
   * Creates a user's ledger with the account, and does its first write. Of two concurrent accounts with one address, the unique
   * index on users.email refuses the second.
   */
  const open = async <T>(author: Author, account: NewAccount, work: (writer: Writer) => Promise<T>): Promise<T> => {
    const { value, seq } = await db.transaction().execute((tx) => openWithin(tx, author, account, work));
    committed(author.user_id, seq, seq);
    return value;
  };

  return { open, openWithin };
};
