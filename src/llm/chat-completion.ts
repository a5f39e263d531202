/**
 * Sends one question to an OpenAI-compatible chat endpoint, in bounded time and memory. The answer is read as a whole or as it is
 * written. Failures become short messages.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type OpenAI from 'openai';
import { z } from 'zod';
import {
  BROKE_OFF,
  createEndpoint,
  diagnose,
  type Diagnosis,
  failure,
  TOO_MUCH,
  waitBefore,
  type Access,
} from './endpoint.ts';
import type { Logger } from '../observability/log.ts';
import { isObject } from '../domain/record/merge-patch.ts';
import { parseJson } from './model-shape.ts';
import type { ChatMessage } from './prompt.ts';

/** A model, and how it is asked. */
export type ModelAccess = Access & {
  model: string;
  /** How much a reasoning model thinks, in the words of its endpoint; unset leaves it to the endpoint. */
  reasoningEffort?: string | undefined;
  /** The most tokens of an answer, with what the model thinks; unset leaves it to the endpoint. */
  maxTokens?: number | undefined;
};

/** The JSON Schema of the answer. */
export type AskedShape = { name: string; schema: Record<string, unknown> };

/**
 * The time limit of everything that belongs to one plan. The caller may abort `signal` earlier; `end` is in milliseconds of
 * performance.now().
 */
export type Deadline = { signal: AbortSignal; end: number };

const RETRIES = 2;
const MAX_TEXT = 1024 * 1024;

/** The statuses with which endpoints refuse a form of asking that they do not know. */
const NOT_TAKEN: readonly (number | undefined)[] = [400, 415, 422, 501];

/** With these statuses an endpoint refuses every form: the key, or for now. */
const FOR_ALL_FORMS: readonly (number | undefined)[] = [401, 403, 429];

/** Some endpoints give the text in parts, with what the model thought in parts of other types. */
const Parts = z
  .array(z.object({ type: z.string(), text: z.unknown().optional() }))
  .transform((parts) =>
    parts.map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : '')).join(''),
  );
const Thought = z.string().nullish().catch(null);
const Said = z.object({
  content: z.union([z.string(), Parts]).nullish(),
  refusal: z.string().nullish(),
  reasoning_content: Thought,
  reasoning: Thought,
});
const Completion = z.object({
  choices: z.array(z.object({ message: Said, finish_reason: z.string().nullish() })).min(1),
});

/** An event of a streamed answer. The last one may have no choice. */
const Chunk = z.object({
  choices: z.array(z.object({ delta: Said.nullish(), finish_reason: z.string().nullish() })),
});

/** Takes each piece of an answer that is written, which may be empty. The next one is read after it. */
export type TakePiece = (text: string) => Promise<void>;

type Form = { format?: 'json_schema' | 'json_object'; isInWords: boolean; isStreamed?: true };
/** How an endpoint is asked for the shape, the strictest first. Where it takes no schema, the shape is in the prompt. */
const FORMS: readonly Form[] = [
  { format: 'json_schema', isInWords: false },
  { format: 'json_object', isInWords: true },
  { isInWords: true },
];
/** Few endpoints refuse a stream, so it is given up last. */
const STREAMED: readonly Form[] = [...FORMS.map((form) => ({ ...form, isStreamed: true as const })), ...FORMS];

const withShape = ([first, ...others]: ChatMessage[], schema: AskedShape['schema']): ChatMessage[] =>
  first
    ? [
        {
          ...first,
          content: `${first.content}\n\nAnswer with one JSON object and nothing around it. Its JSON Schema:\n${JSON.stringify(schema)}`,
        },
        ...others,
      ]
    : [];

/** A refusal may have had another cause, so the strictest form is tried again after this time. */
const STRICT_AGAIN_MS = 10 * 60_000;

/** Remembers which of these forms an endpoint takes. */
const createForms = (forms: readonly Form[], model: string, log: Logger) => {
  let known = 0;
  let until = 0;
  return {
    at: (form: number): Form => forms[form] as Form,
    isLast: (form: number): boolean => form === forms.length - 1,
    first: (): number => (performance.now() < until ? known : 0),
    /** The strictest form without a stream. */
    whole: (): number => forms.findIndex(({ isStreamed }) => !isStreamed),
    /** @param status with which a stricter form was refused just now */
    took: (form: number, status: number | undefined): void => {
      if (status !== undefined) until = performance.now() + STRICT_AGAIN_MS;
      const { format = 'none', isStreamed = false } = forms[form] as Form;
      if (form > 0 && form !== known)
        log.warn({ model, status, format, stream: isStreamed }, 'the endpoint refused a stricter form of asking');
      known = form;
    },
  };
};

type ClientOptions = ModelAccess & { log: Logger };

