/** Total counts of lists, on request: `Prefer: count=exact` (RFC 7240). */

const COUNT = /(?:^|[,;])\s*count\s*=\s*"?exact"?\s*(?:$|[,;])/i;

export const wantsCount = (prefer: string | undefined): boolean => prefer !== undefined && COUNT.test(prefer);

/** A list counts at most this many items. The preference is not applied to a longer one. */
export const MOST_COUNTED = 100_000;

/** @param total null where the list is longer than is counted */
export const countHeaders = (total: number | null): Record<string, string> =>
  total === null ? {} : { 'Preference-Applied': 'count=exact', 'X-Total-Count': String(total) };

/** @param count of at most MOST_COUNTED + 1 items */
export const upTo = (count: number): number | null => (count > MOST_COUNTED ? null : count);
