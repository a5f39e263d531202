/** Reads a whole database as it is at one moment, table by table, while others go on working with it. */
import { sql } from 'kysely';
import type { DatabaseHandle, Db } from '../database.ts';
import { hasCitus, isDistributed, tablesOf as placements } from '../distribution.ts';
import { appliedMigrations } from '../migrate.ts';
import { lineOf, lockTables, tablesOf } from './tables.ts';

/** What a copy says of a table before its rows. */
export type TableHeader = { name: string; columns: string[]; rows: number };

/** Rows of a table, one line each (tables.ts). */
export type Batch = { table: TableHeader; lines: string[] };

/** A database at one moment. */
export type Snapshot = { migrations: string[]; tables: TableHeader[]; batches: AsyncIterable<Batch> };

/** Receives how many rows of a table are done. */
export type OnRows = (table: TableHeader, done: number) => void;

/** A document has at most some hundred kB, so a batch takes some MB at most. */
const ROWS_AT_ONCE = 100;

/** @throws Error with a message for people, where no snapshot of all rows exists */
export const refuseDistributed = async (db: Db): Promise<void> => {
  if ((await hasCitus(db)) && isDistributed(await placements(db)))
    throw new Error(
      'The tables of this database are distributed with Citus, which has no snapshot of all machines, so it cannot be copied in this way. Back up each machine with pg_basebackup while every instance is stopped.',
    );
};

const batchesOf = async function* (tx: Db, tables: readonly TableHeader[], onRows: OnRows): AsyncGenerator<Batch> {
  for (const table of tables) {
    await sql`declare copied no scroll cursor for select ${lineOf(table.columns)} as line from ${sql.table(table.name)}`.execute(
      tx,
    );
    for (let done = 0; ;) {
      const { rows } = await sql<{ line: string }>`fetch ${sql.lit(ROWS_AT_ONCE)} from copied`.execute(tx);
      if (!rows.length) break;
      yield { table, lines: rows.map(({ line }) => line) };
      done += rows.length;
      onRows(table, done);
    }
    await sql`close copied`.execute(tx);
  }
};

const countOf = async (tx: Db, name: string): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(name)}`.execute(tx);
  return rows[0]?.n ?? 0;
};

export type SnapshotOptions = {
  onRows: OnRows;
  /** Lets no other session write until `work` has ended. */
  exclusive?: boolean;
};

/**
 * Calls `work` with the snapshot, which is valid until `work` has ended.
 * @throws Error with a message for people, where the database is distributed
 */
export const withSnapshot = async <T>(
  { db }: DatabaseHandle,
  { onRows, exclusive = false }: SnapshotOptions,
  work: (snapshot: Snapshot, tx: Db) => Promise<T>,
): Promise<T> => {
  const all = await tablesOf(db);
  return db.transaction().execute(async (tx) => {
    await sql`set transaction isolation level repeatable read`.execute(tx);
    // A slow reader, such as a pipe to another machine, must not end the session.
    await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
    // Before the first query, which takes the snapshot.
    if (exclusive) await lockTables(tx, all, 'share');
    await refuseDistributed(tx);
    const migrations = await appliedMigrations(tx);
    const tables: TableHeader[] = [];
    for (const { name, columns } of all)
      tables.push({ name, columns: columns.map((one) => one.name), rows: await countOf(tx, name) });
    return work({ migrations, tables, batches: batchesOf(tx, tables, onRows) }, tx);
  });
};
