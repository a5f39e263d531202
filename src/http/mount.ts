/**
 * Mounts a table of routes on Express. Every request passes credential, scope, rate limit, validation and handler in this order,
 * and leaves as one form of answer.
 */
import type { Logger } from '../observability/log.ts';
import type { Request, Response, Router } from 'express';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Caller } from '../domain/access/caller.ts';
import type { ProblemCode } from '../common/problem-codes.ts';
import { invalid, pointer, Problem, problem } from '../common/problem.ts';
import { networkOf } from '../domain/access/client-address.ts';
import { readBody, refuseUnstorable } from './body/body.ts';
import type { KeptAnswer } from './idempotency/idempotency.ts';
import { checkScopes, headersOf, perform, type PerformDeps } from './perform.ts';
import type { ClientAddress } from './connection/client-address.ts';
import { compressed } from './encoding.ts';
import type { PageOf } from './connection/page.ts';
import type { RateLimit } from './rate-limit.ts';
import { endWith, sendProblem } from './problems/send.ts';
import { runFairly } from '../common/yielding.ts';
import { onBehalfOf, shareOf } from '../common/fair-shares.ts';
import { createConcurrencyLimit, type ConcurrencyLimit } from './concurrency.ts';
import { asDeclared } from './problems/route-problems.ts';
import { Stream, type RequestFacts, type Route } from './route.ts';

/** A credential that has been authenticated. */
export type Credential = Omit<Caller, 'request_id' | 'idempotency'>;

export type MountDeps = PerformDeps & {
  log: Logger;
  /** @throws 401 */
  authenticate: (token: string) => Promise<Credential>;
  /** @throws 401 */
  authenticateBasic: (email: string, key: string) => Promise<Credential>;
  rate: RateLimit;
  pageOf: PageOf;
  clientAddress: ClientAddress;
  metrics: {
    begun: () => void;
    ended: () => void;
    observe: (route: Route, status: number, seconds: number) => void;
    refused: (code: ProblemCode) => void;
  };
  /** Returns whether the process is stopping. */
  stopping: () => boolean;
};

export const requestId = (res: Response): string => res.locals['request_id'] as string;

export const bearer = (header: string | undefined): string | null =>
  /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1] ?? null;

/** The name and password of HTTP Basic (RFC 7617). */
const basic = (header: string | undefined): { email: string; key: string } | null => {
  const encoded = /^Basic +([a-z0-9+/=_-]+) *$/i.exec(header ?? '')?.[1];
  const [, email, key] = /^([^:]*):(.*)$/s.exec(encoded ? Buffer.from(encoded, 'base64').toString('utf8') : '') ?? [];
  return email === undefined || key === undefined ? null : { email, key };
};

/**
 * Aborts when the client disconnects. It is created only when a handler reads it, because a signal for every answer took 2 % of a
 * small request.
 */
const disconnectSignal = (res: Response): AbortSignal => {
  const gone = new AbortController();
  if (res.closed) gone.abort();
  else res.once('close', () => gone.abort());
  return gone.signal;
};

/** The address by which the client or a trusted proxy says it reached the service; empty where it is no valid address. */
const originOf = ({ protocol, host }: Request): string =>
  /^([a-z0-9._-]+|\[[0-9a-f:.]+\])(:\d{1,5})?$/i.test(host ?? '')
    ? (URL.parse(`${protocol}://${host}`)?.origin ?? '')
    : '';

const facts = (
  req: Request,
  res: Response,
  { pageOf, clientAddress }: MountDeps,
  release = (): void => undefined,
): RequestFacts => {
  let gone: AbortSignal | undefined;
  return {
    url: res.locals['address'] as URL,
    params: req.params as Record<string, string>,
    get origin() {
      return originOf(req);
    },
    get page() {
      return pageOf(req);
    },
    header: (name) => req.get(name),
    ip: clientAddress(req),
    get signal() {
      return (gone ??= disconnectSignal(res));
    },
    release,
  };
};

