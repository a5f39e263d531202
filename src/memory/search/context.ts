/**
 * What the task of a trace adds to its score. The words of a question are often spread over several consecutive traces, and the
 * answer need not repeat them. So traces lend the words found in them to their neighbours, and a task adds the words found in
 * all of its traces.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../db/database.ts';
import { ALL_ROWS, heldAt } from '../queries.ts';
import { fromColumns, inColumns, type Columns } from './columns.ts';
import { signs, traceColumns } from './hits.ts';
import { boost, selected, type Question } from './question.ts';
import {
  rarity,
  saturated,
  STEP,
  type Counted,
  type Own,
  type RankedTrace,
  type Scored,
  type Weighed,
} from './rank.ts';

/** The number of traces that lend, the best by their own words. More made no difference. */
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
/** Short traces say little, so they lose at most about this part. */
const BREVITY = 0.2;
/** A trace gains this part where somebody says it whose name the query has. */
const SPEAKER = 0.5;
/** A trace that ends with a question loses this part. */
const ASKING = 0.1;

/** A trace beside a lender: 1 to 3 steps after it, or -1 to -3 before it. */
export type Neighbour = RankedTrace & { lender: number; step: number };

/** The neighbours of a lender `s` in its task, before or after it, by time and then in the order written (traces_order). */
const beside = (question: Question, direction: 'asc' | 'desc'): RawBuilder<unknown> => sql`
  select n.*, row_number() over () * ${sql.lit(direction === 'asc' ? 1 : -1)} as step from (
    select t.seq, t.uid, t.task_id, t."timestamp", length(t.search) as length, ${boost(question)} as boost, ${selected(question)} as selected, ${signs(question)}
    from ${ALL_ROWS} t
    where ${heldAt(question.user_id, question.at)} and t.task_id = s.task_id
      and (t."timestamp", t.seq) ${sql.raw(direction === 'asc' ? '>' : '<')} (s."timestamp", s.seq)
    order by t."timestamp" ${sql.raw(direction)}, t.seq ${sql.raw(direction)} limit ${REACH}) n`;

const columnsOf = (question: Question): string[] => [...traceColumns(question), 'lender', 'step'];

/** The best traces of tasks, and their neighbours. */
export const findNeighbours = async (db: Db, question: Question, best: readonly Own[]): Promise<Neighbour[]> => {
  const lenders = best
    .filter(({ trace }) => trace.task_id !== null)
    .toSorted((a, b) => b.score - a.score || b.trace.seq - a.trace.seq)
    .slice(0, LENDERS)
    .map(({ trace: { seq, task_id, timestamp } }) => ({ seq, task_id, timestamp }));
  if (!lenders.length) return [];
  const { rows } = await sql<Columns>`
    ${inColumns(
      columnsOf(question),
      sql`
      select n.*, s.seq as lender
      from (select * from json_to_recordset(${JSON.stringify(lenders)}::json) as j(seq bigint, task_id text, "timestamp" timestamptz)
            limit ${lenders.length}) s
      cross join lateral (${beside(question, 'asc')} union all ${beside(question, 'desc')}) n
      where n.selected`,
    )}`.execute(db);
  return fromColumns(rows[0], columnsOf(question));
};

const partOf = (step: number, lenderAsks: boolean): number => {
  if (step < 0) return BEFORE[-step - 1] ?? 0;
  return step === 1 && lenderAsks ? ANSWER : (AFTER[step - 1] ?? 0);
};

/** The BM25 of each task over its traces. The name of a speaker does not count: who speaks says nothing about the task. */
const taskScores = (best: readonly Own[], { counted, named }: Weighed): Map<string, number> => {
  const counts = new Map<string, Map<number, number>>();
  for (const { trace, ords } of best) {
    if (trace.task_id === null) continue;
    let ofTask = counts.get(trace.task_id);
    if (!ofTask) counts.set(trace.task_id, (ofTask = new Map<number, number>()));
    for (const ord of ords) {
      const asked = counted[ord];
      if (asked && ((asked.word && !named.has(ord)) || asked.timed)) ofTask.set(ord, (ofTask.get(ord) ?? 0) + 1);
    }
  }
  const tasks = new Map<number, number>();
  for (const ofTask of counts.values()) for (const ord of ofTask.keys()) tasks.set(ord, (tasks.get(ord) ?? 0) + 1);
  const score = (ofTask: Map<number, number>): number => {
    let sum = 0;
    for (const [ord, n] of ofTask) sum += rarity(tasks.get(ord) ?? 0, counts.size) * saturated(n, 1);
    return sum;
  };
  return new Map([...counts].map(([task, ofTask]) => [task, score(ofTask)]));
};

