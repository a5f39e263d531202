/** Summaries of traces by uid, for grounding a model; POST /chat/trace-summary answers them. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/client.ts';
import { summarise } from '../domain/summary.ts';
import { countTokens } from '../domain/tokens.ts';
import type { Caller } from '../domain/caller.ts';
import type { TraceDoc } from '../domain/trace.ts';
import type { Instant } from '../domain/time.ts';
import { notFound } from '../errors.ts';
import type { Sensitive } from '../ledger/sensitive.ts';
import { findTraces } from '../ledger/traces.ts';
import type { ModelSummaries } from '../llm/summaries.ts';

export type TraceSummary = {
  uid: string;
  type: string;
  task_id: string | null;
  timestamp: Instant;
  summary: string;
  token_count: number;
  /** Who wrote it; told only where a model is configured. */
  by?: 'model' | 'extractive';
};

export type SummariesDeps = { db: Db; sensitive: Sensitive; model: ModelSummaries | null };

/** What is left of a sentence in fewer tokens is as well cut out as written. */
const LEAST_TOKENS = 12;
/** Summaries of a model kept in memory, about 300 bytes each. */
const KEPT = 20_000;

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

/** A trace with what it may take, and its extract. */
type Extract = { trace: TraceDoc; share: number; told: string };

/** A text, as its reader is shown it, is summed up once for each budget; what the model could not do well is not asked again. */
const keyOf = ({ trace, share }: Extract): string => `${hash('sha256', trace.content)} ${share}`;

const isCut = ({ trace, share, told }: Extract): boolean =>
  share >= LEAST_TOKENS && told.length < trace.content.replace(/\s+/g, ' ').trim().length;

export const createSummaries = ({ db, sensitive, model }: SummariesDeps) => {
  /** '' stands for: the extract is better. */
  const kept = new LRUCache<string, string>({ max: KEPT });

  const extract = (trace: TraceDoc, need: number, share: number): Extract => ({
    trace,
    share,
    told: share >= need ? trace.summary : share > 0 ? summarise(trace.content, { max_tokens: share }) : '',
  });

  /** The model's words for those that an extract cuts short, by key. */
  const written = async (by: ModelSummaries, extracts: Extract[]): Promise<Map<string, string>> => {
    const cut = new Map(extracts.filter(isCut).map((e) => [keyOf(e), e]));
    const known = new Map([...cut.keys()].map((key) => [key, kept.get(key)]));
    const asked = [...cut].filter(([key]) => known.get(key) === undefined);
    const notes = asked.map(([, { trace, share }]) => ({ content: trace.content, max_tokens: share }));
    const answers = notes.length ? await by.summarise(notes) : [];
    for (const [i, [key]] of asked.entries()) {
      const answer = answers[i];
      if (answer !== undefined) kept.set(key, answer ?? '');
      known.set(key, answer ?? '');
    }
    return new Map([...known].map(([key, text]) => [key, text ?? '']));
  };

  /**
   * In the order asked. With `max_token_count` the summaries together have at most that many tokens (o200k), shortened evenly.
   * Long traces are summed up by the model where one is configured and answers in time, else by their most telling sentences.
   * @throws 404 naming every uid that is unknown.
   */
  const summaries = async (caller: Caller, trace_ids: string[], max_token_count?: number): Promise<TraceSummary[]> => {
    const stored = await findTraces(db, caller.user_id, [...new Set(trace_ids)]);
    const found = new Map((await sensitive.viewOf(caller))(stored).map((t) => [t.uid, t]));
    const unknown = trace_ids.filter((uid) => !found.has(uid));
    if (unknown.length) throw notFound('trace', [...new Set(unknown)]);
    const traces = trace_ids.flatMap((uid) => found.get(uid) ?? []);
    const needs = traces.map((t) => countTokens(t.summary));
    const shares = max_token_count === undefined ? needs : allot(needs, max_token_count);
    const extracts = traces.map((trace, i) => extract(trace, needs[i] ?? 0, shares[i] ?? 0));
    const byModel = model && (await written(model, extracts));
    return extracts.map((one): TraceSummary => {
      const { uid, type, task_id, timestamp } = one.trace;
      const better = byModel?.get(keyOf(one));
      const summary = better || one.told;
      return {
        ...{ uid, type, task_id, timestamp, summary, token_count: countTokens(summary) },
        ...(byModel ? { by: better ? 'model' : 'extractive' } : {}),
      };
    });
  };

  return { summaries };
};

export type Summaries = ReturnType<typeof createSummaries>;
