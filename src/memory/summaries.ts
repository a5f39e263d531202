/** Summaries of traces by uid, for grounding a model; POST /chat/trace-summary answers them. */
import type { Db } from '../db/client.ts';
import { summarise } from '../domain/summary.ts';
import { countTokens } from '../domain/tokens.ts';
import type { Caller } from '../domain/caller.ts';
import type { Instant } from '../domain/time.ts';
import { notFound } from '../errors.ts';
import { findTraces } from '../ledger/traces.ts';

export type TraceSummary = {
  uid: string;
  type: string;
  task_id: string | null;
  timestamp: Instant;
  summary: string;
  token_count: number;
};

/** What each may have of `budget`: short ones all they need, and what they leave goes to the longer ones in equal parts. */
export const allot = (needs: readonly number[], budget: number): number[] => {
  const shares = needs.map(() => 0);
  const shortestFirst = [...needs.keys()].sort((a, b) => (needs[a] ?? 0) - (needs[b] ?? 0));
  let left = budget;
  for (const [done, i] of shortestFirst.entries()) {
    shares[i] = Math.min(needs[i] ?? 0, Math.floor(left / (needs.length - done)));
    left -= shares[i];
  }
  return shares;
};

export const createSummaries = ({ db }: { db: Db }) => {
  /**
   * In the order asked. With `max_token_count` the summaries together have at most that many tokens (o200k), shortened evenly.
   * @throws 404 naming every uid that is unknown.
   */
  const summaries = async (caller: Caller, trace_ids: string[], max_token_count?: number): Promise<TraceSummary[]> => {
    const found = new Map((await findTraces(db, caller.user_id, [...new Set(trace_ids)])).map((t) => [t.uid, t]));
    const unknown = trace_ids.filter((uid) => !found.has(uid));
    if (unknown.length) throw notFound('trace', [...new Set(unknown)]);
    const traces = trace_ids.flatMap((uid) => found.get(uid) ?? []);
    const needs = traces.map((t) => countTokens(t.summary));
    const shares = max_token_count === undefined ? needs : allot(needs, max_token_count);
    return traces.map(({ uid, type, task_id, timestamp, summary, content }, i) => {
      const share = shares[i] ?? 0;
      const told = share >= (needs[i] ?? 0) ? summary : share > 0 ? summarise(content, { max_tokens: share }) : '';
      return { uid, type, task_id, timestamp, summary: told, token_count: countTokens(told) };
    });
  };

  return { summaries };
};

export type Summaries = ReturnType<typeof createSummaries>;
