/**
 * The tables that only repeat what the ledger says, each with the rows there should be by the ledger alone: what the audit
 * compares them with. What a document does not tell is no part of it: due_at, embeddings, hashes of secrets.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import { mapYielding } from '../common/yielding.ts';
import type { Subject } from './ledger.ts';
import { PAST, ROW, traceRow } from './trace-rows.ts';

/** A verified entry, and what became of it. */
export type Standing = {
  seq: number;
  uid: string;
  payload: Record<string, unknown>;
  /** Seq of the version after it; null while it is the newest. */
  until: number | null;
  /** It is the end of its subject: removed, revoked. */
  ends: boolean;
};

/** The row of an entry is not what its document says, or is missing, or should be; or merely its index terms are others. */
export type Difference = { seq: number; why: 'projection_differs' | 'index_differs' };

export type Projection = {
  subject: Subject;
  /** By seq. */
  differing: (db: Db, user_id: string, entries: Standing[]) => Promise<Difference[]>;
  /** The first row that no entry stands behind, with the seq it claims where it claims one; null where there is none. */
  stray: (db: Db, user_id: string) => Promise<{ seq: number | null } | null>;
};

type Shape = {
  subject: Subject;
  table: string;
  /** Columns that find the row of an entry; the first of them holds the uid. */
  key: string[];
  /** The row's own `seq` is that of its entry. */
  pointed?: boolean;
  /** Whether there should be a row of this entry; undefined where another version of the subject answers that. */
  isThere: (entry: Standing) => boolean | undefined;
  /** The row as JSON; of one that should not be there, the key is enough. */
  row: (entry: Standing) => object;
  keyOf: (entry: Standing) => object;
  /** How the database reads that JSON. */
  types: RawBuilder<unknown>;
  /** What is compared. */
  columns: string[];
  /** Terms it is found by, which another release may make otherwise (until the index is made anew). */
  index?: string;
  /** Values that are not simply the member `r.<column>`. */
  values?: Record<string, RawBuilder<unknown>>;
};

/** Rides on the table's primary key, and for strays on the ledger's unique key. */
export const tableProjection = (shape: Shape): Projection => {
  const { subject, columns, index, values = {}, types } = shape;
  const table = sql.table(shape.table);
  const [uid] = shape.key as [string];
  const value = (column: string): RawBuilder<unknown> => values[column] ?? sql.ref(`r.${column}`);
  const found = sql.join(
    shape.key.map((column) => sql`${sql.ref(`t.${column}`)} = ${value(column)}`),
    sql` and `,
  );
  const shown = sql.join(columns.map((column) => sql.ref(`t.${column}`)));
  const differs = sql`t.user_id is null or (${shown}) is distinct from (${sql.join(columns.map(value))})`;
  const terms = index === undefined ? sql`false` : sql`${sql.ref(`t.${index}`)} is distinct from ${value(index)}`;
  const claim = shape.pointed ? sql`t.seq` : sql`null::bigint`;
  const behind = shape.pointed ? sql`and l.seq = t.seq` : sql``;
  return {
    subject,
    differing: async (db, user_id, entries) => {
      const decided = entries.filter((entry) => shape.isThere(entry) !== undefined);
      if (!decided.length) return [];
      const rows = await mapYielding(decided, (entry) => {
        const there = shape.isThere(entry) === true;
        return { ...(there ? shape.row(entry) : shape.keyOf(entry)), at: entry.seq, there };
      });
      const { rows: bad } = await sql<Difference>`
        select at as seq, case when differs then 'projection_differs' else 'index_differs' end as why
        from (select r.at, case when r.there then ${differs} else t.user_id is not null end as differs, r.there and ${terms} as terms
                from json_to_recordset(${JSON.stringify(rows)}::json) as r(at bigint, there boolean, ${types})
                left join ${table} t on t.user_id = ${user_id} and ${found}) compared
        where differs or terms order by at`.execute(db);
      return bad;
    },
    stray: async (db, user_id) => {
      const { rows } = await sql<{ seq: number | null }>`
        select ${claim} as seq from ${table} t
        where t.user_id = ${user_id} and not exists (
          select from ledger l where l.user_id = t.user_id and l.subject = ${subject} and l.subject_uid = ${sql.ref(`t.${uid}`)} ${behind})
        order by 1 limit 1`.execute(db);
      return rows[0] ?? null;
    },
  };
};

/** Of a table with one row for each living subject. */
export const newestIsThere = ({ until, ends }: Standing): boolean | undefined => (until === null ? !ends : undefined);

const told = PAST.filter((column) => column !== 'search');
const traceOf = (entry: Standing) => traceRow(entry.payload as unknown as TraceDoc);

const traces = tableProjection({
  subject: 'trace',
  table: 'traces',
  key: ['uid'],
  pointed: true,
  isThere: newestIsThere,
  row: traceOf,
  keyOf: ({ uid }) => ({ uid }),
  types: ROW,
  columns: [...told, 'version', 'transition_of', 'expires_at', 'counts_at', 'wanted', 'proposed_by'],
  index: 'search',
  values: { search: sql`r.search::tsvector` },
});

const tracesPast = tableProjection({
  subject: 'trace',
  table: 'traces_past',
  key: ['uid', 'seq'],
  pointed: true,
  isThere: ({ until, ends }) => until !== null && !ends,
  row: (entry) => ({ ...traceOf(entry), until: entry.until }),
  keyOf: ({ uid, seq }) => ({ uid, seq }),
  types: sql`${ROW}, until bigint`,
  columns: [...told, 'until'],
  index: 'search',
  values: { search: sql`r.search::tsvector` },
});

const keys = tableProjection({
  subject: 'key',
  table: 'api_keys',
  key: ['id'],
  isThere: newestIsThere,
  row: ({ payload }) => payload,
  keyOf: ({ uid }) => ({ id: uid }),
  types: sql`id text, kind text, label text, scopes text[], expires_at timestamptz, created_at timestamptz`,
  columns: ['id', 'kind', 'label', 'scopes', 'expires_at', 'created_at'],
});

const checkpoints = tableProjection({
  subject: 'checkpoint',
  table: 'checkpoints',
  key: ['tag'],
  isThere: newestIsThere,
  row: ({ payload }) => payload,
  keyOf: ({ uid }) => ({ tag: uid }),
  types: sql`tag text, seq bigint, parameters jsonb, created_at timestamptz`,
  columns: ['tag', 'seq', 'parameters', 'created_at'],
});

const profile = tableProjection({
  subject: 'profile',
  table: 'users',
  key: ['user_id'],
  isThere: newestIsThere,
  row: ({ uid, seq }) => ({ user_id: uid, profile_seq: seq }),
  keyOf: ({ uid }) => ({ user_id: uid }),
  types: sql`user_id text, profile_seq bigint`,
  columns: ['profile_seq'],
});

export const LEDGER_PROJECTIONS: Projection[] = [traces, tracesPast, keys, checkpoints, profile];
