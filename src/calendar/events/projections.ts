/** Defines the tables of events for the audit, which computes each row again from its event's document and compares. */
import { documentColumns } from '../../ledger/document-columns.ts';
import { newestIsThere, tableProjection } from '../../ledger/projections.ts';
import { EVENT_COLUMNS } from './store.ts';

export const eventProjection = tableProjection({
  subject: 'event',
  table: 'events',
  key: ['uid'],
  pointed: true,
  isThere: newestIsThere,
  columns: EVENT_COLUMNS,
});

/** `span` is not compared: for events changed before this table existed it is wider than necessary. */
export const eventPastProjection = tableProjection({
  subject: 'event',
  table: 'events_past',
  key: ['uid', 'seq'],
  pointed: true,
  isThere: ({ until, ends }) => until !== null && !ends,
  columns: documentColumns({ uid: 'text', seq: 'bigint', until: 'bigint' }),
  documentOf: (entry) => entry,
});
