/** What only the service's own pages may do: requests that carry a cookie must come from them (RFC 6454). */
import { problem } from '../common/problem.ts';
import type { RequestFacts } from './route.ts';

/** Browsers send the origin of the page with every POST. A proxy may end TLS, so only the hosts are compared. @throws 403 */
export const requireOwnPage = (request: RequestFacts): void => {
  const origin = request.header('origin');
  const host = origin === undefined ? undefined : URL.parse(origin)?.host;
  const own = [request.header('host'), URL.parse(request.origin)?.host];
  if (!host || !own.includes(host))
    throw problem(
      'forbidden_origin',
      origin === undefined
        ? 'The cookie is for pages of this service: the request must have its Origin.'
        : `Pages of ${origin.slice(0, 100)} may not use the cookie. Send the refresh token in the body.`,
    );
};

/** Returns whether the page was loaded over TLS, as the browser says. */
export const isSecurePage = (request: RequestFacts): boolean => request.header('origin')?.startsWith('https:') === true;

/** Returns the value of one cookie (RFC 6265 §5.4). */
export const cookieOf = (request: RequestFacts, name: string): string | undefined =>
  request
    .header('cookie')
    ?.split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
