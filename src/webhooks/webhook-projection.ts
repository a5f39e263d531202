/** Defines the table of webhooks for the audit. Its URL, secret and progress do not follow from the ledger. */
import { documentColumns } from '../ledger/document-columns.ts';
import { newestIsThere, tableProjection } from '../ledger/projections.ts';

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
