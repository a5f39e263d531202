/**
 * Reads the address of a request once. The router matches text and the URL parser normalises it, so an address that the two could
 * read differently is refused (docs/decisions.md, An address has one spelling).
 */
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
