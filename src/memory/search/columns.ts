/** Reads many rows as one row of columns: much less to format and parse. */
import { sql, type RawBuilder } from 'kysely';

/** Rows of a select as one row that has an array for each column. */
export const inColumns = (columns: readonly string[], rows: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ${sql.raw(columns.map((name) => `json_agg("${name}") as "${name}"`).join(', '))} from (${rows}) r`;

export type Columns = Record<string, unknown[] | null>;
/** The rows that `inColumns` was given. */
export const fromColumns = <T>(columns: Columns | undefined, names: readonly string[]): T[] => {
  const [first] = names;
  const rows = (first && columns?.[first]) || [];
  return rows.map((_, i) => {
    const row: Record<string, unknown> = {};
    for (const name of names) row[name] = columns?.[name]?.[i];
    return row as T;
  });
};
