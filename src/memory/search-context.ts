/**
 * The second part of the search statement: what the task of a trace adds to its score. The words of a question are often spread
 * over several consecutive traces, and the answer need not repeat them. So traces lend the words found in them to their
 * neighbours, and a task adds the words found in all of its traces.
 */
import { sql, type RawBuilder } from 'kysely';
import { ALL_ROWS, heldAt } from './queries.ts';
import { isAmong, rarity, saturated } from './search-hits.ts';
import { boost, selected, type Question } from './search-question.ts';

/** The number of best traces by their own words that take part. */
const DEPTH = 1_000;
/** The number of those that lend. More made no difference. */
const LENDERS = 100;
/** Words are lent to this many neighbours on each side, at this part of their worth for each step: 0.6, 0.4, 0.2. */
const REACH = 3;
const STEP = 0.2;
/** A word that the trace itself has gains this part of what is lent. */
const AGAIN = 0.5;
/** The weight of the task's own BM25 over its traces. */
const TASK = 0.8;
/** The best trace of each task, and each trace without a task, gains this part. Else one task could fill the results. */
const FIRST = 0.5;
/** Short traces say little, so they lose at most about this part. */
const BREVITY = 0.2;

/** The neighbours of a lender `s` in its task, before or after it, by time and then in the order written (traces_order). */
const beside = (question: Question, direction: 'asc' | 'desc'): RawBuilder<unknown> => sql`
  select n.*, row_number() over () as distance from (
    select t.seq, t."timestamp", length(t.search) as length, ${boost(question)} as boost, ${selected(question)} as selected
    from ${ALL_ROWS} t
    where ${heldAt(question.user_id, question.at)} and t.task_id = s.task_id
      and (t."timestamp", t.seq) ${sql.raw(direction === 'asc' ? '>' : '<')} (s."timestamp", s.seq)
    order by t."timestamp" ${sql.raw(direction)}, t.seq ${sql.raw(direction)} limit ${REACH}) n`;

/**
 * CTEs after those of `evidence`. The last one is `keyword` (seq, score, share, boost, task), the result of the keyword arm.
 * `share` is the part of the query that was found.
 */
export const inContext = (question: Question): RawBuilder<unknown> => sql`
  best as materialized (
    select seq, task_id, min("timestamp") as "timestamp", min(length) as length, min(boost) as boost, sum(idf * worth) as score
    from evidence where not tag group by seq, task_id order by sum(idf * worth) * min(boost) desc, seq desc limit ${DEPTH}
  ), own as materialized (
    select seq, task_id, ord, word, timed, idf, worth from evidence where not tag and ${isAmong(sql`seq`, 'best')}
  ), near as materialized (
    select n.seq, s.seq as lender, s.task_id, n.length, n.boost, ${STEP}::float8 * (${REACH + 1} - n.distance) as part
    from (select seq, task_id, "timestamp" from best where task_id is not null order by score desc, seq desc limit ${LENDERS}) s
    cross join lateral (${beside(question, 'asc')} union all ${beside(question, 'desc')}) n
    where n.selected
  ), words as materialized (
    select seq, ord, min(idf) as idf, bool_and(word) as word, coalesce(max(worth), 0) as worth, coalesce(max(lent), 0) as lent
    from (select seq, ord, idf, word, worth, null as lent from own
          union all
          select n.seq, o.ord, o.idf, o.word, null, n.part * o.worth from near n join own o on o.seq = n.lender where o.word) w
    group by seq, ord
  ), tasks as materialized (
    select task_id, sum(${rarity(sql`tasks`, sql`(select count(distinct task_id) from best)`)} * ${saturated(sql`n`)}) as score
    from (select task_id, ord, count(*)::float8 as n, (count(*) over (partition by ord))::float8 as tasks
          from own where task_id is not null and (word or timed) group by task_id, ord) w
    group by task_id
  ), weighed as (
    select d.seq, d.task_id, d.boost, ${TASK}::float8 * coalesce(t.score, 0) as task,
           coalesce(w.share / (select sum(idf) from counted where word and not tag), 0) as share,
           (w.score + ${TASK}::float8 * coalesce(t.score, 0))
             * (1 + ${BREVITY}::float8 * least(0.5, greatest(-2, ln(greatest(1, d.length) / (select avg(length)::float8 from hits))))) as score
    from (select seq, task_id, length, boost from best union select seq, task_id, length, boost from near) d
    join (select seq, sum(idf * (worth + lent * case when worth > 0 then ${AGAIN}::float8 else 1 end)) as score,
                 sum(idf * least(1, case when worth > 0 then 1 else lent end)) filter (where word) as share
          from words group by seq) w using (seq)
    left join tasks t using (task_id)
  ), keyword as materialized (
    select seq, boost, task, share,
           score * case when task_id is null or row_number() over (partition by task_id order by score * boost desc, seq desc) = 1
                        then 1 + ${FIRST}::float8 else 1 end as score
    from weighed
  )`;
