/** `npm run users -- <what> [account]`: lists accounts, invites people, and helps, disables or erases accounts. */
import { invitationLink } from '../../user/admin-routes.ts';
import type { OperatedAccount, Operator } from '../../user/operate-accounts.ts';
import { operatorOf } from '../../user/owner-reset.ts';
import type { Invitations } from '../../user/invitations.ts';
import { UsageError, type CommandContext, type DatabaseCommand, type Options } from './operator-command.ts';

/** The parts of the service that the command calls. */
type Services = {
  operator: Operator;
  invitations: Invitations;
  owner: { find: () => Promise<{ user_id: string; disabled: boolean } | undefined> };
};

type Account = NonNullable<Awaited<ReturnType<Operator['find']>>>;
type Work = (services: Services, context: CommandContext, options: Options) => Promise<void>;
type AccountWork = (services: Services, account: Account, context: CommandContext, options: Options) => Promise<void>;

const PAGE = 500;
const MEGABYTE = 1e6;
const megabytes = (bytes: number): string => (bytes / MEGABYTE).toFixed(1);

const lineOf = (account: OperatedAccount): string =>
  [
    account.disabled ? 'disabled' : 'enabled ',
    account.admin ? 'admin' : 'user ',
    account.user_id,
    account.email,
    `${megabytes(account.used_bytes)} MB of ${account.limit_bytes === null ? 'no limit' : `${megabytes(account.limit_bytes)} MB`}`,
    `since ${account.created_at.slice(0, 10)}`,
    account.last_used_at === null ? 'never used' : `last used ${account.last_used_at.slice(0, 10)}`,
  ].join('  ');

const list: Work = async ({ operator }, { print, progress }, { json }) => {
  let [after, count] = ['', 0];
  for (let page = await operator.list(after, PAGE); page.length; page = await operator.list(after, PAGE)) {
    for (const account of page) print(json ? JSON.stringify(account) : lineOf(account));
    count += page.length;
    after = page.at(-1)?.user_id ?? '';
  }
  progress(count === 1 ? '1 account' : `${count} accounts`);
};

const daysOf = (given: Options['days']): number | undefined => {
  if (given === undefined) return undefined;
  const days = Number(given);
  if (!(days > 0 && days <= 30)) throw new UsageError('--days must be a number above 0, and at most 30.');
  return days;
};

const invite: Work = async ({ invitations, owner }, { config, clock, print }, { label, days }) => {
  const found = await owner.find();
  if (!found)
    throw new UsageError('There is no administrator who could invite. Set OWNER_EMAIL, and start the service once.');
  if (found.disabled)
    throw new UsageError('Every administrator is disabled, so no invitation would work. Enable one first.');
  const asked = daysOf(days);
  const until = asked === undefined ? undefined : new Date(clock.millis() + asked * 86_400_000 - 1000).toISOString();
  const expires_at = invitations.expiryOf(until, 'UTC');
  const author = operatorOf(found.user_id);
  const made = await invitations.make(author, { label: typeof label === 'string' ? label : undefined, expires_at });
  const local = config.HOST === '0.0.0.0' || config.HOST === '::' ? 'localhost' : config.HOST;
  const address = config.PUBLIC_URL ?? `http://${local.includes(':') ? `[${local}]` : local}:${config.PORT}`;
  print(`This link makes one account, until ${expires_at}. It is shown only once:`);
  print(`  ${invitationLink(address, made.invitation)}`);
  if (config.PUBLIC_URL === undefined)
    print('PUBLIC_URL is not set, so the link leads to this machine. Set it where people use another address.');
  print(`An administrator can revoke it: DELETE /user/invitations?id=${made.id}`);
};

const reset: AccountWork = async ({ operator }, { user_id, email, disabled }, { print }) => {
  const password = await operator.reset(user_id);
  print('The old password and all logins have ended. This is shown only once:');
  print(`  e-mail    ${email}`);
  print(`  password  ${password}`);
  if (disabled) print('The account is still disabled: users -- enable lets it sign in.');
};

