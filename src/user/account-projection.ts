/** Compares for the audit who may do what with the ledger: the row of the account, and the hashes of its API keys. */
import { sql } from 'kysely';
import { documentColumns } from '../ledger/document-columns.ts';
import {
  attestedColumn,
  attestedProjection,
  newestIsThere,
  tableProjection,
  type AttestedRow,
  type Projection,
} from '../ledger/projections.ts';
import { accountDoc, type AccountRow } from './profile.ts';
import type { AccountDoc } from './schemas.ts';

type Row = AttestedRow & Omit<AccountRow, 'salt'>;

const isAsRecorded = (row: Row, account: AccountDoc | undefined): boolean => {
  if (!account) return true;
  if (!row.salt) return false;
  const { admin, email, password, disabled, storage_limit } = accountDoc({ ...row, salt: row.salt });
  const isSame = admin === account.admin && email === account.email && password === account.password;
  return isSame && disabled === (account.disabled ?? false) && storage_limit === (account.storage_limit ?? null);
};

/** Uses the index users_pkey. */
const account = attestedProjection<Row>({
  subject: 'profile',
  member: 'account',
  rowsOf: async (db, user_id) => {
    const { rows } = await sql<Row>`
      select user_id as uid, email, admin, password_hash, salt, disabled, storage_limit, null as baseline from users where user_id = ${user_id}`.execute(
      db,
    );
    return rows;
  },
  fits: (row, _, { payload }) => isAsRecorded(row, payload['account'] as AccountDoc | undefined),
});

const keyHashes = attestedColumn({
  ...{ subject: 'key', member: 'secret', table: 'api_keys', column: 'secret_hash' },
  what: 'key',
  baseline: 'keys',
});

const invitations = tableProjection({
  subject: 'invitation',
  table: 'invitations',
  key: ['id'],
  isThere: newestIsThere,
  columns: documentColumns({ id: 'text', label: 'text', created_at: 'timestamptz', expires_at: 'timestamptz' }),
});

const invitationHashes = attestedColumn({
  ...{ subject: 'invitation', member: 'secret', table: 'invitations', column: 'hash' },
  what: 'invitation',
});

export const ACCOUNT_PROJECTIONS: Projection[] = [account, keyHashes, invitations, invitationHashes];
