/**
 * Mounts a table of routes on Express. Every request passes credential, scope, rate limit, validation and handler in this order,
 * and leaves as one form of answer.
 */
import type { Logger } from '../observability/log.ts';
import type { Request, Response, Router } from 'express';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Caller, Scope } from '../domain/access/caller.ts';
import { invalidAt, Problem, problem, type ProblemCode } from '../common/problem.ts';
import { networkOf } from '../domain/access/client-address.ts';
import { readBody, refuseUnstorable } from './body.ts';
import { requestHash, SECRET, type Idempotency, type KeptAnswer } from './idempotency.ts';
import type { KeyQuota } from './idempotency-quota.ts';
import { parseOr422, presentProblem } from './problem-json.ts';
import type { RateLimit } from './rate-limit.ts';
import { endWith, sendProblem } from './send-problem.ts';
import { onBehalfOf, shareOf } from '../common/fair-shares.ts';
import { createConcurrencyLimit, type ConcurrencyLimit } from './concurrency.ts';
import { Reply, Stream, type ReplyOptions, type RequestFacts, type Route } from './route.ts';

/** A credential that has been authenticated. */
export type Credential = Omit<Caller, 'request_id' | 'idempotency'>;

export type MountDeps = {
  log: Logger;
  /** @throws 401 */
  authenticate: (token: string) => Promise<Credential>;
  /** Returns the zone of another user whom an administrator names; null where that user does not exist. */
  zoneOf: (user_id: string) => Promise<string | null>;
  idempotency: Idempotency;
  keyQuota: KeyQuota;
  rate: RateLimit;
  metrics: {
    begun: () => void;
    ended: () => void;
    observe: (route: Route, status: number, seconds: number) => void;
    refused: (code: ProblemCode) => void;
  };
  /** Returns whether the process is stopping. */
  stopping: () => boolean;
  /** Blanks what this caller may not see (ledger/sensitive-values.ts). */
  present: <T>(caller: Caller, answer: T) => Promise<T>;
  /** The tests check every answer against its schema. */
  checkAnswers: boolean;
};

export const requestId = (res: Response): string => res.locals['request_id'] as string;

export const bearer = (header: string | undefined): string | null =>
  /^Bearer +([^\s]+) *$/i.exec(header ?? '')?.[1] ?? null;

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

const facts = (req: Request, res: Response): RequestFacts => {
  let gone: AbortSignal | undefined;
  return {
    url: new URL(req.originalUrl, 'http://almanac'),
    get origin() {
      return originOf(req);
    },
    header: (name) => req.get(name),
    ip: req.ip ?? '',
    get signal() {
      return (gone ??= disconnectSignal(res));
    },
  };
};

export const checkScopes = (needed: Scope[], held: ReadonlySet<Scope>): void => {
  const missing = needed.filter((s) => !held.has(s));
  if (missing.length)
    throw new Problem('insufficient_scope', `This credential lacks the scope ${missing.join(', ')}.`, {
      extra: { missing },
      headers: {
        'WWW-Authenticate': `Bearer realm="almanac", error="insufficient_scope", scope="${missing.join(' ')}"`,
      },
    });
};

/**
 * `user_id` may name only the caller, unless the credential has the scope `admin` (docs/decisions.md, A user sees only their own
 * data).
 */
const actFor = async (caller: Caller, named: string | undefined, deps: MountDeps): Promise<Caller> => {
  if (named === undefined || named === caller.user_id) return caller;
  if (!caller.scopes.has('admin'))
    throw problem('other_user', 'user_id names another user. Leave it out, or name your own user.');
  const zone = await deps.zoneOf(named);
  if (zone === null) throw problem('user_not_found', `There is no user ${named}.`);
  return { ...caller, user_id: named, own_id: caller.user_id, zone };
};

const pageAt = (url: URL, cursor: string): string => {
  const link = new URL(url);
  link.searchParams.set('cursor', cursor);
  return `${link.pathname}${link.search}`;
};

