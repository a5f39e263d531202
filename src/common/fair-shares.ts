/**
 * Divides something scarce (connections, requests under way) fairly among users. A user holds at most a share of it and waits for
 * more in a queue of their own; the queues are served in rotation, so a user who sends much at once delays only themselves.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Problem } from './problem.ts';

/** The user whose work this is. Undefined is work of the service itself (credentials, sweeps), which no share bounds. */
type Holder = string | undefined;

const asking = new AsyncLocalStorage<string>();

/** Runs `work`, and everything it starts, on behalf of a user. */
export const onBehalfOf = <T>(user_id: string, work: () => T): T => asking.run(user_id, work);

const AGENTS = ' agents';

/** Names the share to which a request belongs. A person's agents have one of their own, so that they cannot delay the person. */
export const shareOf = ({ user_id, origin }: { user_id: string; origin: string }): string =>
  origin === 'agent' ? `${user_id}${AGENTS}` : user_id;

/** Whether a share is that of agents. */
export const isOfAgents = (holder: string): boolean => holder.endsWith(AGENTS);

/** Runs `work` for the service itself, because several users share its result. */
export const onBehalfOfService = <T>(work: () => T): T => asking.exit(work);

export const currentHolder = (): Holder => asking.getStore();

type Waiter = { weight: number; go: () => void; refuse: () => void };
type Queue = { held: number; waiting: Waiter[] };

export type ShareLimits = {
  /** All users together hold at most this much. */
  size: number;
  /** One user holds at most this much. A user below it may take one more, whatever its weight. */
  each: (holder: string) => number;
  /** At most this many requests of one user wait. */
  maxWaiting: number;
  maxWaitMs: number;
};

const RETRY = { headers: { 'Retry-After': '1' } };

export const createShares = ({ size, each, maxWaiting, maxWaitMs }: ShareLimits) => {
  /** The queues in the order in which they are served. A user who neither holds nor waits for anything has none. */
  const queues = new Map<Holder, Queue>();
  let taken = 0;
  let waiting = 0;

  const isFull = (holder: Holder, { held }: Queue): boolean =>
    taken >= size || (holder !== undefined && held >= each(holder));

  const start = (queue: Queue, weight: number): void => {
    queue.held += weight;
    taken += weight;
  };

  const removeWaiter = (queue: Queue, waiter: Waiter): void => {
    queue.waiting.splice(queue.waiting.indexOf(waiter), 1);
    waiting -= 1;
  };

  const dropIfIdle = (holder: Holder, { held, waiting: own }: Queue): void => {
    if (!held && !own.length) queues.delete(holder);
  };

  /** Serves the first queue that may go on, then moves it to the end. */
  const serveNext = (): void => {
    for (const [holder, queue] of queues) {
      const [first] = queue.waiting;
      if (!first || isFull(holder, queue)) continue;
      removeWaiter(queue, first);
      start(queue, first.weight);
      queues.delete(holder);
      queues.set(holder, queue);
      first.go();
      if (taken >= size) return;
    }
  };

  const tooMany = (queue: Queue): Problem =>
    new Problem(
      'too_many_requests',
      `This user has too many requests at once, and ${queue.waiting.length} of them wait. Send the next one when some are answered.`,
      RETRY,
    );
  const allTaken = (): Problem =>
    new Problem('database_unavailable', 'The database is busy with other requests. Try again in a second.', RETRY);

  const wait = (holder: Holder, queue: Queue, weight: number, isFirst: boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter: Waiter = {
        weight,
        go: () => {
          clearTimeout(late);
          resolve();
        },
        refuse: () => {
          const own = holder !== undefined && queue.held >= each(holder);
          removeWaiter(queue, waiter);
          dropIfIdle(holder, queue);
          reject(own ? tooMany(queue) : allTaken());
        },
      };
      const late = setTimeout(waiter.refuse, maxWaitMs).unref();
      if (isFirst) queue.waiting.unshift(waiter);
      else queue.waiting.push(waiter);
      waiting += 1;
    });

  return {
    /**
     * Resolves when `user` may go on; give() ends it. Returns undefined, not a promise, where the user need not wait.
     * With `isFirst` they wait in front of their own earlier requests.
     * @throws 429 where the user's own queue is too long or their own work took all the time, 503 where others' work did.
     */
    take: (holder: Holder, weight = 1, isFirst = false): Promise<void> | undefined => {
      let queue = queues.get(holder);
      if (!queue) queues.set(holder, (queue = { held: 0, waiting: [] }));
      if (queue.waiting.length >= maxWaiting) throw tooMany(queue);
      if (queue.waiting.length || isFull(holder, queue)) return wait(holder, queue, weight, isFirst);
      start(queue, weight);
      return undefined;
    },

    give: (holder: Holder, weight = 1): void => {
      const queue = queues.get(holder);
      if (!queue) return;
      queue.held -= weight;
      taken -= weight;
      if (waiting) serveNext();
      dropIfIdle(holder, queue);
    },

    /** Returns how many wait in all queues. */
    waiting: (): number => waiting,
  };
};

export type Shares = ReturnType<typeof createShares>;
