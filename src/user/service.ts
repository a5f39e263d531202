/** Accounts: registration, login, profile and settings. */

import type { UserPlanPort } from './plan-port.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { invalidAt, notFound, problem, type Problem } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { changeProfile, findProfile, loadProfile, type ProfileRow, withLook } from './profile.ts';
import type { LoginSession, LookChange, Session, User } from './schemas.ts';
import type { Authenticate } from './authenticate.ts';
import type { Passwords } from './passwords.ts';
import type { LoginLinks } from './login-links.ts';
import type { Tokens } from './session-tokens.ts';
import type { Sessions } from './sessions.ts';
import type { Throttle } from './login-throttle.ts';
import { createAccountMaker } from './create-account.ts';
import { accountDisabled } from './disabled.ts';
import type { Invitations } from './invitations.ts';
import { createRegistration } from './register.ts';
import { createProfileUpdate } from './update-profile.ts';

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
  planHooks: UserPlanPort;
  invitations: Invitations;
  /** Whether anybody may make an account. */
  registrationOpen: boolean;
};

const publicUser = (user_id: string, { email, profile }: ProfileRow): User => ({
  user_id,
  email,
  display_name: profile.display_name,
  timezone: profile.timezone,
});

const wrongCredentials = () => problem('wrong_credentials', 'Unknown account or wrong password.');
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
  invitations,
  registrationOpen,
}: UserDeps) => {
  const { prepare, create } = createAccountMaker({ passwords, ledger });

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
      .select(['user_id', 'password_hash', 'epoch', 'disabled'])
      .where('email', '=', address)
      .executeTakeFirst();
    if (!(await passwords.matches(password, row?.password_hash)) || !row) throw wrongCredentials();
    await throttle.succeeded(address, ip);
    if (row.disabled) throw accountDisabled();
    const tokens = await sessions.start(row.user_id, row.epoch, from.client);
    if (!tokens) throw wrongCredentials(); // The password was changed while it was checked.
    return sessionOf(row.user_id, tokens, wrongCredentials);
  };

  const { update } = createProfileUpdate({ passwords, db, throttle, planHooks, ledger, authenticate, sessions });
  return {
    create,
    login,

    register: createRegistration({
      ...{ prepare, invitations, registrationOpen },
      passwords,
      throttle,
      sessions,
      gone: wrongCredentials,
    }),

    /** @throws 401 */
    loginWithLink: async (ticket: string, client: string | undefined): Promise<Session> => {
      const account = await links.redeem(ticket);
      const tokens = account && (await sessions.start(account.user_id, account.epoch, client, account.family));
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

    update,
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
