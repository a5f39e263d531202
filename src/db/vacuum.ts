/** What autovacuum does on a server. PGlite has one process and no such worker: without this every edit would stay on the disk. */
import { sql } from 'kysely';
import type { Db } from './database.ts';

/** As autovacuum counts, which waits for one row in five: here it is less work more often, since everybody waits meanwhile. */
const BASE = 50;
const ONE_IN = 10;
/** After a crash the counts are lost: larger tables are looked at once. */
const LARGE_BYTES = 2 ** 20;

/** Tables with much that is dead, or much that the planner does not know yet; the smallest first. */
const worn = async (db: Db): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_stat_user_tables
    where greatest(n_dead_tup, n_mod_since_analyze) > ${BASE} + n_live_tup / ${ONE_IN}
       or (last_vacuum is null and pg_relation_size(relid) > ${LARGE_BYTES})
    order by pg_relation_size(relid)`.execute(db);
  return rows.map(({ name }) => name);
};

/** One table after the other; others have their turns in between. @returns the tables it was done to */
export const vacuumWorn = async (db: Db): Promise<string[]> => {
  const names = await worn(db);
  for (const name of names) await sql`vacuum (analyze) ${sql.table(name)}`.execute(db);
  return names;
};
