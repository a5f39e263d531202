/** The columns of a table that repeats what documents say. Each is named once, for the rows, the statements and the audit. */
import { sql, type RawBuilder } from 'kysely';

/** The SQL type of a column, and what it holds of a document where that is not the member of the same name. */
export type Column<D> = string | { type: string; of: (doc: D) => unknown };

/** @param columns by name; the one that holds the uid is `uid`. */
export const documentColumns = <D extends object>(columns: Record<string, Column<D>>) => {
  const read = Object.entries(columns).map(([name, column]): [string, (doc: D) => unknown] => [
    name,
    typeof column === 'string' ? (doc) => doc[name as keyof D] : column.of,
  ]);
  const names = Object.keys(columns);
  const each = (written: (name: string) => string, of: readonly string[] = names): RawBuilder<unknown> =>
    sql.raw(of.map((name) => written(`"${name}"`)).join(', '));
  return {
    names,
    /** The columns of `row`, as a select and the head of an insert list them. */
    list: (row?: string, of?: readonly string[]): RawBuilder<unknown> =>
      each((name) => (row === undefined ? name : `${row}.${name}`), of),
    /** The row of a document as JSON for the database; a column that is null is left out. */
    row: (doc: D): Record<string, unknown> =>
      Object.fromEntries(read.map(([name, of]) => [name, of(doc) ?? undefined])),
    /** How json_to_recordset reads that JSON. */
    types: sql.raw(
      Object.entries(columns)
        .map(([name, column]) => `"${name}" ${typeof column === 'string' ? column : column.type}`)
        .join(', '),
    ),
    /** What `on conflict (user_id, uid) do update set` says. */
    replaced: each(
      (name) => `${name} = excluded.${name}`,
      names.filter((name) => name !== 'uid'),
    ),
  };
};

export type DocumentColumns<D extends object> = ReturnType<typeof documentColumns<D>>;
