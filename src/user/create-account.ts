/** Makes an account with its ledger. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Db } from '../db/database.ts';
import { isUniqueViolation } from '../db/sqlstate.ts';
import { defaultTempo } from '../domain/plan/plan-settings.ts';
import { problem } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { accountDoc, defaultSettings, recordProfile, SALT_BYTES } from './profile.ts';
import type { ProfileDoc, User } from './schemas.ts';
import type { Passwords } from './passwords.ts';

export type AccountMakerDeps = { passwords: Passwords; ledger: Ledger };

export type Account = {
  email: string;
  password: string;
  display_name?: string | undefined;
  timezone?: string | undefined;
};

export type Created<T> = { user: User; epoch: number; extra: T };

/** The transaction of the write that invites, where there is one. */
type Within = { tx: Writer['tx'] };

export const createAccountMaker = ({ passwords, ledger }: AccountMakerDeps) => {
  /**
   * Prepares an account: what takes long is done before any lock is taken.
   * @returns a function that makes it. `also` runs in the same transaction, to make the owner's first key.
   */
  const prepare = async (account: Account, admin: boolean) => {
    const user_id = randomUUID();
    const email = account.email.toLowerCase();
    const password_hash = await passwords.hash(account.password);
    const row = { email, password_hash, admin, salt: randomBytes(SALT_BYTES) };
    const profile: ProfileDoc = {
      user_id,
      display_name: account.display_name ?? email.split('@')[0] ?? email,
      timezone: account.timezone ?? 'UTC',
      settings: defaultSettings(),
      tempo: defaultTempo(),
      account: accountDoc({ ...row, disabled: false, storage_limit: null }),
    };
    const user = { user_id, email, display_name: profile.display_name, timezone: profile.timezone };
    const author = { user_id, actor: 'user:session', origin: 'user' as const };
    /** @throws 409 email_taken */
    return async <T>(also: (writer: Writer) => Promise<T>, within?: Within): Promise<Created<T>> => {
      const work = async (writer: Writer): Promise<T> => {
        await recordProfile(writer, profile, 1);
        return also(writer);
      };
      try {
        const extra = within
          ? (await ledger.openWithin(within.tx, author, row, work)).value
          : await ledger.open(author, row, work);
        return { user, epoch: 0, extra };
      } catch (error) {
        if (isUniqueViolation(error))
          throw problem('email_taken', 'An account with that e-mail address exists: log in instead.');
        throw error;
      }
    };
  };

  const create = async <T>(account: Account, admin: boolean, also: (writer: Writer) => Promise<T>) =>
    (await prepare(account, admin))(also);

  return { prepare, create };
};

/** Whether there is one account, or none yet. */
export const isOnlyAccount = async (db: Db): Promise<boolean> =>
  (await db.selectFrom('users').select('user_id').limit(2).execute()).length < 2;

export type Prepare = ReturnType<typeof createAccountMaker>['prepare'];
