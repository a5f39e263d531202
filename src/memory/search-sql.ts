/** Search as one statement: what each arm finds, each in its own order, fused by reciprocal rank. */
import { sql, type RawBuilder } from 'kysely';
import type { TraceDoc } from '../domain/trace.ts';
import { EMBEDDER } from '../domain/embed.ts';
import { ALL_ROWS, conditions, heldAt, type TraceFilter } from './queries.ts';

export type Arm = 'keyword' | 'tag' | 'semantic';

/** One thing looked for: a term or a tag, or a phrase, which only adds to what its terms found. */
export type Asked = { arm: 'keyword' | 'tag'; term: string; query: string; bonus: boolean };

export type Question = {
  user_id: string;
  /** Ledger seq the answer is true for. */
  at: number;
  filter: TraceFilter;
  /** tsquery that every result must match. */
  tagged: string | undefined;
  asked: Asked[];
  /** The query's embedding as pgvector reads it. */
  vector: string | undefined;
  halfLifeDays: number;
  limit: number;
  offset: number;
};

export type Found = {
  trace: TraceDoc;
  confidence: number;
  boost: number;
  arms: Partial<Record<Arm, { rank: number; score: number; matched: string[] | null }>>;
};

/** `unknown`: words of the query that no trace has. */
export type Findings = { found: Found[] | null; unknown: string[] | null };

/** Okapi BM25 with the usual constants. A word in tags counts one and a half times, in a title twice (weights D, C, B, A; at most 1). */
const K1 = 1.2;
const B = 0.75;
const FIELD_WEIGHTS = '{0.5,0.5,0.75,1}';
/** Reciprocal rank fusion (Cormack et al. 2009); the built-in embedder knows spelling, not meaning, so it weighs less. */
const RRF = 60;
const ARM_WEIGHTS: Record<Arm, number> = { keyword: 1, tag: 1, semantic: 0.1 };
/** Results an arm ranks: pages end where these do. */
const DEPTH = 1_000;
/** Cosine below which two texts have nothing in common. */
const LEAST_SIMILARITY = 0.1;
/** At most this much is added to a score of 1. */
const RECENCY_BOOST = 0.1;
const FEEDBACK_BOOST = 0.1;

/**
 * 1 for an old trace without rating. Age is counted from the newest thing known at the seq, so that the answer depends on the seq
 * and the question alone: pages fit together, and an answer can be repeated.
 */
const boost = ({ user_id, at, halfLifeDays }: Question): RawBuilder<unknown> => sql`
  1 + ${RECENCY_BOOST}::float8 * coalesce(exp(-least(100, ln(2::float8) / ${halfLifeDays * 86_400}::float8 * greatest(0,
        date_part('epoch', (select recorded_at from ledger where user_id = ${user_id} and seq = ${at}) - t."timestamp")))), 0)
    + ${FEEDBACK_BOOST}::float8 * (coalesce(t.rating, 3) - 3) / 2`;

const semantic = (question: Question): RawBuilder<unknown> => {
  const { user_id, at, vector } = question;
  if (vector === undefined)
    return sql`select null::bigint as seq, null::float8 as similarity, null::float8 as boost where false`;
  // Exact: one user's vectors, through the primary keys.
  return sql`
    select t.seq, 1 - (e.embedding <=> ${vector}::vector) as similarity, ${boost(question)} as boost
    from (select uid, embedding from embeddings where user_id = ${user_id} and seq <= ${at} and model = ${EMBEDDER}
          union all
          select uid, embedding from embeddings_past where user_id = ${user_id} and seq <= ${at} and until > ${at} and model = ${EMBEDDER}) e
    join ${ALL_ROWS} t on t.uid = e.uid
    -- A text without words has no direction: its distance would be NaN.
    where ${held(question)} and vector_norm(e.embedding) > 0`;
};

/** Rows `t` that held then and are meant. */
const held = ({ user_id, at, filter, tagged }: Question): RawBuilder<unknown> => sql`
  ${heldAt(user_id, at)} and ${conditions(filter)} ${tagged === undefined ? sql`` : sql`and t.search @@ ${tagged}::tsquery`}`;

