/** Accounts: registration, login, profile and settings. */
import { randomBytes, randomUUID } from 'node:crypto';

import type { PlanHooks } from '../agent/plan-hooks.ts';
import type { Db } from '../db/database.ts';
import { isUniqueViolation } from '../db/sqlstate.ts';
import type { Caller } from '../domain/access/caller.ts';
import { guessable } from '../domain/access/common-passwords.ts';
import { defaultTempo } from '../domain/plan/tempo.ts';
import { invalidAt, notFound, problem, checkSeenVersion, type Problem, type SeenVersions } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import {
  accountDoc,
  changeAccount,
  changeProfile,
  defaultSettings,
  findProfile,
  loadProfile,
  patchSettings,
  recordProfile,
  SALT_BYTES,
  type ProfileRow,
  withLook,
} from './profile.ts';
import type { LoginSession, LookChange, ProfileDoc, Session, Updates, User } from './schemas.ts';
import type { Authenticate } from './authenticate.ts';
import type { Passwords } from './passwords.ts';
import type { LoginLinks } from './login-links.ts';
import type { Sessions, Tokens } from './sessions.ts';
import type { Throttle } from './login-throttle.ts';

export type Account = {
  email: string;
  password: string;
  display_name?: string | undefined;
  timezone?: string | undefined;
};

/** Where a login comes from: its address, and its User-Agent. */
export type From = { ip: string; client: string | undefined };

export type UserDeps = {
  db: Db;
  /** For the short queries of frequent requests. */
  reads: Db;
  ledger: Ledger;

  sessions: Sessions;
  links: LoginLinks;
  throttle: Throttle;
  passwords: Passwords;
  authenticate: Authenticate;
  planHooks: PlanHooks;
};

const publicUser = (user_id: string, { email, profile }: ProfileRow): User => ({
  user_id,
  email,
  display_name: profile.display_name,
  timezone: profile.timezone,
});

const wrongCredentials = () => problem('wrong_credentials', 'Unknown account or wrong password.');
const wrongPassword = () =>
  invalidAt('/updates/current_password', 'wrong_password', 'must be the current password, to set a new one');

/** @throws 422 at `path` */
const refuseGuessable = (path: string, password: string, email: string): void => {
  const why = guessable(password, email);
  if (why) throw invalidAt(path, 'guessable', `${why}: choose a longer one of several words`);
};

