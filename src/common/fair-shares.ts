/**
 * Fair shares of what there is little of (connections, requests under way): a user holds at most his share of it, waits for more in a
 * line of his own, and the lines take turns. Whoever asks for much at once waits for himself.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Problem } from './problem.ts';

/** Work of the service itself (credentials, sweeps) has nobody behind it, and no share that bounds it. */
type Who = string | undefined;

const asking = new AsyncLocalStorage<string>();

/** Runs `work`, and all that comes of it, on behalf of a user. */
export const onBehalfOf = <T>(user_id: string, work: () => T): T => asking.run(user_id, work);

/** For what many share. */
export const onNobodysBehalf = <T>(work: () => T): T => asking.exit(work);

export const whoAsks = (): Who => asking.getStore();

type Waiter = { weight: number; go: () => void; refuse: () => void };
type Line = { held: number; waiting: Waiter[] };

export type ShareLimits = {
  /** Of all together. */
  size: number;
  /** Of one user; whoever holds less may take one more, whatever its weight. */
  each: (who: string) => number;
  /** Longest line of one user, and how long anybody waits in one. */
  mostWaiting: number;
  patienceMs: number;
};

const RETRY = { headers: { 'Retry-After': '1' } };

export const createShares = ({ size, each, mostWaiting, patienceMs }: ShareLimits) => {
  /** In the order of their turns. Those who neither hold nor wait for anything are not in it. */
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

  /** Lets in the first whose turn it is; after it the others of his line are the last. */
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
      `You have more requests under way than are worked on at once, and ${line.waiting.length} wait: send the next ones when some are answered.`,
      RETRY,
    );
  const allTaken = (): Problem =>
    new Problem('database_unavailable', 'Others keep the database busy; try again in a second.', RETRY);

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
     * Resolves when `who` may go on; give() says that it is over. At once (without a promise) where there is room.
     * @throws 429 for somebody whose line is too long or whose own work took all the time, 503 where others did.
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

    /** How many wait. */
    waiting: (): number => waiting,
  };
};

export type Shares = ReturnType<typeof createShares>;
