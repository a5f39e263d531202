/** Fills an empty database with a snapshot: every row, in one transaction, so that it is whole or empty at any moment. */
import { sql } from 'kysely';
import type { DatabaseHandle, Db } from '../database.ts';
import { appliedMigrations, migrate, migrateAs } from '../migrate.ts';
import { ensureVectors } from '../vectors.ts';
import { refuseDistributed, type Batch, type OnRows, type Snapshot, type TableHeader } from './snapshot.ts';
import { filledTables, lockTables, tablesOf, VECTORS, type Table } from './tables.ts';

/** A statement takes the lines of a batch until they have this many characters. */
const CHARACTERS_AT_ONCE = 1_000_000;

/** The target has rows already. */
export class NotEmpty extends Error {}

/** @throws NotEmpty with a message for people */
export const refuseFilled = async (db: Db, where: string): Promise<void> => {
  const filled = await filledTables(db, await tablesOf(db));
  if (filled.length)
    throw new NotEmpty(
      `${where} is not empty: there are rows in ${filled.join(', ')}. Nothing was changed. Use an empty database, for example a new one (createdb) or another DATA_DIR.`,
    );
};

/** The tables of the source that are loaded, and the columns of the target by table. */
type Plan = { columns: Map<string, Table['columns']>; leftOut: string[] };

/** @throws Error with a message for people, where the target is not the same */
const planOf = async (db: Db, sources: readonly TableHeader[]): Promise<Plan> => {
  const targets = new Map((await tablesOf(db)).map((table) => [table.name, table.columns]));
  const names = new Set(sources.map(({ name }) => name));
  const hasVectors = VECTORS.every((name) => targets.has(name) && names.has(name));
  const leftOut = hasVectors ? [] : VECTORS.filter((name) => names.has(name));
  const columns = new Map<string, Table['columns']>();
  for (const { name, columns: wanted } of sources.filter(({ name }) => !leftOut.includes(name))) {
    const there = new Map(targets.get(name)?.map((column) => [column.name, column]));
    const found = wanted.flatMap((column) => there.get(column) ?? []);
    if (found.length !== wanted.length || found.length !== there.size)
      throw new Error(
        `The table ${name} of the source does not fit this release: its columns are ${wanted.join(', ')}, and here they are ${[...there.keys()].join(', ') || 'unknown'}.`,
      );
    columns.set(name, found);
  }
  const missing = [...targets.keys()].filter((name) => !names.has(name) && !VECTORS.includes(name));
  if (missing.length) throw new Error(`The source lacks the tables ${missing.join(', ')}.`);
  return { columns, leftOut };
};

/** Cuts the lines of a batch so that no statement takes too many characters. */
function* inStatements(lines: readonly string[]): Generator<string[]> {
  let some: string[] = [];
  let characters = 0;
  for (const line of lines) {
    if (some.length && characters + line.length > CHARACTERS_AT_ONCE) {
      yield some;
      [some, characters] = [[], 0];
    }
    some.push(line);
    characters += line.length;
  }
  if (some.length) yield some;
}

const insert = async (tx: Db, name: string, columns: Table['columns'], lines: string[]): Promise<void> => {
  const values = columns.map(({ type }, i) => sql`(line ->> ${sql.lit(i)})::${sql.raw(type)}`);
  await sql`
    insert into ${sql.table(name)} (${sql.join(columns.map((column) => sql.ref(column.name)))})
    select ${sql.join(values)} from jsonb_array_elements(${`[${lines.join()}]`}::jsonb) as line`
    .execute(tx)
    .catch((error: unknown) => {
      throw new Error(`Rows of the table ${name} could not be stored. Nothing was restored.`, { cause: error });
    });
};

const loadBatches = async (tx: Db, batches: AsyncIterable<Batch>, plan: Plan, onRows: OnRows): Promise<void> => {
  const done = new Map<string, number>();
  for await (const { table, lines } of batches) {
    const columns = plan.columns.get(table.name);
    if (!columns) continue;
    for (const some of inStatements(lines)) await insert(tx, table.name, columns, some);
    const rows = (done.get(table.name) ?? 0) + lines.length;
    done.set(table.name, rows);
    onRows(table, rows);
  }
};

/** Triggers would complete or keep what the rows say already. Foreign keys are checked as always. */
const setTriggers = async (tx: Db, tables: Iterable<string>, what: 'disable' | 'enable'): Promise<void> => {
  for (const name of tables) await sql`alter table ${sql.table(name)} ${sql.raw(what)} trigger user`.execute(tx);
};

/** The embedded database is created with all migrations of this release. It begins again where the rows are of an earlier one. */
const forgetLater = async (handle: DatabaseHandle, migrations: readonly string[]): Promise<void> => {
  const present = await appliedMigrations(handle.db);
  if (present.some((name) => !migrations.includes(name)))
    await handle.exec('drop schema public cascade; create schema public');
};

export type Loaded = {
  /** The tables that were loaded. */
  tables: TableHeader[];
  /** Tables of vectors that were left out, because one of the two databases has no pgvector. */
  leftOut: string[];
};

/**
 * Fills the database and brings it up to date. Nobody sees a part of the rows: where it fails or is killed, the database has its
 * tables and no rows, and it can be run again.
 * @param where names the target in messages
 * @throws NotEmpty, and other errors with messages for people
 */
export const load = async (
  handle: DatabaseHandle,
  { migrations, tables, batches }: Snapshot,
  { where, onRows, before }: { where: string; onRows: OnRows; before?: () => void },
): Promise<Loaded> => {
  const { db } = handle;
  await refuseDistributed(db);
  await refuseFilled(db, where);
  before?.();
  if (handle.kind === 'embedded') await forgetLater(handle, migrations);
  await migrateAs(handle, migrations);
  await ensureVectors(db);
  const leftOut = await db.transaction().execute(async (tx) => {
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    // A service that is started meanwhile waits, and then finds the accounts.
    await lockTables(tx, await tablesOf(tx), 'access exclusive');
    await refuseFilled(tx, where);
    const plan = await planOf(tx, tables);
    const names = [...plan.columns.keys()];
    await setTriggers(tx, names, 'disable');
    await loadBatches(tx, batches, plan, onRows);
    await setTriggers(tx, names, 'enable');
    return plan.leftOut;
  });
  await migrate(handle);
  for (const { name } of await tablesOf(db)) await sql`analyze ${sql.table(name)}`.execute(db);
  return { tables: tables.filter(({ name }) => !leftOut.includes(name)), leftOut };
};
