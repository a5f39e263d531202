/** Serves one socket: reads the client's messages, and sends it the ledger in order, no faster than it reads. */
import type { WebSocket } from 'ws';
import { isDatabaseAway } from '../db/sqlstate.ts';
import type { Credential } from '../http/mount.ts';
import { asProblem, parseOr422, renderProblem } from '../http/problems/json.ts';
import { Problem, problem } from '../common/problem.ts';
import { readLedgerPosition, writeLedgerPosition, type LedgerPosition } from '../ledger/ledger-position.ts';
import type { Logger } from '../observability/log.ts';
import { isShown, mayEnd, type Change, type Feed, type Gone } from './changes.ts';
import type { Hub } from './hub.ts';
import { Subscribe, type ControlMessage } from './schemas.ts';

/** Close codes of RFC 6455 §7.4.1, and of its private range: 4000 and the HTTP status of a refusal. */
export const CLOSE = {
  ...{ goingAway: 1001, abuse: 1008, tooSlow: 1013, tryAgainLater: 1013 },
  ...{ credentialEnded: 4401, forbidden: 4403, tooMany: 4429 },
} as const;

/** The number of entries in one read. */
const PAGE = 500;
/** The socket is closed after this many invalid messages. */
const MAX_INVALID = 5;
const RETRY_MS = 1_000;
/** A client may take this long to answer a close frame. */
const CLOSE_ANSWER_MS = 2_000;

export type SocketLimits = {
  /** Sending pauses while more than this many bytes wait for the client. */
  maxBuffered: number;
  /** The client is cut off when the pause lasts this long. */
  drainMs: number;
};

export type SocketDeps = { hub: Hub; changes: Feed; log: Logger; limits: SocketLimits; request_id: string };

// oxlint-disable-next-line eslint/max-lines-per-function -- What one socket was sent and what it waits for are one state.
export const serveSocket = (
  ws: WebSocket,
  credential: Credential,
  { hub, changes, log, limits, request_id }: SocketDeps,
) => {
  const { user_id, scopes } = credential;
  /** The position that was last sent or skipped; null without a subscription. */
  let cursor: LedgerPosition | null = null;
  let subscribing = false;
  let synced = false;
  let faults = 0;
  let pumping = false;
  let due = false;
  let unwatch: (() => void) | undefined;

  const isOpen = (): boolean => ws.readyState === ws.OPEN;
  const send = (message: ControlMessage): void => ws.send(JSON.stringify(message));

  /** Closes with a close frame, and cuts the connection if the client does not answer. */
  const close = (code: number, reason: string): void => {
    if (!isOpen()) return;
    ws.close(code, reason);
    setTimeout(() => ws.terminate(), CLOSE_ANSWER_MS).unref();
  };

  /** Resolves when the message has left this process, or when the client was cut off because it read too slowly. */
  const sendAndDrain = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const late = setTimeout(() => {
        close(CLOSE.tooSlow, 'the client reads too slowly; resume from the last sequence');
        resolve();
      }, limits.drainMs);
      ws.send(text, () => {
        clearTimeout(late);
        resolve();
      });
    });

  const deliver = async (page: Change[]): Promise<void> => {
    for (const change of await changes.shownTo(credential, page)) {
      if (mayEnd(change) && (await changes.ends(change, credential)))
        close(CLOSE.credentialEnded, 'the credential was revoked');
      if (!isOpen() || cursor === null) return;
      if (isShown(change, scopes)) {
        if (ws.bufferedAmount > limits.maxBuffered) await sendAndDrain(change.text);
        else ws.send(change.text);
      }
      cursor = change;
    }
  };

  const reset = async (reason: Gone): Promise<void> => {
    const head = await changes.head(user_id);
    cursor = null;
    unwatch?.();
    send({ type: 'reset', reason, seq: head.seq, position: writeLedgerPosition(head) });
  };

  const pumpAll = async (): Promise<void> => {
    for (;;) {
      if (!due || cursor === null || !isOpen()) return;
      due = false;
      const { changes: page, more, upto } = await changes.read(user_id, cursor, PAGE);
      if (page.length) await deliver(page);
      else cursor = upto;
      if (more) due = true;
      else if (!synced && isOpen()) {
        synced = true;
        send({ type: 'synced', seq: cursor.seq, position: writeLedgerPosition(cursor) });
      }
    }
  };

  /** Requests another round of sending. At most one round runs at a time, so messages stay in order. */
  const wake = (): void => {
    due = true;
    if (pumping) return;
    pumping = true;
    pumpAll()
      .catch(async (error: unknown) => {
        if (error instanceof Problem && error.code === 'seq_gone')
          return reset(error.options.extra?.['reason'] as Gone);
        throw error;
      })
      .catch((error: unknown) => {
        log[isDatabaseAway(error) ? 'debug' : 'error'](
          { err: error, request_id },
          'a socket could not read the ledger and will try again',
        );
        setTimeout(wake, RETRY_MS).unref();
      })
      .finally(() => {
        pumping = false;
        if (due && cursor !== null && isOpen()) wake(); // A commit came while the last round was ending.
      });
  };

  const subscribe = async (after: LedgerPosition | undefined): Promise<void> => {
    if (subscribing || cursor !== null)
      throw problem(
        'malformed_request',
        'This socket is already subscribed. Open another one to follow from another position.',
      );
    subscribing = true;
    try {
      unwatch = hub.watch(user_id, wake);
      const from = after ?? (await changes.head(user_id));
      if (!isOpen()) return unwatch();
      cursor = from;
      synced = false;
      wake();
    } catch (error) {
      unwatch?.();
      throw error;
    } finally {
      subscribing = false;
    }
  };

  const hear = async (text: string): Promise<void> => {
    let said: unknown;
    try {
      said = JSON.parse(text);
    } catch {
      throw problem('malformed_json', 'The message is not valid. Send {"subscribe": {"after": <position>}}.');
    }
    const { after } = parseOr422(Subscribe, said).subscribe;
    await subscribe(after === undefined ? undefined : readLedgerPosition(String(after)));
  };

  ws.on('message', (data, isBinary) => {
    hear(isBinary ? '' : (data as Buffer).toString()).catch((error: unknown) => {
      if (!isOpen()) return;
      const { body } = renderProblem(asProblem(error, log, request_id), request_id);
      send({ type: 'problem', problem: body });
      if (body.status < 500 && ++faults >= MAX_INVALID) close(CLOSE.abuse, 'too many messages were not valid');
    });
  });
  ws.on('close', () => unwatch?.());
  ws.on('error', (error) => log.debug({ err: error, request_id }, 'a socket failed'));

  return { ws, credential, close };
};

export type LiveSocket = ReturnType<typeof serveSocket>;
