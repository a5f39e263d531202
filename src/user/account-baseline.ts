/**
 * Records the accounts of earlier releases for the audit: who may do what, as it is at the first start of this release. It can
 * not prove what was before. Each account is recorded once, because a row without a salt whose ledger attests it was changed.
 */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { onBehalfOfService } from '../common/fair-shares.ts';
import type { DatabaseHandle } from '../db/database.ts';
import { registerAccount } from '../ledger/account-register.ts';
import { attest, attestedText } from '../ledger/attested.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import type { Sessions } from './sessions.ts';
import { ACCOUNT_COLUMNS, accountDoc, loadProfile, recordProfile, SALT_BYTES } from './profile.ts';

const PAGE = 100;

/** Digests of the values of a table, by id. */
const attested = async (
  { tx, author: { user_id } }: Writer,
  salt: Buffer,
  [what, table, column]: ['key' | 'webhook', string, string],
): Promise<Record<string, string>> => {
  const { rows } = await sql<{ id: string; value: Buffer | string }>`
    select id, ${sql.ref(column)} as value from ${sql.table(table)} where user_id = ${user_id} order by id`.execute(tx);
  return Object.fromEntries(rows.map(({ id, value }) => [id, attest(salt, what, attestedText(value))]));
};

const record = async (writer: Writer, sessions: Sessions): Promise<void> => {
  const { tx, author } = writer;
  const row = await tx
    .selectFrom('users')
    .select(ACCOUNT_COLUMNS)
    .where('user_id', '=', author.user_id)
    .executeTakeFirstOrThrow();
  const { profile, version } = await loadProfile(tx, author.user_id);
  if (row.salt || profile.account) return;
  const salt = randomBytes(SALT_BYTES);
  const account = {
    ...accountDoc({ ...row, salt }),
    keys: await attested(writer, salt, ['key', 'api_keys', 'secret_hash']),
    webhooks: await attested(writer, salt, ['webhook', 'webhooks', 'url']),
  };
  await tx.updateTable('users').set({ salt }).where('user_id', '=', author.user_id).execute();
  await sessions.sealAll(tx, author.user_id);
  await recordProfile(writer, { ...profile, account }, version + 1);
  await writer.flush();
  await registerAccount(tx, author.user_id);
};

export const createAccountBaseline = ({
  handle,
  ledger,
  sessions,
}: {
  handle: DatabaseHandle;
  ledger: Ledger;
  sessions: Sessions;
}) => {
  const { db } = handle;

  /** Uses the index users_unrecorded. */
  const unrecorded = async (after: string): Promise<string[]> => {
    const { rows } = await sql<{ user_id: string }>`
      select user_id from users where salt is null and user_id > ${after} order by user_id limit ${PAGE}`.execute(db);
    return rows.map(({ user_id }) => user_id);
  };

  return async (): Promise<void> => {
    for (
      let page = await onBehalfOfService(() => unrecorded(''));
      page.length;
      page = await unrecorded(page.at(-1) ?? '')
    )
      for (const user_id of page)
        await ledger.write({ user_id, actor: 'system:upgrade', origin: 'system' }, (writer) =>
          record(writer, sessions),
        );
  };
};
