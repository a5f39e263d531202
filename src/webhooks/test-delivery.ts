/** Sends a test to a webhook at once, and tells what came of it. */
import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import { deliver } from './delivery.ts';
import type { Delivery } from './schemas.ts';
import { load } from './recorded.ts';

export type TestDeliveryDeps = { reads: Db; outbound: Outbound; clock: Clock };

export const createTestDelivery = ({ reads, outbound, clock }: TestDeliveryDeps) => {
  /** Sends a message of the type webhook.test at once, whatever the state of the webhook. */
  const test = async (caller: Caller, id: string, signal: AbortSignal): Promise<Delivery> => {
    const webhook = await load(reads, caller.user_id, id);
    const session = outbound.session(webhook.url);
    const message = {
      specversion: '1.0',
      id: `${caller.user_id}:test:${randomUUIDv7()}`,
      source: `/ledger/${encodeURIComponent(caller.user_id)}`,
      ...{ type: 'webhook.test', subject: id, time: clock.now(), data: {} },
    };
    const outgoing = { id: message.id, type: message.type, text: JSON.stringify(message) };
    try {
      return (await deliver(session, { secrets: webhook, attempt: 1, clock, signal }, outgoing)).delivery;
    } finally {
      session.close();
    }
  };

  return { test };
};
