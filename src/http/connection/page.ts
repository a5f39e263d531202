/**
 * Reads which page of a browser sent a request, and whether it is one of the service's own. Cookies, sockets and /mcp decide by this
 * one reading.
 */
import type { IncomingMessage } from 'node:http';

export type Page = {
  /** As the browser sent it (RFC 6454 §7). */
  origin: string;
  /** The origin for messages, which are short. */
  shown: string;
  hostname: string;
  isSecure: boolean;
  /**
   * How it is known to be of this service: by PUBLIC_URL, or because the request was sent to its host. A page that rebinds its name
   * to this machine has the host too, but no cookie of the service. null where it is of another service.
   */
  own: 'public_url' | 'host' | null;
  /** What the operator can do where a page of the service is taken for another one. */
  remedy: string;
};

/** Reads the page of a request; null where no page sent it. */
export type PageOf = (request: IncomingMessage) => Page | null;

/** The part before the first comma: proxies append to a header. */
const first = (header: string | string[] | undefined): string | undefined => header?.toString().split(',')[0]?.trim();

export const createPageOf =
  (publicUrl: string | undefined, trustProxy: number): PageOf =>
  ({ headers }) => {
    const { origin, host } = headers;
    if (origin === undefined) return null;
    const url = URL.parse(origin);
    const page = url?.origin === origin ? url : null;
    const isPublic = page !== null && publicUrl !== undefined && URL.parse(publicUrl)?.origin === page.origin;
    // A proxy may end TLS, so only the hosts are compared.
    const hosts = [host, trustProxy > 0 ? first(headers['x-forwarded-host']) : undefined];
    const isHost =
      page !== null && hosts.some((one) => one && URL.parse(`${page.protocol}//${one}`)?.host === page.host);
    const shown = origin.slice(0, 100);
    return {
      ...{ origin, shown },
      hostname: page?.hostname ?? '',
      isSecure: page?.protocol === 'https:',
      own: isPublic ? 'public_url' : isHost ? 'host' : null,
      remedy: `If ${shown} is the address of this service, the proxy in front of it must pass the header Host as the browser sent it (it passed ${(host ?? 'none').slice(0, 100)}), or PUBLIC_URL must be this address.`,
    };
  };
