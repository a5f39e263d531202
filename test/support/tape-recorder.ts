/** Stands between Almanac and an endpoint: it passes requests on, and keeps what was answered and how long it took. */
import type { Behaviour, StubRequest } from './model.ts';
import { aDialogue, type Line, type ModelJson, shownIn } from './tape.ts';
import { isForPlan, promptOf } from './tape-player.ts';
import { jsonOf } from '../../src/llm/model-shape.ts';

/** One answer of the endpoint. */
export type Asked = {
  status: number;
  milliseconds: number;
  /** Whether an answer before could not be used. */
  isAgain: boolean;
  isForPlan: boolean;
  tokens: { prompt: number; completion: number } | null;
};
type Completion = {
  choices?: { message?: { content?: string | null } }[];
  usage?: { prompt_tokens?: number; completion_tokens?: number } | null;
};

const tokensOf = ({ usage }: Completion): Asked['tokens'] =>
  usage ? { prompt: usage.prompt_tokens ?? 0, completion: usage.completion_tokens ?? 0 } : null;

/** The answer as an object of JSON; null where it is none. */
const answerIn = ({ choices }: Completion): ModelJson | null => {
  const json = jsonOf(choices?.[0]?.message?.content ?? '');
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as ModelJson) : null;
};

const parsed = (text: string): Completion => {
  try {
    return JSON.parse(text) as Completion;
  } catch {
    return {};
  }
};

/** @param to the address of the endpoint, up to /v1 */
export const aRecorder = (to: string) => {
  let dialogue = aDialogue();
  let lines: Line[] = [];
  let asked: Asked[] = [];

  /** Of an answer that can't be used and the one after it, the later one is kept. */
  const keep = (request: StubRequest, completion: Completion, isAgain: boolean): void => {
    const answer = answerIn(completion);
    if (!answer) return;
    const shown = shownIn(promptOf(request));
    const last = lines.at(-1);
    if (isAgain && last?.say === shown.request) lines.pop();
    else if (last) dialogue.take(last.answer);
    lines.push({ say: shown.request, turn: lines.length, answer: dialogue.withNames(answer, shown) });
  };

  const pass = async (
    request: StubRequest,
  ): Promise<{ status: number; headers: Record<string, string>; text: string }> => {
    const began = performance.now();
    const { authorization, body } = request;
    const answer = await fetch(`${to.replace(/\/$/, '')}/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...(authorization && { Authorization: authorization }) },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    const completion = answer.ok ? parsed(text) : {};
    const isAgain = body.messages.some(({ role }) => role === 'assistant');
    const milliseconds = performance.now() - began;
    const tokens = tokensOf(completion);
    asked.push({ status: answer.status, milliseconds, isAgain, isForPlan: isForPlan(request), tokens });
    if (isForPlan(request)) keep(request, completion, isAgain);
    const after = answer.headers.get('retry-after');
    return { status: answer.status, headers: after === null ? {} : { 'Retry-After': after }, text };
  };

  const records: Behaviour = (request, response) =>
    void pass(request).then(
      ({ status, headers, text }) =>
        response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text),
      () => response.destroy(), // Almanac says that the endpoint could not be reached.
    );

  return {
    records,
    begin: (): void => {
      dialogue = aDialogue();
      lines = [];
      asked = [];
    },
    lines: (): Line[] => lines,
    asked: (): Asked[] => asked,
  };
};
