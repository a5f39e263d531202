/**
 * Does the work of autovacuum for PGlite, which has one process and no such worker. Without it the disk would keep every old row
 * version.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from './database.ts';

/**
 * Autovacuum waits for one row in five. Here it is one in ten: less work at a time but more often, since every statement waits
 * meanwhile.
 */
const BASE = 50;
const ONE_IN = 10;
/** The statistics are lost after a crash, so a table larger than this is vacuumed once. */
const LARGE_BYTES = 2 ** 20;

/** Lists the tables with many dead rows, or many changes since the last analyze, smallest first. */
const tablesToVacuum = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_stat_user_tables
    where greatest(n_dead_tup, n_mod_since_analyze) > ${BASE} + n_live_tup / ${ONE_IN}
       or (last_vacuum is null and pg_relation_size(relid) > ${LARGE_BYTES})
    order by pg_relation_size(relid)`.execute(db);
  return rows.map(({ name }) => name);
};

/** A pause is this many times as long as the statement before it: a request of others has several statements. */
const PAUSE = 4;

/**
 * Vacuums and analyzes one table after the other, in statements of their own with pauses between them.
 * @returns the names of the vacuumed tables
 */
export const vacuumTables = async (db: Db): Promise<string[]> => {
  const names = await tablesToVacuum(db);
  for (const name of names)
    for (const statement of [sql`vacuum ${sql.table(name)}`, sql`analyze ${sql.table(name)}`]) {
      const began = performance.now();
      await statement.execute(db);
      await sleep(PAUSE * (performance.now() - began), undefined, { ref: false });
    }
  return names;
};
