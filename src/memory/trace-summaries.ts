/** Summarises traces by uid, for grounding a model. POST /chat/trace-summary answers them. */
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/database.ts';
import { summarise } from '../domain/text/extractive-summary.ts';
import { countTokens } from '../domain/text/tokens.ts';
import type { Caller } from '../domain/access/caller.ts';
import { planHeading, planLine } from '../domain/record/plan-line.ts';
import { isPlan, type TraceDoc } from '../domain/record/trace.ts';
import type { Instant } from '../domain/time/time.ts';
import { notFound } from '../common/problem.ts';
import { readDocuments } from '../ledger/document-batches.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { seqsOf } from '../ledger/trace-store.ts';
import { MAX_NOTES, type ModelSummaries, type Note } from '../llm/model-summaries.ts';
import { createYielder } from '../common/yielding.ts';

export type TraceSummary = {
  uid: string;
  type: string;
  task_id: string | null;
  timestamp: Instant;
  summary: string;
  token_count: number;
  /** Who wrote the summary. Set only where a model is configured. */
  by?: 'model' | 'extractive';
};

export type SummariesDeps = { db: Db; sensitive: Sensitive; model: ModelSummaries | null };

/** In fewer tokens a model writes no better than an extract of the sentence. */
const LEAST_TOKENS = 12;
/** This many summaries by the model are cached, about 300 bytes each. */
const CACHED_SUMMARIES = 20_000;

/** Divides `budget` tokens: a short summary gets all it needs, and what is left is divided equally among the longer ones. */
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

/** What is held of each trace in memory. The content is not, since a thousand contents may take 200 MB. */
type Gist = Pick<TraceDoc, 'uid' | 'type' | 'task_id' | 'timestamp' | 'summary'> & {
  seq: number;
  /** What is said of a plan before its content, and is never left out; else empty. */
  heading: string;
  need: number;
  /** The hash of the content as the caller may see it, and its length with single spaces. */
  digest: string;
  length: number;
};

/** One of the traces asked for, with its share of the budget and its extract. */
type Extract = { gist: Gist; share: number; text: string };

/**
 * The cache key: the same text with the same budget is summarised once. A summary that the model could not write is cached too.
 */
const keyOf = ({ gist, share }: Omit<Extract, 'text'>): string => `${gist.digest} ${share}`;

const isCut = ({ gist, share, text }: Extract): boolean => share >= LEAST_TOKENS && text.length < gist.length;

const gistOf = (seq: number, trace: TraceDoc, zone: string): Gist => {
  const { uid, type, task_id, timestamp, content } = trace;
  const [heading, summary] = isPlan(trace)
    ? [`${planHeading(trace, zone)}. `, planLine(trace, zone)]
    : ['', trace.summary];
  return {
    ...{ seq, uid, type, task_id, timestamp, summary, heading },
    need: countTokens(summary),
    digest: hash('sha256', heading + content),
    length: (heading + content).replace(/\s+/g, ' ').trim().length,
  };
};

/** How many tokens of a share are left for the content. Joining two texts can add a token. */
const leftFor = ({ heading }: Gist, share: number): number => (heading ? share - countTokens(heading) - 1 : share);

export const createSummaries = ({ db, sensitive, model }: SummariesDeps) => {
  /** '' means that the extract is better. */
  const kept = new LRUCache<string, string>({ max: CACHED_SUMMARIES });

  /**
   * The documents at these seqs as the caller may see them. They are read in batches, and it yields to other requests in
   * between.
   */
  const documentsAt = async function* (caller: Caller, seqs: number[]): AsyncGenerator<[seq: number, TraceDoc]> {
    const yieldToOthers = createYielder();
    let next = 0;
    for await (const documents of readDocuments<TraceDoc>(db, caller.user_id, seqs)) {
      const show = await sensitive.viewOf(caller);
      for (const document of documents) {
        await yieldToOthers();
        const seq = seqs[next++] as number;
        if (document) yield [seq, show(document)];
      }
    }
  };

  /** Extracts sentences from traces whose summaries are too long, and collects by key what the model should summarise. */
  const cutShort = async (caller: Caller, extracts: Extract[]): Promise<Map<string, Note>> => {
    const notes = new Map<string, Note>();
    const isWanted = (e: Extract): boolean =>
      (e.share > 0 && e.share < e.gist.need) || (model !== null && kept.get(keyOf(e)) === undefined && isCut(e));
    const wanted = Map.groupBy(extracts.filter(isWanted), (e) => e.gist.seq);
    for await (const [seq, { content }] of documentsAt(caller, [...wanted.keys()]))
      for (const e of wanted.get(seq) ?? []) {
        const left = leftFor(e.gist, e.share);
        // A plan without its state could be taken for a planned one, so it is left out where its heading does not fit.
        if (e.share < e.gist.need) e.text = left > 0 ? e.gist.heading + summarise(content, { max_tokens: left }) : '';
        if (left > 0 && notes.size < MAX_NOTES && kept.get(keyOf(e)) === undefined && isCut(e))
          notes.set(keyOf(e), { content, max_tokens: left });
      }
    return notes;
  };

  /** The model's summaries of those traces that an extract shortens, by key. */
  const written = async (by: ModelSummaries, extracts: Extract[], notes: Map<string, Note>) => {
    const words = new Map(extracts.filter(isCut).map((e) => [keyOf(e), kept.get(keyOf(e)) ?? '']));
    const answers = notes.size ? await by.summarise([...notes.values()]) : [];
    for (const [i, key] of [...notes.keys()].entries()) {
      const answer = answers[i];
      if (answer !== undefined) kept.set(key, answer ?? '');
      words.set(key, answer ?? '');
    }
    return words;
  };

  const gistsOf = async (caller: Caller, uids: string[]): Promise<Map<string, Gist>> => {
    const gists = new Map<string, Gist>();
    const places = await seqsOf(db, caller.user_id, uids);
    for await (const [seq, trace] of documentsAt(caller, places)) gists.set(trace.uid, gistOf(seq, trace, caller.zone));
    return gists;
  };

  /**
   * Summaries in the order asked. With `max_token_count` they have at most that many tokens together (o200k), shortened evenly.
   * The model summarises long traces where one is configured and answers in time; else their most important sentences do.
   * @throws 404 with every unknown uid
   */
  const summaries = async (caller: Caller, trace_ids: string[], max_token_count?: number): Promise<TraceSummary[]> => {
    const found = await gistsOf(caller, trace_ids);
    const unknown = trace_ids.filter((uid) => !found.has(uid));
    if (unknown.length) throw notFound('trace', [...new Set(unknown)]);
    const gists = trace_ids.flatMap((uid) => found.get(uid) ?? []);
    const needs = gists.map((gist) => gist.need);
    const shares = max_token_count === undefined ? needs : allot(needs, max_token_count);
    const extracts = gists.map((gist, i): Extract => {
      const share = shares[i] ?? 0;
      return { gist, share, text: share >= gist.need ? gist.summary : '' };
    });
    const notes = await cutShort(caller, extracts);
    const byModel = model && (await written(model, extracts, notes));
    return extracts.map((one): TraceSummary => {
      const { uid, type, task_id, timestamp } = one.gist;
      const better = byModel?.get(keyOf(one));
      const summary = better ? one.gist.heading + better : one.text;
      return {
        ...{ uid, type, task_id, timestamp, summary, token_count: countTokens(summary) },
        ...(byModel ? { by: better ? 'model' : 'extractive' } : {}),
      };
    });
  };

  return { summaries };
};
