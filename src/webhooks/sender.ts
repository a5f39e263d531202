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
import type { Feed } from '../live/changes.ts';
import type { Logger } from '../observability/log.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import { claimDue, type Claimed } from './queries.ts';
import { createTurn, SEARCH_MS, type Pause } from './turn.ts';

export type SenderDeps = {
  handle: DatabaseHandle;
  clock: Clock;
  log: Logger;
  changes: Feed;
  outbound: Outbound;
  pause: Pause;
};

/** An instance sends to this many webhooks at a time. One holds a page of changes, at most 1 MB. */
const MAX_SENDING = 64;
/** Commits in this time are looked up together. */
const GATHER_MS = 20;

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

  const serve = createTurn({
    db,
    clock,
    changes,
    outbound,
    pause,
    signal,
    counts,
    follow: (user_id) => follow(user_id),
  });

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
