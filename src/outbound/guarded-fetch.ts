/**
 * Sends the service's own requests to URLs that users chose: webhooks and calendar sources. Each connection resolves the host
 * once, checks every address, and connects to one of those (docs/decisions.md, Requests to addresses that users choose). So a
 * host that resolves to another address the next time (DNS rebinding) changes nothing.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { createReach, type Reach } from './reachable-addresses.ts';

export type OutboundCode =
  | 'url_refused'
  | 'address_refused'
  | 'host_unknown'
  | 'connection_failed'
  | 'timed_out'
  | 'too_large'
  | 'encoding_refused'
  | 'too_many_redirects';

/** Why a request got no answer that can be used. The message is for the person who chose the URL. */
export class OutboundError extends Error {
  readonly code: OutboundCode;
  constructor(code: OutboundCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type OutboundRequest = {
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body?: string;
  /** The limit for the whole request, from the resolution of the host to the last byte. */
  timeoutMs: number;
  /** The limit of the answer's body. */
  maxBytes: number;
  /** What happens to a longer body: the rest is not read, or the request fails. */
  longer: 'cut' | 'fail';
  signal?: AbortSignal | undefined;
};

export type OutboundAnswer = {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
};

/** Resolves a host to all of its addresses. Tests replace it. */
export type Resolve = (host: string) => Promise<string[]>;

export type OutboundOptions = {
  /** Networks that requests may reach besides public addresses, and by http too (OUTBOUND_NETWORKS). */
  networks: readonly string[];
  resolve?: Resolve | undefined;
  /** Certificate authorities instead of the built-in ones, for tests. */
  ca?: string | undefined;
};

const MOST_REDIRECTS = 5;
const USER_AGENT = 'Almanac';

const bySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) =>
      error ? reject(error) : resolve(found.map(({ address }) => address)),
    );
  });

/** The host of a URL as an address, without the brackets of IPv6; null for a name. URL reads 0x7f.1 and 2130706433 as addresses. */
const literalOf = ({ hostname }: URL): string | null => {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) ? bare : null;
};

const refusedAddress = (host: string): OutboundError =>
  new OutboundError(
    'address_refused',
    `${host} has an address that is not public, such as one of a private network, and requests to it are refused.`,
  );

const failureOf = (error: unknown, { signal, timeoutMs }: OutboundRequest): OutboundError => {
  if (error instanceof OutboundError) return error;
  const { name = '', code = 'unknown' } = error as { name?: string; code?: string };
  if (name === 'TimeoutError' || (name === 'AbortError' && !signal?.aborted))
    return new OutboundError('timed_out', `No complete answer came within ${timeoutMs / 1000} seconds.`);
  return new OutboundError('connection_failed', `The connection failed (${code}).`);
};

