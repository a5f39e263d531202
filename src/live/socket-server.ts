/**
 * Accepts sockets at /ws: checks who may open one and how many, and ends those whose credential has ended. socket.ts sends the
 * ledger over them.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Scope } from '../domain/access/caller.ts';
import { networkOf } from '../domain/access/client-address.ts';
import { isUsedUp } from '../domain/access/quota.ts';
import { CODES } from '../common/problem-codes.ts';
import { invalidAt, Problem, problem } from '../common/problem.ts';
import { addressOf, hostFault, targetOf } from '../http/connection/address.ts';
import { bearer, type Credential } from '../http/mount.ts';
import type { ClientAddress } from '../http/connection/client-address.ts';
import type { PageOf } from '../http/connection/page.ts';
import type { Origins } from '../http/connection/origins.ts';
import { checkScopes } from '../http/perform.ts';
import { asProblem, STATUS } from '../http/problems/json.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { requestIdOf } from '../http/request-id.ts';
import type { Logger } from '../observability/log.ts';
import type { Feed } from './changes.ts';
import { endedCredentials } from './ended-credentials.ts';
import type { Hub } from './hub.ts';
import { refuse } from '../http/connection/refuse.ts';
import { CLOSE, serveSocket, type LiveSocket, type SocketLimits } from './socket.ts';

/** A client's only message is short. */
const MAX_MESSAGE_BYTES = 4_096;
const PATHS = new Set(['/ws', '/v1/ws']);

export type LiveLimits = SocketLimits & {
  /** The limit of sockets for one user on this instance. Agents have a share of it (domain/access/quota.ts). */
  perUser: number;
  /** A socket that has not answered the last ping is closed at the next. */
  pingMs: number;
};

const LIMITS: LiveLimits = { maxBuffered: 1024 * 1024, drainMs: 30_000, perUser: 50, pingMs: 30_000 };

/** The credential of a ticket; its scopes are a list. */
type Redeemed = Omit<Credential, 'scopes'> & { scopes: Scope[] };

export type LiveDeps = {
  db: Db;
  hub: Hub;
  changes: Feed;
  clock: Clock;
  log: Logger;
  rate: RateLimit;
  /** @throws 401 */
  authenticate: (token: string) => Promise<Credential>;
  /** Redeems a ticket, which can't be used again; null where it is not valid. */
  redeem: (ticket: string) => Promise<Redeemed | null>;
  pageOf: PageOf;
  clientAddress: ClientAddress;
  /** Origins of browser front ends beside the service's own. */
  origins: Origins;
  limits?: Partial<LiveLimits> | undefined;
};

/** The close codes of refusals, by their HTTP status. */
const closeCodes: Record<number, number> = {
  401: CLOSE.credentialEnded,
  403: CLOSE.forbidden,
  429: CLOSE.tooMany,
  503: CLOSE.tryAgainLater,
};

/** A close frame holds at most 123 bytes of text in UTF-8 (RFC 6455 §5.5). */
const reasonOf = ({ code, message }: Problem): string => {
  const text = Buffer.from(`${code}: ${message}`);
  return text.length <= 123 ? text.toString() : code;
};

