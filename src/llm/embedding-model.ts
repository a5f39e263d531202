/**
 * Computes embeddings by an OpenAI-compatible endpoint. It distinguishes a text that the endpoint refuses from an endpoint that
 * can't answer now.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { createEndpoint, diagnose, failure, retryAfter, SHAPELESS, waitBefore, type Access } from './endpoint.ts';

export type EmbeddingModel = {
  model: string;
  /** Returns the length of its vectors, which the first call asks for. @throws EmbedderAway */
  dimensions: (signal: AbortSignal) => Promise<number>;
  /**
   * Returns the vectors of texts in order; null for a text that the endpoint refuses while it accepts others.
   * @throws EmbedderAway
   */
  embed: (texts: string[], signal: AbortSignal) => Promise<(number[] | null)[]>;
  /** Embeds one text with one attempt. @throws EmbedderAway */
  embedQuery: (text: string, signal: AbortSignal) => Promise<number[]>;
};

/** The endpoint gives no answer now. The message says why, for people and without secrets. */
export class EmbedderAway extends Error {
  /** The milliseconds for which the endpoint asked not to be called. */
  readonly wait: number | undefined;
  /**
   * What may have caused it: certainly the endpoint, the endpoint but only for a moment (5xx, a broken connection), or the given
   * text.
   */
  readonly fault: 'endpoint' | 'passing' | 'text';
  constructor(why: string, fault: EmbedderAway['fault'] = 'endpoint', wait?: number) {
    super(why);
    this.fault = fault;
    this.wait = wait;
  }
}

/**
 * This is about 6,000 tokens of English, below the 8,192 that OpenAI's models read. Where another model reads less, the texts are
 * halved.
 */
const LONGEST = 24_000;
const SHORTEST = 500;
const REQUEST_MS = 30_000;
const CANARY_MS = 10_000;
const RETRIES = 2;
/** Statuses that no text causes: they concern credentials, address or rate. */
const NOT_CAUSED_BY_TEXT = new Set([401, 403, 404, 408, 409, 429]);
/** The limit of pgvector. */
const MOST_DIMENSIONS = 16_000;
const CANARY = 'A day has twenty-four hours.';

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MOST_DIMENSIONS &&
  value.every((x) => typeof x === 'number' && Number.isFinite(Math.fround(x)));

/** @throws Error for people where the answer is not one vector for each text, all of one length */
const readVectors = (answer: unknown, count: number): number[][] => {
  const { data } = (answer ?? {}) as { data?: { index?: unknown; embedding?: unknown }[] };
  if (!Array.isArray(data) || data.length !== count) throw failure(SHAPELESS);
  const vectors: number[][] = [];
  for (const [i, item] of data.entries()) {
    const at = typeof item?.index === 'number' ? item.index : i; // Some endpoints leave the index out.
    if (!isVector(item?.embedding)) throw failure(SHAPELESS);
    vectors[at] = item.embedding;
  }
  const [first] = vectors;
  const even = vectors.length === count && Object.keys(vectors).length === count;
  if (!first || !even || vectors.some((v) => v.length !== first.length)) throw failure(SHAPELESS);
  return vectors;
};

const awayOf = async (error: unknown): Promise<EmbedderAway> => {
  const { why, passing, status, headers } = await diagnose(error);
  const wait = retryAfter(headers);
  // A connection may break because of the network, or of a text on which the endpoint crashes. Embedding the canary text decides.
  const blameless = wait !== undefined || (status !== undefined && NOT_CAUSED_BY_TEXT.has(status));
  return new EmbedderAway(why, blameless ? 'endpoint' : passing ? 'passing' : 'text', wait);
};

const half = (text: string): string =>
  text.slice(0, Math.max(SHORTEST, text.length >> 1)).replace(/[\ud800-\udbff]$/, '');

export const createEmbeddingModel = ({ model, ...access }: Access & { model: string }): EmbeddingModel => {
  const open = createEndpoint(access);
  let known: number | undefined;

  const ask = async (texts: string[], signal: AbortSignal): Promise<number[][]> => {
    const openai = await open();
    // Plain numbers are requested, because some endpoints ignore a request for base64 and the package then misreads their
    // numbers.
    const answer = await openai.embeddings.create({ model, input: texts, encoding_format: 'float' }, { signal });
    const vectors = readVectors(answer, texts.length);
    const length = vectors[0]?.length;
    if (known !== undefined && known !== length) {
      known = undefined; // The name may now stand for another model, so its length is asked for again.
      throw new EmbedderAway('answered vectors of another length than before');
    }
    return vectors;
  };

  const once = async (texts: string[], signal: AbortSignal, ms: number): Promise<number[][]> => {
    const timeout = AbortSignal.timeout(ms);
    try {
      return await ask(texts, AbortSignal.any([signal, timeout]));
    } catch (error) {
      if (error instanceof EmbedderAway) throw error;
      if (signal.aborted) throw new EmbedderAway('was cancelled');
      if (timeout.aborted) throw new EmbedderAway('took too long', 'text');
      throw await awayOf(error);
    }
  };

  /**
   * Embeds texts that made a request fail in halves, and shortens a single one by half. The canary text goes first: it throws
   * where the endpoint is the cause.
   */
  const embedInHalves = async (texts: string[], signal: AbortSignal): Promise<(number[] | null)[]> => {
    await once([CANARY], signal, CANARY_MS);
    const [text = ''] = texts;
    const middle = texts.length >> 1;
    if (texts.length > 1)
      return [...(await embed(texts.slice(0, middle), signal)), ...(await embed(texts.slice(middle), signal))];
    return text.length > SHORTEST ? embed([half(text)], signal) : [null];
  };

  const embed = async (texts: string[], signal: AbortSignal): Promise<(number[] | null)[]> => {
    const short = texts.map((text) => text.slice(0, LONGEST));
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await once(short, signal, REQUEST_MS);
      } catch (error) {
        const { fault } = error as EmbedderAway;
        if (signal.aborted || fault === 'endpoint') throw error;
        if (fault === 'text' || attempt === RETRIES) return embedInHalves(short, signal);
        await sleep(waitBefore(attempt, undefined), undefined, { signal });
      }
    }
  };

  return {
    model,
    embed,
    dimensions: async (signal) => (known ??= ((await once([CANARY], signal, CANARY_MS))[0] as number[]).length),
    embedQuery: async (text, signal) => (await once([text.slice(0, LONGEST)], signal, REQUEST_MS))[0] as number[],
  };
};