export const createOutbound = ({ networks, resolve = bySystem, ca }: OutboundOptions) => {
  const reachOf = createReach(networks);

  /** By http only networks that the operator allowed are reached, because others on the way could read the request. */
  const isAllowed = (reach: Reach, protocol: string, from: Reach | null): boolean =>
    reach === 'internal' ? from !== 'public' : reach === 'public' && protocol === 'https:';

  /**
   * Checks a URL before any request: its form, and its host where that is an address already.
   * @returns what is wrong with it, in a form that continues "must"; null where it may be tried
   */
  const faultOf = (text: string, from: Reach | null = null): string | null => {
    const url = URL.parse(text);
    if (!url?.hostname || !/^https?:$/.test(url.protocol)) return 'must be a URL that begins with https://';
    if (url.username || url.password) return 'must not contain a user name or a password';
    const literal = literalOf(url);
    if (url.protocol === 'http:' && (!networks.length || from === 'public')) return 'must begin with https://';
    if (literal !== null && !isAllowed(reachOf(literal), url.protocol, from))
      return url.protocol === 'http:' && reachOf(literal) === 'public'
        ? 'must begin with https://'
        : 'must not name an address that is not public';
    return null;
  };

  /** Resolves a host to addresses that may be connected to. @throws OutboundError */
  const checkedAddresses = async (host: string, protocol: string, from: Reach | null): Promise<LookupAddress[]> => {
    const found = await resolve(host).catch(() => {
      throw new OutboundError('host_unknown', `The host ${host} could not be resolved.`);
    });
    const isFine = found.length > 0 && found.every((address) => isAllowed(reachOf(address), protocol, from));
    if (!isFine) throw refusedAddress(host);
    return found.map((address) => ({ address, family: isIP(address) }));
  };

  /** Resolves a host for one connection, which is then made to one of the addresses that were checked here. */
  const guardedLookup =
    (protocol: string, from: Reach | null): LookupFunction =>
    (host, { all }, done) => {
      const answer = async (): Promise<void> => {
        try {
          const addresses = await checkedAddresses(host, protocol, from);
          const [first] = addresses as [LookupAddress];
          if (all) done(null, addresses);
          else done(null, first.address, first.family);
        } catch (error) {
          done(error as Error, []);
        }
      };
      void answer();
    };

  const readBody = async (answer: IncomingMessage, { maxBytes, longer }: OutboundRequest): Promise<Buffer> => {
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of answer as AsyncIterable<Buffer>) {
      size += piece.length;
      if (size <= maxBytes) pieces.push(piece);
      else if (longer === 'fail')
        throw new OutboundError('too_large', `The answer is larger than ${Math.floor(maxBytes / 1024)} KiB.`);
      else break;
    }
    return Buffer.concat(pieces);
  };

  type Agents = { http: HttpAgent; https: HttpsAgent };
  const agentsFor = (from: Reach | null): Agents => ({
    http: new HttpAgent({ keepAlive: true, maxSockets: 1, lookup: guardedLookup('http:', from) }),
    https: new HttpsAgent({
      keepAlive: true,
      maxSockets: 1,
      lookup: guardedLookup('https:', from),
      ...(ca === undefined ? {} : { ca }),
    }),
  });
  const closeAgents = ({ http, https }: Agents): void => {
    http.destroy();
    https.destroy();
  };

  /** Sends one request and reads its answer. Redirects are answers like others. */
  const send = (agents: Agents, url: URL, asked: OutboundRequest): Promise<OutboundAnswer & { reach: Reach }> => {
    const { method, headers, body, timeoutMs, signal } = asked;
    const limit = AbortSignal.timeout(timeoutMs);
    const isHttps = url.protocol === 'https:';
    const responseOf = (): Promise<IncomingMessage | 'again'> =>
      new Promise((done, fail) => {
        const request = (isHttps ? httpsRequest : httpRequest)(url, {
          method,
          headers: { 'User-Agent': USER_AGENT, 'Accept-Encoding': 'identity', ...headers },
          agent: isHttps ? agents.https : agents.http,
          signal: signal ? AbortSignal.any([limit, signal]) : limit,
        });
        request.on('response', done);
        request.on('error', (error) => {
          // A server may close an idle connection at the moment at which it is used again.
          const isReset = (error as { code?: string }).code === 'ECONNRESET';
          if (request.reusedSocket && isReset) done('again');
          else fail(error);
        });
        request.end(body);
      });
    const attempt = async (): Promise<OutboundAnswer & { reach: Reach }> => {
      const answer = await responseOf();
      if (answer === 'again') return attempt();
      const reach = reachOf(answer.socket.remoteAddress ?? '');
      const read = await readBody(answer, asked);
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: read, reach };
    };
    return attempt().catch((error: unknown) => {
      throw failureOf(limit.aborted ? limit.reason : error, asked);
    });
  };

  const requireFine = (url: URL, from: Reach | null): void => {
    const fault = faultOf(url.href, from);
    if (fault !== null) throw new OutboundError('url_refused', `The address ${fault}.`);
  };

  return {
    faultOf,

    /**
     * Opens a session with one URL. Its requests share a connection, follow no redirects, and come one after the other.
     * @throws OutboundError where there is no answer
     */
    session: (target: string) => {
      const url = new URL(target);
      const agents = agentsFor(null);
      return {
        send: async (asked: OutboundRequest): Promise<OutboundAnswer> => {
          requireFine(url, null);
          return send(agents, url, asked);
        },
        close: (): void => closeAgents(agents),
      };
    },

    /**
     * Fetches a URL and follows up to five redirects, each of which passes the same checks. A public server cannot redirect
     * into the operator's networks. An answer that is compressed although it was not asked for is refused.
     * @throws OutboundError where there is no answer
     */
    fetch: async (target: string, asked: OutboundRequest): Promise<OutboundAnswer> => {
      let url = new URL(target);
      let from: Reach | null = null;
      const ends = performance.now() + asked.timeoutMs;
      for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
        requireFine(url, from);
        const agents = agentsFor(from);
        const timeoutMs = Math.max(1, Math.ceil(ends - performance.now()));
        const answer = await send(agents, url, { ...asked, timeoutMs }).finally(() => closeAgents(agents));
        const next = [301, 302, 303, 307, 308].includes(answer.status) ? answer.headers.location : undefined;
        if (next === undefined) {
          const encoding = answer.headers['content-encoding'] ?? 'identity';
          if (encoding !== 'identity' && answer.body.length)
            throw new OutboundError('encoding_refused', 'The answer is compressed, although that was not asked for.');
          return answer;
        }
        const location = URL.parse(next, url.href);
        if (!location) throw new OutboundError('url_refused', 'The server redirects to an address that is not valid.');
        url = location;
        from = answer.reach;
      }
      throw new OutboundError('too_many_redirects', `The server redirects more than ${MOST_REDIRECTS} times.`);
    },
  };
};

export type Outbound = ReturnType<typeof createOutbound>;
