/** Sends one question to an OpenAI-compatible chat endpoint, in bounded time and memory. Failures become short messages. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isCompleteJson } from './model-answer.ts';
import { BROKE_OFF, createEndpoint, diagnose, failure, TOO_MUCH, waitBefore, type Access } from './endpoint.ts';
import type { ChatMessage } from './prompt.ts';

type ModelAccess = Access & { model: string };

/** The JSON Schema of the answer, sent as strict structured output. */
export type AskedShape = { name: string; schema: Record<string, unknown> };

/**
 * The time limit of everything that belongs to one plan. The caller may abort `signal` earlier; `end` is in milliseconds of
 * performance.now().
 */
export type Deadline = { signal: AbortSignal; end: number };

const RETRIES = 2;
const MAX_TEXT = 1024 * 1024;

const Said = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
const Completion = z.object({
  choices: z.array(z.object({ message: Said, finish_reason: z.string().nullish() })).min(1),
});
const Chunk = z.object({ choices: z.array(z.object({ delta: Said.nullish(), finish_reason: z.string().nullish() })) });

export const createModelClient = ({ model, ...access }: ModelAccess, shape: AskedShape) => {
  const open = createEndpoint(access);
  const format = { type: 'json_schema' as const, json_schema: { ...shape, strict: true } };

  const askWhole = async (messages: ChatMessage[], signal: AbortSignal): Promise<string> => {
    const openai = await open();
    const answer = await openai.chat.completions.create({ model, messages, response_format: format }, { signal });
    const { message, finish_reason } = Completion.parse(answer).choices[0] as z.infer<typeof Completion>['choices'][0];
    return accepted(message.content ?? '', Boolean(message.refusal), finish_reason ?? 'stop');
  };

  const askStream = async (
    messages: ChatMessage[],
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
    signal.throwIfAborted(); // An aborted stream ends like a finished one.
    if (finish === null && !refused && !isCompleteJson(text)) throw failure(BROKE_OFF);
    return accepted(text, refused, finish ?? 'stop');
  };

  /**
   * Asks, and retries after 408, 409, 429, 5xx and failed connections as long as the deadline allows.
   * @param onPiece streams: it receives the raw text in pieces as they arrive
   * @throws Error for people, without secrets
   */
  const ask = async (
    messages: ChatMessage[],
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
