/** Sends one message to a webhook, signed as Standard Webhooks asks (https://www.standardwebhooks.com). */
import { Webhook as Signer } from 'standardwebhooks';
import type { Clock } from '../common/clock.ts';
import { OutboundError, type OutboundAnswer, type OutboundRequest } from '../outbound/guarded-fetch.ts';
import { millis, type Instant } from '../domain/time/time.ts';
import type { Delivery } from './schemas.ts';

/** The limit for one delivery. Standard Webhooks recommends 15 to 30 s. */
export const DELIVERY_MS = 15_000;
/** Of an answer only the status counts. */
const ANSWER_BYTES = 16 * 1024;
/** The longest wait that a Retry-After header can ask for. */
const MAX_WAIT_MS = 3_600_000;

export type Session = { send: (asked: OutboundRequest) => Promise<OutboundAnswer>; close: () => void };
export type Outgoing = { id: string; type: string; text: string };

/** What signs messages. The previous secret signs too until its end, as Standard Webhooks asks where a secret is rotated. */
export type Secrets = { secret: string; previous_secret: string | null; previous_until: Instant | null };

const signaturesOf = (
  { secret, previous_secret: previous, previous_until: until }: Secrets,
  { id, text }: Outgoing,
  at: Date,
): string => {
  const isKept = previous !== null && until !== null && at.getTime() < millis(until);
  return [secret, ...(isKept ? [previous] : [])].map((one) => new Signer(one).sign(id, at, text)).join(' ');
};

/** `ended` says that the endpoint answered 410, by which it asks to be sent nothing more. */
export type Attempt = { delivery: Delivery; ended: boolean; wait_ms: number };

const waitOf = (header: string | undefined): number =>
  header !== undefined && /^\d{1,6}$/.test(header) ? Math.min(Number(header) * 1000, MAX_WAIT_MS) : 0;

/** @param attempt the number of this attempt, from 1. @throws where `signal` aborted it */
export const deliver = async (
  session: Session,
  { secrets, attempt, clock, signal }: { secrets: Secrets; attempt: number; clock: Clock; signal?: AbortSignal },
  outgoing: Outgoing,
): Promise<Attempt> => {
  const { id, type, text } = outgoing;
  const began = performance.now();
  const sent = new Date(clock.millis());
  const made = (status: number | null, error: string | null): Delivery => ({
    ...{ at: sent.toISOString(), message_id: id, type, attempt, delivered: error === null, status, error },
    duration_ms: Math.round(performance.now() - began),
  });
  try {
    const { status, headers } = await session.send({
      method: 'POST',
      headers: {
        'Content-Type': 'application/cloudevents+json; charset=utf-8',
        'Content-Length': String(Buffer.byteLength(text)),
        'webhook-id': id,
        'webhook-timestamp': String(Math.floor(sent.getTime() / 1000)),
        'webhook-signature': signaturesOf(secrets, outgoing, sent),
      },
      body: text,
      timeoutMs: DELIVERY_MS,
      maxBytes: ANSWER_BYTES,
      longer: 'cut',
      signal,
    });
    const isFine = status >= 200 && status < 300;
    const delivery = made(status, isFine ? null : `The endpoint answered ${status}.`);
    return { delivery, ended: status === 410, wait_ms: isFine ? 0 : waitOf(headers['retry-after']) };
  } catch (error) {
    if (signal?.aborted || !(error instanceof OutboundError)) throw error;
    return { delivery: made(null, error.message), ended: false, wait_ms: 0 };
  }
};
