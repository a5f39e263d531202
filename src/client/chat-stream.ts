/** The streamed reply of POST /chat/respond: pieces of text as they arrive, then the whole answer. */
import { AlmanacProblem, unreachable } from './almanac-problem.ts';

export type ChatStream<A> = AsyncIterable<string> & {
  /** The whole answer, as without `stream`. It reads the rest of the stream. */
  final: () => Promise<A>;
};

type ServerEvent = { event: string; data: string };

/** Reads server-sent events (HTML standard, 9.2). Almanac sends one `data` line in each. */
async function* serverEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  try {
    for (let rest = ''; ;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() as string;
      for (const block of blocks) {
        const event = /^event: ([^\r\n]*)/m.exec(block)?.[1];
        const data = /^data: ([^\r\n]*)/m.exec(block)?.[1];
        if (event !== undefined && data !== undefined) yield { event, data };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A reply whose connection broke is asked for again this often. */
const RESUMES = 3;

/** @param open sends the request, each time with the same Idempotency-Key, under which the service keeps the whole answer */
export const chatStream = <A extends { reply: string }>(
  open: () => Promise<Response>,
  signal?: AbortSignal,
): ChatStream<A> => {
  let whole: { answer: A } | undefined;
  let failure: unknown;
  let heard = '';

  /** What is left of a reply of which a part has arrived; nothing where another reply was made. */
  const restOf = (reply: string): string => (reply.startsWith(heard) ? reply.slice(heard.length) : '');

  async function* attempt(isFirst: boolean): AsyncGenerator<string> {
    const response = await open();
    if (response.headers.get('Content-Type')?.includes('json')) {
      whole = { answer: (await response.json()) as A };
      return;
    }
    for await (const { event, data } of serverEvents(response.body as ReadableStream<Uint8Array>)) {
      const value: unknown = JSON.parse(data);
      if (event === 'delta' && isFirst) {
        const { text } = value as { text: string };
        heard += text;
        yield text;
      } else if (event === 'done') {
        whole = { answer: value as A };
        return;
      } else if (event === 'problem') throw new AlmanacProblem(value as AlmanacProblem['problem']);
    }
    throw new Error('The stream ended before its last event.');
  }

  async function* read(): AsyncGenerator<string> {
    for (let tries = 0; ; tries++) {
      try {
        yield* attempt(tries === 0);
        const rest = whole ? restOf(whole.answer.reply) : '';
        if (rest) yield rest;
        return;
      } catch (error) {
        if (!signal?.aborted && !(error instanceof AlmanacProblem) && tries < RESUMES) continue;
        failure = signal?.aborted ? signal.reason : error instanceof AlmanacProblem ? error : unreachable(error);
        throw failure;
      }
    }
  }

  const pieces = read();
  return {
    [Symbol.asyncIterator]: () => pieces,
    final: async () => {
      while (!(await pieces.next()).done);
      if (whole) return whole.answer;
      throw failure ?? new Error('The stream was left before its end.');
    },
  };
};
