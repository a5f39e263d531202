/**
 * Follows the ledger as an asynchronous iterator: over a socket, and by long polling while no socket can be had. After every
 * interruption it continues from the last position, so nothing is left out and nothing comes twice.
 */
import { AlmanacProblem } from './almanac-problem.ts';
import type { Change, ChangesPage, Reset, SocketMessage } from './openapi-types.ts';
import { sleep } from './retries.ts';

/** The part of the WebSocket interface that is used. Browsers and Node 22 have it; for Node 20 the class of `ws` fits. */
export type SocketClass = new (url: string) => {
  send: (text: string) => void;
  close: () => void;
  addEventListener: {
    (type: 'open', listener: () => void): void;
    (type: 'message', listener: (event: { data: unknown }) => void): void;
    (type: 'close', listener: () => void): void;
    (type: 'error', listener: () => void): void;
  };
};

export type ChangesOptions = {
  /** The last `position` that was received; 0 means from the beginning. Without it, changes are from the first `next()` on. */
  after?: string | number | undefined;
  signal?: AbortSignal | undefined;
};

export type ChangesSource = {
  ticket: (signal?: AbortSignal) => Promise<string>;
  poll: (query: { after?: string; wait: number }, signal?: AbortSignal) => Promise<ChangesPage>;
  socketUrl: string;
  Socket: SocketClass | undefined;
};

/** A client that is this far behind closes the socket and reads the rest later, so memory stays bounded. */
const MAX_QUEUED = 1_000;
/** Neither side notices some broken connections. A socket that is silent for so long is replaced. */
const SILENCE_MS = 60_000;
const LONGEST_PAUSE_MS = 15_000;
const LONGEST_POLL_S = 25;

/** The messages of one socket, until it ends. */
async function* messagesOf(
  Socket: SocketClass,
  url: string,
  after: string,
  signal?: AbortSignal,
): AsyncGenerator<SocketMessage> {
  const queue: SocketMessage[] = [];
  let over = false;
  let wake = (): void => undefined;
  const end = (): void => {
    over = true;
    wake();
  };
  const socket = new Socket(url);
  socket.addEventListener('open', () => socket.send(JSON.stringify({ subscribe: { after } })));
  socket.addEventListener('message', ({ data }) => {
    queue.push(JSON.parse(String(data)) as SocketMessage);
    if (queue.length >= MAX_QUEUED) socket.close();
    wake();
  });
  socket.addEventListener('close', end);
  socket.addEventListener('error', end);
  signal?.addEventListener('abort', end);
  try {
    for (;;) {
      const message = queue.shift();
      if (message) yield message;
      else if (over) return;
      else {
        const silence = setTimeout(end, SILENCE_MS);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        clearTimeout(silence);
      }
    }
  } finally {
    signal?.removeEventListener('abort', end);
    socket.close();
  }
}

/** The answer of an earlier try was lost. The next try has an Idempotency-Key of its own. */
const LOST_ANSWERS = new Set(['idempotency_secret', 'idempotency_interrupted', 'idempotency_running']);

/** Returns whether no further try can change it, such as a revoked credential. */
const isFinal = (error: unknown): boolean =>
  error instanceof AlmanacProblem &&
  error.status > 0 &&
  error.status < 500 &&
  error.status !== 429 &&
  !LOST_ANSWERS.has(error.code);

export async function* followChanges(
  { ticket, poll, socketUrl, Socket }: ChangesSource,
  { after, signal }: ChangesOptions = {},
): AsyncGenerator<Change | Reset, void, undefined> {
  let position = after === undefined ? undefined : String(after);
  let last = position === undefined ? 0 : Number.parseInt(position, 10);
  /** Sockets and polls that failed in a row, and when the next socket may be tried. */
  let failures = 0;
  let failedPolls = 0;
  let nextSocketAt = 0;

  /** Moves on, and answers what is new to the caller. */
  const take = (message: SocketMessage): Change | Reset | undefined => {
    if ('specversion' in message) {
      if (message.sequence <= last) return undefined;
      last = message.sequence;
    } else if (message.type === 'problem') return undefined;
    else last = message.seq;
    position = message.position;
    return message.type === 'synced' ? undefined : message;
  };
  const pause = (): Promise<void> => sleep(Math.min(LONGEST_PAUSE_MS, 500 * 2 ** failedPolls) * Math.random(), signal);

  async function* fromSocket(): AsyncGenerator<Change | Reset> {
    if (!Socket || position === undefined || Date.now() < nextSocketAt) return;
    let worked = false;
    try {
      const url = `${socketUrl}?ticket=${encodeURIComponent(await ticket(signal))}`;
      for await (const message of messagesOf(Socket, url, position, signal)) {
        worked ||= message.type !== 'problem';
        const fresh = take(message);
        if (fresh) yield fresh;
        if (message.type === 'reset' || message.type === 'problem') break;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isFinal(error)) throw error;
    }
    failures = worked ? 0 : failures + 1;
    if (!worked) nextSocketAt = Date.now() + Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** failures);
  }

  /** One request. It also says why there is no socket: browsers do not show the refusal of a socket. */
  async function* fromPoll(): AsyncGenerator<Change | Reset> {
    const untilSocket = Socket ? Math.max(0, Math.ceil((nextSocketAt - Date.now()) / 1_000)) : LONGEST_POLL_S;
    const wait = position === undefined ? 0 : Math.min(LONGEST_POLL_S, untilSocket);
    try {
      const page = await poll(position === undefined ? { wait } : { after: position, wait }, signal);
      for (const change of page.changes) {
        const fresh = take(change);
        if (fresh) yield fresh;
      }
      ({ position } = page);
      last = page.seq;
      failedPolls = 0;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof AlmanacProblem && error.code === 'seq_gone') {
        const { reason, seq, position: head } = error.problem as unknown as Reset;
        yield take({ type: 'reset', reason, seq, position: head }) as Reset;
      } else if (isFinal(error)) throw error;
      else {
        failedPolls++;
        await pause();
      }
    }
  }

  for (;;) {
    signal?.throwIfAborted();
    yield* fromSocket();
    signal?.throwIfAborted();
    // After a socket that worked, the next one follows at once, but not all clients in the same moment.
    if (failures === 0 && position !== undefined && Socket) await pause();
    else yield* fromPoll();
  }
}
