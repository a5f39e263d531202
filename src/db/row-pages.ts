/**
 * Limits the pages of lists by bytes as well as by rows: a page ends before its documents exceed 1 MB of text. Each request under
 * way holds its answer in memory as rows, as objects and as text, so a page must not be large.
 */
import { sql, type RawBuilder } from 'kysely';

export const PAGE_BYTES = 1_000_000;

/** `more` is true where rows follow this page. */
export type Page<T> = { items: T[]; more: boolean };

/**
 * The size of a ledger row's document in bytes. Rows of an earlier release have no size; of these only the compressed ones are
 * unpacked to measure it.
 */
export const DOCUMENT_BYTES = sql`coalesce(bytes, case when pg_column_compression(payload) is null then pg_column_size(payload)
    else octet_length(payload::text) end, 0)`;

/**
 * Gives the columns `payload` and `fits` of rows `l` in this order. A row that exceeds the page's bytes comes without its
 * document; the first `least` rows always have theirs.
 */
export const fitting = (order: RawBuilder<unknown>, least: 1 | 2 = 1): RawBuilder<unknown> => {
  const running = sql`over (order by ${order} rows unbounded preceding)`;
  const fits = sql`(sum(l.bytes) ${running} <= ${sql.lit(PAGE_BYTES)} or row_number() ${running} <= ${sql.lit(least)})`;
  return sql`case when ${fits} then l.payload end as payload, ${fits} as fits`;
};

/** Makes a page of rows that were read with `limit` + 1. */
export const pageOfRows = <R extends { fits: boolean }>(rows: readonly R[], limit: number): Page<R> => {
  const over = rows.findIndex((row) => !row.fits);
  const items = rows.slice(0, Math.min(limit, over < 0 ? rows.length : over));
  return { items, more: items.length < rows.length };
};
