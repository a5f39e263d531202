/** Compares for the audit who may do what with the ledger: the row of the account, and the hashes of its API keys. */
import { sql } from 'kysely';
import { baselineOf, isAttested } from '../ledger/attested.ts';
import { attestedProjection, type AttestedRow, type Projection } from '../ledger/projections.ts';
import { accountDoc, type AccountRow } from './profile.ts';
import type { AccountDoc } from './schemas.ts';

type Row = AttestedRow & Omit<AccountRow, 'salt'>;

const isAsRecorded = (row: Row, account: AccountDoc | undefined): boolean => {
  if (!account) return true;
  if (!row.salt) return false;
  const { admin, email, password } = accountDoc({ ...row, salt: row.salt });
  return admin === account.admin && email === account.email && password === account.password;
};

/** Uses the index users_pkey. */
const account = attestedProjection<Row>({
  subject: 'profile',
  member: 'account',
  rowsOf: async (db, user_id) => {
    const { rows } = await sql<Row>`
      select user_id as uid, email, admin, password_hash, salt, null as baseline from users where user_id = ${user_id}`.execute(
      db,
    );
    return rows;
  },
  fits: (row, _, { payload }) => isAsRecorded(row, payload['account'] as AccountDoc | undefined),
});

/** Uses the index api_keys_pkey. */
const keyHashes = attestedProjection<AttestedRow & { secret_hash: Buffer }>({
  subject: 'key',
  member: 'secret',
  rowsOf: async (db, user_id, uids) => {
    const { rows } = await sql<AttestedRow & { secret_hash: Buffer }>`
      select k.id as uid, k.secret_hash, u.salt, ${baselineOf('keys', user_id, sql`k.id`)} as baseline
      from api_keys k join users u on u.user_id = k.user_id
      where k.user_id = ${user_id} and k.id = any(${uids})`.execute(db);
    return rows;
  },
  fits: (row, attested) => isAttested(row, 'key', row.secret_hash.toString('hex'), attested),
});

export const ACCOUNT_PROJECTIONS: Projection[] = [account, keyHashes];