const disable: AccountWork = async ({ operator }, { user_id, email, disabled }, { print }) => {
  if (disabled) return print(`${email} is disabled already.`);
  await operator.disable(user_id);
  print(`${email} is disabled: its logins have ended, its keys are refused, and nothing is executed or sent for it.`);
};

const enable: AccountWork = async ({ operator }, { user_id, email, disabled }, { print }) => {
  if (!disabled) return print(`${email} is enabled already.`);
  await operator.enable(user_id);
  print(`${email} is enabled: its keys work again, and plans that became due meanwhile are executed.`);
};

const erase: AccountWork = async ({ operator }, { user_id, email, admin }, { print }, { yes }) => {
  const what = `${email} (${user_id}${admin ? ', an administrator' : ''})`;
  if (!yes) throw new UsageError(`This would erase all data of ${what}, which cannot be undone. Add --yes to do it.`);
  const { seq, hash } = await operator.erase(user_id);
  print(`${what} is erased. Of its ledger only the hash chain remains, which ends at ${seq} ${hash}.`);
};

const storage: AccountWork = async ({ operator }, { user_id, email }, { print }, { mb }) => {
  const bytes = mb === 'default' ? null : mb === 'none' ? 0 : Math.round(Number(mb) * MEGABYTE);
  if (mb === undefined || (bytes !== null && !(bytes >= 0 && bytes <= 1e15)) || (bytes === 0 && mb !== 'none'))
    throw new UsageError('Give the limit: --mb <megabytes>, --mb none, or --mb default (USER_STORAGE_MB).');
  await operator.limitStorage(user_id, bytes);
  print(
    `The limit of ${email} is ${bytes === null ? 'that of all accounts' : bytes === 0 ? 'removed' : `${megabytes(bytes)} MB`}.`,
  );
};

const WORKS: Record<string, Work> = { list, invite };
const ACCOUNT_WORKS: Record<string, AccountWork> = { reset, disable, enable, erase, storage };

const accountOf = async ({ operator }: Services, who: string | undefined, what: string): Promise<Account> => {
  if (who === undefined) throw new UsageError(`Name the account: users -- ${what} <e-mail address or user_id>.`);
  const account = await operator.find(who);
  if (!account) throw new UsageError(`There is no account ${who}. users -- list shows all.`);
  return account;
};

/** @param servicesOf returns the user feature on the command's database */
export const createUsersCommand = (servicesOf: (context: CommandContext) => Services): DatabaseCommand => ({
  summary: 'List, invite, help, disable or erase users',
  help: `  list                 all accounts, what they store and when they were last used [--json]
  invite               print a link that makes one account, also while registration is closed [--label <for whom>] [--days <7>]
  reset <account>      end the password and all logins, and print a new password
  disable <account>    end all logins and refuse keys; nothing is executed, sent or read for the account
  enable <account>     let the account work again
  erase <account>      erase all data of the account for good (--yes)
  storage <account>    limit what the account stores (--mb <megabytes> | none | default)

An account is named by its e-mail address or its user_id. Every change is recorded in the ledger of the account.
On a Postgres it works while the service runs, and takes effect within a second. The embedded database allows one process, so
stop the service first.`,
  arguments: '<list|invite|reset|disable|enable|erase|storage> [account]',
  variables: ['JWT_SECRET', 'PUBLIC_URL', 'HOST', 'PORT', 'USER_STORAGE_MB'],
  options: {
    json: { type: 'boolean', default: false },
    label: { type: 'string' },
    days: { type: 'string' },
    mb: { type: 'string' },
    yes: { type: 'boolean', default: false },
  },
  run: async (context, options, [what = '', who, ...more]) => {
    const isKnown = Object.hasOwn(WORKS, what) || Object.hasOwn(ACCOUNT_WORKS, what);
    if (!isKnown || more.length)
      throw new UsageError(
        `Say what to do: ${[...Object.keys(WORKS), ...Object.keys(ACCOUNT_WORKS)].join(', ')}. users -- --help explains each.`,
      );
    const services = servicesOf(context);
    const account = ACCOUNT_WORKS[what];
    if (account) await account(services, await accountOf(services, who, what), context, options);
    else await WORKS[what]?.(services, context, options);
    return 'done';
  },
});
