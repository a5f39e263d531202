/** Texts as vectors by an OpenAI-compatible endpoint. A text that it won't take is told apart from an endpoint that can't answer now. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createEndpoint, diagnose, failure, retryAfter, SHAPELESS, waitBefore, type Access } from './endpoint.ts';

export type EmbeddingModel = {
  model: string;
  /** Length of its vectors, asked of it once. @throws EmbedderAway */
  dimensions: (signal: AbortSignal) => Promise<number>;
  /** Vectors of texts, in order; null for a text that the endpoint does not take though it takes others. @throws EmbedderAway */
  embed: (texts: string[], signal: AbortSignal) => Promise<(number[] | null)[]>;
  /** One text, one attempt. @throws EmbedderAway */
  embedQuery: (text: string, signal: AbortSignal) => Promise<number[]>;
};

/** The endpoint gives no answer now; the message says why, for people and without secrets. */
export class EmbedderAway extends Error {
  /** Milliseconds it asked to be left alone. */
  readonly wait: number | undefined;
  /** Whose fault it may be: the endpoint's for sure; its own, but soon over (5xx, a broken connection); or that of what it was given. */
  readonly fault: 'endpoint' | 'passing' | 'text';
  constructor(why: string, fault: EmbedderAway['fault'] = 'endpoint', wait?: number) {
    super(why);
    this.fault = fault;
    this.wait = wait;
  }
}

/** About 6,000 tokens of English, below the 8,192 that OpenAI's models read. What another model reads is found by halving. */
const LONGEST = 24_000;
const SHORTEST = 500;
const REQUEST_MS = 30_000;
const CANARY_MS = 10_000;
const RETRIES = 2;
/** What a text has no part in: credentials, address, haste. */
const NOT_THE_TEXT = new Set([401, 403, 404, 408, 409, 429]);
/** pgvector's own limit. */
const MOST_DIMENSIONS = 16_000;
const CANARY = 'A day has twenty-four hours.';

const isVector = (value: unknown): value is number[] =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MOST_DIMENSIONS &&
  value.every((x) => typeof x === 'number' && Number.isFinite(Math.fround(x)));

/** @throws Error for people where it is not one vector for each text, all of one length */
const readVectors = (answer: unknown, count: number): number[][] => {
  const { data } = (answer ?? {}) as { data?: { index?: unknown; embedding?: unknown }[] };
  if (!Array.isArray(data) || data.length !== count) throw failure(SHAPELESS);
  const vectors: number[][] = [];
  for (const [i, item] of data.entries()) {
    const at = typeof item?.index === 'number' ? item.index : i; // some endpoints leave it out
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
  // A connection that breaks may be the network's fault, or that of a text on which the endpoint dies: the canary will tell.
  const blameless = wait !== undefined || (status !== undefined && NOT_THE_TEXT.has(status));
  return new EmbedderAway(why, blameless ? 'endpoint' : passing ? 'passing' : 'text', wait);
};

const half = (text: string): string =>
  text.slice(0, Math.max(SHORTEST, text.length >> 1)).replace(/[\ud800-\udbff]$/, '');

export const createEmbeddingModel = ({ model, ...access }: Access & { model: string }): EmbeddingModel => {
  const open = createEndpoint(access);
  let known: number | undefined;

  const ask = async (texts: string[], signal: AbortSignal): Promise<number[][]> => {
    const openai = await open();
    // Plain numbers: asked for base64, some endpoints send numbers all the same and the package misreads them.
    const answer = await openai.embeddings.create({ model, input: texts, encoding_format: 'float' }, { signal });
    const vectors = readVectors(answer, texts.length);
    const length = vectors[0]?.length;
    if (known !== undefined && known !== length) {
      known = undefined; // another model may stand behind the name now: it is asked anew
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
      if (signal.aborted) throw new EmbedderAway('was not waited for');
      if (timeout.aborted) throw new EmbedderAway('took too long', 'text');
      throw await awayOf(error);
    }
  };

  /** Texts that made a request fail, in halves; a single one cut in half. The canary first: it throws where the endpoint is at fault. */
  const apart = async (texts: string[], signal: AbortSignal): Promise<(number[] | null)[]> => {
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
        if (fault === 'text' || attempt === RETRIES) return apart(short, signal);
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
