/** Defines the rows of traces, by whose columns documents in the ledger are found, and stores current and past rows. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { oneByOne } from '../db/rows-by-key.ts';
import { searchVector } from '../domain/text/lexemes.ts';
import { isRecord } from '../domain/plan/plan-transitions.ts';
import { countedAt, countedUntil, wantedBy } from '../domain/plan/plan-time.ts';
import { hasRelativeDates, relativeDates } from '../domain/time/relative-dates.ts';
import { localDate, type Instant } from '../domain/time/time.ts';
import { valuesOf } from '../domain/record/blanking.ts';
import { isPlan, type PlanDoc, type TraceDoc } from '../domain/record/trace.ts';
import { documentColumns, type Column } from './document-columns.ts';

/** A column that only plans have. */
const ofPlan =
  (said: (plan: PlanDoc) => unknown) =>
  (doc: TraceDoc): unknown =>
    isPlan(doc) ? said(doc) : undefined;

/** A trace with the zone in which its relative dates are read: the profile's, as of the trace's seq. */
export type ZonedTrace = TraceDoc & { zone: string };

/** Changes whenever `search` or a later column is computed in another way, so that older rows are found and made again. */
export const TERMS = 4;
/** Under this name embedding_progress has how far rows of earlier releases were made again. */
export const TERMS_PROGRESS = `search-terms/${TERMS}`;

/** The columns by which current and past traces are found. */
const FOUND_BY: Record<string, Column<ZonedTrace>> = {
  uid: 'text',
  seq: 'bigint',
  type: 'text',
  task_id: 'text',
  tempo_tag: 'text',
  tags: 'text[]',
  origin: 'text',
  recorded_by: 'text',
  timestamp: 'timestamptz',
  status: 'text',
  action_type: 'text',
  scheduled_for: 'timestamptz',
  rating: { type: 'real', of: (doc) => doc.feedback_rating },
  event_uid: { type: 'text', of: (doc) => doc.linked_event_uid },
  /** The sensitive values that a person set; of a trace of an earlier release all of them. */
  sensitive: {
    type: 'text[]',
    of: (doc) => {
      const values = valuesOf(doc).flatMap(({ value, agent }) => (agent === null || !doc.sensitive ? value : []));
      return values.length ? values : null;
    },
  },
  /** Those that agents set, each with its agent. */
  agent_values: {
    type: 'text[]',
    of: (doc) =>
      doc.sensitive ? valuesOf(doc).flatMap(({ value, agent }) => (agent === null ? [] : `${agent} ${value}`)) : null,
  },
  search: {
    type: 'tsvector',
    of: (doc) =>
      searchVector({
        ...doc,
        title: isPlan(doc) ? doc.title : undefined,
        dates: hasRelativeDates(doc.content) ? relativeDates(doc.content, localDate(doc.timestamp, doc.zone)) : [],
      }),
  },
  /** How `search` was computed, as a number; null or negative in rows that a process of an earlier release has written. */
  terms: { type: 'smallint', of: () => TERMS },
};

/** The columns of `traces` that follow from the document: all except user_id and due_at. */
export const TRACE_COLUMNS = documentColumns<ZonedTrace>({
  ...FOUND_BY,
  version: 'integer',
  transition_of: { type: 'text', of: (doc) => doc.transition?.plan_uid },
  // These columns serve queries about plans: by the executor, limits, conflicts and the limit on pending proposals.
  expires_at: {
    type: 'timestamptz',
    of: ofPlan((plan) => (plan.status === 'proposed' && !isRecord(plan) ? plan.expires_at : null)),
  },
  counts_at: { type: 'timestamptz', of: ofPlan(countedAt) },
  counts_until: { type: 'timestamptz', of: ofPlan(countedUntil) },
  wanted: {
    type: 'tstzrange',
    of: ofPlan((plan) => {
      const wanted = wantedBy(plan);
      return wanted && `[${wanted.start},${wanted.end})`;
    }),
  },
  proposed_by: 'text',
  proposal_id: 'text',
});

/** The columns of `traces_past`, whose rows were valid from `seq` until another seq changed or removed them. */
export const TRACE_PAST_COLUMNS = documentColumns<ZonedTrace & { until: number | null }>({
  ...FOUND_BY,
  until: 'bigint',
});

/** The columns that follow from the release as well as from the document. */
export const TERM_COLUMNS = ['search', 'terms'];
/** The columns that a process of an earlier release may leave as they were. They are made again with the terms. */
export const LATER_COLUMNS = [
  'recorded_by',
  'sensitive',
  'agent_values',
  'counts_at',
  'counts_until',
  'wanted',
  'proposed_by',
  'proposal_id',
];

/** The names of the columns that both tables have. */
export const FOUND_BY_NAMES = Object.keys(FOUND_BY);

/** Versions of traces that end, each at a seq. */
export type Ended = { uid: string; seq: number }[];

/** The rows of a table `t` that end, each with the seq `f.seq` that ends it. */
export const endedRows = (table: RawBuilder<unknown>, user_id: string, ended: Ended): RawBuilder<unknown> => sql`
  unnest(${ended.map(({ uid }) => uid)}::text[], ${ended.map(({ seq }) => seq)}::bigint[]) as f(uid, seq)
  cross join ${oneByOne(sql`select * from ${table} where user_id = ${user_id} and uid = f.uid`, 't')}`;

/**
 * Copies rows into traces_past before they are changed or removed. Citus can't plan it as a part of the statement that changes
 * them. Send both without waiting between them, so that they take one round trip.
 */
export const keepPast = async (db: Db, user_id: string, ended: Ended): Promise<void> => {
  await sql`
    insert into traces_past (user_id, until, ${TRACE_COLUMNS.list(undefined, FOUND_BY_NAMES)})
    select t.user_id, f.seq, ${TRACE_COLUMNS.list('t', FOUND_BY_NAMES)}
    from ${endedRows(sql`traces`, user_id, ended)}`.execute(db);
};

/** When the executor must handle a plan. null is never, and undefined keeps the stored time. Only the row holds it. */
export type Due = { due_at?: Instant | null | undefined };

/** Stands for the stored time in the rows of changed traces. Citus allows no parameter and no subquery where it is replaced. */
const UNCHANGED = 'infinity';

/** Only a plan that was approved here is ever due. */
export const dueOf = (doc: TraceDoc, { due_at = UNCHANGED }: Due): Due =>
  isPlan(doc) && doc.status === 'approved' && !isRecord(doc) ? { due_at } : { due_at: null };

/** Inserts new rows, or replaces changed ones, in one statement. */
export const store = async (
  db: Db,
  user_id: string,
  rows: (ReturnType<typeof TRACE_COLUMNS.row> & Due)[],
  { changed }: { changed: boolean },
): Promise<void> => {
  if (!rows.length) return;
  // A new row cannot exist yet, since the ledger's unique key would have refused its entry.
  const instead = changed
    ? sql`
    on conflict (user_id, uid) do update set ${TRACE_COLUMNS.replaced},
      due_at = case when excluded.due_at = ${sql.lit(UNCHANGED)} then traces.due_at else excluded.due_at end`
    : sql``;
  await sql`
    insert into traces (user_id, due_at, ${TRACE_COLUMNS.list()})
    select ${user_id}::text, r.due_at, ${TRACE_COLUMNS.list('r')}
    from json_to_recordset(${JSON.stringify(rows)}::json) as r(${TRACE_COLUMNS.types}, due_at timestamptz)${instead}`.execute(
    db,
  );
};
