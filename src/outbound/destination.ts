/**
 * Decides where a request goes. The host of a URL is resolved once, every address of it is judged, and connections are made to these
 * addresses only. How far they reach is remembered with them, because a connection that was reset no longer has an address.
 */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { OutboundError } from './outbound-error.ts';
import { createReach, type Reach } from './reachable-addresses.ts';

/** Resolves a host to all of its addresses. Tests replace it. */
export type Resolve = (host: string) => Promise<string[]>;

/** How far a server reaches that was asked; null before the first one. */
export type From = Exclude<Reach, 'refused'> | null;

export type Destination = {
  url: URL;
  /** What connections name: an address, which Node does not resolve, or a name, which Node resolves by `lookup`. */
  host: string;
  lookup: LookupFunction;
  /** `public` where any address is, so that no redirect leads from there into the operator's networks. */
  reach: Exclude<From, null>;
};

const bySystem: Resolve = (host) =>
  new Promise((resolve, reject) => {
    systemLookup(host, { all: true }, (error, found) =>
      error ? reject(error) : resolve(found.map(({ address }) => address)),
    );
  });

/** The host of a URL without the brackets of IPv6. URL reads 0x7f.1, 2130706433 and %3127.0.0.1 as the addresses that they are. */
const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Answers every question with the same addresses. */
const answering =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_host, { all }, done) => {
    const [first] = addresses as [LookupAddress];
    if (all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };

const NOT_PUBLIC = 'must not name an address that is not public';

/** In CIDR notation, which requests may reach besides public addresses, and by http too; or what says it for each request. */
export type Networks = readonly string[] | (() => Promise<readonly string[]>);

export const createDestinations = (networks: Networks, resolve: Resolve = bySystem) => {
  const networksNow = async (): Promise<readonly string[]> => (typeof networks === 'function' ? networks() : networks);

  /** By http only networks that the operator allowed are reached, because others on the way could read the request. */
  const isAllowed = (reach: Reach, { protocol }: URL, from: From): boolean =>
    reach === 'internal' ? from !== 'public' : reach === 'public' && protocol === 'https:';

  const faultIn = (url: URL | null, from: From, allowed: readonly string[]): string | null => {
    if (!url?.hostname || !/^https?:$/.test(url.protocol)) return 'must be a URL that begins with https://';
    if (url.username || url.password) return 'must not contain a user name or a password';
    if (url.protocol === 'http:' && (!allowed.length || from === 'public')) return 'must begin with https://';
    const host = hostOf(url);
    const reach = isIP(host) ? createReach(allowed)(host) : null;
    if (reach === null || isAllowed(reach, url, from)) return null;
    return url.protocol === 'http:' && reach === 'public' ? 'must begin with https://' : NOT_PUBLIC;
  };

  /**
   * Checks the form of a URL, and its host where that is an address already.
   * @returns what is wrong with it, in a form that continues "must"; null where it may be tried
   */
  const faultOf = async (url: URL | null): Promise<string | null> => faultIn(url, null, await networksNow());

  /** @param from the server that redirects there @throws OutboundError where no request may be sent there */
  const find = async (url: URL, from: From): Promise<Destination> => {
    const allowed = await networksNow();
    const fault = faultIn(url, from, allowed);
    if (fault !== null) throw new OutboundError('url_refused', `The address ${fault}.`);
    const host = hostOf(url);
    const found = isIP(host)
      ? [host]
      : await resolve(host).catch(() => {
          throw new OutboundError('host_unknown', `The host ${host} could not be resolved.`);
        });
    const reaches = found.map(createReach(allowed));
    if (!found.length || !reaches.every((reach) => isAllowed(reach, url, from)))
      throw new OutboundError(
        'address_refused',
        `${host} has an address that is not public, such as one of a private network, and requests to it are refused.`,
      );
    const lookup = answering(found.map((address) => ({ address, family: isIP(address) })));
    return { url, host, lookup, reach: reaches.includes('public') ? 'public' : 'internal' };
  };

  return { faultOf, find };
};
