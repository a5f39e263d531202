/**
 * Sends changes to webhooks, in every instance. Each webhook has a position in its user's ledger and gets the changes after it
 * in order, one at a time. The position is saved after the delivery, so a crash repeats changes and loses none
 * (docs/decisions.md, Webhooks).
 */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../common/clock.ts';
import { onBehalfOfService } from '../common/fair-shares.ts';
import { Problem } from '../common/problem.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { Scope } from '../domain/access/caller.ts';
import { instantOf, millis, type Instant } from '../domain/time/time.ts';
import { isShown, type Change, type Feed } from '../live/changes.ts';
import type { Logger } from '../observability/log.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import { deliver, DELIVERY_MS, type Attempt } from './delivery.ts';
import { CLAIM_MS, claimDue, postpone, release, saveFailure, saveProgress, type Claimed } from './queries.ts';
import { isGivenUp, retryAfter } from './retry-schedule.ts';
import type { Delivery } from './schemas.ts';

export type SenderDeps = {
  handle: DatabaseHandle;
  clock: Clock;
  log: Logger;
  changes: Feed;
  outbound: Outbound;
  /** Pauses a webhook for good and says so to its user. Returns false where the claim was lost. */
  pause: (webhook: Claimed, claim: string, failure: PauseFailure) => Promise<boolean>;
};

export type PauseFailure = { seq: number; log: Delivery[]; failures: number; failing_since: Instant; reason: string };

/** An instance sends to this many webhooks at a time. One holds a page of changes, at most 1 MB. */
const MAX_SENDING = 64;
/** The number of ledger entries in one read. */
const PAGE = 100;
/** A webhook gives its place to others after this time. */
const TURN_MS = 10_000;
/** The position is saved after this many deliveries or this time. A crash repeats at most that. */
const SAVE_EACH = 100;
const SAVE_MS = 250;
/** A webhook whose changes could not be read is served again after this time. */
const POSTPONED_MS = 5_000;
/** Commits in this time are looked up together. */
const GATHER_MS = 20;
/** How often the webhooks of all users are searched for retries that are due, and for claims of crashed instances. */
const SEARCH_MS = 2_000;
/** The log of a webhook has this many attempts. */
const MAX_LOG = 100;

export const createSender = ({ handle, clock, log, changes, outbound, pause }: SenderDeps) => {
  const { db } = handle;
  const aborting = new AbortController();
  const { signal } = aborting;
  const sending = new Set<Promise<void>>();
  const counts = { delivered: 0, failed: 0 };
  let wrote = new Set<string>();
  let gathering: NodeJS.Timeout | undefined;
  let searching: NodeJS.Timeout | undefined;
  let started = false;

  /** Sends what follows the position of a webhook, until nothing is left, a delivery fails, or its turn is over. */
  const serve = async (webhook: Claimed, claim: string): Promise<void> => {
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

    try {
      while (!signal.aborted) {
        const page = await changes.read(user_id, at, PAGE);
        for (const change of await changes.shownTo({ user_id, scopes }, page.changes)) {
          if (!(await send(change))) return;
          at = change;
          const isDue = unsaved >= SAVE_EACH || (unsaved > 0 && performance.now() - claimedAt > SAVE_MS);
          if (isDue && (await save()) === null) return;
        }
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

  const begin = (webhook: Claimed, claim: string): void => {
    const { user_id, id } = webhook;
    // A commit of any user may have led here. Changes are read on behalf of the webhook's own user.
    const work = onBehalfOfService(() => serve(webhook, claim))
      .catch((error: unknown) => {
        const isKnown = error instanceof Problem;
        log[isKnown ? 'warn' : 'error']({ err: error, user_id, webhook: id }, 'a webhook could not be served');
      })
      .finally(() => {
        sending.delete(work);
        if (!signal.aborted && started) follow(user_id);
      });
    sending.add(work);
  };

  /** Claims what is due, and begins to send it. @returns how many webhooks */
  const round = async (users: string[] | null): Promise<number> => {
    const free = MAX_SENDING - sending.size;
    if (free <= 0 || signal.aborted || handle.isReadOnly()) return 0;
    const claim = randomUUID();
    const due = await onBehalfOfService(() => claimDue(db, claim, { now: clock.now(), limit: free, users }));
    for (const webhook of due) begin(webhook, claim);
    return due.length;
  };

  const quietly = (work: Promise<unknown>): Promise<unknown> =>
    work.catch((error: unknown) => log.debug({ err: error }, 'webhooks could not be searched, which will be repeated'));

  /** Call this when the user has written. */
  const follow = (user_id: string): void => {
    if (!started || signal.aborted) return;
    wrote.add(user_id);
    gathering ??= setTimeout(() => {
      gathering = undefined;
      const users = [...wrote];
      wrote = new Set();
      void quietly(round(users));
    }, GATHER_MS).unref();
  };

  const search = async (): Promise<void> => {
    await quietly(round(null));
    if (!signal.aborted) searching = setTimeout(() => void search(), SEARCH_MS).unref();
  };

  return {
    follow,
    start: (): void => {
      started = true;
      void search();
    },
    /** Sends everything that is due, for tests with a clock of their own. */
    settle: async (): Promise<void> => {
      while ((await round(null)) > 0 || sending.size) await Promise.all(sending);
    },
    counts: () => counts,
    /** Stops after saving what was delivered. A delivery under way is cut off, and repeated by the next instance. */
    stop: async (): Promise<void> => {
      aborting.abort();
      clearTimeout(gathering);
      clearTimeout(searching);
      await Promise.allSettled(sending);
    },
  };
};
