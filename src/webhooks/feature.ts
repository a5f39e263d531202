/** Creates the webhooks feature: the service of its routes, and the sender that works in the background. */
import type { DatabaseHandle } from '../db/database.ts';
import { createSender, type SenderDeps } from './sender.ts';
import { createWebhooks, type WebhooksDeps } from './service.ts';

export type WebhooksFeatureDeps = Omit<WebhooksDeps, 'reads'> & Omit<SenderDeps, 'pause'> & { handle: DatabaseHandle };

export const createWebhooksFeature = (deps: WebhooksFeatureDeps) => {
  const webhooks = createWebhooks({ ...deps, reads: deps.handle.reads });
  return { webhooks, sender: createSender({ ...deps, pause: webhooks.pause }) };
};
