/** The first statement of a search: the traces that contain what the query asks for, with what matches in each. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { oneByOne } from '../db/rows-by-key.ts';
import { SIGN } from '../domain/text/lexemes.ts';
import { ALL_ROWS } from './queries.ts';
import { boost, held, type Question } from './search-question.ts';
import type { Candidate, Frequencies } from './search-rank.ts';

/** A word counts one and a half times in tags and twice in a title (weights D, C, B, A; at most 1). */
const FIELD_WEIGHTS = '{0.5,0.5,0.75,1}';

/** In a ledger of up to this many entries, every trace with any of the words is examined. */
const FEW_ENTRIES = 10_000;
/** In a longer ledger the frequency of words is estimated from this many samples, evenly spread, of STRETCH entries each. */
const STRETCHES = 100;
const STRETCH = 5;
/** The commonest words find traces on their own only among this many newest ones. */
const NEWEST = 1_000;
/**
 * Once the rarest words are expected to find this many traces, commoner words are not looked up: an arm ranks no more results.
 */
const ENOUGH = 1_000;
/** The rarest word is looked up only where at most this many traces have it. */
const MOST = 4_000;
/** Where the looked-up words find fewer, the newest traces with one of the other words are added. */
const FEW_HITS = 200;
/** For a time in the query this many newest traces of that time are added, whatever their words. */
const OF_A_TIME = 500;

const given = (question: Question): RawBuilder<unknown> => sql`
  select q.ord, q."as" = 'phrase' as phrase, q.query::tsquery as query, q.said::tsquery as said, q.dates::tsquery as dates,
         q.start, q."end" as until
  from json_to_recordset(${JSON.stringify(question.asked.map((a, ord) => ({ ...a, ord })))}::json)
    as q(ord integer, "as" text, query text, said text, dates text, start timestamptz, "end" timestamptz)
  limit ${question.asked.length} /* tells the planner how few */`;

const ROW = sql`t.seq, t.uid, t.task_id, t."timestamp", t.rating, t.search`;
/** The newest traces. Uses the index traces_time, or that of the filters. */
const newest = (question: Question, limit: number, conditions = sql`true`): RawBuilder<unknown> => sql`
  select ${ROW} from ${ALL_ROWS} t where ${held(question)} and ${conditions} order by t."timestamp" desc, t.seq desc limit ${limit}`;

/** What the query asks for, where every word is looked up. A phrase needs no lookup, since its words find it. */
const askedOfFew = (question: Question): RawBuilder<unknown> => sql`
  asked as materialized (
    select *, query is not null and not phrase as rare, null::float8 as expected from (${given(question)}) g
  )`;

/**
 * A sample of the selected traces, from samples of the ledger over its whole length. The newest entries alone would not do,
 * since they may all be about one subject. An entry that is not a trace, or not its version at the seq, yields none.
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

/** What the query asks for, where only the rarest words are looked up. `expected` estimates how many traces have a word. */
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

/** What a row `t` says of itself by its signs. */
export const signs = ({ answer }: Question): RawBuilder<unknown> => {
  const has = (sign: string) => sql`t.search @@ ${`'${sign}'`}::tsquery`;
  return sql`${has(SIGN.asks)} as asks, ${has(SIGN.endsAsking)} as ends_asking,
    ${answer.time ? has(SIGN.tellsTime) : sql`false`} as tells_time, ${answer.amount ? has(SIGN.tellsAmount) : sql`false`} as tells_amount`;
};

/** The rows that match anything, with what matches in each. ts_rank_cd of a single lexeme is its weighted frequency. */
const matches = (question: Question, rows: RawBuilder<unknown>): RawBuilder<unknown> => sql`
  select t.seq, t.uid, t.task_id, t."timestamp", length(t.search) as length, ${boost(question)} as boost, ${signs(question)}, m.*
  from (${rows}) t cross join lateral (
    select array_agg(a.ord) as ords, array_agg(coalesce(t.search @@ a.said, false)) as said,
           array_agg(case when a.query is null or a.phrase then 1 else 2 * ts_rank_cd(${FIELD_WEIGHTS}::float4[], t.search, a.query) end) as tf
    from asked a where t.search @@ a.query or (t."timestamp" >= a.start and t."timestamp" < a.until) or t.search @@ a.dates) m
  where m.ords is not null`;

/** Matches any of the looked-up words, in one scan of traces_search (user_id, search). */
const ANY = sql`(select string_agg('(' || query::text || ')', ' | ')::tsquery from asked where rare)`;

const found = (question: Question): RawBuilder<unknown> => {
  const { at, asked } = question;
  const unseen = sql`(${ANY} is null or not t.search @@ ${ANY})`;
  const common = sql`select * from newest t where ${unseen} and (select count(*) from telling) < ${FEW_HITS}`;
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
    sql` union `, // A time can find the same traces as the newest ones, so `union` removes duplicates.
  );
};

/** Rows of a select as one row that has an array for each column: much less to format and parse than many rows. */
export const inColumns = (columns: readonly string[], rows: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`select ${sql.join(columns.map((name) => sql`json_agg(${sql.ref(name)}) as ${sql.ref(name)}`))} from (${rows}) r`;

export type Columns = Record<string, unknown[] | null>;
/** The rows that `inColumns` was given. */
export const fromColumns = <T>(columns: Columns | undefined, names: readonly string[]): T[] => {
  const [first] = names;
  const rows = (first && columns?.[first]) || [];
  return rows.map((_, i) => {
    const row: Record<string, unknown> = {};
    for (const name of names) row[name] = columns?.[name]?.[i];
    return row as T;
  });
};

/** The columns of a trace that takes part. Its uid finds its vector. */
export const traceColumns = ({ compared }: Question): string[] => [
  ...(compared ? ['uid'] : []),
  ...['seq', 'task_id', 'timestamp', 'length', 'boost', 'asks', 'ends_asking', 'tells_time', 'tells_amount'],
];
const columnsOf = (question: Question): string[] => [...traceColumns(question), 'ords', 'said', 'tf'];

/**
 * The candidates as one row of columns. In a long ledger the commonest words rank what rarer words found, and find traces on
 * their own only among the newest. All of it depends on the seq and the query alone, so that pages fit together. There are no
 * joins of CTEs: the planner has no statistics of their rows and would choose nested loops.
 */
export const candidatesStatement = (
  question: Question,
): RawBuilder<Columns & { frequencies: Frequencies[] | null }> => sql`
  with ${question.at > FEW_ENTRIES ? askedOfMany(question) : askedOfFew(question)},
  telling as materialized (
    ${matches(question, sql`select ${ROW} from ${ALL_ROWS} t where ${held(question)} and t.search @@ ${ANY}`)}
  ), hits as materialized (
    ${found(question)}
  )
  select (select json_agg(json_build_object('rare', rare, 'expected', expected) order by ord) from asked) as frequencies, c.*
  from (${inColumns(columnsOf(question), sql`select * from hits`)}) c`;

export const findCandidates = async (
  db: Db,
  question: Question,
): Promise<{ candidates: Candidate[]; frequencies: Frequencies[] }> => {
  const { rows } = await candidatesStatement(question).execute(db);
  return { candidates: fromColumns(rows[0], columnsOf(question)), frequencies: rows[0]?.frequencies ?? [] };
};
