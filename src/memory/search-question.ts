/** What a search asks the database, and what every part of its statement says of a row. */
import { sql, type RawBuilder } from 'kysely';
import type { Instant } from '../domain/time/time.ts';
import { conditions, heldAt, type TraceFilter } from './queries.ts';
import type { Probe } from './search-semantic.ts';

export type Arm = 'keyword' | 'tag' | 'semantic';

/**
 * One thing looked for. A hint need not be there: it names a time. A phrase only adds to what its words found. A time has its weight
 * told, as it is not counted.
 */
export type Asked = { arm: 'keyword' | 'tag'; term: string; as: 'word' | 'hint' | 'phrase' } & (
  | { query: string }
  | { start: Instant; end: Instant; weight: number }
);

export type Question = {
  user_id: string;
  /** Ledger seq the answer is true for. */
  at: number;
  filter: TraceFilter;
  /** tsquery that every result must match. */
  tagged: string | undefined;
  asked: Asked[];
  /** What the semantic arm looks for; undefined: it takes no part. */
  probe: Probe | undefined;
  halfLifeDays: number;
  limit: number;
  offset: number;
};

/** At most this much is added to a score of 1. */
const RECENCY_BOOST = 0.1;
const FEEDBACK_BOOST = 0.1;

/**
 * 1 for an old trace without rating. Age is counted from the newest thing known at the seq, so that the answer depends on the seq
 * and the question alone: pages fit together, and an answer can be repeated.
 */
export const boost = ({ user_id, at, halfLifeDays }: Question): RawBuilder<unknown> => sql`
  1 + ${RECENCY_BOOST}::float8 * coalesce(exp(-least(100, ln(2::float8) / ${halfLifeDays * 86_400}::float8 * greatest(0,
        date_part('epoch', (select recorded_at from ledger where user_id = ${user_id} and seq = ${at}) - t."timestamp")))), 0)
    + ${FEEDBACK_BOOST}::float8 * (coalesce(t.rating, 3) - 3) / 2`;

/** Whether anything is left out. */
export const isFiltered = ({ filter, tagged }: Question): boolean =>
  tagged !== undefined || Object.values(filter).some((value) => value !== undefined);

/** Whether a row `t` is meant by the filters. */
export const meant = ({ filter, tagged }: Question): RawBuilder<unknown> =>
  sql`${conditions(filter)} ${tagged === undefined ? sql`` : sql`and t.search @@ ${tagged}::tsquery`}`;

/** Rows `t` that held then and are meant. */
export const held = (question: Question): RawBuilder<unknown> =>
  sql`${heldAt(question.user_id, question.at)} and ${meant(question)}`;
