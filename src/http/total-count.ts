/** Total counts of lists, on request: `Prefer: count=exact` (RFC 7240). */
import { isCounted, type ReplyOptions, type Route } from './route.ts';

const COUNT = /(?:^|[,;])\s*count\s*=\s*"?exact"?\s*(?:$|[,;])/i;

const wantsCount = (prefer: string | undefined): boolean => prefer !== undefined && COUNT.test(prefer);

/** The headers with the number of items on all pages. Without the preference, or with too many items, there are none. */
export const countHeaders = async (
  route: Route,
  { body, options }: { body: unknown; options: ReplyOptions },
  prefer: string | undefined,
): Promise<Record<string, string>> => {
  if (!isCounted(route) || !wantsCount(prefer)) return {};
  const total = route.list === 'complete' ? (body as unknown[]).length : await options.count?.();
  if (total === undefined) throw new Error(`${route.id} declares a counted list, but its answer cannot be counted`);
  return total === null ? {} : { 'Preference-Applied': 'count=exact', 'X-Total-Count': String(total) };
};
