/** What an operator does to accounts, from the command line: each change is in the ledger of its account, by system:operator. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { DISABLED, ENABLED, type End } from '../ledger/erase.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { limitOf, type Storage } from '../ledger/storage.ts';
import type { Accounts } from './account-erasure.ts';
import { generatedPassword, operatorOf } from './owner-reset.ts';
import { REFRESH_DAYS } from './renew-session.ts';
import type { Passwords } from './passwords.ts';
import { changeAccount, type AccountChange } from './profile.ts';
import type { Sessions } from './sessions.ts';

export type OperatedAccount = {
  user_id: string;
  email: string;
  admin: boolean;
  disabled: boolean;
  created_at: string;
  /** The last time that a login was refreshed or a key was used; null where neither happened. */
  last_used_at: string | null;
  entries: number;
  used_bytes: number;
  limit_bytes: number | null;
};

type Row = Omit<OperatedAccount, 'limit_bytes'> & { own_limit: number | null };

export type OperatorDeps = {
  db: Db;
  ledger: Ledger;
  storage: Storage;
  passwords: Passwords;
  sessions: Sessions;
  accounts: Accounts;
};

export const createOperator = ({ db, ledger, storage, passwords, sessions, accounts }: OperatorDeps) => {
  const change = async (user_id: string, values: AccountChange, kind?: string): Promise<void> => {
    await ledger.write(operatorOf(user_id), async (writer) => {
      await changeAccount(writer, values, kind === undefined ? {} : { kind });
      if (values.disabled || values.password_hash) await sessions.endAllIn(writer.tx, user_id);
    });
  };

  return {
    /** The account with this address or id. Uses the indexes users_email_key and users_pkey. */
    find: async (
      who: string,
    ): Promise<{ user_id: string; email: string; admin: boolean; disabled: boolean } | undefined> =>
      db
        .selectFrom('users')
        .select(['user_id', 'email', 'admin', 'disabled'])
        .where((eb) => eb.or([eb('email', '=', who.toLowerCase()), eb('user_id', '=', who)]))
        .executeTakeFirst(),

    /** A page of all accounts, by user_id. What an earlier release wrote is counted first. */
    list: async (after: string, limit: number): Promise<OperatedAccount[]> => {
      const page = sql`select user_id from users where user_id > ${after} order by user_id limit ${limit}`;
      const { rows: uncounted } = await sql<{ user_id: string }>`
        select h.user_id from (${page}) p join ledger_heads h on h.user_id = p.user_id and h.counted_seq < h.seq`.execute(
        db,
      );
      for (const { user_id } of uncounted) await storage.count(user_id);
      const { rows } = await sql<Row>`
        select u.user_id, u.email, u.admin, u.disabled, u.created_at, u.storage_limit as own_limit, h.seq as entries,
               h.counted_bytes as used_bytes,
               greatest((select max(k.last_used_at) from api_keys k where k.user_id = u.user_id),
                        (select max(r.expires_at) - ${sql.lit(`${REFRESH_DAYS} days`)}::interval from refresh_tokens r where r.user_id = u.user_id)) as last_used_at
        from (${page}) p join users u on u.user_id = p.user_id join ledger_heads h on h.user_id = u.user_id
        order by u.user_id`.execute(db);
      return rows.map(({ own_limit, ...row }) => ({ ...row, limit_bytes: limitOf(own_limit, storage.limitOfAll) }));
    },

    /** Ends the old password and every login. API keys stay valid. @returns the new password */
    reset: async (user_id: string): Promise<string> => {
      const password = generatedPassword();
      await change(user_id, { password_hash: await passwords.hash(password) });
      return password;
    },

    /** Ends every login for good, and refuses keys and logins until the account is enabled again. */
    disable: (user_id: string): Promise<void> => change(user_id, { disabled: true }, DISABLED),
    enable: (user_id: string): Promise<void> => change(user_id, { disabled: false }, ENABLED),

    /** @param bytes null for the limit of all accounts, 0 for none */
    limitStorage: (user_id: string, bytes: number | null): Promise<void> => change(user_id, { storage_limit: bytes }),

    /** @returns the end of the ledger */
    erase: (user_id: string): Promise<End> => accounts.eraseAs(operatorOf(user_id)),
  };
};

export type Operator = ReturnType<typeof createOperator>;
