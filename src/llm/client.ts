/** One question to an OpenAI-compatible chat endpoint, in bounded time and memory. Failures become short sentences. */
import { setTimeout as sleep } from 'node:timers/promises';
import type OpenAI from 'openai';
import { z } from 'zod';
import { isWhole, wireSchema } from './answer.ts';
import type { Turn } from './prompt.ts';

type ModelAccess = { apiKey: string | undefined; baseURL: string | undefined; model: string };

/** Time for everything that belongs to one plan: aborted at `end` (performance.now()) or by the caller. */
export type Deadline = { signal: AbortSignal; end: number };

const RETRIES = 2;
const BACKOFF_MS = 250;
/** An event stream is some 75 times as long as its text; 60 long actions are far below. */
const MAX_BYTES = 16 * 1024 * 1024;
const MAX_TEXT = 1024 * 1024;

const Said = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
const Completion = z.object({
  choices: z.array(z.object({ message: Said, finish_reason: z.string().nullish() })).min(1),
});
const Chunk = z.object({ choices: z.array(z.object({ delta: Said.nullish(), finish_reason: z.string().nullish() })) });

/** A failure whose message is meant for people; everything else is put into words by `diagnose`. */
const FAILURE = Symbol('failure');
export const failure = (message: string): Error => Object.assign(new Error(message), { [FAILURE]: true });
const isFailure = (error: unknown): error is Error => error instanceof Error && FAILURE in error;

const TOO_MUCH = 'answered more than anybody could want';
const BROKE_OFF = 'broke off in the middle of its answer';

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

export const createModelClient = ({ apiKey, baseURL, model }: ModelAccess) => {
  let opened: Promise<OpenAI> | undefined;
  /** Loaded on first use: it takes 36 MiB that a server without a model should not pay. */
  const open = (): Promise<OpenAI> =>
    (opened ??= import('openai').then(
      (openai) =>
        new openai.OpenAI({
          apiKey: apiKey ?? 'none', // local endpoints want no key, the package wants one
          baseURL: baseURL ?? 'https://api.openai.com/v1',
          adminAPIKey: null,
          organization: null,
          project: null, // given, so that the package does not read the environment
          maxRetries: 0, // its waits know no deadline, see `ask`
          logLevel: 'off',
          fetch: boundedFetch,
        }),
    ));

  const format = {
    type: 'json_schema' as const,
    json_schema: { name: 'almanac_plan', strict: true, schema: wireSchema() },
  };

  const askWhole = async (messages: Turn[], signal: AbortSignal): Promise<string> => {
    const openai = await open();
    const answer = await openai.chat.completions.create({ model, messages, response_format: format }, { signal });
    const { message, finish_reason } = Completion.parse(answer).choices[0] as z.infer<typeof Completion>['choices'][0];
    return accepted(message.content ?? '', Boolean(message.refusal), finish_reason ?? 'stop');
  };

  const askStream = async (
    messages: Turn[],
    signal: AbortSignal,
    onPiece: (piece: string) => void,
  ): Promise<string> => {
    const openai = await open();
    const stream = await openai.chat.completions.create(
      { model, messages, response_format: format, stream: true },
      { signal },
    );
    let text = '';
    let refused = false;
    let finish: string | null = null;
    for await (const chunk of stream) {
      const [choice] = Chunk.parse(chunk).choices;
      const piece = choice?.delta?.content ?? '';
      refused ||= Boolean(choice?.delta?.refusal);
      finish = choice?.finish_reason ?? finish;
      text += piece;
      if (text.length > MAX_TEXT) throw failure(TOO_MUCH);
      if (piece) onPiece(piece);
    }
    signal.throwIfAborted(); // an aborted stream ends like a finished one
    if (finish === null && !refused && !isWhole(text)) throw failure(BROKE_OFF);
    return accepted(text, refused, finish ?? 'stop');
  };

  /**
   * Asks, and asks again after 408, 409, 429, 5xx and failed connections as long as the deadline leaves room.
   * @param onPiece streams: gets the raw text as it comes. @throws Error for people, without secrets
   */
  const ask = async (
    messages: Turn[],
    { signal, end }: Deadline,
    onPiece?: (piece: string) => void,
  ): Promise<string> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await (onPiece ? askStream(messages, signal, onPiece) : askWhole(messages, signal));
      } catch (error) {
        const { why, passing, headers } = await diagnose(error);
        const wait = waitBefore(attempt, headers);
        if (signal.aborted || !passing || attempt === RETRIES || performance.now() + wait >= end) throw failure(why);
        await sleep(wait, undefined, { signal });
      }
    }
  };

  return { ask };
};

const accepted = (text: string, refused: boolean, finish: string): string => {
  if (refused || finish === 'content_filter') throw failure('refused');
  if (finish === 'length') throw failure(BROKE_OFF);
  if (text.length > MAX_TEXT) throw failure(TOO_MUCH);
  return text;
};

/** Milliseconds before the next attempt: what Retry-After asks for, else a growing, scattered pause. */
const waitBefore = (attempt: number, headers: Headers | undefined): number => {
  const after = headers?.get('retry-after') ?? '';
  const asked =
    after === '' ? Number.NaN : Number.isNaN(Number(after)) ? Date.parse(after) - Date.now() : Number(after) * 1000;
  return asked >= 0 ? asked : BACKOFF_MS * 2 ** attempt * (1 + Math.random());
};

type Diagnosis = { why: string; passing: boolean; headers?: Headers | undefined };

/** What went wrong, never in the words of the endpoint or the network (those may hold URLs and keys), and whether it may pass. */
const diagnose = async (error: unknown): Promise<Diagnosis> => {
  if (isFailure(error)) return { why: error.message, passing: false };
  const { APIError, APIConnectionError } = await import('openai');
  if (error instanceof APIConnectionError) return { why: 'could not be reached', passing: true };
  if (error instanceof APIError) {
    const { status, headers } = error as { status?: number; headers?: Headers };
    if (status === undefined) return { why: 'answered with an error', passing: false };
    return { why: `answered ${status}`, passing: [408, 409, 429].includes(status) || status >= 500, headers };
  }
  const unreadable = error instanceof SyntaxError || error instanceof z.ZodError;
  return { why: unreadable ? 'answered something that is not the asked shape' : BROKE_OFF, passing: false };
};
