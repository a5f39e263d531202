/** Defines the table of calendar sources for the audit. The state of reading them does not follow from the ledger. */
import { hasHost } from '../../ledger/attested.ts';
import { documentColumns } from '../../ledger/document-columns.ts';
import { attestedColumn, newestIsThere, tableProjection } from '../../ledger/projections.ts';

export const sourceProjection = tableProjection({
  subject: 'source',
  table: 'calendar_sources',
  key: ['id'],
  isThere: newestIsThere,
  columns: documentColumns({
    ...{
      id: 'text',
      name: 'text',
      busy: 'boolean',
      color: 'text',
      refresh_minutes: 'integer',
      created_at: 'timestamptz',
    },
  }),
});

/** The address, from which the calendar is read. */
export const sourceAddressProjection = attestedColumn({
  ...{ subject: 'source', member: 'address', table: 'calendar_sources', column: 'url' },
  what: 'source',
  also: (url, { payload }) => hasHost(url, payload['host']),
});
