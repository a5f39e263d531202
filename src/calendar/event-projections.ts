/** The tables of events as the audit compares them with the ledger: each row can be made again from its event's document. */
import { sql } from 'kysely';
import { newestIsThere, tableProjection } from '../ledger/projections.ts';
import type { EventResource } from './schemas.ts';
import { eventRow, RANGES, ROW } from './event-store.ts';

export const eventProjection = tableProjection({
  subject: 'event',
  table: 'events',
  key: ['uid'],
  pointed: true,
  isThere: newestIsThere,
  row: ({ payload }) => eventRow(payload as unknown as EventResource),
  keyOf: ({ uid }) => ({ uid }),
  types: ROW,
  columns: [
    'seq',
    'version',
    'during',
    'span',
    'recurring',
    'busy',
    'task_id',
    'tempo_tag',
    'tags',
    'plan_uid',
    'lane',
  ],
  values: RANGES,
});

/** `span` is not compared: of what was changed before there was this table, it is wider than need be. */
export const eventPastProjection = tableProjection({
  subject: 'event',
  table: 'events_past',
  key: ['uid', 'seq'],
  pointed: true,
  isThere: ({ until, ends }) => until !== null && !ends,
  row: ({ uid, seq, until }) => ({ uid, seq, until }),
  keyOf: ({ uid, seq }) => ({ uid, seq }),
  types: sql`uid text, seq bigint, until bigint`,
  columns: ['until'],
});
