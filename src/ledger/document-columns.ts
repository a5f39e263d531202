/** Defines the columns of a projection. Each column is named once and used for rows, statements and the audit. */
import { sql, type RawBuilder } from 'kysely';

/** A column's SQL type, and how its value follows from the document. Without `of` it is the member of the same name. */
export type Column<D> = string | { type: string; of: (doc: D) => unknown };

/** Makes the definition. @param columns by name; the one that holds the uid is `uid` */
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
    /** The list of columns for a select or the head of an insert, each with the prefix `row`. */
    list: (row?: string, of?: readonly string[]): RawBuilder<unknown> =>
      each((name) => (row === undefined ? name : `${row}.${name}`), of),
    /** The row of a document as JSON for the database. A null column is left out. */
    row: (doc: D): Record<string, unknown> => {
      const row: Record<string, unknown> = {};
      for (const [name, of] of read) {
        const value = of(doc);
        if (value !== null && value !== undefined) row[name] = value;
      }
      return row;
    },
    /** The column types for json_to_recordset, which reads that JSON. */
    types: sql.raw(
      Object.entries(columns)
        .map(([name, column]) => `"${name}" ${typeof column === 'string' ? column : column.type}`)
        .join(', '),
    ),
    /** The assignments of `on conflict (user_id, uid) do update set`. */
    replaced: each(
      (name) => `${name} = excluded.${name}`,
      names.filter((name) => name !== 'uid'),
    ),
  };
};

export type DocumentColumns<D extends object> = ReturnType<typeof documentColumns<D>>;
