/** One socket: what its client says, and the single pump that carries the ledger to it, in order, no faster than it reads. */
import type { WebSocket } from 'ws';
import { isDatabaseAway } from '../db/sqlstate.ts';
import type { Credential } from '../http/mount.ts';
import { asProblem, parseOr422, renderProblem } from '../http/problem-json.ts';
import { Problem, problem } from '../common/problem.ts';
import { readLedgerPosition, writeLedgerPosition, type LedgerPosition } from '../ledger/ledger-position.ts';
import type { Logger } from '../observability/log.ts';
import { isShown, revokes, type Change, type Feed, type Gone } from './changes.ts';
import type { Hub } from './hub.ts';
import { Subscribe, type Control } from './schemas.ts';

/** Close codes: RFC 6455 §7.4.1, and 4401 of our own range for a credential that has ended. */
export const CLOSE = { goingAway: 1001, abuse: 1008, tooSlow: 1013, credentialEnded: 4401 } as const;

/** Entries read at once. */
const PAGE = 500;
/** Messages not understood before the socket is closed. */
const PATIENCE = 5;
const RETRY_MS = 1_000;
/** A close frame that the client doesn't answer is not waited for longer. */
const FAREWELL_MS = 2_000;

export type SocketLimits = {
  /** Bytes waiting for a client before the pump pauses. */
  maxBuffered: number;
  /** How long it pauses before the client is cut off. */
  drainMs: number;
};

export type SocketDeps = { hub: Hub; changes: Feed; log: Logger; limits: SocketLimits; request_id: string };

export const serveSocket = (
  ws: WebSocket,
  credential: Credential,
  { hub, changes, log, limits, request_id }: SocketDeps,
) => {
  const { user_id, credential_id, scopes } = credential;
  /** The place last sent or passed over; null while there is no subscription. */
  let cursor: LedgerPosition | null = null;
  let subscribing = false;
  let synced = false;
  let faults = 0;
  let pumping = false;
  let due = false;
  let unwatch: (() => void) | undefined;

  const isOpen = (): boolean => ws.readyState === ws.OPEN;
  const send = (message: Control): void => ws.send(JSON.stringify(message));

  /** Closes politely, and without the client if it doesn't answer. */
  const close = (code: number, reason: string): void => {
    if (!isOpen()) return;
    ws.close(code, reason);
    setTimeout(() => ws.terminate(), FAREWELL_MS).unref();
  };

  /** Resolves when the message has left this process, or when the client took too long and was cut off. */
  const sendAndDrain = (text: string): Promise<void> =>
    new Promise((resolve) => {
      const late = setTimeout(() => {
        close(CLOSE.tooSlow, 'not reading; resume from the last sequence');
        resolve();
      }, limits.drainMs);
      ws.send(text, () => {
        clearTimeout(late);
        resolve();
      });
    });

  const deliver = async (page: Change[]): Promise<void> => {
    for (const change of await changes.shownTo(credential, page)) {
      if (revokes(change, credential_id)) close(CLOSE.credentialEnded, 'the credential was revoked');
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

  /** Asks for a round of the pump; there is never more than one, so messages can't overtake each other. */
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
          'a socket could not read the ledger; it tries again',
        );
        setTimeout(wake, RETRY_MS).unref();
      })
      .finally(() => {
        pumping = false;
        if (due && cursor !== null && isOpen()) wake(); // woken while the last round was ending
      });
  };

  const subscribe = async (after: LedgerPosition | undefined): Promise<void> => {
    if (subscribing || cursor !== null)
      throw problem('malformed_request', 'This socket is subscribed already; open another to follow from elsewhere.');
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
      throw problem('malformed_json', 'Say {"subscribe": {"after": <position>}}.');
    }
    const { after } = parseOr422(Subscribe, said).subscribe;
    await subscribe(after === undefined ? undefined : readLedgerPosition(String(after)));
  };

  ws.on('message', (data, isBinary) => {
    hear(isBinary ? '' : (data as Buffer).toString()).catch((error: unknown) => {
      if (!isOpen()) return;
      const { body } = renderProblem(asProblem(error, log, request_id), request_id);
      send({ type: 'problem', problem: body });
      if (body.status < 500 && ++faults >= PATIENCE)
        close(CLOSE.abuse, 'too many messages that could not be understood');
    });
  });
  ws.on('close', () => unwatch?.());
  ws.on('error', (error) => log.debug({ err: error, request_id }, 'a socket failed'));

  return { ws, credential, close };
};

export type LiveSocket = ReturnType<typeof serveSocket>;
