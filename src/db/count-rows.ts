/** Counts the items of a list, with a bound on the work. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from './database.ts';

/** Lists with more items are not counted. */
export const MOST_COUNTED = 100_000;

/** @returns null where there are more than are counted */
export const atMostCounted = (count: number): number | null => (count > MOST_COUNTED ? null : count);

/** Counts the rows that follow `from`. @returns null where there are more than MOST_COUNTED */
export const countRows = async (db: Db, rows: RawBuilder<unknown>): Promise<number | null> => {
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) as count from (select from ${rows} limit ${MOST_COUNTED + 1}) found`.execute(db);
  return atMostCounted(counted[0]?.count ?? 0);
};
