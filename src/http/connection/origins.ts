/** Decides which origins of browser pages may read answers and open sockets. */

export type Origins = { any: boolean; none: boolean; includes: (origin: string) => boolean };

/** A front end under development, at any port of this machine. */
const LOOPBACK = /^https?:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$/;

/**
 * @param listed CORS_ORIGINS; `*` allows any origin
 * @param loopback whether pages of this machine are allowed too: on the embedded default, so that a front end under development
 * works at once
 */
export const createOrigins = (listed: readonly string[], loopback: boolean): Origins => ({
  any: listed.includes('*'),
  none: !listed.length && !loopback,
  includes: (origin) => listed.includes('*') || listed.includes(origin) || (loopback && LOOPBACK.test(origin)),
});
