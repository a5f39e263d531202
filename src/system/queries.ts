/** Reads the memory snapshot from the ledger alone. A debugger can compare it with the projections. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { DOCUMENT_BYTES, fitting, pageOfRows } from '../db/row-pages.ts';
import type { Instant } from '../domain/time/time.ts';

type DumpFilter = { task_id?: string | undefined; type?: string | undefined };

/** Newest versions, as of a seq, of traces that are not removed. Uses ledger_pkey, and the unique key for later versions. */
const newestVersions = (user_id: string, seq: number, { task_id, type }: DumpFilter): RawBuilder<unknown> => {
  const wanted = [
    sql`l.user_id = ${user_id}`,
    sql`l.subject = 'trace'`,
    sql`l.seq <= ${seq}`,
    sql`l.kind <> 'trace.removed'`,
  ];
  if (task_id !== undefined) wanted.push(sql`l.payload->>'task_id' = ${task_id}`);
  if (type !== undefined) wanted.push(sql`l.payload->>'type' = ${type}`);
  return sql`ledger l where ${sql.join(wanted, sql` and `)}
    and not exists (select 1 from ledger n where n.user_id = l.user_id and n.subject = l.subject and n.subject_uid = l.subject_uid
                    and n.version > l.version and n.seq <= ${seq})`;
};

export type Snapshot = { user_id: string; seq: number; filter: DumpFilter };

/** A page of documents, sorted by seq. */
export const dumpPage = async (db: Db, { user_id, seq, filter }: Snapshot, after: number, limit: number) => {
  const { rows } = await sql<{ seq: number; payload: Record<string, unknown>; fits: boolean }>`
    select l.seq, ${fitting(sql`l.seq`)} from (
      select l.seq, l.payload, ${DOCUMENT_BYTES} as bytes
      from ${newestVersions(user_id, seq, filter)} and l.seq > ${after} order by l.seq limit ${limit + 1}) l order by l.seq`.execute(
    db,
  );
  return pageOfRows(rows, limit);
};

/** The number of traces of each type, and their earliest and latest times. */
export const dumpCounts = async (db: Db, { user_id, seq, filter }: Snapshot) => {
  const { rows } = await sql<{ type: string; count: number; oldest: Instant; newest: Instant }>`
    select l.payload->>'type' as type, count(*) as count,
           min((l.payload->>'timestamp')::timestamptz) as oldest, max((l.payload->>'timestamp')::timestamptz) as newest
    from ${newestVersions(user_id, seq, filter)} group by 1 order by 1`.execute(db);
  return rows;
};
