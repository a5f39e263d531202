/** A route is data: one definition serves validation, types, the scope check and openapi.yaml. */
import type { z } from 'zod';
import type { Caller, Scope } from '../domain/access/caller.ts';

export type Method = 'get' | 'post' | 'patch' | 'delete';

/** What a handler may know of the request beyond its parsed input. */
export type RequestFacts = {
  /** Path and query as asked, for Link headers. */
  url: URL;
  /** Where the client reached us, `https://almanac.example.org`: for links that leave the service. */
  origin: string;
  header: (name: string) => string | undefined;
  ip: string;
  /** Aborted when the client goes away. */
  signal: AbortSignal;
};

export type Input<Q, B> = { query: Q; body: B; caller: Caller; request: RequestFacts };

/** An answer that is more than its body. */
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
  /** Strong entity tag without quotes, usually the version. */
  etag?: string | number;
  /** Cursor of the next page, announced in Link. */
  next?: string | null;
  headers?: Record<string, string>;
};

export const reply = <T>(body: T, options: ReplyOptions = {}): Reply<T> => new Reply(body, options);

/** An answer that is not JSON, or too long to hold: text, or pieces of it (or of a file) as they come. */
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
  method: Method;
  path: string;
  /** One line, imperative, for the API overview. */
  summary: string;
  description?: string;
  /** Scopes needed; `public` needs no credential; an empty list any credential. */
  scopes: Scope[] | 'public';
  query?: Q;
  body?: B;
  /**
   * Content types of the body other than JSON, with the limit for imports; `bytes` leaves the decoding to the handler, `lines` is the
   * member that the values of an application/x-ndjson body stand for.
   */
  accepts?: { types: string[]; limit: string; bytes?: boolean; lines?: string };
  response: R;
  /** Of the user's places for requests under way (concurrency.ts): 1 when nothing is said, more for large bodies, none for what mostly waits. */
  concurrency_cost?: number;
  status?: number;
  /** The answer pages: limit, cursor and Link are documented. */
  pages?: boolean;
  /** The answer holds a secret shown once: never kept for replay, never cached. */
  secret?: boolean;
  /** The handler shows each caller what it may see by itself; of all others the answer is blanked on its way out (ledger/sensitive-values.ts). */
  presented?: boolean;
  /** Other content types it can answer, told in openapi.yaml. */
  produces?: string[];
  examples?: { query?: z.input<Q>; body?: z.input<B>; response?: z.input<R> };
  handler: (
    input: Input<z.output<Q>, z.output<B>>,
  ) => Promise<z.input<R> | Reply<z.input<R>> | Stream> | z.input<R> | Reply<z.input<R>> | Stream;
};

// oxlint-disable-next-line typescript/no-explicit-any -- a table holds routes of every shape; route() has checked each
export type Route = RouteDefinition<any, any, any> & { tag: string };

/** Checks a definition's types; `routes()` gives the list its tag. */
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
