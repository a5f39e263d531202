/** Defines a route as data: one definition serves validation, types, the scope check and openapi.yaml. */
import type { z } from 'zod';
import type { ProblemCode } from '../common/problem-codes.ts';
import type { Page } from './connection/page.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';

/** In bytes. */
export const MIB = 1024 * 1024;

/** The methods of HTTP and WebDAV (RFC 4918, RFC 3253) that routes have. */
export type Method = 'get' | 'post' | 'patch' | 'delete' | 'put' | 'options' | 'propfind' | 'proppatch' | 'report';

/** The facts of a request, beside its parsed input, that a handler may use. */
export type RequestFacts = {
  /** Path and query of the request, for Link headers. */
  url: URL;
  /** The parameters in the path, decoded, as the router has matched them. Whoever needs a part of the path takes it from here. */
  params: Readonly<Record<string, string>>;
  /** The address by which the client reached the service, `https://almanac.example.org`, for links that leave it. */
  origin: string;
  /** The page of a browser that sent the request; null where it has no Origin. */
  page: Page | null;
  header: (name: string) => string | undefined;
  ip: string;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Gives back the request's place among those under way (concurrency.ts). A handler that from now on mostly waits calls it. */
  release: () => void;
};

export type Input<Q, B> = { query: Q; body: B; caller: Caller; request: RequestFacts };

/** An answer that has more than a body: a status, headers, an entity tag or a next page. */
export class Reply<T> {
  readonly body: T;
  readonly options: ReplyOptions;
  constructor(body: T, options: ReplyOptions) {
    this.body = body;
    this.options = options;
  }
}

export type ReplyOptions = {
  status?: number;
  /** The strong entity tag without its quotes, usually the version. */
  etag?: string | number;
  /** The cursor of the next page, which becomes a Link header. */
  next?: string | null;
  headers?: Record<string, string>;
  /** The seq that the answer is true for: what was sensitive then is blanked too. */
  at?: number;
  /** Counts all items of a list, for a client that prefers so (total-count.ts); null where it has too many to count. */
  count?: () => Promise<number | null>;
  /** Of a stream: the answer without `stream`, which a repeated Idempotency-Key gets. */
  kept?: Promise<unknown>;
};

export const reply = <T>(body: T, options: ReplyOptions = {}): Reply<T> => new Reply(body, options);

/** An answer that is not JSON or too long to hold in memory: a text, or an asynchronous source of pieces. */
export class Stream {
  readonly type: string;
  readonly content: string | AsyncIterable<string | Uint8Array>;
  readonly options: ReplyOptions;
  constructor(type: string, content: string | AsyncIterable<string | Uint8Array>, options: ReplyOptions = {}) {
    this.type = type;
    this.content = content;
    this.options = options;
  }
}

export type RouteDefinition<Q extends z.ZodType, B extends z.ZodType, R extends z.ZodType> = {
  /** The operation id of openapi.yaml, by which generated clients name the call. */
  id: string;
  method: Method;
  path: string;
  /** One line in the imperative for the API overview. */
  summary: string;
  description?: string;
  /** The scopes that a credential needs; `public` needs no credential, an empty list accepts any. */
  scopes: Scope[] | 'public';
  /** The API key may also come as the password of HTTP Basic, whose name is the account’s e-mail address. */
  basic?: boolean;
  query?: Q;
  body?: B;
  /** The route writes nothing although its method is POST. */
  reads?: true;
  /**
   * Content types of the body other than JSON (ANY_TYPE for any or none), and the most bytes that it has. With `bytes` the handler
   * decodes the body. `lines` is the member whose values an application/x-ndjson body lists, and `zipped` the one whose values the
   * lines of a file in an application/zip body are.
   */
  accepts?: {
    types: string[];
    limit: number;
    bytes?: boolean;
    lines?: string;
    zipped?: { file: string; member: string };
  };
  response: R;
  /**
   * How many of the user's places for requests under way it takes (concurrency.ts): 1 by default, more for large bodies, 0 for
   * routes that mostly wait.
   */
  concurrency_cost?: number;
  status?: number;
  /** Other statuses that are no problem: 304 without a body, others with the body of the response. */
  otherStatuses?: number[];
  /** The route takes messages of another protocol, which call other routes. It has no Idempotency-Key of its own. */
  otherProtocol?: boolean;
  /** The route serves a page or a part of one, or WebDAV, so openapi.yaml does not describe it. */
  undocumented?: boolean;
  /**
   * The answer is a list. It has pages, with cursor and Link, unless it is always complete. On request all items are counted
   * (total-count.ts), unless it says why they are not.
   */
  list?: 'counted' | 'complete' | { uncounted: string };
  /** The answer holds a secret that is shown once, so it is neither kept for replay nor cached. */
  secret?: boolean;
  /**
   * The handler blanks the answer for each caller itself. All other answers are blanked when they are sent
   * (ledger/sensitive-values.ts).
   */
  presented?: boolean;
  /** The problems that the service of this route can throw, beside those that follow from the definition (route-problems.ts). */
  problems?: ProblemCode[];
  /** The content type of an answer that is not JSON, for openapi.yaml. */
  produces?: string;
  /** Content types that the route answers with where `Accept` asks for them: a text, or a stream of items with this schema. */
  onAccept?: Record<string, z.ZodType>;
  /** The messages that the client of a socket sends; `response` are those of the service. */
  clientMessages?: z.ZodType;
  /** An example of the request, which test/api/examples.test.ts sends. `text` is a body that is no JSON. */
  examples?: { query?: z.input<Q>; body?: z.input<B>; text?: string };
  handler: (
    input: Input<z.output<Q>, z.output<B>>,
  ) => Promise<z.input<R> | Reply<z.input<R>> | Stream> | z.input<R> | Reply<z.input<R>> | Stream;
};

// oxlint-disable-next-line typescript/no-explicit-any -- a table holds routes of every shape; route() has checked each
export type Route = RouteDefinition<any, any, any> & { tag: string };

const READING = new Set<Method>(['get', 'options', 'propfind', 'report']);
/** Whether a request by this route may be answered as another credential of the account would be (`Read-As`). */
export const isReading = ({ method, reads, scopes, clientMessages }: Route): boolean =>
  scopes !== 'public' && clientMessages === undefined && (reads ?? READING.has(method));

export const hasPages = ({ list }: Route): boolean => list !== undefined && list !== 'complete';
export const isCounted = ({ list }: Route): boolean => typeof list === 'string';

/** Checks the types of a definition; `routes()` adds the tag to a list of them. */
export const route = <
  Q extends z.ZodType = z.ZodUndefined,
  B extends z.ZodType = z.ZodUndefined,
  R extends z.ZodType = z.ZodType,
>(
  definition: RouteDefinition<Q, B, R>,
): RouteDefinition<Q, B, R> => definition;

// oxlint-disable-next-line typescript/no-explicit-any -- see Route
export const routes = (tag: string, list: RouteDefinition<any, any, any>[]): Route[] =>
  list.map((r) => ({ ...r, tag }));
