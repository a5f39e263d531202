/**
 * Embeds the query for semantic search: with the configured model where it answers in time and has read the user's traces, else
 * with the built-in embedder.
 */
import { LRUCache } from 'lru-cache';
import { EMBEDDER, toVectorLiteral } from '../../domain/text/word-embedder.ts';
import { EmbedderAway, type EmbeddingModel } from '../../llm/embedding-model.ts';
import { modelKey } from './trace-embeddings.ts';
import { builtinProbe, type Probe } from '../search/semantic.ts';

export type ProbesDeps = {
  model: EmbeddingModel | null;
  /** The seq up to which the model has read a user's ledger. */
  progress: (user_id: string, key: string) => Promise<number>;
  /** The number of entries up to a seq whose vectors of the built-in embedder may be missing after an upgrade. */
  unfilled: (user_id: string, at: number) => Promise<number>;
};

/** The embedded query, and what the answer should say about it. */
export type Probing = {
  probe: Probe | undefined;
  /** Why the configured model is not used. */
  degraded?: string;
  /** The ledger entries that the embedder has not read. Search finds their traces by words only. */
  waiting?: number;
};

/** The embedder of the first page, and the seq up to which it had read then. */
export type Pinned = { embedder: string; upto: number };

/** A search waits this long for the model. A later answer still serves the next search for the same words. */
const TIMEOUT_MS = 1_000;
const LATE_MS = 10_000;
/** After a failure or a late answer no search waits for the model for this long. */
const PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 60_000;
const MOST_REQUESTS = 16;
/** The cache holds this many characters of vectors, about a thousand of 1,536 numbers. */
const CACHE_CHARACTERS = 16_000_000;
/** A model that has read less than this part of the ledger would find too little. The built-in embedder has read all. */
const ENOUGH = 0.9;

type Embedded = { key: string; vector: string };

export const createProbes = ({ model, progress, unfilled }: ProbesDeps) => {
  const kept = new LRUCache<string, Embedded>({
    maxSize: CACHE_CHARACTERS,
    sizeCalculation: ({ vector }, text) => vector.length + text.length,
  });
  const underWay = new Map<string, Promise<Embedded>>();
  let pause = { until: 0, why: '' };

  const pauseFor = (why: string, ms = PAUSE_MS): void => {
    pause = { until: performance.now() + Math.min(ms, LONGEST_PAUSE_MS), why };
  };

  /** Searches for the same words share one request. */
  const ask = (by: EmbeddingModel, text: string): Promise<Embedded> => {
    const asked = underWay.get(text);
    if (asked) return asked;
    const answer = by
      .embedQuery(text, AbortSignal.timeout(LATE_MS))
      .then((vector): Embedded => {
        const embedded = { key: modelKey(by.model, vector.length), vector: toVectorLiteral(vector) };
        kept.set(text, embedded);
        pause.until = 0;
        return embedded;
      })
      .catch((error: unknown) => {
        pauseFor((error as Error).message, error instanceof EmbedderAway ? error.wait : undefined);
        throw error;
      })
      .finally(() => underWay.delete(text));
    underWay.set(text, answer);
    return answer;
  };

  /** @throws EmbedderAway where there is no answer in time */
  const embedded = async (by: EmbeddingModel, text: string): Promise<Embedded> => {
    const known = kept.get(text);
    if (known) return known;
    if (performance.now() < pause.until) throw new EmbedderAway(pause.why);
    if (underWay.size >= MOST_REQUESTS && !underWay.has(text)) throw new EmbedderAway('has too many requests already');
    const answer = ask(by, text);
    answer.catch(() => undefined); // The answer may fail when nobody waits for it any longer.
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        pauseFor('took too long');
        reject(new EmbedderAway('took too long'));
      }, TIMEOUT_MS);
    });
    return Promise.race([answer, late]).finally(() => clearTimeout(timer));
  };

  const byModel = async (
    by: EmbeddingModel,
    user_id: string,
    at: number,
    text: string,
    pinned: Pinned | undefined,
  ): Promise<Probing> => {
    const { key, vector } = await embedded(by, text);
    const read = await progress(user_id, key);
    if (read < at * ENOUGH) throw new EmbedderAway(`has read ${read} of ${at} ledger entries`);
    const waiting = Math.max(0, at - read);
    const upto = Math.min(read, pinned?.upto ?? read);
    return { probe: { embedder: by.model, model: key, vector, upto }, ...(waiting ? { waiting } : {}) };
  };

  const byTable = async (user_id: string, at: number, text: string): Promise<Probing> => {
    const waiting = await unfilled(user_id, at);
    return { probe: builtinProbe(text), ...(waiting ? { waiting } : {}) };
  };

  /** Embeds a query for an answer as of `at`. It never throws because of an embedder. */
  return async (user_id: string, at: number, text: string, pinned?: Pinned): Promise<Probing> => {
    if (!model || !text.trim()) return byTable(user_id, at, text);
    try {
      if (pinned?.embedder === EMBEDDER) throw new EmbedderAway('did not answer the first page');
      return await byModel(model, user_id, at, text, pinned);
    } catch (error) {
      if (!(error instanceof EmbedderAway)) throw error;
      return {
        ...(await byTable(user_id, at, text)),
        degraded: `the embedding model ${error.message}: the built-in embedder answers`,
      };
    }
  };
};

export type Probes = ReturnType<typeof createProbes>;
