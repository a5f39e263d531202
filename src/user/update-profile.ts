/** Changes the profile of an account, and its password. */
import type { UserPlanPort } from './plan-port.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { guessable } from '../domain/access/common-passwords.ts';
import { invalidAt, notFound, checkSeenVersion, type SeenVersions } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { changeAccount, changeProfile, loadProfile, patchSettings, type ProfileRow } from './profile.ts';
import type { ProfileDoc, Updates } from './schemas.ts';
import type { Authenticate } from './authenticate.ts';
import type { Passwords } from './passwords.ts';
import type { Sessions } from './sessions.ts';
import type { Throttle } from './login-throttle.ts';

export type ProfileUpdateDeps = {
  passwords: Passwords;
  db: Db;
  throttle: Throttle;
  planHooks: UserPlanPort;
  ledger: Ledger;
  authenticate: Authenticate;
  sessions: Sessions;
};

const wrongPassword = () =>
  invalidAt('/updates/current_password', 'wrong_password', 'must be the current password, to set a new one');

/** @throws 422 at `path` */
export const refuseGuessable = (path: string, password: string, email: string): void => {
  const why = guessable(password, email);
  if (why) throw invalidAt(path, 'guessable', `${why}: choose a longer one of several words`);
};

export const createProfileUpdate = ({
  passwords,
  db,
  throttle,
  planHooks,
  ledger,
  authenticate,
  sessions,
}: ProfileUpdateDeps) => {
  /**
   * Checks that the password may be changed.
   * @returns the hash that was checked, to be compared again under the lock, and that of the new password
   */
  const checkedPassword = async (
    caller: Caller,
    next: string,
    { current, ip }: { current: string | undefined; ip: string },
  ): Promise<{ checked: string; password_hash: string }> => {
    passwords.admit();
    const row = await db
      .selectFrom('users')
      .select(['email', 'password_hash'])
      .where('user_id', '=', caller.user_id)
      .executeTakeFirst();
    if (!row) throw notFound('user', caller.user_id);
    // The limit applies here too, so that a stolen credential cannot guess faster than a login.
    if (current !== undefined) await throttle.attempt(row.email, ip);
    if (current === undefined || !(await passwords.matches(current, row.password_hash))) throw wrongPassword();
    await throttle.succeeded(row.email, ip);
    refuseGuessable('/updates/password', next, row.email);
    return { checked: row.password_hash, password_hash: await passwords.hash(next) };
  };

  /** Changes the profile. @param expected the version that the caller has read (If-Match) @throws 412, 422 */
  const update = async (
    caller: Caller,
    updates: Updates,
    { expected, ip }: { expected: SeenVersions | undefined; ip: string },
  ): Promise<ProfileRow> => {
    const { password, current_password, ...rest } = updates;
    const change = (current: ProfileDoc, version: number): ProfileDoc => {
      checkSeenVersion('profile', caller.user_id, expected, version);
      return {
        ...current,
        display_name: rest.display_name ?? current.display_name,
        timezone: rest.timezone ?? current.timezone,
        settings: patchSettings(current.settings, rest),
      };
    };
    const follow = async (writer: Writer, before: ProfileDoc, after: ProfileDoc): Promise<void> => {
      if (before.settings.execution !== after.settings.execution)
        await planHooks.executionChanged(writer, after.settings.execution);
    };
    if (password === undefined) {
      const row = await changeProfile(ledger, caller, change, follow);
      authenticate.forget(caller.user_id);
      return row;
    }
    // Checks the other changes first: where they are wrong, nothing is said of the password.
    const { profile, version } = await loadProfile(db, caller.user_id);
    change(profile, version);
    const hashes = await checkedPassword(caller, password, { current: current_password, ip });
    // The password and the other changes are one version of the profile. Every session ends; API keys remain valid.
    const row = await ledger.write(caller, async (writer) => {
      const before = (await loadProfile(writer.tx, caller.user_id)).profile;
      const { checked, password_hash } = hashes;
      const changed = await changeAccount(writer, { password_hash }, { checked, change });
      // Of two concurrent changes the second was checked against a password that is no longer valid.
      if (!changed) throw wrongPassword();
      await sessions.endAllIn(writer.tx, caller.user_id);
      await follow(writer, before, changed.profile);
      return changed;
    });
    authenticate.forget(caller.user_id);
    return row;
  };

  return { update };
};
