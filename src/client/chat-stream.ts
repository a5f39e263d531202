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
        const event = /^event: (.*)$/m.exec(block)?.[1];
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (event !== undefined && data !== undefined) yield { event, data };
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

export const chatStream = <A>(open: () => Promise<Response>, signal?: AbortSignal): ChatStream<A> => {
  let whole: { answer: A } | undefined;
  let failure: unknown;

  async function* read(): AsyncGenerator<string> {
    try {
      const { body } = await open();
      for await (const { event, data } of serverEvents(body as ReadableStream<Uint8Array>)) {
        const value: unknown = JSON.parse(data);
        if (event === 'delta') yield (value as { text: string }).text;
        else if (event === 'done') {
          whole = { answer: value as A };
          return;
        } else if (event === 'problem') throw new AlmanacProblem(value as AlmanacProblem['problem']);
      }
      throw new Error('The stream ended before its last event.');
    } catch (error) {
      failure = signal?.aborted ? signal.reason : error instanceof AlmanacProblem ? error : unreachable(error);
      throw failure;
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