// oxlint-disable-next-line eslint/max-lines-per-function -- The open sockets and their end are one state.
export const createSocketServer = (deps: LiveDeps) => {
  const { db, hub, changes, clock, log } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  const wss = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, clientTracking: false });
  const sockets = new Set<LiveSocket>();
  const answering = new WeakSet<WebSocket>();
  let stopping = false;

  const hasExpired = ({ expires_at }: Credential): boolean =>
    expires_at !== null && Date.parse(expires_at) <= clock.millis();

  const fromTicket = async (ticket: string): Promise<Credential> => {
    const redeemed = await deps.redeem(ticket);
    const credential = redeemed && { ...redeemed, scopes: new Set(redeemed.scopes) };
    const over = !credential || hasExpired(credential) || (await endedCredentials(db, [credential])).size > 0;
    if (over)
      throw problem(
        'unauthenticated',
        'The ticket is unknown, used or older than 30 seconds. Get another from POST /user/ws-ticket.',
      );
    return credential;
  };

  /** Browsers let any page open a socket and send the page's origin. Pages of unknown origins are refused. */
  const checkOrigin = (req: IncomingMessage): void => {
    const page = deps.pageOf(req);
    if (page === null || page.own || deps.origins.includes(page.origin)) return;
    throw problem(
      'forbidden_origin',
      `Pages of ${page.shown} may not open a socket. The operator can allow them in CORS_ORIGINS. ${page.remedy}`,
    );
  };

  /** It is asked in the same step that opens the socket, so that sockets which open at once are all counted. @throws 429 */
  const requireRoom = (credential: Credential): void => {
    const open = [...sockets].filter((s) => s.credential.user_id === credential.user_id);
    const own = open.filter((s) => s.credential.credential_id === credential.credential_id).length;
    if (isUsedUp(credential, limits.perUser, { all: open.length, own }))
      throw new Problem(
        'too_many_sockets',
        `This user has ${open.length} open sockets on this instance, ${own} of them with this credential. Close one first.`,
        {
          headers: { 'Retry-After': '30' },
        },
      );
  };

  /** @throws 400, 401, 403, 404, 429, 503 */
  const admit = async (req: IncomingMessage): Promise<Credential> => {
    if (stopping) throw problem('shutting_down', 'This instance is stopping. Connect again.');
    const fault = hostFault(req);
    if (fault !== null) throw problem('malformed_request', fault);
    const url = addressOf(targetOf(req.url ?? '') ?? '');
    if (!url || !PATHS.has(url.pathname)) throw problem('route_not_found', 'This path has no WebSocket. Use /ws.');
    checkOrigin(req);
    if (req.headers['read-as'] !== undefined)
      throw invalidAt('/Read-As', 'invalid_header', 'must not be sent with a socket; GET /agent/changes takes it');
    const token = bearer(req.headers.authorization);
    const ticket = url.searchParams.get('ticket');
    if (!token && !ticket)
      throw problem(
        'unauthenticated',
        'The request needs a credential. Send Authorization: Bearer <API key or login token>, or ?ticket= from POST /user/ws-ticket.',
      );
    const credential = await (token ? deps.authenticate(token) : fromTicket(ticket ?? '')).catch(async (error) => {
      if (error instanceof Problem) await deps.rate.take(`ip:${networkOf(deps.clientAddress(req))}`);
      throw error;
    });
    await deps.rate.take(credential.credential_id);
    checkScopes(['plan:read'], credential.scopes);
    return credential;
  };

  const serve = (ws: WebSocket, credential: Credential, request_id: string): void => {
    const socket = serveSocket(ws, credential, { hub, changes, log, limits, request_id });
    sockets.add(socket);
    answering.add(ws);
    // The hub watches the user from the socket's start, so that an ended credential is noticed before the client subscribes.
    const unwatch = hub.watch(credential.user_id, () => undefined);
    ws.on('pong', () => answering.add(ws));
    ws.once('close', () => {
      sockets.delete(socket);
      unwatch();
    });
  };

  const upgrade = async (req: IncomingMessage, stream: Duplex, head: Buffer): Promise<void> => {
    const request_id = requestIdOf(req.headers['x-request-id']?.toString());
    stream.on('error', () => stream.destroy()); // The client may disconnect while it is being checked.
    try {
      const credential = await admit(req);
      requireRoom(credential);
      if (!stream.destroyed) wss.handleUpgrade(req, stream, head, (ws) => serve(ws, credential, request_id));
    } catch (error) {
      const fault = asProblem(error, log, request_id);
      const code = closeCodes[STATUS[CODES[fault.code][0]]];
      if (req.headers.origin === undefined || code === undefined || stream.destroyed)
        return refuse(stream, fault, request_id);
      // A page can't read the answer to a handshake, so it gets a socket that closes at once and says why.
      wss.handleUpgrade(req, stream, head, (ws) => {
        ws.on('error', () => ws.terminate());
        ws.close(code, reasonOf(fault));
      });
    }
  };

  wss.on('wsClientError', (_error, stream, req) => {
    const fault = problem('malformed_request', 'The WebSocket handshake is not valid (RFC 6455 §4.1, version 13).');
    refuse(stream, fault, requestIdOf(req.headers['x-request-id']?.toString()));
  });

  /** Closes the sockets of credentials that have expired or were revoked, subscribed or not. */
  hub.onBeat(async () => {
    if (!sockets.size) return;
    const ended = await endedCredentials(
      db,
      [...sockets].map((s) => s.credential),
    );
    for (const socket of sockets)
      if (ended.has(socket.credential.credential_id) || hasExpired(socket.credential))
        socket.close(CLOSE.credentialEnded, 'the credential has ended');
  });

  const pinging = setInterval(() => {
    for (const { ws } of sockets) {
      if (!answering.delete(ws)) ws.terminate();
      else ws.ping();
    }
  }, limits.pingMs).unref();

  return {
    attach: (server: Server): void => {
      server.on('upgrade', (req, stream, head) => void upgrade(req, stream, head));
    },

    /** Returns the number of open sockets on this instance. */
    clients: (): number => sockets.size,

    /** Closes every socket with 1001 and waits for the clients' answers, at most two seconds. */
    stop: async (): Promise<void> => {
      stopping = true;
      clearInterval(pinging);
      for (const socket of sockets)
        socket.close(CLOSE.goingAway, 'the service is restarting; resume from the last sequence');
      for (let waited = 0; sockets.size && waited < 2_000; waited += 20) await sleep(20);
      for (const { ws } of sockets) ws.terminate();
    },
  };
};
