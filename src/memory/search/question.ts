/** The question that a search asks the database, and SQL that every part of its statement uses. */
import { sql, type RawBuilder } from 'kysely';
import { allQuery, noneQuery } from '../../domain/text/lexemes.ts';
import type { Blanking } from '../../domain/record/blanking.ts';
import type { Instant } from '../../domain/time/time.ts';
import { conditions, heldAt, type TraceFilter } from '../queries.ts';
import type { Probe } from './semantic.ts';

export type Arm = 'keyword' | 'tag' | 'semantic';

/**
 * One thing to look for. A hint names a time and need not match. A word or a tag is found by any of its lexemes. A phrase only
 * adds to the score of its words. `said` matches what somebody of this name says. A time has a fixed weight, since its matches are
 * not counted; `dates` matches traces that speak of it.
 */
export type Asked = { arm: 'keyword' | 'tag'; term: string } & (
  | { as: 'word' | 'hint'; lexemes: string[]; said?: string }
  | { as: 'phrase'; query: string }
  | { as: 'word' | 'hint'; start: Instant; end: Instant; dates: string; weight: number }
);

/** What a reader is shown, and which words are part of what the reader must not see. */
export type Hiding = { show: Blanking; isHidden: (word: string) => boolean };

export type Question = {
  user_id: string;
  /** The ledger seq that the answer is true for. */
  at: number;
  /** When the entry at that seq was recorded. */
  recorded_at: Instant;
  filter: TraceFilter;
  /** The lexemes of tags that every result must have, and of one that none has. */
  tags: string[];
  without: string | undefined;
  asked: Asked[];
  /** Whether the query asks for a time, or for an amount. */
  answer: { time: boolean; amount: boolean };
  /** The query, embedded. Without it the semantic arm is skipped. */
  probe: Probe | undefined;
  /**
   * What the meaning of the traces that words have found is compared by: the vectors of the query's words, or those of the
   * probe's model. undefined: they are not compared, and the semantic arm compares all traces with the probe.
   */
  compared: 'words' | 'model' | undefined;
  halfLifeDays: number;
  /** What the reader is shown; undefined where that is everything. */
  hiding?: Hiding | undefined;
  limit: number;
  offset: number;
};

/** At most this much is added to a score of 1. */
const RECENCY_BOOST = 0.1;
const FEEDBACK_BOOST = 0.1;

/**
 * The boost of a trace: 1 for an old one without rating. Age counts from the newest entry at the seq, so that the answer
 * depends on the seq and the query alone: pages fit together, and an answer can be given again.
 */
export const boost = ({ recorded_at, halfLifeDays }: Question): RawBuilder<unknown> => sql`
  1 + ${RECENCY_BOOST}::float8 * coalesce(exp(-least(100, ln(2::float8) / ${halfLifeDays * 86_400}::float8 * greatest(0,
        date_part('epoch', ${recorded_at}::timestamptz - t."timestamp")))), 0)
    + ${FEEDBACK_BOOST}::float8 * (coalesce(t.rating, 3) - 3) / 2`;

/** Whether any filter is set that may leave few traces. */
export const isFiltered = ({ filter, tags }: Question): boolean =>
  tags.length > 0 || Object.values(filter).some((value) => value !== undefined);

/** The condition that the filters select a row `t`. */
export const selected = ({ filter, tags, without }: Question): RawBuilder<unknown> => {
  const queries = [
    ...(tags.length ? [allQuery(tags)] : []),
    ...(without === undefined ? [] : [noneQuery(without)]),
  ].map((query) => sql`and t.search @@ ${query}::tsquery`);
  return sql`${conditions(filter)} ${sql.join(queries, sql` `)}`;
};

/** The condition that a row `t` was valid at the seq and that the filters select it. */
export const held = (question: Question): RawBuilder<unknown> =>
  sql`${heldAt(question.user_id, question.at)} and ${selected(question)}`;
