/** One turn of a webhook: sends it the changes after its position in order, and saves how far it has come. */
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Scope } from '../domain/access/caller.ts';
import { instantOf, millis, type Instant } from '../domain/time/time.ts';
import { isShown, type Change, type Feed } from '../live/changes.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import { deliver, DELIVERY_MS, type Attempt } from './delivery.ts';
import { CLAIM_MS, postpone, release, saveFailure, saveProgress, type Claimed } from './queries.ts';
import { isGivenUp, retryAfter } from './retry-schedule.ts';
import type { Delivery } from './schemas.ts';

export type PauseFailure = { seq: number; log: Delivery[]; failures: number; failing_since: Instant; reason: string };

/** Pauses a webhook for good and says so to its user. Returns false where the claim was lost. */
export type Pause = (webhook: Claimed, claim: string, failure: PauseFailure) => Promise<boolean>;

export type TurnDeps = {
  db: Db;
  clock: Clock;
  changes: Feed;
  outbound: Outbound;
  pause: Pause;
  /** Ends the turn. */
  signal: AbortSignal;
  counts: { delivered: number; failed: number };
  /** Looks again whether something is to be sent to the webhooks of this user. */
  follow: (user_id: string) => void;
};

/** The number of ledger entries in one read. */
const PAGE = 100;
/** A webhook gives its place to others after this time. */
const TURN_MS = 10_000;
/** The position is saved after this many deliveries or this time. A crash repeats at most that. */
const SAVE_EACH = 100;
const SAVE_MS = 250;
/** A webhook whose changes could not be read is served again after this time. */
const POSTPONED_MS = 5_000;
/** How often the webhooks of all users are searched for retries that are due, and for claims of crashed instances. */
export const SEARCH_MS = 2_000;
/** The log of a webhook has this many attempts. */
const MAX_LOG = 100;

export const createTurn = ({ db, clock, changes, outbound, pause, signal, counts, follow }: TurnDeps) => {
  /** Sends what follows the position of a webhook, until nothing is left, a delivery fails, or its turn is over. */
  return async (webhook: Claimed, claim: string): Promise<void> => {
    const { user_id, types } = webhook;
    const scopes = new Set(webhook.scopes as Scope[]);
    const session = outbound.session(webhook.url);
    const began = performance.now();
    let claimedAt = began;
    let attempts = webhook.log;
    let at = { seq: webhook.seq, mark: null as string | null };
    let unsaved = 0;
    let { failures, failing_since: since } = webhook;

    const save = async (): Promise<number | null> => {
      const renewed = performance.now();
      const last = attempts.findLast(({ delivered }) => delivered);
      const delivered_at = unsaved ? (last?.at ?? null) : null;
      const head = await saveProgress(db, webhook, claim, { seq: at.seq, log: attempts, delivered_at });
      claimedAt = renewed;
      unsaved = 0;
      return head;
    };

    const fail = async ({ ended, wait_ms, delivery }: Attempt): Promise<void> => {
      failures += 1;
      const failing_since = since ?? delivery.at;
      const failure = { seq: at.seq, log: attempts, failures, failing_since };
      if (ended || isGivenUp(millis(failing_since), clock.millis())) {
        const reason = ended
          ? 'The endpoint answered 410 Gone.'
          : `Deliveries have failed since ${failing_since}. ${delivery.error}`;
        await pause(webhook, claim, { ...failure, reason });
        return;
      }
      const wait = retryAfter(failures, wait_ms);
      await saveFailure(db, webhook, claim, { ...failure, retry_at: instantOf(clock.millis() + wait) });
      if (wait < SEARCH_MS) setTimeout(() => follow(user_id), wait).unref();
    };

    /** @returns false where sending to this webhook ends for now */
    const send = async (change: Change): Promise<boolean> => {
      const { message } = change;
      if (!message || !isShown(change, scopes) || (types && !types.includes(message.type))) return true;
      const isLate = performance.now() - claimedAt > CLAIM_MS - 2 * DELIVERY_MS;
      if (isLate && (await save()) === null) return false;
      const outgoing = { id: message.id, type: message.type, text: change.text };
      const attempt = await deliver(session, { secrets: webhook, attempt: failures + 1, clock, signal }, outgoing);
      attempts = [...attempts, attempt.delivery].slice(-MAX_LOG);
      counts[attempt.delivery.delivered ? 'delivered' : 'failed'] += 1;
      if (!attempt.delivery.delivered) {
        await fail(attempt);
        return false;
      }
      failures = 0;
      since = null;
      unsaved += 1;
      return true;
    };

    /** Sends a page of changes. @returns false where sending to this webhook ends for now */
    const sendAll = async (page: readonly Change[]): Promise<boolean> => {
      for (const change of page) {
        if (!(await send(change))) return false;
        at = change;
        const isDue = unsaved >= SAVE_EACH || (unsaved > 0 && performance.now() - claimedAt > SAVE_MS);
        if (isDue && (await save()) === null) return false;
      }
      return true;
    };

    try {
      while (!signal.aborted) {
        const page = await changes.read(user_id, at, PAGE);
        if (!(await sendAll(await changes.shownTo({ user_id, scopes }, page.changes)))) return;
        if (!page.changes.length) at = page.upto;
        if (page.more && performance.now() - began < TURN_MS) continue;
        const head = await save();
        // An entry may have been written since this page was read.
        if (head === null || head <= at.seq || performance.now() - began >= TURN_MS) return;
      }
    } catch (error) {
      await (signal.aborted ? save() : postpone(db, webhook, claim, instantOf(clock.millis() + POSTPONED_MS)));
      if (!signal.aborted) throw error;
    } finally {
      session.close();
      await release(db, webhook, claim);
    }
  };
};
