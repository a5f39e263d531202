/**
 * Defines for the audit the tables that repeat what the ledger says, and computes their rows from the ledger alone to compare
 * them. Columns that do not follow from a document are left out: due_at, embeddings, hashes of secrets.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { only, oneByOne } from '../db/rows-by-key.ts';
import { mapYielding } from '../common/yielding.ts';
import { attestedText, baselineOf, isAttested, type Attested } from './attested.ts';
import type { Subject } from './ledger-writer.ts';
import { documentColumns, type DocumentColumns } from './document-columns.ts';
import { LATER_COLUMNS, TERM_COLUMNS, TERMS, TERMS_PROGRESS, TRACE_COLUMNS, TRACE_PAST_COLUMNS } from './trace-rows.ts';

/** A verified entry, and whether a later one replaced it. */
export type EntryState = {
  seq: number;
  uid: string;
  payload: Record<string, unknown>;
  /** The user's zone as of the entry. */
  zone: string;
  /** The seq of the next version; null for the newest. */
  until: number | null;
  /** True where this version ends the subject: removed or revoked. */
  ends: boolean;
};

/**
 * A row differs from its entry, is missing or should not exist; or only its index terms differ; or it is no damage: a process of an
 * earlier release wrote it, and the service has yet to make it again.
 */
export type Difference = { seq: number; why: 'projection_differs' | 'index_differs' | 'outdated' };

export type Projection = {
  subject: Subject;
  /** The differences of these entries, sorted by seq. */
  differing: (db: Db, user_id: string, entries: EntryState[]) => Promise<Difference[]>;
  /** The first row without an entry, with its seq where it has one; null where there is none. */
  stray: (db: Db, user_id: string) => Promise<{ seq: number | null } | null>;
};

type Shape<D extends object> = {
  subject: Subject;
  table: string;
  /** The columns that identify the row of an entry. The first one holds the uid. */
  key: string[];
  /** Whether the row's `seq` is that of its entry. */
  pointed?: boolean;
  /** Whether this entry should have a row. undefined where another version of the subject decides. */
  isThere: (entry: EntryState) => boolean | undefined;
  columns: DocumentColumns<D>;
  /** The document that the columns are computed from, where it is not the entry's. */
  documentOf?: (entry: EntryState) => object;
  /** The columns of search terms. */
  index?: string[];
  /**
   * Whether rows of an earlier release are made again in the background: the column of the seq by which their turn comes, and the
   * columns besides those of the index that may differ until then.
   */
  renewed?: { at: 'seq' | 'until'; later: string[] };
};

/** Defines a projection. Uses the primary key of the table, and for stray rows the index ledger_pkey or the unique key of the ledger. */
export const tableProjection = <D extends object>(shape: Shape<D>): Projection => {
  const { subject, columns, key, index = [], renewed, documentOf = ({ payload }) => payload } = shape;
  const table = sql.table(shape.table);
  const [uid] = key as [string];
  const last = key.at(-1) as string;
  const found = sql.join(
    [
      ...key.slice(0, -1).map((column) => sql`${columns.list('o', [column])} = ${columns.list('r', [column])}`),
      only(last, columns.list('r', [last])),
    ],
    sql` and `,
  );
  const compared = columns.names.filter((column) => !index.includes(column));
  const differs = sql`t.user_id is null or (${columns.list('t', compared)}) is distinct from (${columns.list('r', compared)})`;
  /** Of the columns that rows of an earlier release have too. */
  const known = compared.filter((column) => !renewed?.later.includes(column));
  const damaged = sql`t.user_id is null or (${columns.list('t', known)}) is distinct from (${columns.list('r', known)})`;
  const waits = (user_id: string): RawBuilder<unknown> =>
    renewed
      ? sql`r.there and coalesce(t.terms, 0) < ${sql.lit(TERMS)} and r.${sql.ref(renewed.at)} > coalesce(
          (select seq from embedding_progress where user_id = ${user_id} and model = ${TERMS_PROGRESS}), 0) and not (${damaged})`
      : sql`false`;
  const terms =
    index.length === 0 ? sql`false` : sql`(${columns.list('t', index)}) is distinct from (${columns.list('r', index)})`;
  const claim = shape.pointed ? sql`t.seq` : sql`null::bigint`;
  const behind = shape.pointed ? sql`and ${only('seq', sql`t.seq`)}` : sql`order by version limit 1`;
  return {
    subject,
    differing: async (db, user_id, entries) => {
      const decided = entries.filter((entry) => shape.isThere(entry) !== undefined);
      if (!decided.length) return [];
      const rows = await mapYielding(decided, (entry) => {
        const there = shape.isThere(entry) === true;
        // A row that should not exist needs only its key.
        const row = there ? columns.row(documentOf(entry) as D) : { seq: entry.seq, [uid]: entry.uid };
        return { ...row, at: entry.seq, there };
      });
      const { rows: bad } = await sql<Difference>`
        select at as seq, case when outdated then 'outdated' when differs then 'projection_differs' else 'index_differs' end as why
        from (select r.at, ${waits(user_id)} as outdated, case when r.there then ${differs} else t.user_id is not null end as differs, r.there and ${terms} as terms
                from json_to_recordset(${JSON.stringify(rows)}::json) as r(at bigint, there boolean, ${columns.types})
                left join ${oneByOne(sql`select * from ${table} o where user_id = ${user_id} and ${found}`, 't')} on true) compared
        where differs or terms order by at`.execute(db);
      return bad;
    },
    stray: async (db, user_id) => {
      const entry = sql`
        select seq from ledger where user_id = ${user_id} and subject = ${subject} and subject_uid = ${columns.list('t', [uid])} ${behind}`;
      const { rows } = await sql<{ seq: number | null }>`
        select ${claim} as seq from ${table} t left join ${oneByOne(entry, 'l')} on true
        where t.user_id = ${user_id} and l.seq is null order by 1 limit 1`.execute(db);
      return rows[0] ?? null;
    },
  };
};

