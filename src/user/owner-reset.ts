/** A new password and API key for the owner whose own were lost; for operators, on the command line. */
import { randomBytes } from 'node:crypto';
import type { Db } from '../db/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Keys } from './api-keys.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';

export const madeUpPassword = (): string => randomBytes(15).toString('base64url');

export type OwnerDeps = { db: Db; ledger: Ledger; keys: Keys; passwords: Passwords; sessions: Sessions };

export const createOwner = ({ db, ledger, keys, passwords, sessions }: OwnerDeps) => {
  /** The account that was made at the first start. */
  const find = () =>
    db
      .selectFrom('users')
      .select(['user_id', 'email'])
      .where('admin', '=', true)
      .orderBy('created_at')
      .executeTakeFirst();

  return {
    find,

    /** The old password and every login end; API keys go on working until they are revoked. Null where there is no owner. */
    reset: async (): Promise<{ email: string; password: string; key: string } | null> => {
      const owner = await find();
      if (!owner) return null;
      const { user_id, email } = owner;
      const password = madeUpPassword();
      const password_hash = await passwords.hash(password);
      const author = { user_id, actor: 'system:operator', origin: 'system' as const };
      const key = await ledger.write(author, async (writer) => {
        await writer.tx
          .updateTable('users')
          .set((eb) => ({ password_hash, epoch: eb('epoch', '+', 1) }))
          .where('user_id', '=', user_id)
          .execute();
        await sessions.endAllIn(writer.tx, user_id);
        return keys.makeOwnerKey(writer, undefined);
      });
      return { email, password, key };
    },
  };
};