const headersOf = ({ etag, next, headers }: ReplyOptions, url: URL): Record<string, string> => {
  return {
    ...(etag === undefined ? {} : { ETag: `"${etag}"` }),
    ...(next ? { Link: `<${pageAt(url, next)}>; rel="next"` } : {}),
    ...headers,
  };
};

const send = (res: Response, answer: KeptAnswer): void => {
  const text = answer.status === 304 || answer.status === 204 ? undefined : JSON.stringify(answer.body);
  res.writeHead(answer.status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    // With a known length the answer leaves in one write instead of three chunks.
    ...(text === undefined ? {} : { 'Content-Length': Buffer.byteLength(text) }),
    ...answer.headers,
  });
  res.end(text);
};

const sendStream = async (
  req: Request,
  res: Response,
  stream: Stream,
  headers: Record<string, string>,
): Promise<void> => {
  res.writeHead(stream.options.status ?? 200, { 'Cache-Control': 'no-store', ...headers, 'Content-Type': stream.type });
  if (req.method === 'HEAD') res.end();
  else if (typeof stream.content === 'string') res.end(stream.content);
  else await pipeline(Readable.from(stream.content, { objectMode: true, highWaterMark: 1 }), res);
};

/**
 * Failed authentications count against the client's address, valid credentials against themselves. So guessing is slow, and
 * delays only whoever guesses. @throws 401, 429
 */
const authenticate = async (req: Request, ip: string, deps: MountDeps): Promise<Credential> => {
  const token = bearer(req.headers.authorization);
  try {
    if (!token)
      throw problem(
        'unauthenticated',
        'The request needs a credential. Send Authorization: Bearer <API key or login token>.',
      );
    return await deps.authenticate(token);
  } catch (error) {
    if (error instanceof Problem) await deps.rate.take(addressKey(ip));
    throw error;
  }
};

const addressKey = (ip: string): string => `ip:${networkOf(ip)}`;

/** A parameter that occurs once is a string; one that is repeated is a list. */
const queryOf = ({ searchParams }: URL): Record<string, string | string[]> => {
  const query = new Map<string, string | string[]>();
  for (const [name, value] of searchParams) {
    const before = query.get(name);
    query.set(name, before === undefined ? value : [before, value].flat());
  }
  return Object.fromEntries(query); // fromEntries makes every name an own property, even `__proto__`.
};

/** Returns the caller, or undefined on a public route. @throws 401, 403, 429 */
const identify = async (route: Route, req: Request, res: Response, deps: MountDeps): Promise<Caller | undefined> => {
  const ip = req.ip ?? '';
  if (route.scopes === 'public') {
    await deps.rate.take(addressKey(ip));
    return undefined;
  }
  const credential = await authenticate(req, ip, deps);
  res.locals['who'] = { credential: credential.credential_id };
  await deps.rate.take(credential.credential_id);
  checkScopes(route.scopes, credential.scopes);
  return { ...credential, request_id: requestId(res), idempotency: undefined };
};

/** Parses body and query, which is the last step before the handler. */
const admit = async (route: Route, req: Request, res: Response, identified: Caller | undefined, deps: MountDeps) => {
  const request = facts(req, res);
  let caller = identified;
  const raw = await readBody(route, req, res);
  const rawQuery = queryOf(request.url);
  refuseUnstorable(rawQuery);
  const query = route.query ? parseOr422(route.query, rawQuery, 'parameter') : {};
  const body = route.body ? parseOr422(route.body, raw) : undefined;
  if (caller) {
    const named = (query as { user_id?: string })?.user_id ?? (body as { user_id?: string } | undefined)?.user_id;
    caller = await actFor(caller, named, deps);
  }
  return { request, caller, query, body };
};

