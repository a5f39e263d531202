/** What only the service's own pages may do: requests that carry a cookie must come from them (RFC 6454). */
import { problem } from '../../common/problem.ts';
import type { RequestFacts } from '../route.ts';

/** Browsers send the origin of the page with every POST. @throws 403 */
export const requireOwnPage = ({ page }: RequestFacts): void => {
  if (page?.own) return;
  throw problem(
    'forbidden_origin',
    page === null
      ? 'The cookie is for pages of this service: the request must have its Origin.'
      : `Pages of ${page.shown} may not use the cookie. A program sends the refresh token in the body. ${page.remedy}`,
  );
};

/** Returns the value of one cookie (RFC 6265 §5.4). */
export const cookieOf = (request: RequestFacts, name: string): string | undefined =>
  request
    .header('cookie')
    ?.split('; ')
    .find((pair) => pair.startsWith(`${name}=`))
    ?.slice(name.length + 1);