export const createModelClient = (
  { model, reasoningEffort, maxTokens, log, ...access }: ClientOptions,
  shape: AskedShape,
) => {
  const open = createEndpoint(access);
  const [forWhole, forStream] = [createForms(FORMS, model, log), createForms(STREAMED, model, log)];

  const askIn = async (
    { format, isInWords, isStreamed }: Form,
    messages: ChatMessage[],
    signal: AbortSignal,
    take: TakePiece,
  ): Promise<string> => {
    const openai = await open();
    const response_format =
      format === 'json_schema' ? { type: format, json_schema: { ...shape, strict: true } } : format && { type: format };
    const asked = {
      model,
      messages: isInWords ? withShape(messages, shape.schema) : messages,
      ...(response_format && { response_format }),
      ...(reasoningEffort && { reasoning_effort: reasoningEffort as OpenAI.ReasoningEffort }),
      ...(maxTokens && { max_completion_tokens: maxTokens }),
    };
    if (!isStreamed) return wholeText(await openai.chat.completions.create(asked, { signal }));
    const asking = openai.chat.completions.create({ ...asked, stream: true }, { signal });
    const { data, response } = await asking.withResponse();
    // Some endpoints answer as a whole in spite of it.
    const isWhole = response.headers.get('Content-Type')?.includes('json');
    return isWhole ? wholeText(await response.json()) : joinedText(data, take);
  };

  /**
   * Asks, and retries after 408, 409, 429, 5xx and failed connections as long as the deadline allows. Where the endpoint refuses a
   * form of asking, the next one is tried, and what it takes is remembered for some minutes. With `take` the answer is asked for as a
   * stream. Where that fails before a piece has come, the answer is asked for once without; after a piece nothing is tried again.
   * @throws Error for people, without secrets
   */
  const ask = async (messages: ChatMessage[], { signal, end }: Deadline, take?: TakePiece): Promise<string> => {
    const forms = take ? forStream : forWhole;
    let form = forms.first();
    let refusedWith: number | undefined;
    let isHeard = false;
    const taking: TakePiece = async (text) => {
      isHeard = true;
      await take?.(text);
    };
    for (let attempt = 0; ;) {
      try {
        const text = await askIn(forms.at(form), messages, signal, taking);
        forms.took(form, refusedWith);
        return text;
      } catch (error) {
        const diagnosis = await diagnose(error);
        const { why, passing, status, headers } = diagnosis;
        const wait = waitBefore(attempt, headers);
        const canWait = attempt < RETRIES && performance.now() + wait < end;
        const step = signal.aborted || isHeard ? 'fail' : stepAfter(diagnosis, forms, form, canWait);
        if (step === 'fail') throw failure(why);
        if (step === 'again') {
          await sleep(wait, undefined, { signal });
          attempt += 1;
          continue;
        }
        refusedWith = step === 'whole' && passing ? undefined : status;
        if (step === 'whole') attempt = RETRIES;
        form = step === 'whole' ? forms.whole() : form + 1;
      }
    }
  };

  return { ask };
};

type Step = 'next form' | 'again' | 'whole' | 'fail';

/** What follows a failure before any piece of the answer. */
const stepAfter = (
  { passing, status }: Diagnosis,
  forms: ReturnType<typeof createForms>,
  form: number,
  canWait: boolean,
): Step => {
  if (NOT_TAKEN.includes(status) && !forms.isLast(form)) return 'next form';
  if (passing && canWait) return 'again';
  return forms.at(form).isStreamed && !FOR_ALL_FORMS.includes(status) ? 'whole' : 'fail';
};

const wholeText = (answer: unknown): string => {
  const { message, finish_reason } = Completion.parse(answer).choices[0] as z.infer<typeof Completion>['choices'][0];
  return accepted(textOf(message), Boolean(message.refusal), finish_reason ?? 'stop');
};

/**
 * Joins the pieces of a stream, until one has the reason of its end: some endpoints neither say more nor close. Without a reason it
 * has broken off.
 */
const joinedText = async (chunks: AsyncIterable<unknown>, take: TakePiece): Promise<string> => {
  let [content, thought, finish, refused] = ['', '', '', false];
  for await (const chunk of chunks) {
    const [choice] = Chunk.parse(chunk).choices;
    const { content: text, refusal, reasoning_content, reasoning } = choice?.delta ?? {};
    content += text ?? '';
    thought += reasoning_content ?? reasoning ?? '';
    finish = choice?.finish_reason || finish;
    refused ||= Boolean(refusal);
    if (choice) await take(text ?? '');
    if (finish !== '') break;
  }
  if (finish === '') throw failure(BROKE_OFF);
  return accepted(textOf({ content, reasoning_content: thought, reasoning: null }), refused, finish);
};

/** Some servers file an answer in JSON under what the model thought, and give no content. */
const textOf = ({ content, reasoning_content, reasoning }: z.infer<typeof Said>): string => {
  const thought = reasoning_content ?? reasoning ?? '';
  return !content?.trim() && isObject(parseJson(thought)) ? thought : (content ?? '');
};

const accepted = (text: string, refused: boolean, finish: string): string => {
  if (refused || finish === 'content_filter') throw failure('refused');
  if (finish === 'length') throw failure(BROKE_OFF);
  if (text.length > MAX_TEXT) throw failure(TOO_MUCH);
  return text;
};