export const createUserService = ({
  db,
  reads,
  ledger,
  sessions,
  links,
  throttle,
  passwords,
  authenticate,
  planHooks,
}: UserDeps) => {
  /**
   * Makes an account with its ledger. `also` runs in the same transaction, to make the owner's first key.
   * @throws 409 email_taken
   */
  const create = async <T>(
    account: Account,
    admin: boolean,
    also: (writer: Writer) => Promise<T>,
  ): Promise<{ user: User; epoch: number; extra: T }> => {
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
      account: accountDoc(row),
    };
    try {
      const extra = await ledger.open({ user_id, actor: 'user:session', origin: 'user' }, row, async (writer) => {
        await recordProfile(writer, profile, 1);
        return also(writer);
      });
      return {
        user: { user_id, email, display_name: profile.display_name, timezone: profile.timezone },
        epoch: 0,
        extra,
      };
    } catch (error) {
      if (isUniqueViolation(error))
        throw problem('email_taken', 'An account with that e-mail address exists: log in instead.');
      throw error;
    }
  };

  /** @throws `refused` where the account was erased while the tokens were made */
  const sessionOf = async (user_id: string, tokens: Tokens, refused: () => Problem): Promise<Session> => {
    const row = await findProfile(db, user_id);
    if (!row) throw refused();
    return { ...tokens, user: publicUser(user_id, row) };
  };

  const login = async ({ email, password }: { email: string; password: string }, from: From): Promise<Session> => {
    const { ip } = from;
    const address = email.toLowerCase();
    passwords.admit();
    await throttle.attempt(address, ip);
    const row = await db
      .selectFrom('users')
      .select(['user_id', 'password_hash', 'epoch'])
      .where('email', '=', address)
      .executeTakeFirst();
    if (!(await passwords.matches(password, row?.password_hash)) || !row) throw wrongCredentials();
    await throttle.succeeded(address, ip);
    const tokens = await sessions.start(row.user_id, row.epoch, from.client);
    if (!tokens) throw wrongCredentials(); // The password was changed while it was checked.
    return sessionOf(row.user_id, tokens, wrongCredentials);
  };

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

  return {
    create,
    login,

    /** @throws 409 email_taken, 429 */
    register: async (account: Account, { ip, client }: From): Promise<Session> => {
      refuseGuessable('/password', account.password, account.email);
      passwords.admit();
      await throttle.registration(ip);
      const { user, epoch } = await create(account, false, async () => undefined);
      const tokens = await sessions.start(user.user_id, epoch, client);
      if (!tokens) throw wrongCredentials(); // The account was changed or erased in between.
      return { ...tokens, user };
    },

    /** @throws 401 */
    loginWithLink: async (ticket: string, client: string | undefined): Promise<Session> => {
      const account = await links.redeem(ticket);
      const tokens = account && (await sessions.start(account.user_id, account.epoch, client));
      const refused = () =>
        problem('unauthenticated', 'The login link is unknown, used or older than ten minutes: log in instead.');
      if (!tokens) throw refused();
      return sessionOf(account.user_id, tokens, refused);
    },

    refresh: async (token: string): Promise<Session> => {
      const { user_id, ...tokens } = await sessions.refresh(token);
      return sessionOf(user_id, tokens, () => problem('unauthenticated', 'The account was erased.'));
    },

    /** Ends the login of the caller's credential, or all of the user's. @throws 422 where the credential is a key */
    logout: async (caller: Caller, everywhere: boolean): Promise<void> => {
      if (everywhere) await sessions.endAll(caller.user_id);
      else if (!(await sessions.end(caller.user_id, caller.credential_id)))
        throw invalidAt(
          '/everywhere',
          'not_a_login',
          'must be true here: this credential is a key, which DELETE /user/keys ends',
        );
      authenticate.forget(caller.user_id);
    },

    /** A page of the user's logins. */
    logins: (caller: Caller, after: string | undefined, limit: number): Promise<LoginSession[]> =>
      sessions.list(caller.user_id, caller.credential_id, after, limit),

    countLogins: (user_id: string) => sessions.count(user_id),

    /** Ends one login, or all but the caller's. @returns how many have ended @throws 404 */
    endLogins: async (caller: Caller, which: { id: string } | 'others'): Promise<number> => {
      const { user_id, credential_id } = caller;
      const ended =
        which === 'others'
          ? await sessions.endOthers(user_id, credential_id)
          : Number(await sessions.end(user_id, which.id));
      if (which !== 'others' && !ended) throw notFound('session', which.id);
      authenticate.forget(user_id);
      return ended;
    },

    profile: (user_id: string): Promise<ProfileRow> => loadProfile(reads, user_id),

    zoneOf: async (user_id: string): Promise<string | null> =>
      (await findProfile(reads, user_id))?.profile.timezone ?? null,

    /** Changes the profile. @param expected the version that the caller has read (If-Match) @throws 412, 422 */
    update: async (
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
        const changed = await changeAccount(writer, hashes, change);
        // Of two concurrent changes the second was checked against a password that is no longer valid.
        if (!changed) throw wrongPassword();
        await sessions.endAllIn(writer.tx, caller.user_id);
        await follow(writer, before, changed.profile);
        return changed;
      });
      authenticate.forget(caller.user_id);
      return row;
    },

    /** Changes how a calendar program shows a collection, one of `known`. */
    changeLook: async (caller: Caller, id: string, change: LookChange, known: readonly string[]): Promise<void> => {
      await changeProfile(ledger, caller, (current) => withLook(current, id, change, known));
    },

    /** Whether no account exists yet (first start). */
    isEmpty: async (): Promise<boolean> =>
      !(await db.selectFrom('users').select('user_id').limit(1).executeTakeFirst()),
  };
};

export type UserService = ReturnType<typeof createUserService>;
