/**
 * Reads the address of a request once. The router matches text and the URL parser normalises it, so an address that the two could
 * read differently is refused (docs/decisions.md, An address has one spelling).
 */
import type { IncomingMessage } from 'node:http';

const BASE = 'http://almanac';
const AUTHORITY = /^https?:\/\/[^/?#\\@]+/i;
/** An empty segment; an encoded slash, backslash or NUL. */
const AMBIGUOUS = /\/\/|%(?:2f|5c|00)/i;

/** The path and query of a request target (RFC 9112 §3.2): all of it, or what follows the authority. Null where it is no address. */
export const targetOf = (sent: string): string | null => {
  if (!URL.canParse(sent, BASE)) return null;
  const rest = sent.replace(AUTHORITY, '');
  if (rest.startsWith('/')) return rest;
  return rest !== sent && /^(\?|$)/.test(rest) ? `/${rest}` : null;
};

/**
 * The address of a path and query. Null where it is spelled in another way than the URL parser writes it (dot segments,
 * backslashes, characters that RFC 3986 does not allow), or has a fragment or what AMBIGUOUS names: no resource has it.
 */
export const addressOf = (target: string): URL | null => {
  const [path = ''] = target.split('?');
  const url = URL.parse(target, BASE);
  const isPlain = url?.origin === BASE && url.pathname === path && !target.includes('#') && !AMBIGUOUS.test(path);
  return isPlain ? url : null;
};

/** Says what is wrong with the Host of a request, which has one field of it (RFC 9112 §3.2); null where nothing is. */
export const hostFault = ({ httpVersion, headers, rawHeaders }: IncomingMessage): string | null => {
  const count = rawHeaders.filter((name, i) => i % 2 === 0 && name.toLowerCase() === 'host').length;
  if (count > 1) return `A request must have one Host header, and this one has ${count}.`;
  return httpVersion === '1.1' && !headers.host ? 'An HTTP/1.1 request must have a Host header.' : null;
};

/**
 * Says what a WebSocket handshake lacks that arrived as an ordinary request; null for any other request. Proxies do not pass these
 * lines by themselves (RFC 9110 §7.6.1), but those that begin with Sec-WebSocket.
 */
export const handshakeFault = ({ headers, httpVersion }: IncomingMessage): string | null => {
  if (headers['sec-websocket-key'] === undefined) return null;
  const missing = [
    ...(headers.upgrade?.toLowerCase() === 'websocket' ? [] : ['Upgrade: websocket']),
    ...(/\bupgrade\b/i.test(headers.connection ?? '') ? [] : ['Connection: Upgrade']),
    ...(httpVersion === '1.1' ? [] : ['the version HTTP/1.1']),
  ];
  if (!missing.length) return null;
  return `This WebSocket handshake lacks ${missing.join(', ')} (RFC 6455 §4.1). The proxy in front of the service must pass this; for nginx: proxy_http_version 1.1; proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;`;
};
