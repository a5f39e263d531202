/** Combines the arms of a search: each ranks its own results, and reciprocal rank fusion makes one list of them. */
import { byScore, type Own, type Scored, type Weighed } from './rank.ts';
import type { Arm } from './question.ts';

/** The constant of reciprocal rank fusion (Cormack et al. 2009) of the arms keyword and tag. */
const RRF = 60;
/** What only the semantic arm finds comes after all that words and tags find: they know what is in their results. */
const ALONE = 0.05;
/** An arm ranks at most this many results, and the pages end there. */
export const DEPTH = 1_000;
/** The best trace of each task, and each trace without a task, gains this part. Else one task could fill the results. */
const FIRST = 0.2;
/** What a trace gains, in parts of the best score, where the query asks for a time or an amount and the trace tells one. */
const TELLS_TIME = 0.15;
const TELLS_AMOUNT = 0.1;

/** What else changed the score: who says it, whether it only asks, and whether it tells what the query asks for. */
export type Signs = { said: boolean; ends_asking: boolean; tells_time: boolean; tells_amount: boolean };

type FoundBy = {
  rank: number;
  score: number;
  matched: string[] | null;
  lent: string[] | null;
  task: number | null;
  /** Of the keyword arm only. */
  signs: Signs | null;
};

/** A result of one arm. */
export type Result = { seq: number; score: number; share: number; boost: number };

/** A result, before its document is read. */
export type Place = { seq: number; confidence: number; boost: number; arms: Partial<Record<Arm, FoundBy>> };

const BEST_FIRST = byScore<{ seq: number; score: number }>(
  ({ score }) => score,
  ({ seq }) => seq,
);

/** The keyword arm: the scores, with what meaning and named times add to them, and the best of each task raised. */
export const byWords = (scored: readonly Scored[], gains: ReadonlyMap<number, number>): Result[] => {
  const most = scored.reduce((max, { score }) => Math.max(max, score), 0);
  const results = scored.map(({ trace: { seq, boost, task_id, tells_time, tells_amount }, share, score }) => {
    const told = (tells_time ? TELLS_TIME : 0) + (tells_amount ? TELLS_AMOUNT : 0);
    const raised = Math.max(0, score + most * ((gains.get(seq) ?? 0) + told)) * boost;
    return { seq, boost, share, score: raised, task_id };
  });
  const firsts = new Map<string, (typeof results)[number]>();
  for (const one of results) {
    const first = one.task_id === null ? undefined : firsts.get(one.task_id);
    if (one.task_id === null) one.score *= 1 + FIRST;
    else if (!first || BEST_FIRST(one, first) < 0) firsts.set(one.task_id, one);
  }
  for (const one of firsts.values()) one.score *= 1 + FIRST;
  return results.sort(BEST_FIRST).slice(0, DEPTH);
};

/** The tag arm: traces by their tags alone, since tags say nothing about neighbours. */
export const byTags = ({ tag, counted }: Weighed): Result[] => {
  const all = counted.reduce((sum, c) => sum + (c.tag ? c.idf : 0), 0);
  return tag
    .map(({ trace: { seq, boost }, ords, score }) => {
      const share = ords.reduce((sum, ord) => sum + (counted[ord]?.idf ?? 0), 0) / all;
      return { seq, boost, share, score: score * boost };
    })
    .toSorted(BEST_FIRST)
    .slice(0, DEPTH);
};

/** The semantic arm. */
export const byMeaning = (near: readonly { seq: number; similarity: number; boost: number }[]): Result[] =>
  near
    .map(({ seq, similarity, boost }) => ({ seq, boost, share: Math.min(1, similarity), score: similarity * boost }))
    .toSorted(BEST_FIRST)
    .slice(0, DEPTH);

/** All results once. What words or tags have found is judged by them alone. */
const fuse = (arms: readonly [Arm, Result[]][]): Result[] => {
  const all = new Map<number, Result>();
  for (const [arm, results] of arms)
    for (let i = 0; i < results.length; i++) {
      const { seq, boost, share } = results[i] as Result;
      const known = all.get(seq);
      const byText = arm !== 'semantic';
      const score = (byText ? 1 : ALONE) / (RRF + i + 1);
      if (!known) all.set(seq, { seq, boost, share, score });
      else if (byText) {
        known.share = Math.max(known.share, share);
        known.score += score;
      }
    }
  return [...all.values()];
};

/** The results of a page by arm, with their ranks. */
const ranksOf = (arms: readonly [Arm, Result[]][], page: readonly Result[]) => {
  const ranks = new Map(page.map(({ seq }) => [seq, [] as { arm: Arm; rank: number; score: number }[]]));
  for (const [arm, results] of arms)
    for (const [i, { seq, score }] of results.entries()) ranks.get(seq)?.push({ arm, rank: i + 1, score });
  return ranks;
};

/** A page of the results of all arms, the semantic one last, with how each was found. */
export const pageOf = (
  arms: readonly [Arm, Result[]][],
  { limit, offset }: { limit: number; offset: number },
  { counted, keyword, tag }: Weighed,
  scored: readonly Scored[],
): Place[] => {
  const fused = fuse(arms).sort(BEST_FIRST);
  // Confidence never rises down the list: each result has at least what those after it have.
  for (let i = fused.length - 2, least = fused.at(-1)?.share ?? 0; i >= 0; i--) {
    const one = fused[i] as Result;
    one.share = least = Math.max(one.share, least);
  }
  const page = fused.slice(offset, offset + limit);
  const seqs = new Set(page.map(({ seq }) => seq));
  const ofPage = <T extends { trace: { seq: number } }>(list: readonly T[]): Map<number, T> =>
    new Map(list.filter(({ trace }) => seqs.has(trace.seq)).map((one) => [one.trace.seq, one]));
  const matched = { keyword: ofPage(keyword), tag: ofPage(tag), semantic: new Map<number, Own>() };
  const context = ofPage(scored);
  const terms = (ords: readonly number[] = []): string[] | null => {
    const list = ords
      .toSorted((a, b) => a - b)
      .flatMap((ord) => (counted[ord] && !counted[ord].phrase ? [counted[ord].term] : []));
    return list.length ? list : null;
  };
  const foundBy = (seq: number, arm: Arm, ranked: { rank: number; score: number }): FoundBy => {
    const own = arm === 'keyword' ? context.get(seq) : undefined;
    const { ends_asking = false, tells_time = false, tells_amount = false } = own?.trace ?? {};
    return {
      ...ranked,
      matched: terms(matched[arm].get(seq)?.ords),
      lent: terms([...(own?.lent?.keys() ?? [])]),
      task: own?.task ?? null,
      signs: own ? { said: own.said, ends_asking, tells_time, tells_amount } : null,
    };
  };
  const ranks = ranksOf(arms, page);
  return page.map(({ seq, boost, share }) => ({
    ...{ seq, boost, confidence: share },
    arms: Object.fromEntries((ranks.get(seq) ?? []).map(({ arm, ...ranked }) => [arm, foundBy(seq, arm, ranked)])),
  }));
};
