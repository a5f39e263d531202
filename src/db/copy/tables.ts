/** The tables of a database as a copy needs them: read from the catalog, so that a table of a later migration is copied too. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../database.ts';

export type Column = { name: string; type: string };
export type Table = { name: string; columns: Column[] };

/** The list of migrations is no content: a copy applies them. */
const MIGRATIONS = /^kysely_migration/;

type Row = { name: string; columns: Column[] };

/** The tables of the service, of extensions not, with the columns that can be written. */
const listed = async (db: Db): Promise<Table[]> => {
  const { rows } = await sql<Row>`
    select c.relname as name, json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    group by c.relname order by c.relname`.execute(db);
  return rows.filter(({ name }) => !MIGRATIONS.test(name));
};

/** For each table those that its foreign keys refer to. */
const references = async (db: Db): Promise<Map<string, Set<string>>> => {
  const { rows } = await sql<{ from: string; to: string }>`
    select f.relname as "from", t.relname as "to" from pg_constraint c
    join pg_class f on f.oid = c.conrelid join pg_class t on t.oid = c.confrelid
    where c.contype = 'f' and f.relnamespace = current_schema()::regnamespace and f.oid <> t.oid`.execute(db);
  const found = Map.groupBy(rows, ({ from }) => from);
  return new Map([...found].map(([from, keys]) => [from, new Set(keys.map(({ to }) => to))]));
};

/** The tables, each after those that it refers to. */
export const tablesOf = async (db: Db): Promise<Table[]> => {
  const refers = await references(db);
  const ordered: Table[] = [];
  let left = await listed(db);
  while (left.length) {
    const names = new Set(left.map(({ name }) => name));
    const free = left.filter(({ name }) => refers.get(name)?.isDisjointFrom(names) ?? true);
    if (!free.length) throw new Error(`The foreign keys of ${[...names].join(', ')} form a circle.`);
    ordered.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return ordered;
};

/**
 * A row as one line: a JSON array of the texts of its columns. The text of each type is what both databases read again without loss,
 * and JSON has no line breaks.
 */
export const lineOf = (columns: readonly string[]): RawBuilder<string> =>
  sql<string>`json_build_array(${sql.join(columns.map((name) => sql`${sql.ref(name)}::text`))})::text`;

/** The names of tables that have rows. */
export const filledTables = async (db: Db, tables: readonly Pick<Table, 'name'>[]): Promise<string[]> => {
  const filled: string[] = [];
  for (const { name } of tables) {
    const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(db);
    if (rows.length) filled.push(name);
  }
  return filled;
};

/** Keeps other sessions from writing (share), or from reading too (access exclusive), until the transaction ends. */
export const lockTables = async (
  tx: Db,
  tables: readonly Pick<Table, 'name'>[],
  mode: 'share' | 'access exclusive',
): Promise<void> => {
  if (tables.length)
    await sql`lock table ${sql.join(tables.map(({ name }) => sql.table(name)))} in ${sql.raw(mode)} mode`.execute(tx);
};

/** These belong together: the progress says which vectors there are. Where Postgres has no pgvector, the service computes them later. */
export const VECTORS: readonly string[] = ['embedding_progress', 'embeddings', 'embeddings_past', 'model_embeddings'];
