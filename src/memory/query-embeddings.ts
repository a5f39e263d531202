/** What the semantic arm looks for: by the configured model where that answers in time and knows the user's traces, else by the built-in embedder. */
import { LRUCache } from 'lru-cache';
import { EMBEDDER, toVectorLiteral } from '../domain/text/hashed-embedder.ts';
import { EmbedderAway, type EmbeddingModel } from '../llm/embedding-model.ts';
import { modelKey } from './trace-embeddings.ts';
import { builtinProbe, type Probe } from './search-semantic.ts';

export type ProbesDeps = {
  model: EmbeddingModel | null;
  /** How far the model has read a user's ledger. */
  progress: (user_id: string, key: string) => Promise<number>;
};

/** What takes part in a search, and what people should know about it. */
export type Probing = {
  probe: Probe | undefined;
  /** Why it is not the configured model. */
  degraded?: string;
  /** Ledger entries that the embedder has not read yet: traces among them are found by their words only. */
  waiting?: number;
};

/** Which embedder a walk over pages began with, and how far that had read. */
export type Pinned = { embedder: string; upto: number };

/** A search waits so long for the model; a late answer still helps the next search for the same words. */
const PATIENCE_MS = 1_000;
const LATE_MS = 10_000;
/** After a failure or a late answer nobody waits for this long. */
const REST_MS = 5_000;
const LONGEST_REST_MS = 60_000;
const UNDER_WAY = 16;
/** Characters of vectors kept, about a thousand of 1,536 numbers. */
const KEPT_CHARACTERS = 16_000_000;
/** Having read less of what is asked about, a model would find too little: the built-in embedder has it all. */
const ENOUGH = 0.9;

type Embedded = { key: string; vector: string };

export const createProbes = ({ model, progress }: ProbesDeps) => {
  const kept = new LRUCache<string, Embedded>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: ({ vector }, text) => vector.length + text.length,
  });
  const underWay = new Map<string, Promise<Embedded>>();
  let resting = { until: 0, why: '' };

  const rest = (why: string, ms = REST_MS): void => {
    resting = { until: performance.now() + Math.min(ms, LONGEST_REST_MS), why };
  };

  /** Searches for the same words share one question. */
  const ask = (by: EmbeddingModel, text: string): Promise<Embedded> => {
    const asked = underWay.get(text);
    if (asked) return asked;
    const answer = by
      .embedQuery(text, AbortSignal.timeout(LATE_MS))
      .then((vector): Embedded => {
        const embedded = { key: modelKey(by.model, vector.length), vector: toVectorLiteral(vector) };
        kept.set(text, embedded);
        resting.until = 0;
        return embedded;
      })
      .catch((error: unknown) => {
        rest((error as Error).message, error instanceof EmbedderAway ? error.wait : undefined);
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
    if (performance.now() < resting.until) throw new EmbedderAway(resting.why);
    if (underWay.size >= UNDER_WAY && !underWay.has(text)) throw new EmbedderAway('has too many questions already');
    const answer = ask(by, text);
    answer.catch(() => undefined); // it may fail after nobody waits any more
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        rest('took too long');
        reject(new EmbedderAway('took too long'));
      }, PATIENCE_MS);
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
    return { probe: { embedder: by.model, model: key, vector, weight: 1, upto }, ...(waiting ? { waiting } : {}) };
  };

  /** What to look for, true for `at`; never throws for an embedder. */
  return async (user_id: string, at: number, text: string, pinned?: Pinned): Promise<Probing> => {
    if (!model || !text.trim()) return { probe: builtinProbe(text) };
    try {
      if (pinned?.embedder === EMBEDDER) throw new EmbedderAway('did not answer the first page');
      return await byModel(model, user_id, at, text, pinned);
    } catch (error) {
      if (!(error instanceof EmbedderAway)) throw error;
      return { probe: builtinProbe(text), degraded: `the embedding model ${error.message}: the built-in one answers` };
    }
  };
};

export type Probes = ReturnType<typeof createProbes>;
