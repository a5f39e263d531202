/** Defines the table of webhooks for the audit. Its progress does not follow from the ledger. */
import { sql } from 'kysely';
import { baselineOf, hasHost, isAttested } from '../ledger/attested.ts';
import { documentColumns } from '../ledger/document-columns.ts';
import {
  attestedColumn,
  attestedProjection,
  newestIsThere,
  tableProjection,
  type AttestedRow,
} from '../ledger/projections.ts';

export const webhookProjection = tableProjection({
  subject: 'webhook',
  table: 'webhooks',
  key: ['id'],
  isThere: newestIsThere,
  columns: documentColumns({
    ...{
      id: 'text',
      types: 'text[]',
      description: 'text',
      scopes: 'text[]',
      status: 'text',
      created_at: 'timestamptz',
    },
  }),
});

/** The secret that signs. */
export const webhookSecretProjection = attestedColumn({
  ...{ subject: 'webhook', member: 'secret', table: 'webhooks', column: 'secret' },
  what: 'webhook secret',
});

/** `first` is the seq of its first entry, from which it sends, and `head` that of the newest entry. */
type Row = AttestedRow & { url: string; seq: number; first: number; head: number };

/** The address, and a position that can be one: what was delivered in between is not recorded. Uses the index webhooks_pkey. */
export const webhookAddressProjection = attestedProjection<Row>({
  subject: 'webhook',
  member: 'address',
  rowsOf: async (db, user_id, uids) => {
    const { rows } = await sql<Row>`
      select w.id as uid, w.url, w.seq, u.salt, ${baselineOf('webhooks', user_id, sql`w.id`)} as baseline, h.seq as head,
             (select l.seq from ledger l where l.user_id = ${user_id} and l.subject = 'webhook' and l.subject_uid = w.id and l.version = 1) as first
      from webhooks w join users u on u.user_id = w.user_id join ledger_heads h on h.user_id = w.user_id
      where w.user_id = ${user_id} and w.id = any(${uids})`.execute(db);
    return rows;
  },
  fits: (row, attested, { payload }) =>
    hasHost(row.url, payload['host']) &&
    row.seq >= row.first &&
    row.seq <= row.head &&
    isAttested(row, 'webhook', row.url, attested),
});
