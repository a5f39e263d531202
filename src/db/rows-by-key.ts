/** SQL for rows that keys name, each looked up by the index of its key. */
import { sql, type RawBuilder } from 'kysely';
import { DOCUMENT_BYTES } from './row-pages.ts';

/**
 * The part after `from`: for each distinct key, the rows of a select that has `key.uid` in its condition (`onlyKey`). For `uid = any(...)`
 * Postgres 15 estimates ten keys, and where most users have few rows it scans all rows of this user instead: a user with 100,000
 * traces then waits for all of them.
 */
export const eachKey = (keys: readonly string[], rows: RawBuilder<unknown>, name: string): RawBuilder<unknown> =>
  sql`unnest(${[...new Set(keys)]}::text[]) as key(uid) cross join ${oneByOne(rows, name)}`;

/** The end of a select for `eachKey` in a table whose unique index ends with uid. */
export const onlyKey = (): RawBuilder<unknown> => only('uid', sql`key.uid`);

/** A name in the code, quoted. sql.ref() would parse it for each request. */
const named = (...parts: string[]): RawBuilder<unknown> => sql.raw(parts.map((part) => `"${part}"`).join('.'));

/**
 * The end of a select of at most one row: the last column of a unique index, whose other columns the condition names already, has
 * this value. For `seq = ...` Postgres takes any index that begins with user_id where it plans for a small table, and keeps that plan
 * while the table grows: a page of 1,000 documents of a new user then read all entries of the user 1,000 times (180 ms, now 15).
 * The order leaves one index.
 */
export const only = (column: string, value: RawBuilder<unknown> | number): RawBuilder<unknown> => {
  const [name, one] = [sql.raw(column), typeof value === 'number' ? sql.lit(value) : value];
  return sql`${name} between ${one} and ${one} order by ${name} limit 1`;
};

/** Reads columns of the ledger entry of a row by its seq, as `name`. It uses the index ledger_pkey. */
export const entryOf = (user_id: string, row: string, columns: RawBuilder<unknown>, name = 'l'): RawBuilder<unknown> =>
  oneByOne(sql`select ${columns} from ledger where user_id = ${user_id} and ${only('seq', named(row, 'seq'))}`, name);

/** Reads the document of a row by its seq, as `name`.payload, with its size in bytes. */
export const documentOf = (user_id: string, row: string, name = 'l'): RawBuilder<unknown> =>
  entryOf(user_id, row, sql`payload, ${DOCUMENT_BYTES} as bytes`, name);

/**
 * A lateral select that may refer to earlier entries of `from`. `offset 0` keeps the planner from rewriting it as another kind of
 * join.
 */
export const oneByOne = (rows: RawBuilder<unknown>, name: string): RawBuilder<unknown> =>
  sql`lateral (${rows} offset 0) ${named(name)}`;
