/**
 * Divides something scarce (connections, requests under way) fairly among users. A user holds at most a share of it and waits for
 * more in a queue of their own; the queues are served in rotation, so a user who sends much at once delays only themselves.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Problem } from './problem.ts';

/** The user whose work this is. Undefined is work of the service itself (credentials, sweeps), which no share bounds. */
type Who = string | undefined;

const asking = new AsyncLocalStorage<string>();

/** Runs `work`, and everything it starts, on behalf of a user. */
export const onBehalfOf = <T>(user_id: string, work: () => T): T => asking.run(user_id, work);

/** Names the share to which a request belongs. A person's agents have one of their own, so that they cannot delay the person. */
export const shareOf = ({ user_id, origin }: { user_id: string; origin: string }): string =>
  origin === 'agent' ? `${user_id} agents` : user_id;

/** Runs `work` for the service itself, because several users share its result. */
export const onNobodysBehalf = <T>(work: () => T): T => asking.exit(work);

export const whoAsks = (): Who => asking.getStore();

type Waiter = { weight: number; go: () => void; refuse: () => void };
type Line = { held: number; waiting: Waiter[] };

export type ShareLimits = {
  /** All users together hold at most this much. */
  size: number;
  /** One user holds at most this much. A user below it may take one more, whatever its weight. */
  each: (who: string) => number;
  /** At most this many requests of one user wait. */
  mostWaiting: number;
  patienceMs: number;
};

const RETRY = { headers: { 'Retry-After': '1' } };

export const createShares = ({ size, each, mostWaiting, patienceMs }: ShareLimits) => {
  /** The queues in the order in which they are served. A user who neither holds nor waits for anything has none. */
  const lines = new Map<Who, Line>();
  let taken = 0;
  let waiting = 0;

  const isFull = (who: Who, { held }: Line): boolean => taken >= size || (who !== undefined && held >= each(who));

  const start = (line: Line, weight: number): void => {
    line.held += weight;
    taken += weight;
  };

  const leave = (line: Line, waiter: Waiter): void => {
    line.waiting.splice(line.waiting.indexOf(waiter), 1);
    waiting -= 1;
  };

  const forget = (who: Who, { held, waiting: own }: Line): void => {
    if (!held && !own.length) lines.delete(who);
  };

  /** Serves the first queue that may go on, then moves it to the end. */
  const next = (): void => {
    for (const [who, line] of lines) {
      const [first] = line.waiting;
      if (!first || isFull(who, line)) continue;
      leave(line, first);
      start(line, first.weight);
      lines.delete(who);
      lines.set(who, line);
      first.go();
      if (taken >= size) return;
    }
  };

  const tooMany = (line: Line): Problem =>
    new Problem(
      'too_many_requests',
      `This user has too many requests at once, and ${line.waiting.length} of them wait. Send the next one when some are answered.`,
      RETRY,
    );
  const allTaken = (): Problem =>
    new Problem('database_unavailable', 'The database is busy with other requests. Try again in a second.', RETRY);

  const wait = (who: Who, line: Line, weight: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        weight,
        go: () => {
          clearTimeout(late);
          resolve();
        },
        refuse: () => {
          const own = who !== undefined && line.held >= each(who);
          leave(line, waiter);
          forget(who, line);
          reject(own ? tooMany(line) : allTaken());
        },
      };
      const late = setTimeout(waiter.refuse, patienceMs).unref();
      line.waiting.push(waiter);
      waiting += 1;
    });

  return {
    /**
     * Resolves when `user` may go on; give() ends it. Returns undefined, not a promise, where the user need not wait.
     * @throws 429 where the user's own queue is too long or their own work took all the time, 503 where others' work did.
     */
    take: (who: Who, weight = 1): Promise<void> | undefined => {
      let line = lines.get(who);
      if (!line) lines.set(who, (line = { held: 0, waiting: [] }));
      if (line.waiting.length >= mostWaiting) throw tooMany(line);
      if (line.waiting.length || isFull(who, line)) return wait(who, line, weight);
      start(line, weight);
      return undefined;
    },

    give: (who: Who, weight = 1): void => {
      const line = lines.get(who);
      if (!line) return;
      line.held -= weight;
      taken -= weight;
      if (waiting) next();
      forget(who, line);
    },

    /** Returns how many wait in all queues. */
    waiting: (): number => waiting,
  };
};

export type Shares = ReturnType<typeof createShares>;
