/** Routes of administrators under /user: invitations, and how much an account may store. */
import { z } from 'zod';
import { notFound } from '../common/problem.ts';
import type { Caller } from '../domain/access/caller.ts';
import { PageQuery } from '../http/cursors.ts';
import { textPage } from '../http/pages/text-pages.ts';
import { route } from '../http/route.ts';
import { UserId } from '../http/shapes.ts';
import type { Storage } from '../ledger/storage.ts';
import type { Invitations } from './invitations.ts';
import { Invitation, MadeInvitation, NewInvitation, StorageUse } from './schemas.ts';

export type AdminRoutesDeps = {
  invitations: Invitations;
  storage: Storage;
  /** The address of the service where the operator has set it. */
  publicUrl: string | undefined;
  limitStorage: (caller: Caller, bytes: number | null) => Promise<void>;
};

/** The link of an invitation. Browsers do not send what is behind the `#`, so it is in no log. */
export const invitationLink = (address: string, invitation: string): string =>
  `${address}/console/#invitation=${invitation}`;

const useOf = async (storage: Storage, user_id: string): Promise<z.input<typeof StorageUse>> => {
  const use = await storage.read(user_id);
  if (!use) throw notFound('user', user_id);
  return { user_id, ...use };
};

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
export const adminRoutes = ({ invitations, storage, publicUrl, limitStorage }: AdminRoutesDeps) => [
  route({
    id: 'listInvitations',
    method: 'get',
    path: '/user/invitations',
    summary: 'List invitations',
    description:
      'Lists the invitations that the administrator has made, by their ids. Those that were used or revoked stay in the list.',
    scopes: ['admin'],
    query: z.strictObject({ user_id: UserId, ...PageQuery }),
    response: z.array(Invitation),
    list: 'counted',
    examples: { query: { limit: 20 } },
    handler: ({ caller: { user_id }, query }) =>
      textPage(query, {
        name: 'invitations',
        keyOf: ({ id }) => id,
        read: (after, limit) => invitations.list(user_id, after, limit),
        count: () => invitations.count(user_id),
      }),
  }),
  route({
    id: 'createInvitation',
    method: 'post',
    path: '/user/invitations',
    summary: 'Invite a person',
    description:
      'Makes a link with which one person can make an account, also where registration is closed. The answer shows it once. It stops working when it expires or is revoked, and when whoever made it is disabled, is erased or is no administrator any more.',
    problems: ['too_many_invitations'],
    scopes: ['admin'],
    body: NewInvitation.extend({ user_id: UserId }),
    response: MadeInvitation,
    status: 201,
    secret: true,
    examples: { body: { label: 'Ada' } },
    handler: async ({ caller, body, request }) => {
      const expires_at = invitations.expiryOf(body.expires_at, caller.zone);
      const made = await invitations.make(caller, { label: body.label, expires_at });
      return { ...made, url: invitationLink(publicUrl ?? request.origin, made.invitation) };
    },
  }),
  route({
    id: 'revokeInvitation',
    method: 'delete',
    path: '/user/invitations',
    summary: 'Revoke an invitation',
    problems: ['invitation_not_found'],
    scopes: ['admin'],
    query: z.strictObject({ id: z.string().max(64), user_id: UserId }),
    response: z.object({ id: z.string(), revoked: z.literal(true) }),
    examples: { query: { id: '5f0a61c2b9d84e7733aa10fe' } },
    handler: ({ caller, query }) => invitations.revoke(caller, query.id),
  }),
  route({
    id: 'getStorage',
    method: 'get',
    path: '/user/storage',
    summary: 'Read how much the account stores, and may store',
    scopes: ['user:read'],
    query: z.strictObject({ user_id: UserId }),
    response: StorageUse,
    handler: ({ caller }) => useOf(storage, caller.user_id),
  }),
  route({
    id: 'limitStorage',
    method: 'patch',
    path: '/user/storage',
    summary: 'Limit how much an account may store',
    description:
      'Sets how many bytes the documents of an account may have. A limit below what is used removes nothing; it refuses further traces and events.',
    scopes: ['admin'],
    body: z.strictObject({
      user_id: UserId,
      limit_bytes: z
        .number()
        .int()
        .min(0)
        .max(1e15)
        .nullable()
        .describe('The limit; 0 for none, null for that of all accounts (USER_STORAGE_MB).'),
    }),
    response: StorageUse,
    examples: { body: { limit_bytes: 500_000_000 } },
    handler: async ({ caller, body }) => {
      await limitStorage(caller, body.limit_bytes);
      return useOf(storage, caller.user_id);
    },
  }),
];
