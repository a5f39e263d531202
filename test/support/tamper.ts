/** Damage as somebody does it who owns the database: with the triggers off, and undone once it was looked at. */
import { sql, type Kysely, type Transaction } from 'kysely';
import type { Db } from '../../src/db/database.ts';
import type { Database } from '../../src/db/tables.ts';

type Tx = Transaction<Database>;

class Undone extends Error {}

/** Tables whose triggers keep them as they are. */
const GUARDED = ['ledger', 'traces', 'erased_accounts'];

/** Runs `work` with the triggers off and takes back whatever it did. */
export const behindItsBack = async <T>(db: Kysely<Database>, work: (tx: Tx) => Promise<T>): Promise<T> => {
  let result: T | undefined;
  try {
    await db.transaction().execute(async (tx) => {
      for (const table of GUARDED) await sql`alter table ${sql.table(table)} disable trigger user`.execute(tx);
      result = await work(tx);
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) throw error;
  }
  return result as T;
};

/** Another value of a column's type than the one that is there; SQL, by udt_name. */
const OTHER: Record<string, (column: string) => string> = {
  text: (c) => `coalesce(${c}, '') || 'x'`,
  int2: (c) => `coalesce(${c}, 0) + 1`,
  int4: (c) => `${c} + 1`,
  int8: (c) => `${c} + 1`,
  float4: (c) => `coalesce(${c}, 3) + 0.5`,
  bool: (c) => `not ${c}`,
  timestamptz: (c) => `coalesce(${c}, '2026-01-01') + interval '1 second'`,
  _text: (c) => `array_append(coalesce(${c}, '{}'), 'x')`,
  tsvector: (c) => `${c} || 'forged:1'::tsvector`,
  jsonb: (c) => `jsonb_build_object('forged', ${c})`,
  tstzrange: (c) => `tstzrange(lower(${c}) - interval '1 second', upper(${c}), '[)')`,
  int8range: (c) => `int8range(coalesce(lower(${c}), 0) - 1, upper(${c}))`,
  bytea: (c) => `sha256(${c})`,
};

export const otherValue = (column: string, type: string): string => {
  const other = OTHER[type];
  if (!other) throw new Error(`no other value known for a column of type ${type}: add one`);
  return other(`"${column}"`);
};

export type Column = { table: string; column: string; type: string };

export const columnsOf = async (db: Db, tables: string[]): Promise<Column[]> => {
  const { rows } = await sql<Column>`
    select table_name as table, column_name as column, udt_name as type from information_schema.columns
    where table_schema = current_schema() and table_name = any(${tables}) order by 1, ordinal_position`.execute(db);
  return rows;
};
