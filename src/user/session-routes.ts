/** Routes of sessions: login by password or by link, refresh, logout. */
import { z } from 'zod';
import { problem } from '../common/problem.ts';
import { cookieOf, requireOwnPage } from '../http/pages/own-pages.ts';
import { PageQuery } from '../http/cursors.ts';
import { REFRESH_DAYS } from './renew-session.ts';
import { QueryFlag, UserId } from '../http/shapes.ts';
import { textPage } from '../http/pages/text-pages.ts';
import { reply, route, type Reply, type RequestFacts } from '../http/route.ts';
import { loginLink, type LoginLinks } from './login-links.ts';
import { LinkLogin, Login, LoginSession, MadeLoginLink, Refresh, Session, type RefreshIn } from './schemas.ts';
import type { From, UserService } from './service.ts';

const COOKIE = 'almanac_refresh';
const COOKIE_PATH = '/user/refresh';

const cookie = (value: string, seconds: number, request: RequestFacts): string =>
  [
    `${COOKIE}=${value}`,
    `Path=${COOKIE_PATH}`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(request.page?.isSecure ? ['Secure'] : []),
  ].join('; ');

/** Puts the refresh token where the client asked for it: into the answer, or into a cookie that no script can read. */
export const handOver = (session: Session, where: RefreshIn, request: RequestFacts): Session | Reply<Session> =>
  where === 'body'
    ? session
    : reply(
        { ...session, refresh_token: '' },
        { headers: { 'Set-Cookie': cookie(session.refresh_token, REFRESH_DAYS * 24 * 3600, request) } },
      );

export const checkPage = (where: RefreshIn, request: RequestFacts): void => {
  if (where === 'cookie') requireOwnPage(request);
};

/** A request without a token in its body is one of the console, whose cookie counts only for our own pages. */
const refreshTokenOf = (given: string | undefined, request: RequestFacts): { token: string; from: RefreshIn } => {
  if (given !== undefined) return { token: given, from: 'body' };
  const token = cookieOf(request, COOKIE);
  if (token === undefined)
    throw problem('unauthenticated', 'There is no refresh token, neither in the body nor in the cookie: log in.');
  requireOwnPage(request);
  return { token, from: 'cookie' };
};

export const fromOf = ({ ip, header }: RequestFacts): From => ({ ip, client: header('user-agent') });

const EndLogins = z
  .strictObject({
    user_id: UserId,
    id: z.string().max(64).optional().describe('The login that is ended.'),
    others: QueryFlag.optional().describe('`true` ends every login but the one of this request.'),
  })
  .refine(({ id, others }) => (id === undefined) === (others === true), {
    path: ['id'],
    error: 'must be there, or `others` must be true, and not both',
  });

