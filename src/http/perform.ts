/**
 * Performs one request on a route after it was authenticated and read: user_id, validation, Idempotency-Key, handler, blanking.
 * mount.ts calls it for HTTP, and other protocols (mcp) for the same routes.
 */
import type { z } from 'zod';
import { invalidAt, notFound, Problem, problem } from '../common/problem.ts';
import { readingAs, type Caller, type Scope } from '../domain/access/caller.ts';
import { inTurn } from './body/body.ts';
import { requestHash, SECRET, type Idempotency, type KeptAnswer } from './idempotency/idempotency.ts';
import type { KeyQuota } from './idempotency/quota.ts';
import { parseOr422, presentProblem } from './problems/json.ts';
import { countHeaders } from './total-count.ts';
import { isReading, Reply, Stream, type ReplyOptions, type RequestFacts, type Route } from './route.ts';

export type PerformDeps = {
  /** Returns the zone of another user whom an administrator names; null where that user does not exist. */
  zoneOf: (user_id: string) => Promise<string | null>;
  /** Returns the scopes of an agent key of the user, also of a revoked one; null where there is none. */
  agentScopes: (user_id: string, id: string) => Promise<string[] | null>;
  idempotency: Idempotency;
  keyQuota: KeyQuota;
  /** Blanks what this caller may not see (ledger/sensitive-values.ts). */
  present: <T>(caller: Caller, answer: T, at?: number) => Promise<T>;
  /** The tests check every answer against its schema. */
  checkAnswers: boolean;
};

/** A request as it was read. A route that is public has no caller. */
export type Asked = {
  caller: Caller | undefined;
  query: unknown;
  body: unknown;
  request: RequestFacts;
  /** The Idempotency-Key. */
  key: string | undefined;
};

type Input = { caller: Caller | undefined; query: unknown; body: unknown; request: RequestFacts };

