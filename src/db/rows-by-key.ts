/** Rows that keys name, each looked up by the index of its key. */
import { sql, type RawBuilder } from 'kysely';
import { DOCUMENT_BYTES } from './row-pages.ts';

/**
 * What follows `from`: for each key, once, the rows of a select that has `key.uid` in its condition. With `uid = any(...)` Postgres 15
 * takes ten keys for granted, and where users have few rows on average it rather reads all rows of this one: a user
 * of 100,000 traces among many with few then waits for all of them.
 */
export const eachKey = (keys: readonly string[], rows: RawBuilder<unknown>, name: string): RawBuilder<unknown> =>
  sql`unnest(${[...new Set(keys)]}::text[]) as key(uid) cross join ${oneByOne(rows, name)}`;

/** The document of a row that holds its seq, as `name`.payload, and its size in bytes. By ledger_pkey. */
export const documentOf = (user_id: string, row: string, name = 'l'): RawBuilder<unknown> =>
  oneByOne(
    sql`select payload, ${DOCUMENT_BYTES} as bytes from ledger where user_id = ${user_id} and seq = ${sql.ref(`${row}.seq`)}`,
    name,
  );

/** A select that depends on what stands before it in `from`, never turned into a join by other means. */
export const oneByOne = (rows: RawBuilder<unknown>, name: string): RawBuilder<unknown> =>
  sql`lateral (${rows} offset 0) ${sql.ref(name)}`;
