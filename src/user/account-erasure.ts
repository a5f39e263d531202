/** The end of an account, by the person's own hand and password (what is erased and what stays: ledger/erase.ts). */
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { invalidAt, notFound } from '../common/problem.ts';
import { eraseAccount, ERASED, type End } from '../ledger/erase.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Authenticate } from './authenticate.ts';
import type { Passwords } from './passwords.ts';
import { loadProfile } from './profile.ts';
import type { Throttle } from './login-throttle.ts';

export type AccountDeps = {
  db: Db;
  ledger: Ledger;
  throttle: Throttle;
  passwords: Passwords;
  authenticate: Authenticate;
};

const wrongPassword = () => invalidAt('/password', 'wrong_password', 'must be the password of the account');

export const createAccounts = ({ db, ledger, throttle, passwords, authenticate }: AccountDeps) => {
  /** @throws 422 wrong password, 429 too many of them. @returns its hash, to be seen again under the lock */
  const checkPassword = async (user_id: string, password: string, ip: string): Promise<string> => {
    const row = await db
      .selectFrom('users')
      .select(['email', 'password_hash'])
      .where('user_id', '=', user_id)
      .executeTakeFirst();
    if (!row) throw notFound('user', user_id);
    passwords.admit();
    await throttle.attempt(row.email, ip);
    if (!(await passwords.matches(password, row.password_hash))) throw wrongPassword();
    await throttle.succeeded(row.email, ip);
    return row.password_hash;
  };

  return {
    /**
     * Erases the caller's account in one transaction; every credential of it has ended with the commit.
     * @returns the end of its ledger, for whoever wants to verify it later. @throws 422, 429; 404 where it is erased already
     */
    erase: async (caller: Caller, password: string, ip: string): Promise<End & { user_id: string }> => {
      const { user_id } = caller;
      const checked = await checkPassword(user_id, password, ip);
      const end = await ledger.write(caller, async (writer) => {
        // The user's lock first, then the account, then what hangs on it: as everybody does, so that nobody waits in a circle.
        const { password_hash } = await writer.tx
          .selectFrom('users')
          .select('password_hash')
          .where('user_id', '=', user_id)
          .forUpdate()
          .executeTakeFirstOrThrow();
        if (password_hash !== checked) throw wrongPassword();
        const { version } = await loadProfile(writer.tx, user_id);
        const last = { kind: ERASED, subject: 'profile', uid: user_id, version: version + 1 } as const;
        writer.record({ ...last, payload: () => ({}) });
        return eraseAccount(writer);
      });
      authenticate.forget(user_id);
      return { user_id, ...end };
    },

    /** Whether somebody was here and erased their account. */
    wereErased: async (): Promise<boolean> =>
      Boolean(await db.selectFrom('erased_accounts').select('user_id').limit(1).executeTakeFirst()),
  };
};

export type Accounts = ReturnType<typeof createAccounts>;
