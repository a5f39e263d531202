/**
 * The second part of the search statement: what the task of a trace adds to its score. The words of a question are often spread
 * over several consecutive traces, and the answer need not repeat them. So traces lend the words found in them to their
 * neighbours, and a task adds the words found in all of its traces.
 */
import { sql, type RawBuilder } from 'kysely';
import { ALL_ROWS, heldAt } from './queries.ts';
import { isAmong, rarity, saturated, signs } from './search-hits.ts';
import { meaning } from './search-meaning.ts';
import { boost, selected, type Question } from './search-question.ts';

/** The number of best traces by their own words that take part. */
const DEPTH = 1_000;
/** The number of those that lend. More made no difference. */
const LENDERS = 100;
/**
 * Words are lent to this many neighbours on each side, at this part of their worth for each step. The next one gets more of a
 * trace that asks, since it is likely to answer.
 */
const REACH = 3;
const AFTER = [0.6, 0.4, 0.2];
const BEFORE = [0.5, 0.4, 0.2];
const ANSWER = 0.84;
/** A word that the trace itself has gains this part of what is lent. */
const AGAIN = 0.2;
/** The weight of the task's own BM25 over its traces. */
const TASK = 0.8;
/** The best trace of each task, and each trace without a task, gains this part. Else one task could fill the results. */
const FIRST = 0.2;
/** Short traces say little, so they lose at most about this part. */
const BREVITY = 0.2;
/** A trace gains this part where somebody says it whose name the query has. */
const SPEAKER = 0.5;
/** A trace that ends with a question loses this part. */
const ASKING = 0.1;
/** What a trace gains, in parts of the best score, where the query asks for a time or an amount and the trace tells one. */
const TELLS_TIME = 0.15;
const TELLS_AMOUNT = 0.1;

/** The neighbours of a lender `s` in its task, before or after it, by time and then in the order written (traces_order). */
const beside = (question: Question, direction: 'asc' | 'desc'): RawBuilder<unknown> => {
  const parts = direction === 'asc' ? AFTER : BEFORE;
  return sql`
  select n.*, case when ${sql.lit(direction === 'asc')} and s.asks and row_number() over () = 1 then ${ANSWER}::float8
                   else (${sql.lit(`{${parts.join()}}`)}::float8[])[row_number() over ()] end as part from (
    select t.seq, t.uid, t."timestamp", length(t.search) as length, ${boost(question)} as boost, ${selected(question)} as selected, ${signs(question)}
    from ${ALL_ROWS} t
    where ${heldAt(question.user_id, question.at)} and t.task_id = s.task_id
      and (t."timestamp", t.seq) ${sql.raw(direction === 'asc' ? '>' : '<')} (s."timestamp", s.seq)
    order by t."timestamp" ${sql.raw(direction)}, t.seq ${sql.raw(direction)} limit ${REACH}) n`;
};

/**
 * CTEs after those of `evidence`. The last one is `keyword` (seq, score, share, boost, task), the result of the keyword arm.
 * `share` is the part of the query that was found. The name of a speaker is neither lent nor counted for the task: who speaks
 * says nothing about what the neighbours say.
 */
export const inContext = (question: Question): RawBuilder<unknown> => sql`
  named as materialized (
    select distinct ord from evidence where said
  ), best as materialized (
    select seq, min(uid) as uid, task_id, min("timestamp") as "timestamp", min(length) as length, min(boost) as boost, bool_or(said) as said,
           bool_or(asks) as asks, bool_or(ends_asking) as ends_asking, bool_or(tells_time) as tells_time,
           bool_or(tells_amount) as tells_amount, sum(idf * worth) as score
    from evidence where not tag group by seq, task_id order by sum(idf * worth) * min(boost) desc, seq desc limit ${DEPTH}
  ), own as materialized (
    select seq, task_id, ord, word, timed, (ord in (select ord from named)) is true as name, idf, worth
    from evidence where not tag and ${isAmong(sql`seq`, 'best')}
  ), near as materialized (
    select n.*, s.seq as lender, s.task_id
    from (select seq, task_id, "timestamp", asks from best where task_id is not null order by score desc, seq desc limit ${LENDERS}) s
    cross join lateral (${beside(question, 'asc')} union all ${beside(question, 'desc')}) n
    where n.selected
  ), words as materialized (
    select seq, ord, min(idf) as idf, bool_and(word) as word, coalesce(max(worth), 0) as worth, coalesce(max(lent), 0) as lent
    from (select seq, ord, idf, word, worth, null as lent from own
          union all
          select n.seq, o.ord, o.idf, o.word, null, n.part * o.worth from near n join own o on o.seq = n.lender where o.word and not o.name) w
    group by seq, ord
  ), tasks as materialized (
    select task_id, sum(${rarity(sql`tasks`, sql`(select count(distinct task_id) from best)`)} * ${saturated(sql`n`)}) as score
    from (select task_id, ord, count(*)::float8 as n, (count(*) over (partition by ord))::float8 as tasks
          from own where task_id is not null and (word and not name or timed) group by task_id, ord) w
    group by task_id
  ), scored as materialized (
    select d.*, ${TASK}::float8 * coalesce(t.score, 0) as task,
           coalesce(w.share / (select sum(idf) from counted where word and not tag), 0) as share,
           (w.score + ${TASK}::float8 * coalesce(t.score, 0))
             * (1 + ${BREVITY}::float8 * least(0.5, greatest(-2, ln(greatest(1, d.length) / (select avg(length)::float8 from hits)))))
             * case when d.said then ${1 + SPEAKER}::float8 else 1 end * case when d.ends_asking then ${1 - ASKING}::float8 else 1 end as score
    from (select seq, min(uid) as uid, task_id, min("timestamp") as "timestamp", min(length) as length, min(boost) as boost, bool_or(said) as said, bool_or(ends_asking) as ends_asking,
                 bool_or(tells_time) as tells_time, bool_or(tells_amount) as tells_amount
          from (select seq, uid, task_id, "timestamp", length, boost, said, ends_asking, tells_time, tells_amount from best
                union all
                select seq, uid, task_id, "timestamp", length, boost, false, ends_asking, tells_time, tells_amount from near) b group by seq, task_id) d
    join (select seq, sum(idf * (worth + lent * case when worth > 0 then ${AGAIN}::float8 else 1 end)) as score,
                 sum(idf * least(1, case when worth > 0 then 1 else lent end)) filter (where word) as share
          from words group by seq) w using (seq)
    left join tasks t using (task_id)
  ), ${meaning(question)}, weighed as materialized (
    select seq, task_id, boost, said, ends_asking, tells_time, tells_amount, task, share,
           greatest(0, score + (select max(score) from scored)
             * (coalesce(gain, 0) + case when tells_time then ${TELLS_TIME}::float8 else 0 end + case when tells_amount then ${TELLS_AMOUNT}::float8 else 0 end)) as score
    from scored left join meaning using (seq)
  ), keyword as materialized (
    select *, score * case when task_id is null or row_number() over (partition by task_id order by score * boost desc, seq desc) = 1
                           then ${1 + FIRST}::float8 else 1 end as raised
    from weighed
  )`;
