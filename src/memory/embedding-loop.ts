/** The loop behind an embedder: who has written, who has it in hand, and how long to leave an endpoint alone that can't answer. */
import { setImmediate } from 'node:timers/promises';
import type { Db } from '../db/database.ts';
import { EmbedderAway } from '../llm/embedding-model.ts';
import type { Logger } from '../observability/log.ts';
import { claim, giveBack, usersBehind, type Claim } from './embedding-progress.ts';

export type Reader = {
  /** What its place is kept under. @throws where the embedder can't be reached */
  key: (signal: AbortSignal) => Promise<string>;
  /** Reads on a little from each claim. @returns the users with more to read. */
  read: (claims: Claim[], key: string, signal: AbortSignal) => Promise<string[]>;
};

export type EmbeddingLoopDeps = {
  db: Db;
  log: Logger;
  reader: Reader;
  /** Whether it goes on after it has caught up. */
  lasting: boolean;
};

/** Commits within this long are read together. */
const GATHER_MS = 25;
/** Until a user whom another instance has in hand is asked for again. */
const TAKEN_MS = 250;
/** What other instances left behind when they died is looked for this often: one scan of ledger_heads, 0.1 s for 100,000 users. */
const SWEEP_MS = 60_000;
const SWEEP_USERS = 1_000;
const USERS = 16;
const BACKOFF_MS = 1_000;
const LONGEST_BACKOFF_MS = 60_000;
/** Retry-After is kept to, but not beyond an hour: clocks differ, and dates can be anything. */
const LONGEST_WAIT_MS = 3_600_000;

export const createEmbeddingLoop = ({ db, log, reader, lasting }: EmbeddingLoopDeps) => {
  const behind = new Set<string>();
  const aborting = new AbortController();
  const { signal } = aborting;
  let timer: NodeJS.Timeout | undefined;
  let sweeping: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let started = false;
  let failures = 0;
  /** Where the last look for those left behind ended; undefined: it is over. */
  let looked: string | undefined = '';

  const look = async (key: string): Promise<void> => {
    if (looked === undefined || behind.size) return;
    const found = await usersBehind(db, key, looked, SWEEP_USERS);
    for (const user_id of found) behind.add(user_id);
    looked = found.length === SWEEP_USERS ? found.at(-1) : undefined;
  };

  /** Some users. @returns whether there was anything to do that this instance could do. */
  const round = async (): Promise<boolean> => {
    if (!behind.size && looked === undefined) return false;
    const key = await reader.key(signal);
    await look(key);
    const users = [...behind].slice(0, USERS);
    if (!users.length) return false;
    for (const user_id of users) behind.delete(user_id); // whoever writes from now on is behind again
    let mine: Claim[] = [];
    try {
      const { claims, taken } = await claim(db, key, users);
      mine = claims;
      const more = claims.length ? await reader.read(claims, key, signal) : [];
      for (const user_id of [...more, ...taken]) behind.add(user_id);
    } catch (error) {
      for (const user_id of users) behind.add(user_id);
      await giveBack(db, key, mine).catch(() => undefined); // else they are free again by themselves
      throw error;
    }
    return mine.length > 0;
  };

  /** Until there is nothing to do, or what there is is in other hands. */
  const rounds = async (): Promise<void> => {
    while (!signal.aborted && (await round())) {
      failures = 0;
      await setImmediate(); // the embedded database answers without a turn of the event loop
    }
  };

  const pause = (error: unknown): number => {
    const wait = error instanceof EmbedderAway ? error.wait : undefined;
    return wait === undefined
      ? Math.min(LONGEST_BACKOFF_MS, BACKOFF_MS * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2)
      : Math.min(LONGEST_WAIT_MS, wait);
  };

  /** @returns milliseconds until it should go on, null where there is nothing to go on with */
  const run = async (): Promise<number | null> => {
    try {
      await rounds();
    } catch (error) {
      if (signal.aborted) return null;
      const milliseconds = Math.round(pause(error));
      failures += 1;
      const why = error instanceof EmbedderAway ? { why: error.message } : { err: error };
      log[failures === 1 ? 'warn' : 'debug']({ ...why, milliseconds }, 'embedding pauses; nothing is lost');
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
    /** The user has written. */
    follow: (user_id: string): void => {
      behind.add(user_id);
      schedule(GATHER_MS);
    },
    start: (): void => {
      started = true;
      schedule(0);
      if (!lasting) return;
      sweeping = setInterval(() => {
        looked ??= '';
        schedule(0);
      }, SWEEP_MS).unref();
    },
    settle: async (): Promise<void> => {
      looked ??= '';
      await rounds();
    },
    stop: async (): Promise<void> => {
      aborting.abort();
      clearTimeout(timer);
      clearInterval(sweeping);
      await running;
    },
  };
};
