/**
 * Lists page by bytes as well as by rows: a page ends when its rows are told, or before its documents are more than 4 MB of text. An
 * answer is held in memory as rows, as objects and as text, for each request that is under way.
 */
import { sql, type RawBuilder } from 'kysely';

export const PAGE_BYTES = 4_000_000;

/** `more`: whether there are rows behind these. */
export type Page<T> = { items: T[]; more: boolean };

/** Bytes of a ledger row's document. Of what an earlier release wrote only a compressed one is unpacked to learn its size. */
export const DOCUMENT_BYTES = sql`coalesce(bytes, case when pg_column_compression(payload) is null then pg_column_size(payload)
    else octet_length(payload::text) end, 0)`;

/**
 * Columns `payload` and `fits` of rows `l` in this order: where they would be more than a page holds, there is no document any more.
 * The first `least` rows always have theirs.
 */
export const fitting = (order: RawBuilder<unknown>, least: 1 | 2 = 1): RawBuilder<unknown> => {
  const running = sql`over (order by ${order} rows unbounded preceding)`;
  const fits = sql`(sum(l.bytes) ${running} <= ${sql.lit(PAGE_BYTES)} or row_number() ${running} <= ${sql.lit(least)})`;
  return sql`case when ${fits} then l.payload end as payload, ${fits} as fits`;
};

/** The page that these rows make, of which one more than `limit` was asked for. */
export const pageOfRows = <R extends { fits: boolean }>(rows: readonly R[], limit: number): Page<R> => {
  const over = rows.findIndex((row) => !row.fits);
  const items = rows.slice(0, Math.min(limit, over < 0 ? rows.length : over));
  return { items, more: items.length < rows.length };
};
