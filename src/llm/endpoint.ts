/**
 * The connection to the OpenAI-compatible endpoint: it is opened on first use, read in bounded memory, and its failures become
 * short messages without secrets.
 */
import type OpenAI from 'openai';
import { z } from 'zod';

export type Access = {
  /** Some endpoints need no key. */
  apiKey?: string | undefined;
  /** The default is OpenAI's own address. */
  baseURL?: string | undefined;
};

/** An event stream is some 75 times as long as its text, and 128 embeddings of 3,072 numbers take 8 MB. Both fit. */
const MAX_BYTES = 16 * 1024 * 1024;
const BACKOFF_MS = 250;

/** Marks a failure whose message is meant for people. `diagnose` describes every other error. */
const FAILURE = Symbol('failure');
export const failure = (message: string): Error => Object.assign(new Error(message), { [FAILURE]: true });
const isFailure = (error: unknown): error is Error => error instanceof Error && FAILURE in error;

export const TOO_MUCH = 'answered too much';
export const BROKE_OFF = 'ended in the middle of its answer';
export const SHAPELESS = 'answered something that does not have the requested shape';

/** Works as fetch, but stops reading an answer that is too large. */
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
 * Loads the package's client on first use, because it takes 36 MiB that a server without a model should not spend.
 * @throws Error where baseURL carries a user name or password, because fetch refuses such addresses and error messages may quote
 * them
 */
export const createEndpoint = ({ apiKey, baseURL }: Access): (() => Promise<OpenAI>) => {
  if (baseURL && (new URL(baseURL).username || new URL(baseURL).password))
    throw new Error('OPENAI_BASE_URL must not contain a user name or password. Set the key as OPENAI_API_KEY.');
  let opened: Promise<OpenAI> | undefined;
  return () =>
    (opened ??= import('openai').then(
      (openai) =>
        new openai.OpenAI({
          apiKey: apiKey ?? 'none', // Local endpoints need no key, but the package does.
          baseURL: baseURL ?? 'https://api.openai.com/v1',
          adminAPIKey: null,
          organization: null,
          project: null, // It is set so that the package does not read the environment.
          maxRetries: 0, // The package's own retries ignore the deadline.
          logLevel: 'off',
          fetch: boundedFetch,
        }),
    ));
};

/** Returns the milliseconds before the next attempt: what Retry-After asks for, else a growing random pause. */
export const waitBefore = (attempt: number, headers: Headers | undefined): number =>
  retryAfter(headers) ?? BACKOFF_MS * 2 ** attempt * (1 + Math.random());

/** Returns the milliseconds that Retry-After asks for, in seconds or as a date. */
export const retryAfter = (headers: Headers | undefined): number | undefined => {
  const after = headers?.get('retry-after') ?? '';
  const asked =
    after === '' ? Number.NaN : Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1000;
  return asked >= 0 ? asked : undefined;
};

export type Diagnosis = {
  why: string;
  /** Whether the same question may succeed later. */
  passing: boolean;
  status?: number | undefined;
  headers?: Headers | undefined;
};

/**
 * Describes an error and whether it may pass. It never quotes the endpoint or the network, because their messages may hold URLs
 * and keys.
 */
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