/** The first DEPTH of an arm, picked without sorting the rest. */
const best = (arm: Arm): RawBuilder<unknown> => sql`
  (select arm, seq, score * boost as score, share, boost from lexical where arm = ${arm} order by score * boost desc, seq desc limit ${DEPTH})`;

/**
 * Hits ride on traces_search (user_id, search), one bitmap per term. Document frequencies are counted over what matched, so a
 * word weighs what it tells apart among the traces that are meant. ts_rank_cd of a single lexeme is its weighted frequency.
 */
export const searchStatement = (question: Question): RawBuilder<Findings> => {
  const { user_id, at, asked, limit, offset } = question;
  const rows = JSON.stringify(asked.map((a, ord) => ({ ...a, ord })));
  return sql<Findings>`
    with asked as materialized (
      select q.ord, q.arm, q.term, q.bonus, q.query::tsquery as query
      from json_to_recordset(${rows}::json) as q(ord integer, arm text, term text, bonus boolean, query text)
      limit ${asked.length} -- tells the planner how few
    ), hits as materialized (
      select a.ord, t.seq, length(t.search) as length, ${boost(question)} as boost,
             case when a.bonus then 1 else 2 * ts_rank_cd(${FIELD_WEIGHTS}::float4[], t.search, a.query) end as tf
      from asked a join ${ALL_ROWS} t on t.search @@ a.query
      where ${held(question)}
    ), counted as (
      select a.ord, a.arm, a.term, a.bonus, count(h.seq) as n,
             ln(1 + greatest(0.5, ${at}::float8 - count(h.seq) + 0.5) / (count(h.seq) + 0.5)) as idf
      from asked a left join hits h using (ord) group by a.ord, a.arm, a.term, a.bonus
    ), lexical as (
      select c.arm, h.seq, min(h.boost) as boost,
             sum(c.idf * h.tf * ${K1 + 1}::float8 / (h.tf + ${K1}::float8 * (${1 - B}::float8 + ${B}::float8 * h.length / typical.length))) as score,
             coalesce(sum(c.idf) filter (where not c.bonus), 0) / min(whole.idf) as share
      from hits h
      join counted c using (ord)
      join (select arm, sum(idf) filter (where not bonus) as idf from counted group by arm) whole using (arm)
      cross join (select avg(length)::float8 as length from hits) typical
      group by c.arm, h.seq
    ), found as (
      ${best('keyword')} union all ${best('tag')}
      union all
      (select 'semantic', seq, similarity * boost as score, least(1, similarity), boost
        from (${semantic(question)}) s where similarity >= ${LEAST_SIMILARITY}::float8 order by score desc, seq desc limit ${DEPTH})
    ), ranked as materialized (
      select *, row_number() over (partition by arm order by score desc, seq desc) as rank from found
    ), fused as (
      select seq, max(share) as share, min(boost) as boost,
             sum(case arm when 'keyword' then ${ARM_WEIGHTS.keyword}::float8 when 'tag' then ${ARM_WEIGHTS.tag}::float8
                 else ${ARM_WEIGHTS.semantic}::float8 end / (${RRF} + rank)) as score
      from ranked group by seq
    ), page as materialized (
      -- Confidence never rises down the list: each result has at least what those after it have.
      select seq, score, boost, max(share) over (order by score, seq) as confidence
      from fused order by score desc, seq desc limit ${limit} offset ${offset}
    ), matched as (
      select h.seq, c.arm, json_agg(c.term order by c.ord) as terms
      from hits h join counted c using (ord) where h.seq in (select seq from page) and not c.bonus group by h.seq, c.arm
    ), arms as (
      select r.seq, json_object_agg(r.arm, json_build_object('rank', r.rank, 'score', r.score, 'matched', m.terms)) as arms
      from ranked r left join matched m using (seq, arm) where r.seq in (select seq from page) group by r.seq
    )
    select (select json_agg(term order by ord) from counted where n = 0 and arm = 'keyword' and not bonus) as unknown,
           (select json_agg(json_build_object('trace', l.payload, 'confidence', p.confidence, 'boost', p.boost, 'arms', a.arms)
                            order by p.score desc, p.seq desc)
              from page p join arms a using (seq)
              cross join lateral (select payload from ledger where user_id = ${user_id} and seq = p.seq offset 0) l) as found`;
};
