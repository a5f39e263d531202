/**
 * Runs a reader of the ledgers in the background, such as an embedder: collects the users who wrote, claims some of them at a
 * time so that no two instances read the same ledger, and pauses while the embedder does not answer.
 */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../../db/database.ts';
import { EmbedderAway } from '../../llm/embedding-model.ts';
import type { Logger } from '../../observability/log.ts';
import { claim, releaseClaims, usersBehind, type Claim } from './progress.ts';

export type Reader = {
  /** The key under which its progress is stored. @throws where the embedder cannot be reached */
  key: (signal: AbortSignal) => Promise<string>;
  /** Embeds some entries of each claim. @returns the users with more entries */
  read: (claims: Claim[], key: string, signal: AbortSignal) => Promise<string[]>;
};

export type EmbeddingLoopDeps = {
  db: Db;
  log: Logger;
  reader: Reader;
  /** Users whose entries other processes wrote are searched this often; null: only once after the start. */
  everyMs: number | null;
};

/** Commits in this time are embedded together. */
const GATHER_MS = 25;
/** A user whom another instance has claimed is tried again after this long. */
const TAKEN_MS = 250;
/** Users whose claims a crashed instance left are searched this often: one scan of ledger_heads, 0.1 s for 100,000 users. */
export const SWEEP_MS = 60_000;
const SWEEP_USERS = 1_000;
const USERS = 16;
const BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;
/** The loop obeys Retry-After up to an hour, since clocks differ and the header can hold any date. */
const LONGEST_WAIT_MS = 3_600_000;

// oxlint-disable-next-line eslint/max-lines-per-function -- The loop and its timers share one state.
export const createEmbeddingLoop = ({ db, log, reader, everyMs }: EmbeddingLoopDeps) => {
  const behind = new Set<string>();
  const aborting = new AbortController();
  const { signal } = aborting;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let started = false;
  let failures = 0;
  /** The last user of the search for unfinished users. undefined means that the search is complete. */
  let searchedUpTo: string | undefined = '';

  const addUnfinished = async (key: string): Promise<void> => {
    if (searchedUpTo === undefined || behind.size) return;
    const found = await usersBehind(db, key, searchedUpTo, SWEEP_USERS);
    for (const user_id of found) behind.add(user_id);
    searchedUpTo = found.length === SWEEP_USERS ? found.at(-1) : undefined;
  };

  /** Embeds entries of some users. @returns whether this instance could do anything */
  const round = async (): Promise<boolean> => {
    if (!behind.size && searchedUpTo === undefined) return false;
    const key = await reader.key(signal);
    await addUnfinished(key);
    const users = [...behind].slice(0, USERS);
    if (!users.length) return false;
    for (const user_id of users) behind.delete(user_id); // A user who writes after this is added again.
    let mine: Claim[] = [];
    try {
      const { claims, taken } = await claim(db, key, users);
      mine = claims;
      const more = claims.length ? await reader.read(claims, key, signal) : [];
      for (const user_id of [...more, ...taken]) behind.add(user_id);
    } catch (error) {
      for (const user_id of users) behind.add(user_id);
      await releaseClaims(db, key, mine).catch(() => undefined); // A claim that cannot be released expires on its own.
      throw error;
    }
    return mine.length > 0;
  };

  /** Works until nothing is left, or other instances have claimed what is left. */
  const rounds = async (): Promise<void> => {
    while (!signal.aborted && (await round())) {
      failures = 0;
      await setImmediate(); // Yields to other requests, since the embedded database answers without leaving the event loop.
    }
  };

  const pause = (error: unknown): number => {
    const wait = error instanceof EmbedderAway ? error.wait : undefined;
    return wait === undefined
      ? Math.min(LONGEST_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2)
      : Math.min(LONGEST_WAIT_MS, wait);
  };

  /** @returns the milliseconds until the loop should continue, or null where nothing is left */
  const run = async (): Promise<number | null> => {
    try {
      await rounds();
    } catch (error) {
      if (signal.aborted) return null;
      const milliseconds = Math.round(pause(error));
      failures += 1;
      const why = error instanceof EmbedderAway ? { why: error.message } : { err: error };
      log[failures === 1 ? 'warn' : 'debug'](
        { ...why, milliseconds },
        'reading the ledgers pauses and will continue; nothing is lost',
      );
      return milliseconds;
    }
    return behind.size ? TAKEN_MS : null;
  };

  const go = async (): Promise<void> => {
    const next = await run();
    running = undefined;
    if (next !== null) schedule(next);
  };

  const schedule = (ms: number): void => {
    if (!started || timer || running || signal.aborted) return;
    timer = setTimeout(() => {
      timer = undefined;
      running = go();
    }, ms).unref();
  };

  return {
    /** Call this when the user has written. */
    follow: (user_id: string): void => {
      behind.add(user_id);
      schedule(GATHER_MS);
    },
    start: (): void => {
      started = true;
      schedule(0);
      if (everyMs === null) return;
      sweeping = setInterval(() => {
        searchedUpTo ??= '';
        schedule(0);
      }, everyMs).unref();
    },
    settle: async (): Promise<void> => {
      searchedUpTo ??= '';
      await rounds();
    },
    /** Whether every ledger was read to its end since the start. */
    isDone: (): boolean => searchedUpTo === undefined && !behind.size && !running,
    stop: async (): Promise<void> => {
      aborting.abort();
      clearTimeout(timer);
      clearInterval(sweeping);
      await running;
    },
  };
};
