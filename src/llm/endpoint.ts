/** The OpenAI-compatible endpoint: opened on first use, read in bounded memory, its failures told in short sentences without secrets. */
import type OpenAI from 'openai';
import { z } from 'zod';

export type Access = {
  /** May be missing with endpoints that want none. */
  apiKey?: string | undefined;
  /** Default: OpenAI's own. */
  baseURL?: string | undefined;
};

/** An event stream is some 75 times as long as its text, and 128 embeddings of 3,072 numbers take 8 MB: both are below. */
const MAX_BYTES = 16 * 1024 * 1024;
const BACKOFF_MS = 250;

/** A failure whose message is meant for people; everything else is put into words by `diagnose`. */
const FAILURE = Symbol('failure');
export const failure = (message: string): Error => Object.assign(new Error(message), { [FAILURE]: true });
const isFailure = (error: unknown): error is Error => error instanceof Error && FAILURE in error;

export const TOO_MUCH = 'answered more than anybody could want';
export const BROKE_OFF = 'broke off in the middle of its answer';
export const SHAPELESS = 'answered something that is not the asked shape';

/** fetch that stops reading where an answer becomes absurdly large. */
const boundedFetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
  const response = await fetch(input, init);
  if (!response.body) return response;
  let bytes = 0;
  const counting = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.byteLength;
      if (bytes > MAX_BYTES) controller.error(failure(TOO_MUCH));
      else controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counting), { status: response.status, headers: response.headers });
};

/**
 * The package's client, loaded on first use: it takes 36 MiB that a server without a model should not pay.
 * @throws Error where baseURL carries a user name or password: fetch refuses such addresses, and they end up in messages.
 */
export const createEndpoint = ({ apiKey, baseURL }: Access): (() => Promise<OpenAI>) => {
  if (baseURL && (new URL(baseURL).username || new URL(baseURL).password))
    throw new Error('The address of the model can’t carry a user name or password: give the key as OPENAI_API_KEY.');
  let opened: Promise<OpenAI> | undefined;
  return () =>
    (opened ??= import('openai').then(
      (openai) =>
        new openai.OpenAI({
          apiKey: apiKey ?? 'none', // local endpoints want no key, the package wants one
          baseURL: baseURL ?? 'https://api.openai.com/v1',
          adminAPIKey: null,
          organization: null,
          project: null, // given, so that the package does not read the environment
          maxRetries: 0, // its waits know no deadline
          logLevel: 'off',
          fetch: boundedFetch,
        }),
    ));
};

/** Milliseconds before the next attempt: what Retry-After asks for, else a growing, scattered pause. */
export const waitBefore = (attempt: number, headers: Headers | undefined): number =>
  retryAfter(headers) ?? BACKOFF_MS * 2 ** attempt * (1 + Math.random());

/** Milliseconds that Retry-After asks for, as seconds or a date. */
export const retryAfter = (headers: Headers | undefined): number | undefined => {
  const after = headers?.get('retry-after') ?? '';
  const asked =
    after === '' ? Number.NaN : Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1000;
  return asked >= 0 ? asked : undefined;
};

export type Diagnosis = {
  why: string;
  /** Whether the same question may be answered later. */
  passing: boolean;
  status?: number | undefined;
  headers?: Headers | undefined;
};

/** What went wrong, never in the words of the endpoint or the network (those may hold URLs and keys), and whether it may pass. */
export const diagnose = async (error: unknown): Promise<Diagnosis> => {
  if (isFailure(error)) return { why: error.message, passing: false };
  const { APIError, APIConnectionError } = await import('openai');
  if (error instanceof APIConnectionError) return { why: 'could not be reached', passing: true };
  if (error instanceof APIError) {
    const { status, headers } = error as { status?: number; headers?: Headers };
    if (status === undefined) return { why: 'answered with an error', passing: false };
    return { why: `answered ${status}`, passing: [408, 409, 429].includes(status) || status >= 500, status, headers };
  }
  const unreadable = error instanceof SyntaxError || error instanceof z.ZodError;
  return { why: unreadable ? SHAPELESS : BROKE_OFF, passing: false };
};
