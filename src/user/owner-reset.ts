/** Gives the owner a new password and API key where theirs were lost. Operators use it on the command line. */
import { randomBytes } from 'node:crypto';
import type { Db } from '../db/database.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Author } from '../ledger/ledger-writer.ts';
import type { Keys } from './api-keys.ts';
import type { Passwords } from './passwords.ts';
import { changeAccount } from './profile.ts';
import type { Sessions } from './sessions.ts';

export const generatedPassword = (): string => randomBytes(15).toString('base64url');

/** The author of what an operator does to an account. */
export const operatorOf = (user_id: string): Author => ({ user_id, actor: 'system:operator', origin: 'system' });

/** An account that may do everything. */
export type OwnerAccount = { user_id: string; email: string; epoch: number; disabled: boolean };

/** The account that the first start made: the oldest administrator, and one that is not disabled before one that is. */
export const findOwner = (db: Db): Promise<OwnerAccount | undefined> =>
  db
    .selectFrom('users')
    .select(['user_id', 'email', 'epoch', 'disabled'])
    .where('admin', '=', true)
    .orderBy('disabled')
    .orderBy('created_at')
    .orderBy('user_id')
    .limit(1)
    .executeTakeFirst();

export type OwnerDeps = { db: Db; ledger: Ledger; keys: Keys; passwords: Passwords; sessions: Sessions };

export const createOwner = ({ db, ledger, keys, passwords, sessions }: OwnerDeps) => {
  const find = () => findOwner(db);

  return {
    find,

    /** Ends the old password and every login. API keys remain valid until they are revoked. null where there is no owner. */
    reset: async (): Promise<{ email: string; password: string; key: string; disabled: boolean } | null> => {
      const owner = await find();
      if (!owner) return null;
      const { user_id, email, disabled } = owner;
      const password = generatedPassword();
      const password_hash = await passwords.hash(password);
      const key = await ledger.write(operatorOf(user_id), async (writer) => {
        await changeAccount(writer, { password_hash });
        await sessions.endAllIn(writer.tx, user_id);
        return keys.makeOwnerKey(writer, undefined);
      });
      return { email, password, key, disabled };
    },
  };
};
