/** Sends one question to an OpenAI-compatible chat endpoint, in bounded time and memory. Failures become short messages. */
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
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

export const createModelClient = ({ model, ...access }: ModelAccess, shape: AskedShape) => {
  const open = createEndpoint(access);
  const format = { type: 'json_schema' as const, json_schema: { ...shape, strict: true } };

  const askWhole = async (messages: ChatMessage[], signal: AbortSignal): Promise<string> => {
    const openai = await open();
    const answer = await openai.chat.completions.create({ model, messages, response_format: format }, { signal });
    const { message, finish_reason } = Completion.parse(answer).choices[0] as z.infer<typeof Completion>['choices'][0];
    return accepted(message.content ?? '', Boolean(message.refusal), finish_reason ?? 'stop');
  };

  /**
   * Asks, and retries after 408, 409, 429, 5xx and failed connections as long as the deadline allows.
   * @throws Error for people, without secrets
   */
  const ask = async (messages: ChatMessage[], { signal, end }: Deadline): Promise<string> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await askWhole(messages, signal);
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
