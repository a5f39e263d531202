/** Ends logins under the lock of the account. */
import type { Db } from '../db/database.ts';

export type SessionEndDeps = { db: Db };

/**
 * Reads the account and locks it until the transaction ends. The join with a distributed table makes this the lock of the user's
 * machine on a database that is distributed with Citus, where each machine has a copy of users.
 */
export const lockAccount = (tx: Db, user_id: string): Promise<{ epoch: number; disabled: boolean } | undefined> =>
  tx
    .selectFrom('users as u')
    .innerJoin('ledger_heads as h', 'h.user_id', 'u.user_id')
    .select(['u.epoch', 'u.disabled'])
    .where('h.user_id', '=', user_id)
    .forNoKeyUpdate('u')
    .executeTakeFirst();

export const createSessionEnd = ({ db }: SessionEndDeps) => {
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

  return { underLock, endUnderLock };
};
