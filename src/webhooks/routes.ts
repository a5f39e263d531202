/** Routes under /user/webhooks: where a user’s changes are sent. */
import { z } from 'zod';
import { route, routes, type Route } from '../http/route.ts';
import { textPage } from '../http/pages/text-pages.ts';
import {
  Delivery,
  MadeWebhook,
  MAX_WEBHOOKS,
  NewWebhook,
  Webhook,
  WebhookEdit,
  WebhookRef,
  WebhooksQuery,
} from './schemas.ts';
import type { Webhooks } from './service.ts';

const WHAT = `Every change that the credential may read is sent to the URL as a POST, with the CloudEvent of the socket as its body (\`application/cloudevents+json\`), in the order of the ledger, one at a time. It is signed as Standard Webhooks asks: verify the headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` with the secret. Answer with 2xx within 15 seconds; redirects are not followed. Any other answer is tried again with growing pauses of up to an hour. After three days, or after 410, the webhook is paused, and a trace says so. A change can arrive twice, with the same \`webhook-id\`. A user has at most ${MAX_WEBHOOKS} webhooks.`;

// oxlint-disable-next-line eslint/max-lines-per-function -- This is a table of routes.
export const webhookRoutes = ({ webhooks }: { webhooks: Webhooks }): Route[] =>
  routes('webhooks', [
    route({
      id: 'createWebhook',
      method: 'post',
      path: '/user/webhooks',
      summary: 'Make a webhook',
      description: WHAT,
      scopes: ['keys:manage'],
      body: NewWebhook,
      response: MadeWebhook,
      status: 201,
      secret: true,
      problems: ['too_many_webhooks'],
      examples: { body: { url: 'https://hooks.example.org/almanac', types: ['plan.proposed'] } },
      handler: ({ caller, body }) => webhooks.make(caller, body),
    }),
    route({
      id: 'listWebhooks',
      method: 'get',
      path: '/user/webhooks',
      summary: 'List webhooks with their state',
      scopes: ['keys:manage'],
      query: WebhooksQuery,
      response: z.array(Webhook),
      list: 'counted',
      examples: { query: { limit: 10 } },
      handler: ({ caller: { user_id }, query }) =>
        textPage(query, {
          name: 'webhooks',
          keyOf: ({ id }) => id,
          read: (after, limit) => webhooks.list(user_id, after, limit),
          count: () => webhooks.count(user_id),
        }),
    }),
    route({
      id: 'updateWebhook',
      method: 'patch',
      path: '/user/webhooks',
      summary: 'Change, pause or resume a webhook',
      description:
        'Changes a webhook. From then on it receives what this credential may read. A webhook that is set to active continues after the last change that was delivered, at once.',
      scopes: ['keys:manage'],
      body: WebhookEdit,
      response: Webhook,
      problems: ['webhook_not_found'],
      examples: { body: { id: '0199f0f0-0000-7000-8000-000000000000', updates: { status: 'active' } } },
      handler: ({ caller, body }) => webhooks.update(caller, body),
    }),
    route({
      id: 'removeWebhook',
      method: 'delete',
      path: '/user/webhooks',
      summary: 'Remove a webhook',
      scopes: ['keys:manage'],
      query: WebhookRef,
      response: z.object({ id: z.string(), removed: z.literal(true) }),
      examples: { query: { id: '0199f0f0-0000-7000-8000-000000000000' } },
      problems: ['webhook_not_found'],
      handler: ({ caller, query }) => webhooks.remove(caller, query.id),
    }),
    route({
      id: 'rotateWebhookSecret',
      method: 'post',
      path: '/user/webhooks/rotate-secret',
      summary: 'Give a webhook a new secret',
      description:
        'Answers the new secret once. For 24 hours `webhook-signature` has two signatures, with the new and with the previous secret, so that the endpoint can change over without a lost message. Rotating again ends the secret before the previous one at once.',
      scopes: ['keys:manage'],
      body: WebhookRef,
      response: MadeWebhook,
      secret: true,
      examples: { body: { id: '0199f0f0-0000-7000-8000-000000000000' } },
      problems: ['webhook_not_found'],
      handler: ({ caller, body }) => webhooks.rotateSecret(caller, body.id),
    }),
    route({
      id: 'testWebhook',
      method: 'post',
      path: '/user/webhooks/test',
      summary: 'Send a test message to a webhook',
      description:
        'Sends a message of the type `webhook.test` at once, and answers what came of it. The position and the log of the webhook do not change.',
      scopes: ['keys:manage'],
      body: WebhookRef,
      response: Delivery,
      examples: { body: { id: '0199f0f0-0000-7000-8000-000000000000' } },
      problems: ['webhook_not_found'],
      handler: ({ caller, body, request }) => webhooks.test(caller, body.id, request.signal),
    }),
    route({
      id: 'listWebhookDeliveries',
      method: 'get',
      path: '/user/webhooks/deliveries',
      summary: 'List the newest deliveries of a webhook',
      description: 'Lists the last 100 attempts, newest first.',
      scopes: ['keys:manage'],
      query: WebhookRef,
      response: z.array(Delivery),
      list: 'complete',
      examples: { query: { id: '0199f0f0-0000-7000-8000-000000000000' } },
      problems: ['webhook_not_found'],
      handler: ({ caller, query }) => webhooks.deliveries(caller.user_id, query.id),
    }),
  ]);