const send = async (req: Request, res: Response, answer: KeptAnswer): Promise<void> => {
  const isEmpty = answer.status === 304 || answer.status === 204;
  // The JSON of a large page takes 20 ms, and several answers may be ready in one iteration of the event loop.
  const text = isEmpty ? undefined : await runFairly(() => JSON.stringify(answer.body));
  // A strong entity tag, which a single resource has, names the bytes of one encoding (RFC 9110 §8.8.3).
  const isTagged = answer.headers['ETag']?.startsWith('"') ?? false;
  const packed = text === undefined || isTagged ? null : await compressed(req, text);
  if (packed) res.vary('Accept-Encoding');
  res.writeHead(answer.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    ...(packed ? { 'Content-Encoding': packed.encoding } : {}),
    // With a known length the answer leaves in one write instead of three chunks.
    ...(text === undefined ? {} : { 'Content-Length': packed?.bytes.length ?? Buffer.byteLength(text) }),
    ...answer.headers,
  });
  res.end(packed?.bytes ?? text);
};

/**
 * Node 26.10 counts what an answer holds in bytes, and what its socket holds in characters where it is text. With other characters
 * than ASCII an answer could wait for a `drain` event that its socket does not send (nodejs/node#62936), and would never end.
 */
async function* inBytes(pieces: AsyncIterable<string | Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield typeof piece === 'string' ? Buffer.from(piece) : piece;
}

export const sendStream = async (
  req: Pick<IncomingMessage, 'method'>,
  res: ServerResponse,
  stream: Stream,
  headers: Record<string, string>,
): Promise<void> => {
  res.writeHead(stream.options.status ?? 200, {
    'Cache-Control': 'no-store',
    ...headers,
    ...(stream.type ? { 'Content-Type': stream.type } : {}),
  });
  if (req.method === 'HEAD') res.end();
  else if (typeof stream.content === 'string') res.end(stream.content);
  else await pipeline(Readable.from(inBytes(stream.content), { objectMode: true, highWaterMark: 1 }), res);
};

/**
 * Failed authentications count against the client's address, valid credentials against themselves. So guessing is slow, and
 * delays only whoever guesses. @throws 401, 429
 */
const authenticate = async (route: Route, req: Request, res: Response, deps: MountDeps): Promise<Credential> => {
  const token = bearer(req.headers.authorization);
  const named = route.basic ? basic(req.headers.authorization) : null;
  try {
    if (named) return await deps.authenticateBasic(named.email, named.key);
    if (!token)
      throw problem(
        'unauthenticated',
        'The request needs a credential. Send Authorization: Bearer <API key or login token>.',
      );
    return await deps.authenticate(token);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    await take(res, addressKey(deps.clientAddress(req)), deps);
    if (error.code !== 'unauthenticated') throw error;
    throw route.basic
      ? new Problem(error.code, error.message, ASK_BASIC)
      : token
        ? new Problem(error.code, error.message, INVALID_TOKEN)
        : error;
  }
};

/** RFC 6750 §3.1: a client that sent a token learns that the token is the fault. */
const INVALID_TOKEN = { headers: { 'WWW-Authenticate': 'Bearer realm="almanac", error="invalid_token"' } };

/** Calendar programs know no other scheme. */
const ASK_BASIC = { headers: { 'WWW-Authenticate': 'Basic realm="almanac", charset="UTF-8"' } };

const addressKey = (ip: string): string => `ip:${networkOf(ip)}`;

/** Counts the request, and tells the client in its answer what is left. @throws 429 */
const take = async (res: Response, key: string, { rate }: MountDeps): Promise<void> => {
  for (const [name, value] of Object.entries((await rate.take(key)) ?? {})) res.setHeader(name, value);
};