export type SessionRoutesDeps = {
  users: UserService;
  links: LoginLinks;
  /** The address of the service where the operator has set it. */
  publicUrl: string | undefined;
};

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
export const sessionRoutes = ({ users, links, publicUrl }: SessionRoutesDeps) => [
  route({
    id: 'logIn',
    method: 'post',
    path: '/user/login',
    summary: 'Log in with e-mail and password',
    description:
      'Answers an access token that is valid for an hour, and a refresh token. The number of failed logins is limited per account and per address.',
    problems: ['wrong_credentials', 'account_disabled', 'too_many_logins', 'forbidden_origin'],
    scopes: 'public',
    body: Login,
    response: Session,
    secret: true,
    examples: { body: { email: 'ada@example.org', password: 'correct horse battery' } },
    handler: async ({ body: { refresh_in, ...login }, request }) => {
      checkPage(refresh_in, request);
      return handOver(await users.login(login, fromOf(request)), refresh_in, request);
    },
  }),
  route({
    id: 'logInWithLink',
    method: 'post',
    path: '/user/login-link',
    summary: 'Log in with a link',
    description:
      'Exchanges the ticket of a login link for a session. The service prints such a link when it starts (`/console/#ticket=...`), and POST /user/login-links makes one; it can be used once, within ten minutes.',
    problems: ['unauthenticated', 'account_disabled', 'forbidden_origin'],
    scopes: 'public',
    body: LinkLogin,
    response: Session,
    secret: true,
    examples: { body: { ticket: '...' } },
    handler: async ({ body, request }) => {
      checkPage(body.refresh_in, request);
      return handOver(await users.loginWithLink(body.ticket, request.header('user-agent')), body.refresh_in, request);
    },
  }),
  route({
    id: 'makeLoginLink',
    method: 'post',
    path: '/user/login-links',
    summary: 'Make a link that logs another device in',
    description:
      'Makes a link that logs its person in on another device, without a password. It can be used once, within ten minutes, until the password changes or the login that made it ends; ending all other logins ends it too. Only a login may make one: an API key, also one with `admin`, is refused with 403.',
    problems: ['login_required', 'too_many_tickets'],
    scopes: ['keys:manage'],
    body: z.strictObject({}),
    response: MadeLoginLink,
    status: 201,
    secret: true,
    examples: { body: {} },
    handler: async ({ caller, request }) => {
      const { ticket, expires_at } = await links.issueFor(caller);
      return { link: loginLink(publicUrl ?? request.origin, ticket), expires_at };
    },
  }),
  route({
    id: 'refreshSession',
    method: 'post',
    path: '/user/refresh',
    summary: 'Refresh a session',
    description:
      'Answers a new access token and a new refresh token; the old refresh token is then used up. Using it again ends the login, with all its tokens, because somebody may have stolen it. Only where the answer was lost it may be repeated: for a minute, and until the new token is used, the answer has the same new token. Without `refresh_token`, the cookie of the console is used, and the new token is set as that cookie; only pages of this service may do so.',
    problems: ['unauthenticated', 'forbidden_origin'],
    scopes: 'public',
    body: Refresh,
    response: Session,
    secret: true,
    examples: { body: { refresh_token: 'alm_refresh_...' } },
    handler: async ({ body, request }) => {
      const { token, from } = refreshTokenOf(body.refresh_token, request);
      return handOver(await users.refresh(token), from, request);
    },
  }),
  route({
    id: 'logOut',
    method: 'post',
    path: '/user/logout',
    summary: 'End a login',
    description:
      'Ends the login of this token, with its refresh token and its sockets, on every instance within a second. With `everywhere` it ends all logins of the user. API keys stay valid. The cookie of the console is cleared.',
    scopes: ['user:write'],
    body: z.strictObject({
      user_id: UserId,
      everywhere: z.boolean().default(false).describe('Whether to end all logins of the user, not only this one.'),
    }),
    response: z.object({ ended: z.literal(true) }),
    examples: { body: { everywhere: true } },
    handler: async ({ caller, body, request }) => {
      await users.logout(caller, body.everywhere);
      return reply({ ended: true as const }, { headers: { 'Set-Cookie': cookie('', 0, request) } });
    },
  }),
  route({
    id: 'listSessions',
    method: 'get',
    path: '/user/sessions',
    summary: 'List logins',
    description: 'Lists the logins of the person by their ids. API keys are no logins; GET /user/keys lists them.',
    scopes: ['keys:manage'],
    query: z.strictObject({ user_id: UserId, ...PageQuery }),
    response: z.array(LoginSession),
    list: 'counted',
    examples: { query: { limit: 20 } },
    handler: ({ caller, query }) =>
      textPage(query, {
        name: 'sessions',
        keyOf: ({ id }) => id,
        read: (after, limit) => users.logins(caller, after, limit),
        count: () => users.countLogins(caller.user_id),
      }),
  }),
  route({
    id: 'endSessions',
    method: 'delete',
    path: '/user/sessions',
    summary: 'End other logins',
    description:
      'Ends the login `id`, or with `others=true` every login but the one of this request, on every instance within a second, with its tokens and its sockets. API keys stay valid.',
    problems: ['session_not_found'],
    scopes: ['keys:manage'],
    query: EndLogins,
    response: z.object({ ended: z.number().int().describe('How many logins were ended.') }),
    examples: { query: { others: 'true' } },
    handler: async ({ caller, query }) => ({
      ended: await users.endLogins(caller, query.id === undefined ? 'others' : { id: query.id }),
    }),
  }),
];
