/** A model for tests: a server on 127.0.0.1 that speaks the chat completions and embeddings protocols and behaves as scripted. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StubRequest = {
  path: string;
  authorization: string | undefined;
  body: {
    model: string;
    stream?: boolean;
    messages: { role: string; content: string }[];
    response_format: { type: string; json_schema: { name: string; strict: boolean; schema: Record<string, unknown> } };
    /** Of an embeddings request. */
    input: string[];
  };
};

/** What the stub does with one request. */
export type Behaviour = (request: StubRequest, response: ServerResponse) => void;

const CHUNK = 7; // characters: cuts escapes and words in two

const json = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void => {
  response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
};

/** An event of a streamed answer. */
export const event = (delta: unknown, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'stub', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

/** Writes a message as the protocol has it, streamed or whole. */
const speak = (
  { body }: StubRequest,
  response: ServerResponse,
  message: Record<string, unknown>,
  finish: string,
): void => {
  if (!body.stream) {
    const choice = { index: 0, message: { role: 'assistant', ...message }, finish_reason: finish };
    return json(response, 200, { id: 'c', object: 'chat.completion', created: 0, model: 'stub', choices: [choice] });
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(event({ role: 'assistant' }));
  const { content, ...other } = message;
  const text = typeof content === 'string' ? content : '';
  for (let at = 0; at < text.length; at += CHUNK) response.write(event({ content: text.slice(at, at + CHUNK) }));
  if (Object.keys(other).length) response.write(event(other));
  response.end(`${event({}, finish)}data: [DONE]\n\n`);
};

/** Gives a message as it is. */
export const saysAs =
  (message: Record<string, unknown>, finish = 'stop'): Behaviour =>
  (request, response) =>
    speak(request, response, message, finish);

/** Says a text, whatever it is. */
export const says = (text: string, finish = 'stop'): Behaviour => saysAs({ content: text }, finish);

/** Streams a text in these pieces, and goes on where a promise is among them once it is kept. */
export const streams =
  (...pieces: (string | Promise<unknown>)[]): Behaviour =>
  (_request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    void (async () => {
      for (const piece of pieces)
        if (typeof piece === 'string') response.write(event({ content: piece }));
        else await piece;
      response.end(`${event({}, 'stop')}data: [DONE]\n\n`);
    })();
  };

/** Sends these events as they are. */
export const sends =
  (...events: string[]): Behaviour =>
  (_request, response) =>
    void response.writeHead(200, { 'Content-Type': 'text/event-stream' }).end(events.join(''));

/** Answers as a whole, also where a stream was asked for. */
export const neverStreams =
  (behaviour: Behaviour): Behaviour =>
  (request, response) =>
    behaviour({ ...request, body: { ...request.body, stream: false } }, response);

/** Refuses to stream. */
export const takesNoStream =
  (behaviour: Behaviour): Behaviour =>
  (request, response) =>
    (request.body.stream ? fails(400) : behaviour)(request, response);

export const answers = (answer: unknown): Behaviour => says(JSON.stringify(answer));

export const fails =
  (status: number, headers: Record<string, string> = {}): Behaviour =>
  (_request, response) =>
    json(
      response,
      status,
      { error: { message: 'key sk-secret at http://me:pw@host is wrong', type: 'x', code: null } },
      headers,
    );

export const tooMany = (retryAfter: string): Behaviour => fails(429, { 'Retry-After': retryAfter });

/** Takes the request and never answers. */
export const hangs = (): Behaviour => () => undefined;

/** Begins to answer and goes silent. */
export const stalls =
  (text: string): Behaviour =>
  ({ body }, response) => {
    response.writeHead(200, { 'Content-Type': body.stream ? 'text/event-stream' : 'application/json' });
    response.write(body.stream ? event({ content: text }) : '{"id": "c", "choices": [');
  };

/** Begins to answer and drops the connection, or (`politely`) ends the stream without a finish. */
export const cuts =
  (text: string, politely = false): Behaviour =>
  ({ body }, response) => {
    response.writeHead(200, { 'Content-Type': body.stream ? 'text/event-stream' : 'application/json' });
    response.write(body.stream ? event({ content: text }) : '{"id": "c", "choices": [', () =>
      politely ? response.end() : setTimeout(() => response.destroy(), 20),
    );
  };

/** Drops the connection without a word. */
export const hangsUp = (): Behaviour => (_request, response) => void response.destroy();

/** A body, or an event, that is no JSON. */
export const garbles =
  (): Behaviour =>
  ({ body }, response) =>
    void response
      .writeHead(200, { 'Content-Type': body.stream ? 'text/event-stream' : 'application/json' })
      .end(body.stream ? 'data: {"choices": [{"del\n\n' : '{"choices": [{"mess');

/** JSON that is no completion. */
export const strays =
  (body: unknown): Behaviour =>
  (request, response) =>
    request.body.stream
      ? void response
          .writeHead(200, { 'Content-Type': 'text/event-stream' })
          .end(`data: ${JSON.stringify(body)}\n\ndata: [DONE]\n\n`)
      : json(response, 200, body);

export const refuses = (): Behaviour => (request, response) =>
  speak(request, response, { content: null, refusal: 'I can’t help with that.' }, 'stop');

/** Calls tools nobody gave it. */
export const callsTools = (): Behaviour => (request, response) => {
  const call = { index: 0, id: 't', type: 'function', function: { name: 'approve_plan', arguments: '{"uid": "all"}' } };
  speak(request, response, { content: null, tool_calls: [call] }, 'tool_calls');
};

/** Talks without end, until it is no longer listened to or has said 64 MiB. */
export const rambles =
  (): Behaviour =>
  ({ body }, response) => {
    response.writeHead(200, { 'Content-Type': body.stream ? 'text/event-stream' : 'application/json' });
    const piece = 'x'.repeat(64 * 1024);
    if (!body.stream) response.write('{"choices": [{"message": {"content": "');
    let left = 1024;
    const more = (): void => {
      if (response.destroyed || (left -= 1) < 0) return void response.end();
      response.write(body.stream ? event({ content: piece }) : piece, () => setImmediate(more));
    };
    more();
  };

/** Words that mean the same share a direction; what means nothing points elsewhere. */
const MEANINGS = ['car automobile vehicle', 'dog hound puppy', 'doctor physician dentist', 'money cash salary'];

export const meaningOf = (text: string, dimensions: number): number[] => {
  const vector = Array.from({ length: dimensions }, () => 0.01);
  for (const [i, words] of MEANINGS.entries())
    if (words.split(' ').some((word) => text.toLowerCase().includes(word))) vector[i] = 1;
  return vector;
};

/** Embeds every text by meaning; texts that `refused` names make the whole request fail with 400. */
export const embeds =
  (dimensions = 8, refused: (text: string) => boolean = () => false): Behaviour =>
  ({ body }, response) => {
    if (body.input.some(refused)) return json(response, 400, { error: { message: 'bad input' } });
    const data = body.input.map((text, index) => ({ index, embedding: meaningOf(text, dimensions) }));
    json(response, 200, { object: 'list', model: body.model, data: data.toReversed(), usage: {} });
  };

export type StubNote = { n: number; max_words: number; text: string };

/** Sums up the notes it was given, however it likes. */
export const sumsUp =
  (write: (note: StubNote) => string): Behaviour =>
  (request, response) => {
    const [, line = '[]'] = (request.body.messages.at(-1)?.content ?? '').split('\n');
    const summaries = (JSON.parse(line) as StubNote[]).map((note) => ({ n: note.n, summary: write(note) }));
    answers({ summaries })(request, response);
  };

export type StubModel = {
  baseURL: string;
  requests: StubRequest[];
  /** What comes next, one behaviour for each request; the last one stays. */
  script: (...behaviours: Behaviour[]) => void;
  close: () => Promise<void>;
};

export const aModel = async (...behaviours: Behaviour[]): Promise<StubModel> => {
  let ahead = behaviours;
  const requests: StubRequest[] = [];
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.on('end', () => {
      const body = JSON.parse(Buffer.concat(pieces).toString()) as StubRequest['body'];
      const request = { path: incoming.url ?? '', authorization: incoming.headers.authorization, body };
      requests.push(request);
      const next = ahead.length > 1 ? ahead.shift() : ahead[0];
      if (next) next(request, response);
      else json(response, 500, { error: { message: 'nothing is scripted' } });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    script: (...next) => {
      ahead = next;
      requests.length = 0;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
