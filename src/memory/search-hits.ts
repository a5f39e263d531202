/** The traces that have what is looked for, and what each of it is worth: the first part of the search statement. */
import { sql, type RawBuilder } from 'kysely';
import { oneByOne } from '../db/rows-by-key.ts';
import { ALL_ROWS } from './queries.ts';
import { boost, held, type Question } from './search-question.ts';

/** Okapi BM25. A word in tags counts one and a half times, in a title twice (weights D, C, B, A; at most 1). */
const K1 = 1.2;
const B = 0.4;
const FIELD_WEIGHTS = '{0.5,0.5,0.75,1}';

/** Up to so many ledger entries, every trace with any of the words is looked at. */
const FEW_ENTRIES = 10_000;
/** With more, how common a word is is estimated from so many stretches of the ledger, evenly spread, of so many entries each. */
const STRETCHES = 100;
const STRETCH = 5;
/** Newest traces among which the commonest words find by themselves. */
const NEWEST = 1_000;
/** Traces to expect from the rarest words, with which no commoner one is looked up: the results an arm ranks. */
const ENOUGH = 1_000;
/** As many may have the rarest word for it to be looked up at all. */
const MOST = 4_000;
/** Where the words looked up find fewer, the newest with one of the others join them. */
const FEW_HITS = 200;
/** Newest traces of a time asked for that join whatever words they have. */
const OF_A_TIME = 500;

/** Saturated frequency: 1 for once in a typical text, 2.2 at most. */
export const saturated = (count: RawBuilder<unknown>, length = sql`1`): RawBuilder<unknown> =>
  sql`(${count} * ${K1 + 1}::float8 / (${count} + ${K1}::float8 * (${1 - B}::float8 + ${B}::float8 * ${length})))`;