/** No parameter is a list, so that each may occur once. @throws 422 that names the others */
const queryOf = ({ searchParams }: URL): Record<string, string> => {
  const repeated = new Set<string>();
  const query = new Map<string, string>();
  for (const [name, value] of searchParams) {
    if (query.has(name)) repeated.add(name.toWellFormed());
    query.set(name, value);
  }
  if (repeated.size)
    throw invalid(
      Array.from(repeated, (name) => ({ path: pointer([name]), code: 'repeated', message: 'must be sent only once' })),
    );
  return Object.fromEntries(query); // fromEntries makes every name an own property, even `__proto__`.
};

/** Returns the caller, or undefined on a public route. @throws 401, 403, 429 */
const identify = async (route: Route, req: Request, res: Response, deps: MountDeps): Promise<Caller | undefined> => {
  if (route.scopes === 'public') {
    await take(res, addressKey(deps.clientAddress(req)), deps);
    return undefined;
  }
  const credential = await authenticate(route, req, res, deps);
  res.locals['who'] = { credential: credential.credential_id };
  await take(res, credential.credential_id, deps);
  checkScopes(route.scopes, credential.scopes);
  return { ...credential, request_id: requestId(res), idempotency: undefined };
};

const answer = async (
  route: Route,
  req: Request,
  res: Response,
  { caller, release }: { caller?: Caller; release?: () => void },
  deps: MountDeps,
): Promise<void> => {
  const request = facts(req, res, deps, release);
  const body = await readBody(route, req, res);
  const query = queryOf(request.url);
  refuseUnstorable(query);
  const key = route.otherProtocol ? undefined : req.get('idempotency-key');
  const result = await perform(route, { caller, query, body, request, key }, deps);
  if (result instanceof Stream) await sendStream(req, res, result, headersOf(result.options, request.url));
  else await send(req, res, result);
};

const serve = async (
  route: Route,
  req: Request,
  res: Response,
  concurrency: ConcurrencyLimit,
  deps: MountDeps,
): Promise<void> => {
  const caller = await identify(route, req, res, deps);
  if (!caller) return answer(route, req, res, {}, deps);
  const release = await concurrency.take(caller, route.concurrency_cost ?? 1);
  try {
    // A client that has hung up while it waited gets no answer, so the work is not begun.
    if (!res.closed) await onBehalfOf(shareOf(caller), () => answer(route, req, res, { caller, release }, deps));
  } finally {
    // The share is held until the work has ended and the answer is sent or given up, because both take memory.
    if (res.closed) release();
    else res.once('close', release);
  }
};

/** Adds the routes, and answers 405 with Allow for other methods on their paths. */
export const mount = (router: Router, list: Route[], deps: MountDeps): void => {
  const concurrency = createConcurrencyLimit();
  for (const route of list) {
    router[route.method](route.path, async (req, res) => {
      const started = performance.now();
      res.locals['route'] = `${route.method.toUpperCase()} ${route.path}`;
      deps.metrics.begun();
      res.once('close', () => {
        deps.metrics.ended();
        if (res.writableFinished) deps.metrics.observe(route, res.statusCode, (performance.now() - started) / 1000);
      });
      try {
        if (deps.stopping()) res.setHeader('Connection', 'close');
        await serve(route, req, res, concurrency, deps);
      } catch (error) {
        if (res.destroyed) deps.log.debug({ err: error }, 'the client closed the connection before the answer');
        else sendProblem(res, deps.checkAnswers && !route.undocumented ? asDeclared(route, error) : error, deps);
      }
    });
  }
  for (const [path, group] of Map.groupBy(list, (r) => r.path)) {
    const methods = group.map((r) => r.method.toUpperCase());
    const allow = [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].join(', ');
    router.all(path, (req, res) => {
      if (req.method === 'OPTIONS') endWith(res.writeHead(204, { Allow: allow }), undefined);
      else
        sendProblem(
          res,
          new Problem('method_not_allowed', `${path} supports ${allow} only.`, { headers: { Allow: allow } }),
          deps,
        );
    });
  }
};
