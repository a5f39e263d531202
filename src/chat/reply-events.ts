/** The reply as an event stream: pieces of it as soon as they may be shown, then the whole answer. */
import type { Blanking } from '../domain/record/blanking.ts';
import { withoutCitations, type ShowSoFar } from '../llm/model-prose.ts';
import type { Response } from './schemas.ts';

/** Many readers of lines end a line at U+2028 and U+2029 too, which JSON leaves as they are. */
const json = (data: unknown): string =>
  JSON.stringify(data)
    .replaceAll('\u2028', String.raw`\u2028`)
    .replaceAll('\u2029', String.raw`\u2029`);

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${json(data)}\n\n`;

export type View = { show: Blanking; mayGoOn: (text: string) => boolean };

/** Blanks the beginning of a reply; null where a hidden value of several words may go on behind it. */
export const blankedSoFar = (reply: string, { show, mayGoOn }: View): string | null =>
  mayGoOn(withoutCitations(reply)) ? null : show({ reply }).reply;

type Deps = {
  /** Blanks the beginning of the reply; null where it may not be shown yet. */
  shownSoFar: (reply: string) => Promise<string | null>;
  /** Makes the problem that the stream ends with, since the status has been sent already. */
  failed: (error: unknown) => Promise<unknown>;
};

/** @param respond gives the blanked answer, and shows the beginning of its reply while a model writes it */
export const replyEvents = (
  respond: (show: ShowSoFar) => Promise<Response>,
  { shownSoFar, failed }: Deps,
): { events: ReadableStream<string>; kept: Promise<Response> } => {
  let isLeft = false;
  let sent = '';
  let to = undefined as unknown as ReadableStreamDefaultController<string>;
  const events = new ReadableStream<string>({
    start: (controller) => {
      to = controller;
      to.enqueue(': thinking\n\n'); // A first byte at once shows proxies and people that the answer began.
    },
    cancel: () => {
      isLeft = true;
    },
  });
  const send = (name: string, data: unknown): void => {
    if (!isLeft) to.enqueue(event(name, data));
  };
  /** Sends what is new of the reply, word by word. Where it begins otherwise than what was sent, only the last event has it. */
  const say = (reply: string): void => {
    if (!reply.startsWith(sent)) return;
    for (const [text] of reply.slice(sent.length).matchAll(/(?<!\s)\s*\S+/g)) send('delta', { text });
    sent = reply;
  };
  const kept = respond(async (soFar) => {
    const shown = await shownSoFar(soFar).catch(() => null); // The whole answer meets the same fault.
    if (shown !== null) say(shown);
  });
  const end = async (): Promise<void> => {
    try {
      const whole = await kept;
      say(whole.reply);
      send('done', whole);
    } catch (error) {
      send('problem', await failed(error));
    }
    if (!isLeft) to.close();
  };
  end().catch((error: unknown) => to.error(error));
  return { events, kept };
};
