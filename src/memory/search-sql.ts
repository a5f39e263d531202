/** Search as one statement: the results of each arm in its own order, combined by reciprocal rank fusion. */
import { sql, type RawBuilder } from 'kysely';
import { fitting } from '../db/row-pages.ts';
import { documentOf } from '../db/rows-by-key.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import { ALL_ROWS } from './queries.ts';
import { inContext } from './search-context.ts';
import { evidence, isAmong } from './search-hits.ts';
import { boost, held, isFiltered, type Arm, type Question } from './search-question.ts';
import { nearest } from './search-semantic.ts';

type FoundBy = {
  rank: number;
  score: number;
  matched: string[] | null;
  lent: string[] | null;
  task: number | null;
  /** Of the keyword arm only. */
  signs: Signs | null;
};

/** What else changed the score: who says it, whether it only asks, and whether it tells what the query asks for. */
export type Signs = { said: boolean; ends_asking: boolean; tells_time: boolean; tells_amount: boolean };

export type Found = {
  /** null where the page is full by bytes, so that the trace is on the next page. */
  trace: TraceDoc | null;
  confidence: number;
  boost: number;
  arms: Partial<Record<Arm, FoundBy>>;
};

/** `unknown` lists words of the query that no trace has. */
export type Findings = { found: Found[] | null; unknown: string[] | null };

/** The constant of reciprocal rank fusion (Cormack et al. 2009) of the arms keyword and tag. */
const RRF = 60;
/** What only the semantic arm finds comes after all that words and tags find: they know what is in their results. */
const ALONE = 0.05;
/** Where words and tags find fewer traces, all traces are compared with the query, and the nearest are added. */
const FEW = 10;
/** An arm ranks at most this many results, and the pages end there. */
const DEPTH = 1_000;
/** Texts with a lower cosine similarity have nothing in common. Those that are added to other results need more. */
const LEAST_SIMILARITY = 0.1;
const LEAST_ADDED = 0.4;

/**
 * All traces by similarity. Without filters it takes the nearest before it reads their boosts, since a boost changes little (0.9 to
 * 1.2).
 */
const scanned = (question: Question): RawBuilder<unknown> => {
  const { user_id, at, probe } = question;
  return sql`
    select t.seq, n.similarity, ${boost(question)} as boost
    from (${nearest(user_id, at, probe, isFiltered(question) ? null : 2 * DEPTH)}) n join ${ALL_ROWS} t on t.uid = n.uid
    where ${held(question)} and t.seq <= ${probe?.upto ?? 0} offset 0`;
};

/**
 * The semantic arm: all traces, or in mode hybrid those that words have found. Where these are few, the nearest of the others
 * are added; Postgres does not run that part where they are many.
 */
const semantic = (question: Question): RawBuilder<unknown> =>
  question.compared === undefined
    ? sql`select * from (${scanned(question)}) s where similarity >= ${LEAST_SIMILARITY}::float8`
    : sql`
      select seq, similarity, boost from likeness join keyword using (seq)
      union all
      select * from (${scanned(question)}) s
      where (select count(*) < ${FEW} from keyword) and similarity >= ${LEAST_ADDED}::float8 and seq not in (select seq from keyword)`;

/** The first DEPTH results of an arm. */
const best = (arm: Arm, from: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  (select ${arm} as arm, seq, score * boost as score, share, boost from (${from}) s order by score * boost desc, seq desc limit ${DEPTH})`;

/** Traces by their tags alone, since tags say nothing about neighbours. */
const TAGGED = sql`
  select seq, boost, sum(idf * worth) as score, sum(idf) / (select sum(idf) from counted where tag) as share
  from evidence where tag group by seq, boost`;

/** Combines matches by tag and word (search-hits.ts), words lent by neighbours (search-context.ts) and similarity. */
export const searchStatement = (question: Question): RawBuilder<Findings> => {
  const { user_id, limit, offset } = question;
  return sql<Findings>`
    with ${evidence(question)}, ${inContext(question)}, found as (
      ${best('keyword', sql`select seq, raised as score, share, boost from keyword`)} union all ${best('tag', TAGGED)}
      union all
      (select 'semantic', seq, similarity * boost as score, least(1, similarity), boost
        from (${semantic(question)}) s where similarity < 'NaN' order by score desc, seq desc limit ${DEPTH})
    ), ranked as materialized (
      select *, row_number() over (partition by arm order by score desc, seq desc) as rank from found
    ), fused as (
      select seq, coalesce(max(share) filter (where arm <> 'semantic'), max(share)) as share, min(boost) as boost,
             coalesce(sum(1::float8 / (${RRF} + rank)) filter (where arm <> 'semantic'), min(${ALONE}::float8 / (${RRF} + rank))) as score
      from ranked group by seq
    ), page as materialized (
      -- Confidence never rises down the list: each result has at least what those after it have.
      select seq, score, boost, max(share) over (order by score, seq) as confidence
      from fused order by score desc, seq desc limit ${limit} offset ${offset}
    ), matched as (
      select e.seq, case when e.tag then 'tag' else 'keyword' end as arm, json_agg(c.term order by c.ord) as terms
      from evidence e join counted c using (ord) where ${isAmong(sql`e.seq`, 'page')} and not e.phrase group by e.seq, e.tag
    ), lent as (
      select w.seq, 'keyword' as arm, json_agg(c.term order by c.ord) as terms
      from words w join counted c using (ord) where w.lent > 0 and ${isAmong(sql`w.seq`, 'page')} group by w.seq
    ), arms as (
      select r.seq, json_object_agg(r.arm, json_build_object('rank', r.rank, 'score', r.score, 'matched', m.terms, 'lent', l.terms,
                                                             'task', case r.arm when 'keyword' then k.task end,
                                                             'signs', case r.arm when 'keyword' then json_build_object('said', k.said, 'ends_asking', k.ends_asking, 'tells_time', k.tells_time, 'tells_amount', k.tells_amount) end)) as arms
      from ranked r left join matched m using (seq, arm) left join lent l using (seq, arm) left join keyword k using (seq)
      where ${isAmong(sql`r.seq`, 'page')} group by r.seq
    )
    select (select json_agg(term order by ord) from counted where n = 0 and word and not tag and weight is null) as unknown,
           (select json_agg(json_build_object('trace', p.payload, 'confidence', p.confidence, 'boost', p.boost, 'arms', a.arms)
                            order by p.score desc, p.seq desc)
              from (select p.*, ${fitting(sql`p.score desc, p.seq desc`)} from page p cross join ${documentOf(user_id, 'p')}) p
              join arms a using (seq)) as found`;
};
