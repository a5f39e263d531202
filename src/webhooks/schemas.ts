/** Schemas of webhooks: what requests contain, what is answered, and the attempts of the log. */
import { z } from 'zod';
import { list } from '../domain/record/bounded-collections.ts';
import { InstantOut } from '../domain/record/field-shapes.ts';
import { PageQuery } from '../http/cursors.ts';
import { UserId } from '../http/shapes.ts';
import { Change } from '../live/schemas.ts';

/** The types of messages, as the socket has them. */
const TYPES = Change.options.flatMap((option) => [...option.shape.type.options]);

/** A user has at most this many, since every change is sent to each. */
export const MAX_WEBHOOKS = 10;

const Types = list(z.enum(TYPES as [string, ...string[]]), TYPES.length)
  .min(1)
  .nullable()
  .describe(
    'The types of changes to send, such as `plan.proposed`. null, the default, means all types, also those that later versions add.',
  );
const Description = z.string().trim().min(1).max(200).nullable().describe('What the webhook is for.');
const Url = z
  .string()
  .max(2_000)
  .describe('The address that gets the changes: https, on a public address, without a user name or a password.');

export const NewWebhook = z.strictObject({
  user_id: UserId,
  url: Url,
  types: Types.optional(),
  description: Description.optional(),
});
export type NewWebhook = z.infer<typeof NewWebhook>;

const WebhookUpdates = z
  .strictObject({
    url: Url.optional(),
    types: Types.optional(),
    description: Description.optional(),
    status: z
      .enum(['active', 'paused'])
      .optional()
      .describe(
        '`paused` stops deliveries; `active` continues after the last one that was delivered, so no change is lost.',
      ),
  })
  .meta({ id: 'WebhookUpdates', description: 'The new values. A field that is missing does not change.' });

export const WebhookEdit = z.strictObject({ user_id: UserId, id: z.string().max(64), updates: WebhookUpdates });
export type WebhookEdit = z.infer<typeof WebhookEdit>;

export const WebhookRef = z.strictObject({ user_id: UserId, id: z.string().max(64) });
export const WebhooksQuery = z.strictObject({ user_id: UserId, ...PageQuery });

export const Webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    types: z.array(z.string()).nullable(),
    description: z.string().nullable(),
    scopes: z
      .array(z.string())
      .describe('What it may receive: what the credential that made or last changed it may read.'),
    status: z.enum(['active', 'paused']),
    paused_reason: z.string().nullable().describe('Why the service paused it, or null where a person did.'),
    failing_since: InstantOut.nullable().describe('When the delivery that is tried again failed for the first time.'),
    failures: z.int().describe('How often that delivery has failed.'),
    next_attempt_at: InstantOut.nullable(),
    last_delivery_at: InstantOut.nullable(),
    seq: z.int().describe('The position in the ledger: every change up to it was delivered, or is not sent here.'),
    behind: z.int().describe('How many ledger entries come after that position.'),
    previous_until: InstantOut.nullable().describe(
      'Until then messages are signed with the previous secret too; null where the secret was never rotated.',
    ),
    created_at: InstantOut,
    updated_at: InstantOut,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

export const MadeWebhook = Webhook.extend({
  secret: z
    .string()
    .describe('The secret that verifies signatures (Standard Webhooks, `whsec_...`). It is shown only once.'),
}).meta({ id: 'NewWebhook' });

export const Delivery = z
  .object({
    at: InstantOut,
    message_id: z.string().describe('The id of the change, which every attempt repeats (header `webhook-id`).'),
    type: z.string(),
    attempt: z.int().describe('The number of this attempt, from 1.'),
    delivered: z.boolean(),
    status: z.int().nullable().describe('The status of the answer, or null where there was none.'),
    error: z.string().nullable(),
    duration_ms: z.int(),
  })
  .meta({ id: 'WebhookDelivery', description: 'One attempt to deliver a change.' });
export type Delivery = z.infer<typeof Delivery>;
