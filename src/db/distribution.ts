/**
 * Distributes the tables over machines with Citus: each table of user data by user_id, all in one colocation group, so that all
 * rows of a user are on one machine. The table users is copied to all machines, because an e-mail address is unique among all
 * users. Tables without a user_id stay on the coordinator. Tables of later migrations follow by the same rule.
 */
import { sql } from 'kysely';
import type { Db } from './database.ts';

type Placement = 'local' | 'distributed' | 'reference';

export type Table = {
  name: string;
  wanted: Placement;
  placement: Placement;
  /** Why the placement cannot serve; null where it can, and for a table that is not distributed yet. */
  wrong: string | null;
};

/** All distributed tables are in the colocation group of this one. */
const ANCHOR = 'ledger_heads';
/** An advisory lock with an arbitrary number, because instances that start together must distribute one after the other. */
const LOCK = 7_263_549_012;

/** Whether the extension is in this database. */
export const hasCitus = async (db: Db): Promise<boolean> =>
  (await sql`select from pg_extension where extname = 'citus'`.execute(db)).rows.length > 0;

/**
 * Prepares a transaction that changes the schema. Without Citus it does nothing. The changes reach each machine by one connection.
 * The triggers are safe, because they touch only rows of their own user.
 */
export const allowSchemaChanges = async (tx: Db): Promise<void> => {
  if (!(await hasCitus(tx))) return;
  await sql`select set_config('citus.multi_shard_modify_mode', 'sequential', true),
                   set_config('citus.enable_unsafe_triggers', 'on', true)`.execute(tx);
};

type Row = {
  name: string;
  of_users: boolean;
  method: string | null;
  model: string | null;
  by: string | null;
  group: number | null;
};

const wantedOf = ({ name, of_users }: Row): Placement =>
  name === 'users' ? 'reference' : of_users ? 'distributed' : 'local';

/** Citus also manages a local table that a foreign key connects to a reference table (method n, model s). */
const placementOf = ({ method, model }: Row): Placement =>
  method === null || (method === 'n' && model !== 't') ? 'local' : method === 'n' ? 'reference' : 'distributed';

const wrongOf = (row: Row, anchor: Row): string | null => {
  const [wanted, placement] = [wantedOf(row), placementOf(row)];
  if (placement === 'local') return null;
  if (placement !== wanted) return `is a ${placement} table`;
  if (placement === 'reference') return null;
  if (row.by !== 'user_id') return `is distributed by ${row.by}`;
  return placementOf(anchor) === 'distributed' && row.group !== anchor.group ? `is not colocated with ${ANCHOR}` : null;
};

/** How the tables are stored. Only a database with the extension can tell. */
export const tablesOf = async (db: Db): Promise<Table[]> => {
  const { rows } = await sql<Row>`
    select c.relname as name, p.partmethod as method, p.repmodel as model, p.colocationid as "group",
           column_to_column_name(p.logicalrelid, p.partkey) as by,
           exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'user_id' and not a.attisdropped) as of_users
    from pg_class c left join pg_dist_partition p on p.logicalrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by c.relname`.execute(db);
  const anchor = rows.find(({ name }) => name === ANCHOR);
  return anchor
    ? rows.map((row) => ({
        name: row.name,
        wanted: wantedOf(row),
        placement: placementOf(row),
        wrong: wrongOf(row, anchor),
      }))
    : [];
};

export const isDistributed = (tables: Table[]): boolean => tables.some(({ placement }) => placement !== 'local');

/** The tables that are still to be distributed. */
export const remainingOf = (tables: Table[]): Table[] =>
  tables.filter(({ wanted, placement }) => wanted !== 'local' && placement === 'local');

type Key = { table: string; name: string; definition: string };

/** The foreign keys between these tables, which Citus accepts only once both tables are distributed. */
const keysBetween = async (tx: Db, names: string[]): Promise<Key[]> => {
  const { rows } = await sql<Key>`
    select c.conrelid::regclass::text as table, c.conname as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c
    where c.contype = 'f' and c.conrelid = any(${names}::regclass[]) and c.confrelid = any(${names}::regclass[])`.execute(
    tx,
  );
  return rows;
};

const distributeTables = async (tx: Db, tables: Table[]): Promise<void> => {
  for (const { name } of tables.filter(({ wanted }) => wanted === 'reference'))
    await sql`select create_reference_table(${name}::regclass)`.execute(tx);
  const names = tables.filter(({ wanted }) => wanted === 'distributed').map(({ name }) => name);
  const keys = await keysBetween(tx, names);
  for (const { table, name } of keys)
    await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(name)}`.execute(tx);
  for (const name of names.toSorted((a, b) => Number(b === ANCHOR) - Number(a === ANCHOR)))
    await sql`
      select create_distributed_table(${name}::regclass, 'user_id', colocate_with => ${name === ANCHOR ? 'none' : ANCHOR})`.execute(
      tx,
    );
  for (const { table, name, definition } of keys)
    await sql`alter table ${sql.table(table)} add constraint ${sql.ref(name)} ${sql.raw(definition)}`.execute(tx);
};

/** @throws Error with a message for people, where a table is distributed in a way that cannot serve */
const refuseWrong = (tables: Table[]): void => {
  const wrong = tables.filter((table) => table.wrong !== null);
  if (!wrong.length) return;
  const undo = wrong.map(({ name }) => `select undistribute_table('${name}', cascade_via_foreign_keys => true);`);
  throw new Error(
    `The tables are distributed in another way than Almanac needs: ${wrong.map(({ name, wrong: why }) => `${name} ${why}`).join(', ')}. ` +
      `Undo it (${undo.join(' ')}), then run npm run distribute -- --apply.`,
  );
};

/**
 * Distributes what is not distributed yet, with the rows that are there, in a transaction: all of it or nothing.
 * @returns the names of those tables. @throws Error with a message for people, where a table is distributed in another way
 */
export const distribute = async (tx: Db): Promise<string[]> => {
  await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx);
  await allowSchemaChanges(tx);
  const tables = await tablesOf(tx);
  refuseWrong(tables);
  const remaining = remainingOf(tables);
  await distributeTables(tx, remaining);
  return remaining.map(({ name }) => name);
};

/**
 * Distributes the tables that this release has added to a distributed database, before anything is written to them, in a
 * transaction. Any other database stays as it is.
 * @returns the names of those tables. @throws Error with a message for people, where the database is distributed only in part
 */
export const distributeNewTables = async (tx: Db): Promise<string[]> => {
  if (!(await hasCitus(tx))) return [];
  const tables = await tablesOf(tx);
  if (!isDistributed(tables)) return [];
  refuseWrong(tables);
  const remaining = remainingOf(tables).map(({ name }) => name);
  const filled: string[] = [];
  for (const name of remaining) {
    const { rows } = await sql`select from ${sql.table(name)} limit 1`.execute(tx);
    if (rows.length) filled.push(name);
  }
  if (filled.length)
    throw new Error(
      `The database is distributed only in part: ${filled.join(', ')} ${filled.length > 1 ? 'have' : 'has'} rows on the coordinator. ` +
        'Stop every instance, then run npm run distribute -- --apply.',
    );
  return remaining.length ? distribute(tx) : [];
};