/** BM25's weight of what `n` of `all` have. */
export const rarity = (n: RawBuilder<unknown>, all: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`ln(1 + greatest(0.5, ${all} - ${n} + 0.5) / (${n} + 0.5))`;

const given = (question: Question): RawBuilder<unknown> => sql`
  select q.ord, q.arm = 'tag' as tag, q.term, q."as" = 'word' as word, q."as" = 'phrase' as phrase, q.query::tsquery as query,
         q.start, q."end" as until, q.weight
  from json_to_recordset(${JSON.stringify(question.asked.map((a, ord) => ({ ...a, ord: ord + 1 })))}::json)
    as q(ord integer, arm text, term text, "as" text, query text, start timestamptz, "end" timestamptz, weight float8)
  limit ${question.asked.length} /* tells the planner how few */`;

const ROW = sql`t.seq, t.task_id, t."timestamp", t.rating, t.search`;
/** Rides on traces_time, or what serves the filters. */
const newest = (question: Question, limit: number, conditions = sql`true`): RawBuilder<unknown> => sql`
  select ${ROW} from ${ALL_ROWS} t where ${held(question)} and ${conditions} order by t."timestamp" desc, t.seq desc limit ${limit}`;

/** What is asked, and which words are looked up: all of them. Phrases are where their words are. */
const askedOfFew = (question: Question): RawBuilder<unknown> => sql`
  asked as materialized (
    select *, query is not null and not phrase as rare, null::float8 as expected from (${given(question)}) g
  )`;

/**
 * Traces that are meant, of stretches of the ledger from its begin to its end: whoever has just written much about one thing has no
 * other words in it. An entry that is not the version that held, or not of a trace, stands for none.
 */
const spread = (question: Question): RawBuilder<unknown> => {
  const { user_id, at } = question;
  const entries = sql`
    select l.seq, l.subject_uid as uid from ledger l
    where l.user_id = ${user_id} and l.seq > point and l.seq <= point + ${STRETCH} and l.subject = 'trace' order by l.seq limit ${STRETCH}`;
  return sql`
    select t.search
    from (select ${at}::bigint * i / ${STRETCHES} as point from generate_series(0, ${STRETCHES - 1}) i limit ${STRETCHES}) p
    cross join lateral (${entries}) l
    cross join ${oneByOne(sql`select t.search from ${ALL_ROWS} t where ${held(question)} and t.uid = l.uid and t.seq = l.seq`, 't')}`;
};

/** Or the rarest: `expected` is in how many traces a word may be. */
const askedOfMany = (question: Question): RawBuilder<unknown> => sql`
  spread as materialized (${spread(question)}),
  newest as materialized (${newest(question, NEWEST)}),
  asked as materialized (
    select *, query is not null and not phrase
              and (expected < ${MOST} and place = 1 or before + expected < ${2 * ENOUGH} and before < ${ENOUGH}) as rare
    from (select *, sum(expected) over ranked - expected as before, row_number() over ranked as place
          from (select g.*, case when g.query is not null and not g.phrase then
                              (select count(*) from spread s where s.search @@ g.query) * ${question.at / (STRETCHES * STRETCH)}::float8
                            end as expected
                from (${given(question)}) g offset 0) e
          window ranked as (order by expected, ord rows unbounded preceding)) e
  )`;

/** What of the asked the rows have. ts_rank_cd of a single lexeme is its weighted frequency. */
const matches = (question: Question, rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select t.seq, t.task_id, t."timestamp", length(t.search) as length, ${boost(question)} as boost, m.*
  from (${rows}) t cross join lateral (
    select a.ord, a.tag, a.word, a.phrase, a.weight is not null as timed,
           case when a.query is null or a.phrase then 1 else 2 * ts_rank_cd(${FIELD_WEIGHTS}::float4[], t.search, a.query) end as tf
    from asked a where t.search @@ a.query or (t."timestamp" >= a.start and t."timestamp" < a.until)) m`;

/** Any of the words looked up: one scan of traces_search (user_id, search) for all of them. */
const ANY = sql`(select string_agg('(' || query::text || ')', ' | ')::tsquery from asked where rare)`;

const found = (question: Question): RawBuilder<unknown> => {
  const { at, asked } = question;
  const unseen = sql`(${ANY} is null or not t.search @@ ${ANY})`;
  const common = sql`select * from newest t where ${unseen} and (select count(distinct seq) from telling) < ${FEW_HITS}`;
  const times = asked.flatMap((a) => ('start' in a ? a : []));
  return sql.join(
    [
      sql`select * from telling`,
      ...(at > FEW_ENTRIES ? [matches(question, common)] : []),
      ...times.map(({ start, end }) =>
        matches(
          question,
          newest(question, OF_A_TIME, sql`t."timestamp" >= ${start} and t."timestamp" < ${end} and ${unseen}`),
        ),
      ),
    ],
    sql` union `, // a time may find what the newest had
  );
};

/**
 * CTEs, of which later ones read `counted` (each of the asked, with n and idf) and `evidence` (seq, task_id, timestamp, length, boost,
 * ord, tag, word, phrase, timed, idf, worth). A word's document frequency is counted over what matched: it weighs what it tells
 * apart among the traces that are meant. The commonest words of somebody with many traces rank what the telling ones found; by
 * themselves they find among the newest traces only. All of it depends on the seq and the question alone, so that pages fit
 * together. Without joins, as of rows a CTE made the planner knows nothing, and would loop over them within each other.
 */
export const evidence = (question: Question): RawBuilder<unknown> => sql`
  ${question.at > FEW_ENTRIES ? askedOfMany(question) : askedOfFew(question)},
  telling as materialized (
    ${matches(question, sql`select ${ROW} from ${ALL_ROWS} t where ${held(question)} and t.search @@ ${ANY}`)}
  ), hits as materialized (
    ${found(question)}
  ), counted as materialized (
    select a.*, coalesce(a.weight, ${rarity(sql`n`, sql`${question.at}::float8`)}) as idf
    from (select a.*, case when a.rare or expected is null then (select count(*) from hits h where h.ord = a.ord) else a.expected end as n
          from asked a) a
  ), evidence as materialized (
    select h.*, (select array_agg(idf order by ord) from counted)[h.ord] as idf,
           ${saturated(sql`h.tf`, sql`h.length / (select avg(length)::float8 from hits)`)} as worth
    from hits h
  )`;