/** Runs the handler and brings its result into one form. The tests check that against the schema first. */
const run = async (
  route: Route,
  input: Awaited<ReturnType<typeof admit>>,
  deps: MountDeps,
): Promise<KeptAnswer | Stream> => {
  const result: unknown = await route.handler({ ...input, caller: input.caller as Caller });
  if (result instanceof Stream) return result;
  const { body: whole, options } =
    result instanceof Reply ? (result as Reply<unknown>) : { body: result, options: {} as ReplyOptions };
  const isRaw = route.presented === true || !input.caller || input.caller.scopes.has('export:sensitive');
  const body = isRaw ? whole : await deps.present(input.caller as Caller, whole);
  if (deps.checkAnswers && options.status !== 304) {
    const checked = route.response.safeParse(JSON.parse(JSON.stringify(body ?? null)));
    if (!checked.success)
      throw new Error(`${route.method} ${route.path} answers outside its schema: ${checked.error.message}`);
  }
  return { status: options.status ?? route.status ?? 200, headers: headersOf(options, input.request.url), body };
};

/** Works as `run`, but blanks a thrown problem for this caller. */
const runForCaller: typeof run = async (route, input, deps) => {
  try {
    return await run(route, input, deps);
  } catch (error) {
    const { caller } = input;
    throw error instanceof Problem && caller
      ? await presentProblem(error, (part) => deps.present(caller, part))
      : error;
  }
};

/**
 * The key under which an answer is kept. Each agent has a separate set of keys, so that no agent takes a key that the person will
 * send.
 */
const storedKeyOf = ({ origin, credential_id }: Caller, key: string): string =>
  origin === 'agent' ? `${credential_id} ${key}` : key;

/** Runs the handler under an Idempotency-Key. */
const runOnce = async (
  route: Route,
  input: Awaited<ReturnType<typeof admit>>,
  sent: string,
  deps: MountDeps,
): Promise<KeptAnswer | Stream> => {
  const { user_id, scopes } = input.caller as Caller;
  if (!/^[\x21-\x7e]{1,255}$/.test(sent))
    throw invalidAt('/Idempotency-Key', 'invalid_header', 'must have between 1 and 255 visible ASCII characters');
  await deps.keyQuota.take(input.caller as Caller);
  const key = storedKeyOf(input.caller as Caller, sent);
  const path = input.request.url.pathname.replace(/^\/v1\//, '/');
  const begun = await deps.idempotency.begin(
    user_id,
    key,
    requestHash(route.method, path, input.query, input.body, scopes),
  );
  if (typeof begun !== 'string') return { ...begun, headers: { ...begun.headers, 'Idempotent-Replayed': 'true' } };
  const idempotency = { key, claim: begun };
  try {
    const answer = await runForCaller(route, { ...input, caller: { ...(input.caller as Caller), idempotency } }, deps);
    if (!(answer instanceof Stream))
      await deps.idempotency.finish(user_id, idempotency, route.secret ? { ...answer, body: SECRET } : answer);
    return answer;
  } catch (error) {
    // A refusal changed nothing, so the client may send the same request again when the reason is gone.
    await deps.idempotency.abandon(user_id, idempotency).catch(() => undefined);
    throw error;
  }
};

const answer = async (
  route: Route,
  req: Request,
  res: Response,
  caller: Caller | undefined,
  deps: MountDeps,
): Promise<void> => {
  const input = await admit(route, req, res, caller, deps);
  const key = route.method === 'get' || !input.caller ? undefined : req.get('idempotency-key');
  const result = key === undefined ? await runForCaller(route, input, deps) : await runOnce(route, input, key, deps);
  if (result instanceof Stream) await sendStream(req, res, result, headersOf(result.options, input.request.url));
  else send(res, result);
};

const serve = async (
  route: Route,
  req: Request,
  res: Response,
  concurrency: ConcurrencyLimit,
  deps: MountDeps,
): Promise<void> => {
  const caller = await identify(route, req, res, deps);
  if (!caller) return answer(route, req, res, undefined, deps);
  await concurrency.take(caller, route.concurrency_cost ?? 1, res);
  return onBehalfOf(shareOf(caller), () => answer(route, req, res, caller, deps));
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
        else sendProblem(res, error, deps);
      }
    });
  }
  for (const [path, group] of Map.groupBy(list, (r) => r.path)) {
    const methods = group.map((r) => r.method.toUpperCase());
    const allow = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');
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
