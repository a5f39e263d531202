/** Routes under /user: sessions (session-routes.ts), registration, profile, API keys, socket tickets. */
import { z } from 'zod';
import { PageQuery } from '../http/cursors.ts';
import { ifMatch } from '../http/preconditions.ts';
import { reply, route, routes, type Route } from '../http/route.ts';
import { InstantOut } from '../domain/record/field-shapes.ts';
import { UserId } from '../http/shapes.ts';
import { textPage } from '../http/pages/text-pages.ts';
import type { Accounts } from './account-erasure.ts';
import type { Keys } from './api-keys.ts';
import type { ProfileRow } from './profile.ts';
import { Erased, Erasure, Key, MadeKey, NewKey, Profile, Registration, Session, Updates, WhoAmI } from './schemas.ts';
import type { UserService } from './service.ts';
import { adminRoutes, type AdminRoutesDeps } from './admin-routes.ts';
import { checkPage, fromOf, handOver, sessionRoutes } from './session-routes.ts';
import type { LoginLinks } from './login-links.ts';
import type { Tickets } from './socket-tickets.ts';

export type UserRoutesDeps = AdminRoutesDeps & {
  users: UserService;
  accounts: Accounts;
  keys: Keys;
  tickets: Tickets;
  links: LoginLinks;
  /** The tempo profile with what was learned, from the tempo feature. */
  tempoOf: (user_id: string, row: ProfileRow) => Promise<z.input<typeof Profile>['tempo']>;
};

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
export const userRoutes = (deps: UserRoutesDeps): Route[] => {
  const { users, accounts, keys, tickets, tempoOf } = deps;
  const present = async (user_id: string, row: ProfileRow) => {
    // In the order of the schema; the database sorts the members by their length.
    const { execution, limits, memory, calendars } = row.profile.settings;
    return reply(
      {
        user_id,
        email: row.email,
        display_name: row.profile.display_name,
        timezone: row.profile.timezone,
        settings: { execution, limits, memory, ...(calendars ? { calendars } : {}) },
        tempo: await tempoOf(user_id, row),
      },
      { etag: row.version },
    );
  };

  return routes('user', [
    ...sessionRoutes(deps),
    route({
      id: 'register',
      method: 'post',
      path: '/user/register',
      summary: 'Make an account',
      description:
        'Makes an account with an `invitation`, or where the operator has set ALLOW_REGISTRATION=true. Otherwise the answer is 404. With `refresh_in: "cookie"` the refresh token is in a cookie, as at a login.',
      problems: ['registration_closed', 'email_taken', 'too_many_logins', 'forbidden_origin'],
      scopes: 'public',
      body: Registration,
      response: Session,
      status: 201,
      secret: true,
      examples: { body: { email: 'ada@example.org', password: 'correct horse battery', timezone: 'Europe/Berlin' } },
      handler: async ({ body: { refresh_in, ...account }, request }) => {
        checkPage(refresh_in, request);
        return handOver(await users.register(account, fromOf(request)), refresh_in, request);
      },
    }),
    route({
      id: 'whoami',
      method: 'get',
      path: '/user/whoami',
      summary: 'Read who the credential belongs to, and what it may do',
      scopes: [],
      response: WhoAmI,
      handler: ({ caller }) => keys.whoami(caller),
    }),
    route({
      id: 'getProfile',
      method: 'get',
      path: '/user/profile',
      summary: 'Read the profile with settings, limits and tempo',
      scopes: ['user:read'],
      query: z.strictObject({ user_id: UserId }),
      response: Profile,
      handler: async ({ caller }) => present(caller.user_id, await users.profile(caller.user_id)),
    }),
    route({
      id: 'updateProfile',
      method: 'patch',
      path: '/user/update',
      summary: 'Change the profile and settings',
      description:
        'Applies a JSON Merge Patch (RFC 7396) to display_name, timezone, password (with current_password), execution, limits and memory. With If-Match, a change of an older version is 412.',
      problems: ['wrong_credentials', 'version_mismatch', 'too_many_logins'],
      scopes: ['user:write', 'user:read'],
      body: z.strictObject({ user_id: UserId, updates: Updates }),
      response: Profile,
      examples: { body: { updates: { limits: { budget: { per_day: 5 } } } } },
      handler: async ({ caller, body, request }) =>
        present(
          caller.user_id,
          await users.update(caller, body.updates, { expected: ifMatch(request), ip: request.ip }),
        ),
    }),
    route({
      id: 'eraseAccount',
      method: 'delete',
      path: '/user/account',
      summary: 'Erase the account',
      description:
        'Erases the account. It needs the password, even with an API key. All data of the account is deleted, and its e-mail address can be used again. Only the hash chain of the ledger remains, without any text. Every credential becomes invalid at once. This cannot be undone, so use GET /user/archive first.',
      problems: ['user_not_found', 'wrong_credentials', 'too_many_logins'],
      scopes: ['user:write'],
      body: Erasure,
      response: Erased,
      examples: { body: { password: 'correct horse battery' } },
      handler: async ({ caller, body, request }) => {
        const { user_id, ...head } = await accounts.erase(caller, body.password, request.ip);
        return { user_id, erased: true as const, head };
      },
    }),
    route({
      id: 'listKeys',
      method: 'get',
      path: '/user/keys',
      summary: 'List API keys',
      description: 'Lists the API keys by their ids. Revoked keys stay in the list, with `revoked_at`.',
      scopes: ['keys:manage'],
      query: z.strictObject({ user_id: UserId, ...PageQuery }),
      response: z.array(Key),
      list: 'counted',
      examples: { query: { limit: 20 } },
      handler: ({ caller: { user_id }, query }) =>
        textPage(query, {
          name: 'keys',
          keyOf: ({ id }) => id,
          read: (after, limit) => keys.list(user_id, after, limit),
          count: () => keys.count(user_id),
        }),
    }),
    route({
      id: 'createKey',
      method: 'post',
      path: '/user/keys',
      summary: 'Make an API key',
      description:
        'Makes an API key. The answer shows the key once. A key of the kind agent can never hold plan:decide, calendar:write, tempo:write, keys:manage, user:write, export:sensitive or admin. A key of the kind feed is valid for calendar feeds only.',
      scopes: ['keys:manage'],
      body: NewKey,
      response: MadeKey,
      status: 201,
      secret: true,
      examples: { body: { kind: 'agent', label: 'research agent' } },
      handler: ({ caller, body }) => keys.make(caller, body),
    }),
    route({
      id: 'revokeKey',
      method: 'delete',
      path: '/user/keys',
      summary: 'Revoke an API key',
      description:
        'Revokes an API key. This instance refuses the key at once, every other instance within a second. Its sockets are closed.',
      problems: ['key_not_found'],
      scopes: ['keys:manage'],
      query: z.strictObject({ id: z.string().max(64), user_id: UserId }),
      response: z.object({ id: z.string(), revoked: z.literal(true) }),
      examples: { query: { id: 'f3kq81zt' } },
      handler: ({ caller, query }) => keys.revoke(caller, query.id),
    }),
    route({
      id: 'createSocketTicket',
      method: 'post',
      path: '/user/ws-ticket',
      summary: 'Get a ticket for a WebSocket',
      description:
        'Answers a ticket for browsers, which cannot send headers when they open a WebSocket. Use it once, within 30 seconds, as GET /ws?ticket=...',
      problems: ['too_many_tickets'],
      scopes: ['plan:read'],
      body: z.strictObject({}),
      response: z.object({ ticket: z.string(), expires_at: InstantOut }),
      secret: true,
      examples: { body: {} },
      handler: ({ caller }) => tickets.issue(caller),
    }),
    ...adminRoutes(deps),
  ]);
};
