/**
 * Sends the service's own requests to URLs that users chose: webhooks and calendar sources. Where they may go is decided in
 * destination.ts (docs/decisions.md, Requests to addresses that users choose); here every answer has limits of time, size and work.
 */
import { Agent as HttpAgent, request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { createDestinations, type Destination, type From, type Networks, type Resolve } from './destination.ts';
import { OutboundError, tooSlow } from './outbound-error.ts';
import { readBody, type BodyLimits } from './read-body.ts';

export { OutboundError } from './outbound-error.ts';

export type OutboundRequest = BodyLimits & {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** The limit for the whole request, from the resolution of the host to the last byte. */
  timeoutMs: number;
  /** A shorter limit until each server begins to answer. */
  beginsMs?: number;
  signal?: AbortSignal | undefined;
};

export type OutboundAnswer = {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

export type OutboundOptions = {
  networks: Networks;
  resolve?: Resolve | undefined;
  /** Certificate authorities instead of the built-in ones, for tests. */
  ca?: string | undefined;
};

const MOST_REDIRECTS = 5;
/** A server may send this many interim answers (RFC 9110 §15.2). Reading them without a limit took half of a core. */
const MOST_INTERIM = 10;
const USER_AGENT = 'Almanac';

/** What the codes of Node mean for the person who chose the address. */
const MEANINGS: [RegExp, string][] = [
  [/^ECONNREFUSED$/, 'Nothing answers at this address and port. Start the server, or correct the address.'],
  [/^(?:ECONNRESET|EPIPE|closed)$/, 'The server closed the connection before it had answered.'],
  [/^E(?:HOST|NET)UNREACH$/, 'No network leads to this address.'],
  [/CERT|SELF_SIGNED/, 'The certificate of the server is not valid for this address.'],
];

const failed = (code: string): OutboundError => {
  const meaning = MEANINGS.find(([pattern]) => pattern.test(code))?.[1];
  const text = meaning === undefined ? '' : ` ${meaning}`;
  return new OutboundError('connection_failed', `The connection failed (${code}).${text}`);
};

const failureOf = (error: unknown): OutboundError => {
  if (error instanceof OutboundError) return error;
  const { code = 'unknown' } = error as { code?: string };
  return failed(code);
};

/** Waits for work until the signal aborts, because a resolution cannot be aborted, and because Node might not end a request. */
const until = async <T>(signal: AbortSignal, work: Promise<T>): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const end = (): void => reject(signal.reason as Error);
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
};

/** Aborts after a time with the failure that it is, or where the asked signal does. */
const within = (ms: number, failure: OutboundError, asked?: AbortSignal) => {
  const aborting = new AbortController();
  const timer = setTimeout(() => aborting.abort(failure), ms);
  const { signal } = aborting;
  return { signal: asked ? AbortSignal.any([signal, asked]) : signal, end: () => clearTimeout(timer) };
};

/**
 * Resolves with the beginning of the final answer; with `again` where the server closed an idle connection at the moment at which it
 * was used again. It always settles: Node closes a request that is answered 101 without an error.
 */
const answerOf = (request: ClientRequest): Promise<IncomingMessage | 'again'> =>
  new Promise((done, fail) => {
    let interim = 0;
    request.on('response', done);
    request.on('information', () => {
      interim += 1;
      if (interim > MOST_INTERIM) request.destroy(failed('too many interim answers'));
    });
    request.on('error', (error) => {
      const isReset = (error as { code?: string }).code === 'ECONNRESET';
      if (request.reusedSocket && isReset) done('again');
      else fail(error);
    });
    request.on('close', () => fail(failed('closed')));
  });

type Connections = { http: HttpAgent; https: HttpsAgent };

export const createOutbound = ({ networks, resolve, ca }: OutboundOptions) => {
  const destinations = createDestinations(networks, resolve);

  /** No proxy of the environment is used, because it would resolve the host again. */
  const connections = (): Connections => ({
    http: new HttpAgent({ keepAlive: true, maxSockets: 1, proxyEnv: undefined }),
    https: new HttpsAgent({
      ...{ keepAlive: true, maxSockets: 1, proxyEnv: undefined },
      ...(ca === undefined ? {} : { ca }),
    }),
  });
  const close = ({ http, https }: Connections): void => {
    http.destroy();
    https.destroy();
  };

  const begin = ({ http, https }: Connections, { url, host, lookup }: Destination, asked: OutboundRequest) => {
    const { method, headers } = asked;
    const isHttps = url.protocol === 'https:';
    return (isHttps ? httpsRequest : httpRequest)({
      ...{ method, hostname: host, lookup, agent: isHttps ? https : http },
      ...{ protocol: url.protocol, port: url.port, path: url.pathname + url.search },
      headers: { Host: url.host, 'User-Agent': USER_AGENT, 'Accept-Encoding': 'identity', ...headers },
    });
  };

  /** Sends one request and reads its answer. Redirects are answers like others. */
  const exchange = async (
    open: Connections,
    to: Destination,
    asked: OutboundRequest,
    signal: AbortSignal,
  ): Promise<OutboundAnswer> => {
    const request = begin(open, to, asked);
    const { timeoutMs, beginsMs = timeoutMs } = asked;
    const beginning = within(
      beginsMs,
      new OutboundError('timed_out', `No answer began within ${beginsMs / 1000} seconds.`),
      signal,
    );
    try {
      const answered = answerOf(request);
      request.end(asked.body);
      const answer = await until(beginning.signal, answered);
      if (answer === 'again') return await exchange(open, to, asked, signal);
      const body = await until(signal, readBody(answer, asked));
      return { status: answer.statusCode ?? 0, headers: answer.headers, body };
    } catch (error) {
      request.destroy();
      throw error;
    } finally {
      beginning.end();
    }
  };

  /** Gives work its time, and makes its failure one for people. */
  const limited = async <T>(asked: OutboundRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const limit = within(asked.timeoutMs, tooSlow(asked.timeoutMs), asked.signal);
    try {
      return await work(limit.signal);
    } catch (error) {
      throw failureOf(error);
    } finally {
      limit.end();
    }
  };

  /** Follows redirects. @returns the last answer */
  const follow = async (target: URL, asked: OutboundRequest, signal: AbortSignal): Promise<OutboundAnswer> => {
    let url = target;
    let from: From = null;
    for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
      const to: Destination = await until(signal, destinations.find(url, from));
      const open = connections();
      const answer = await exchange(open, to, asked, signal).finally(() => close(open));
      const next = [301, 302, 303, 307, 308].includes(answer.status) ? answer.headers.location : undefined;
      if (next === undefined) return answer;
      const location = URL.parse(next, url.href);
      if (!location) throw new OutboundError('url_refused', 'The server redirects to an address that is not valid.');
      url = location;
      from = to.reach;
    }
    throw new OutboundError('too_many_redirects', `The server redirects more than ${MOST_REDIRECTS} times.`);
  };

  return {
    /** @returns what is wrong with a URL, in a form that continues "must"; null where it may be tried */
    faultOf: (target: string): Promise<string | null> => destinations.faultOf(URL.parse(target)),

    /**
     * Opens a session with one URL, whose host is resolved once. Its requests share a connection, follow no redirects, and come one
     * after the other.
     * @throws OutboundError where there is no answer
     */
    session: (target: string) => {
      const open = connections();
      let found: Promise<Destination> | undefined;
      return {
        send: (asked: OutboundRequest): Promise<OutboundAnswer> =>
          limited(asked, async (signal) => {
            found ??= destinations.find(new URL(target), null);
            return exchange(open, await until(signal, found), asked, signal);
          }),
        close: (): void => close(open),
      };
    },

    /**
     * Fetches a URL and follows up to five redirects, each of which passes the same checks. A public server cannot redirect
     * into the operator's networks. An answer that is compressed although it was not asked for is refused.
     * @throws OutboundError where there is no answer
     */
    fetch: async (target: string, asked: OutboundRequest): Promise<OutboundAnswer> => {
      const answer = await limited(asked, (signal) => follow(new URL(target), asked, signal));
      const encoding = answer.headers['content-encoding'] ?? 'identity';
      if (encoding !== 'identity' && answer.body.length)
        throw new OutboundError('encoding_refused', 'The answer is compressed, although that was not asked for.');
      return answer;
    },
  };
};

export type Outbound = ReturnType<typeof createOutbound>;
