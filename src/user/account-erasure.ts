/** Erases an account at its user's request, after a check of the password. ledger/erase.ts says what is erased and what stays. */
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { invalidAt, notFound } from '../common/problem.ts';
import { eraseAccount, ERASED, type End } from '../ledger/erase.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Author } from '../ledger/ledger-writer.ts';
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
  /**
   * Checks the password.
   * @returns its hash, to compare again under the lock
   * @throws 422 wrong password, 429 too many wrong ones
   */
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

  /** @param checked the hash of the password that was checked; null where the operator erases */
  const eraseIn = async (author: Author, checked: string | null): Promise<End> => {
    const { user_id } = author;
    const end = await ledger.write(author, async (writer) => {
      // Rows are locked in the same order everywhere (the ledger's head, the account, what belongs to it), so that no
      // deadlock occurs. The join is for Citus, as in sessions.ts.
      const { password_hash } = await writer.tx
        .selectFrom('users as u')
        .innerJoin('ledger_heads as h', 'h.user_id', 'u.user_id')
        .select('u.password_hash')
        .where('h.user_id', '=', user_id)
        .forUpdate('u')
        .executeTakeFirstOrThrow();
      if (checked !== null && password_hash !== checked) throw wrongPassword();
      const { version } = await loadProfile(writer.tx, user_id);
      const last = { kind: ERASED, subject: 'profile', uid: user_id, version: version + 1 } as const;
      writer.record({ ...last, payload: () => ({}) });
      return eraseAccount(writer);
    });
    authenticate.forget(user_id);
    return end;
  };

  return {
    /**
     * Erases the caller's account in one transaction. All of its credentials end with the commit.
     * @returns the end of its ledger, for later verification
     * @throws 422, 429; 404 where it is erased already
     */
    erase: async (caller: Caller, password: string, ip: string): Promise<End & { user_id: string }> => {
      const { user_id } = caller;
      return { user_id, ...(await eraseIn(caller, await checkPassword(user_id, password, ip))) };
    },

    /** Erases an account without its password, for the operator. @throws 404 */
    eraseAs: (author: Author): Promise<End> => eraseIn(author, null),

    /** Whether any account was ever erased here. */
    wereErased: async (): Promise<boolean> =>
      Boolean(await db.selectFrom('erased_accounts').select('user_id').limit(1).executeTakeFirst()),
  };
};

export type Accounts = ReturnType<typeof createAccounts>;
