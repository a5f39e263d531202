/** Compares two databases table by table, without moving their rows. */
import { sql } from 'kysely';
import type { Db } from '../database.ts';
import type { TableHeader } from './snapshot.ts';
import { lineOf } from './tables.ts';

/** The number of rows, and the sum of a part of the digests of all rows, which does not depend on their order. */
const summaryOf = async (db: Db, { name, columns }: TableHeader): Promise<string> => {
  const { rows } = await sql<{ summary: string }>`
    select count(*) || ' ' || coalesce(sum(('x' || substr(encode(sha256(convert_to(line, 'UTF8')), 'hex'), 1, 15))::bit(60)::bigint), 0) as summary
    from (select ${lineOf(columns)} as line from ${sql.table(name)}) lines`.execute(db);
  return rows[0]?.summary ?? '';
};

/** The names of the tables whose rows differ. */
export const differences = async (
  from: Db,
  to: Db,
  tables: readonly TableHeader[],
  onTable: (table: TableHeader) => void,
): Promise<string[]> => {
  const different: string[] = [];
  for (const table of tables) {
    const [here, there] = await Promise.all([summaryOf(from, table), summaryOf(to, table)]);
    if (here !== there) different.push(table.name);
    onTable(table);
  }
  return different;
};