/** Answers isThere for a table with one row for each subject that is not removed. */
export const newestIsThere = ({ until, ends }: EntryState): boolean | undefined => (until === null ? !ends : undefined);

/** A row that says who may do what, with the digest that its entry has, or else the baseline of an earlier release's entry. */
export type AttestedRow = { uid: string; salt: Buffer | null; baseline: string | null };

/**
 * Compares rows with the digests of their values in the ledger. An entry without a digest is of an earlier release, whose account
 * was not recorded yet, and proves nothing.
 */
export const attestedProjection = <R extends AttestedRow>(shape: {
  subject: Subject;
  /** The member of the document that holds the digest. */
  member: string;
  /** The rows of these uids. */
  rowsOf: (db: Db, user_id: string, uids: string[]) => Promise<R[]>;
  /** Whether the row is as the digest says. */
  fits: (row: R, attested: string | undefined, entry: EntryState) => boolean;
}): Projection => ({
  subject: shape.subject,
  differing: async (db, user_id, entries) => {
    const newest = entries.filter((entry) => newestIsThere(entry) === true);
    if (!newest.length) return [];
    const uids = newest.map(({ uid }) => uid);
    const rows = new Map((await shape.rowsOf(db, user_id, uids)).map((row) => [row.uid, row]));
    return newest
      .filter((entry) => {
        const row = rows.get(entry.uid);
        const own = entry.payload[shape.member];
        const attested = typeof own === 'string' ? own : (row?.baseline ?? undefined);
        return row && !shape.fits(row, attested, entry); // That a row is missing is reported by its other projection.
      })
      .map(({ seq }): Difference => ({ seq, why: 'projection_differs' }));
  },
  stray: async () => null,
});

/** Compares one column of a table, which holds a secret or its hash, with the digests in the ledger. Uses the key (user_id, id) of the table. */
export const attestedColumn = (shape: {
  subject: Subject;
  member: string;
  table: string;
  column: string;
  what: Attested;
  /** Where the values of an earlier release are attested. */
  baseline?: 'keys';
  /** What else the entry says of the value. */
  also?: (text: string, entry: EntryState) => boolean;
}): Projection => {
  const { subject, member, table, column, what, also = () => true } = shape;
  type Row = AttestedRow & { value: Buffer | string };
  return attestedProjection<Row>({
    subject,
    member,
    rowsOf: async (db, user_id, uids) => {
      const baseline = shape.baseline ? baselineOf(shape.baseline, user_id, sql`t.id`) : sql`null`;
      const { rows } = await sql<Row>`
        select t.id as uid, t.${sql.ref(column)} as value, u.salt, ${baseline} as baseline
        from ${sql.table(table)} t join users u on u.user_id = t.user_id
        where t.user_id = ${user_id} and t.id = any(${uids})`.execute(db);
      return rows;
    },
    fits: (row, attested, entry) => {
      const text = attestedText(row.value);
      return also(text, entry) && isAttested(row, what, text, attested);
    },
  });
};

const traces = tableProjection({
  subject: 'trace',
  table: 'traces',
  key: ['uid'],
  pointed: true,
  isThere: newestIsThere,
  columns: TRACE_COLUMNS,
  documentOf: ({ payload, zone }) => ({ ...payload, zone }),
  index: TERM_COLUMNS,
  renewed: { at: 'seq', later: LATER_COLUMNS },
});

const tracesPast = tableProjection({
  subject: 'trace',
  table: 'traces_past',
  key: ['uid', 'seq'],
  pointed: true,
  isThere: ({ until, ends }) => until !== null && !ends,
  columns: TRACE_PAST_COLUMNS,
  documentOf: ({ payload, zone, until }) => ({ ...payload, zone, until }),
  index: TERM_COLUMNS,
  renewed: { at: 'until', later: LATER_COLUMNS },
});

const keys = tableProjection({
  subject: 'key',
  table: 'api_keys',
  key: ['id'],
  isThere: newestIsThere,
  columns: documentColumns({
    id: 'text',
    kind: 'text',
    label: 'text',
    scopes: 'text[]',
    expires_at: 'timestamptz',
    created_at: 'timestamptz',
  }),
});

const checkpoints = tableProjection({
  subject: 'checkpoint',
  table: 'checkpoints',
  key: ['tag'],
  isThere: newestIsThere,
  columns: documentColumns({ tag: 'text', seq: 'bigint', parameters: 'jsonb', created_at: 'timestamptz' }),
});

const profile = tableProjection({
  subject: 'profile',
  table: 'users',
  key: ['user_id'],
  isThere: newestIsThere,
  columns: documentColumns({ user_id: 'text', profile_seq: 'bigint' }),
  documentOf: ({ uid, seq }) => ({ user_id: uid, profile_seq: seq }),
});

export const LEDGER_PROJECTIONS: Projection[] = [traces, tracesPast, keys, checkpoints, profile];
