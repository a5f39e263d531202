/** The first statement of a search: the traces that contain what the query asks for, with what matches in each. */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../db/database.ts';
import { anyQuery, SIGN } from '../../domain/text/lexemes.ts';
import { ALL_ROWS } from '../queries.ts';
import { fromColumns, inColumns, type Columns } from './columns.ts';
import { boost, held, type Asked, type Question } from './question.ts';
import type { Candidate, Frequencies } from './rank.ts';
import { FEW_ENTRIES } from './word-frequencies.ts';

/** A word counts one and a half times in tags and twice in a title (weights D, C, B, A; at most 1). */
const FIELD_WEIGHTS = '{0.5,0.5,0.75,1}';

/** The commonest words find traces on their own only among this many newest ones. */
const NEWEST = 1_000;
/** Where the looked-up words find fewer, the newest traces with one of the other words are added. */
const FEW_HITS = 200;
/** For a time in the query this many newest traces of that time are added, whatever their words. */
const OF_A_TIME = 500;

const queryOf = (asked: Asked): string | undefined => {
  if ('lexemes' in asked) return anyQuery(asked.lexemes);
  return 'query' in asked ? asked.query : undefined;
};

/** What the query asks for, as rows. */
const rowsOf = ({ asked }: Question): RawBuilder<unknown> => {
  const rows = asked.map((one, ord) => ({ ...one, ord, query: queryOf(one) }));
  return sql`
    select q.ord, q."as" = 'phrase' as phrase, q.query::tsquery as query, q.said::tsquery as said, q.dates::tsquery as dates,
           q.start, q."end" as until
    from json_to_recordset(${JSON.stringify(rows)}::json)
      as q(ord integer, "as" text, query text, said text, dates text, start timestamptz, "end" timestamptz)
    limit ${asked.length} /* tells the planner how few */`;
};

const ROW = sql`t.seq, t.uid, t.task_id, t."timestamp", t.rating, t.search`;
/** The newest traces. Uses the index traces_time, or that of the filters. */
const newest = (question: Question, limit: number, conditions = sql`true`): RawBuilder<unknown> => sql`
  select ${ROW} from ${ALL_ROWS} t where ${held(question)} and ${conditions} order by t."timestamp" desc, t.seq desc limit ${sql.lit(limit)}`;

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
           array_agg(case when a.query is null or a.phrase then 1 else 2 * ts_rank_cd(${sql.lit(FIELD_WEIGHTS)}::float4[], t.search, a.query) end) as tf
    from asked a where t.search @@ a.query or (t."timestamp" >= a.start and t."timestamp" < a.until) or t.search @@ a.dates) m
  where m.ords is not null`;

/** Traces that no word has found: the newest ones that have one of the commonest words, and those of a time in the query. */
const furtherMatches = (question: Question, any: RawBuilder<unknown>): RawBuilder<unknown>[] => {
  const unseen = sql`(${any} is null or not t.search @@ ${any})`;
  const common = sql`
    select * from newest t where ${unseen} and (select count(*) from telling) < ${sql.lit(FEW_HITS)}`;
  const times = question.asked.flatMap((asked) => ('start' in asked ? asked : []));
  return [
    ...(question.at > FEW_ENTRIES ? [common] : []),
    ...times.map(({ start, end }) =>
      newest(question, OF_A_TIME, sql`t."timestamp" >= ${start} and t."timestamp" < ${end} and ${unseen}`),
    ),
  ].map((rows) => matches(question, rows));
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
export const candidatesStatement = (question: Question, frequencies: readonly Frequencies[]): RawBuilder<Columns> => {
  const lookedUp = question.asked.flatMap((asked, ord) =>
    frequencies[ord]?.rare && 'lexemes' in asked ? asked.lexemes : [],
  );
  // Matches any of the looked-up words, in one scan of traces_search (user_id, search).
  const any = sql`${lookedUp.length ? anyQuery(lookedUp) : null}::tsquery`;
  const told = matches(question, sql`select ${ROW} from ${ALL_ROWS} t where ${held(question)} and t.search @@ ${any}`);
  const found = [sql`select * from telling`, ...furtherMatches(question, any)];
  return sql`
    with asked as materialized (${rowsOf(question)}),
    newest as materialized (${newest(question, NEWEST)}),
    telling as materialized (${told})
    ${inColumns(columnsOf(question), sql.join(found, sql` union all `))}`;
};

export const findCandidates = async (
  db: Db,
  question: Question,
  frequencies: readonly Frequencies[],
): Promise<Candidate[]> => {
  const { rows } = await candidatesStatement(question, frequencies).execute(db);
  const candidates = fromColumns<Candidate>(rows[0], columnsOf(question));
  // A time can find the same traces as the newest ones or as another time.
  const isDistinct = !question.asked.some((asked) => 'start' in asked);
  return isDistinct ? candidates : [...new Map(candidates.map((one) => [one.seq, one])).values()];
};