export const checkScopes = (needed: Scope[], held: ReadonlySet<Scope>, who = 'This credential'): void => {
  const missing = needed.filter((s) => !held.has(s));
  if (missing.length)
    throw new Problem('insufficient_scope', `${who} lacks the scope ${missing.join(', ')}.`, {
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
const actFor = async (caller: Caller, named: string | undefined, deps: PerformDeps): Promise<Caller> => {
  if (named === undefined || named === 'me' || named === caller.user_id) return caller;
  if (!caller.scopes.has('admin')) throw problem('other_user', 'user_id names another user. Leave it out, or send me.');
  const zone = await deps.zoneOf(named);
  if (zone === null) throw problem('user_not_found', `There is no user ${named}.`);
  return { ...caller, user_id: named, own_id: caller.user_id, zone };
};

/**
 * `Read-As` names an agent key of the account. The request is answered as the agent would be, also where the key was revoked
 * (docs/decisions.md, A person reads as an agent).
 * @throws 403, 404, 422
 */
const readAs = async (caller: Caller, route: Route, id: string | undefined, deps: PerformDeps): Promise<Caller> => {
  if (id === undefined || route.scopes === 'public') return caller;
  if (!isReading(route))
    throw invalidAt('/Read-As', 'invalid_header', 'must not be sent with a request that may write');
  checkScopes(['keys:manage', 'export:sensitive'], caller.scopes);
  const scopes = await deps.agentScopes(caller.user_id, id);
  if (!scopes) throw notFound('key', id);
  const reader = readingAs(caller, { id, scopes });
  checkScopes(route.scopes, reader.scopes, 'The agent');
  return reader;
};

const pageAt = (url: URL, cursor: string): string => {
  const link = new URL(url);
  link.searchParams.set('cursor', cursor);
  return `${link.pathname}${link.search}`;
};

export const headersOf = ({ etag, next, headers }: ReplyOptions, url: URL): Record<string, string> => {
  return {
    ...(etag === undefined ? {} : { ETag: `"${etag}"` }),
    ...(next ? { Link: `<${pageAt(url, next)}>; rel="next"` } : {}),
    ...headers,
  };
};

/** Parses query and body, and finds the user whose data is meant. @throws 403, 404, 422 */
const parsed = async (route: Route, asked: Asked, deps: PerformDeps): Promise<Input> => {
  const { request } = asked;
  const query: unknown = route.query ? parseOr422(route.query as z.ZodType, asked.query, 'parameter') : {};
  const body: unknown =
    route.body && (await inTurn(request.header, () => parseOr422(route.body as z.ZodType, asked.body)));
  const named = (query as { user_id?: string })?.user_id ?? (body as { user_id?: string } | undefined)?.user_id;
  const caller = asked.caller && (await actFor(asked.caller, named, deps));
  return { request, caller: caller && (await readAs(caller, route, request.header('read-as'), deps)), query, body };
};

/** Runs the handler and brings its result into one form. The tests check that against the schema first. */
const run = async (route: Route, input: Input, deps: PerformDeps): Promise<KeptAnswer | Stream> => {
  const result: unknown = await route.handler({ ...input, caller: input.caller as Caller });
  if (result instanceof Stream) return result;
  const { body: whole, options } =
    result instanceof Reply ? (result as Reply<unknown>) : { body: result, options: {} as ReplyOptions };
  const total = await countHeaders(route, { body: whole, options }, input.request.header('prefer'));
  const isRaw = route.presented === true || !input.caller || input.caller.scopes.has('export:sensitive');
  const body = isRaw ? whole : await deps.present(input.caller as Caller, whole, options.at);
  if (deps.checkAnswers && options.status !== 304) {
    const checked = route.response.safeParse(JSON.parse(JSON.stringify(body ?? null)));
    if (!checked.success)
      throw new Error(`${route.method} ${route.path} answers outside its schema: ${checked.error.message}`);
  }
  return {
    status: options.status ?? route.status ?? 200,
    headers: { ...headersOf(options, input.request.url), ...total },
    body,
  };
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
const runOnce = async (route: Route, input: Input, sent: string, deps: PerformDeps): Promise<KeptAnswer | Stream> => {
  const { user_id, scopes } = input.caller as Caller;
  if (!/^[\x21-\x7e]{1,255}$/.test(sent))
    throw invalidAt('/Idempotency-Key', 'invalid_header', 'must have between 1 and 255 visible ASCII characters');
  await deps.keyQuota.take(input.caller as Caller);
  const key = storedKeyOf(input.caller as Caller, sent);
  const begun = await deps.idempotency.begin(
    user_id,
    key,
    requestHash(route.method, route.path, input.query, input.body, scopes),
  );
  if (typeof begun !== 'string') return { ...begun, headers: { ...begun.headers, 'Idempotent-Replayed': 'true' } };
  const idempotency = { key, claim: begun };
  try {
    const answer = await runForCaller(route, { ...input, caller: { ...(input.caller as Caller), idempotency } }, deps);
    if (answer instanceof Stream)
      void answer.options.kept
        ?.then((body) => deps.idempotency.finish(user_id, idempotency, { status: 200, headers: {}, body }))
        .catch(() => deps.idempotency.abandon(user_id, idempotency))
        .catch(() => undefined);
    else await deps.idempotency.finish(user_id, idempotency, route.secret ? { ...answer, body: SECRET } : answer);
    return answer;
  } catch (error) {
    // A refusal changed nothing, so the client may send the same request again when the reason is gone.
    await deps.idempotency.abandon(user_id, idempotency).catch(() => undefined);
    throw error;
  }
};

export const perform = async (route: Route, asked: Asked, deps: PerformDeps): Promise<KeptAnswer | Stream> => {
  const input = await parsed(route, asked, deps);
  const { key } = asked;
  return key === undefined || route.method === 'get' || !input.caller || input.caller.read_only
    ? runForCaller(route, input, deps)
    : runOnce(route, input, key, deps);
};