/** What neighbours lend, which for each word is the most that any of them does. */
type Borrower = { trace: RankedTrace; lent: Map<number, number> };

const borrowers = (
  own: ReadonlyMap<number, Own>,
  near: readonly Neighbour[],
  { counted, named }: Weighed,
): Map<number, Borrower> => {
  const bySeq = new Map<number, Borrower>();
  for (const trace of near) {
    const from = own.get(trace.lender);
    if (!from) continue;
    let to = bySeq.get(trace.seq);
    if (!to) bySeq.set(trace.seq, (to = { trace, lent: new Map() }));
    const part = partOf(trace.step, from.trace.asks);
    for (let i = 0; i < from.ords.length; i++) {
      const ord = from.ords[i] as number;
      if (!counted[ord]?.word || named.has(ord)) continue;
      const value = part * (from.worth[i] as number);
      if (value > (to.lent.get(ord) ?? 0)) to.lent.set(ord, value);
    }
  }
  return bySeq;
};

/** The score of what a trace has and is lent, and the part of the query's words that this is. */
const sumOf = (own: Own | undefined, lent: Borrower['lent'] | undefined, counted: readonly Counted[]) => {
  let score = 0;
  let share = 0;
  const ords = own?.ords ?? [];
  for (let i = 0; i < ords.length; i++) {
    const { idf, word } = counted[ords[i] as number] as Counted;
    score += idf * ((own?.worth[i] ?? 0) + AGAIN * (lent?.get(ords[i] as number) ?? 0));
    if (word) share += idf;
  }
  for (const [ord, value] of lent ?? []) {
    if (ords.includes(ord)) continue;
    const { idf } = counted[ord] as Counted;
    score += idf * value;
    share += idf * Math.min(1, value);
  }
  return { score, share };
};

/**
 * The best traces and their neighbours, scored. `share` is the part of the query that was found. The name of a speaker is not
 * lent: it says nothing about what the neighbours say.
 */
export const inContext = function* (
  best: readonly Own[],
  near: readonly Neighbour[],
  weighed: Weighed,
): Generator<undefined, Scored[]> {
  const { counted, length } = weighed;
  const tasks = taskScores(best, weighed);
  yield;
  const words = counted.reduce((sum, { word, tag, idf }) => sum + (word && !tag ? idf : 0), 0);
  const owners = new Map(best.map((own) => [own.trace.seq, own]));
  const lending = borrowers(owners, near, weighed);
  const scored: Scored[] = [];
  const add = (trace: RankedTrace, own: Own | undefined, lent: Borrower['lent'] | undefined): void => {
    const { score, share } = sumOf(own, lent, counted);
    const task = TASK * ((trace.task_id === null ? undefined : tasks.get(trace.task_id)) ?? 0);
    const brevity = Math.min(0.5, Math.max(-2, Math.log(Math.max(1, trace.length) / length)));
    scored.push({
      ...{ trace, said: own?.said ?? false, lent, task },
      share: words > 0 ? share / words : 0,
      score:
        (score + task) * (1 + BREVITY * brevity) * (own?.said ? 1 + SPEAKER : 1) * (trace.ends_asking ? 1 - ASKING : 1),
    });
  };
  for (const [i, own] of best.entries()) {
    if (i % STEP === 0) yield;
    add(own.trace, own, lending.get(own.trace.seq)?.lent);
  }
  yield;
  for (const { trace, lent } of lending.values()) {
    if (lent.size && !owners.has(trace.seq)) add(trace, undefined, lent);
  }
  return scored;
};
