/**
 * Reads prompts in threads, because the work that a text takes depends on the text, and no text may delay the requests of others.
 * A thread starts when a prompt finds none free, and ends when it has read none for some minutes. It reads one prompt at a time.
 * Users take turns, and each has one thread at most, so that nobody waits for the prompts of one other user. A thread is ended
 * where a prompt takes too long.
 */
import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createShares, currentHolder } from '../../common/fair-shares.ts';
import type { Intent, IntentContext, KnownEvent, Understanding } from '../../domain/planner/intents/types.ts';
import type { Logger } from '../../observability/log.ts';
import type { LeftOver, Read, Reading } from './understand.ts';

const THREAD = new URL('./reader-thread.js', import.meta.url);

/** The processor time that one prompt may take. A short one takes 1 ms, one of 30 requests beside 2,000 events 50 ms. */
const BUDGET_MS = 250;
/** A thread that does not even say how much processor time it has used is ended after this time. */
const SILENCE_MS = 5_000;
/** More would compete with the thread of the requests. Where one user sends prompts at once, the second never starts. */
const THREADS = 2;
/** It takes 70 ms to start a thread, and 30 MiB. */
const IDLE_MS = 5 * 60_000;
/** For the memory that one prompt takes. */
const LIMITS = { maxOldGenerationSizeMb: 128 };

/** Waiting is never refused: the limits of requests bound how many wait. */
const NEVER_MS = 2 ** 31 - 1;

/** The planner reads no more than this of what an event says besides its title. */
const MOST_DETAIL = 500;

const TOO_INVOLVED =
  'The text is too involved for the built-in planner. Please say it in shorter sentences, or ask for one thing at a time.';
const UNCHECKED =
  'The text is too involved to check that the proposals leave none of its times out, so please check them.';

const UNCHANGED = 'Proposals that wait stay as they are.';

/** A change of a proposal that waits happens at once, so none is made unchecked. */
const uncheckedOf = (intents: readonly Intent[]): LeftOver => {
  const unasked = intents.flatMap(({ target_plan_uid: plan }, at) => (plan === undefined ? [] : [at]));
  return { said: unasked.length > 0 ? [UNCHECKED, UNCHANGED] : [UNCHECKED], unasked };
};

type Usage = { user: number; system: number };
type Told = { read: Read | null; used: Usage };

const inMs = ({ user, system }: Usage): number => (user + system) / 1000;

/** The next message of the thread. @throws the error with which it ends */
const told = (worker: Worker): Promise<Told> =>
  new Promise((resolve, reject) => {
    const ended = (): void => reject(new Error('the thread of the planner has ended'));
    const stopListening = (): void => void worker.off('error', reject).off('exit', ended);
    worker.once('error', reject).once('exit', ended);
    worker.once('message', (message: Told) => {
      stopListening();
      resolve(message);
    });
  });

const startThread = async (budgetMs: number) => {
  const cache = getCompileCacheDir();
  const worker = new Worker(THREAD, {
    name: 'planner',
    workerData: { cache: cache && dirname(cache) },
    resourceLimits: LIMITS,
  });
  worker.unref();
  let { used } = await told(worker);

  /** Resolves when the thread has used the processor time that one prompt may take. A timer alone would count that of others. */
  const overrun = async (signal: AbortSignal): Promise<null> => {
    for (let left = budgetMs; left > 0;) {
      await sleep(Math.ceil(left), undefined, { signal });
      const now = await Promise.race([worker.cpuUsage(), sleep(SILENCE_MS, null, { signal })]);
      left = now ? budgetMs - (inMs(now) - inMs(used)) : 0;
    }
    return null;
  };

  return {
    /** @returns null where it takes too long. @throws the error with which the thread ends */
    read: async (asked: Reading): Promise<Read | null> => {
      const done = new AbortController();
      try {
        worker.postMessage(JSON.stringify(asked)); // half the work of a structured clone
        const answer = told(worker);
        const over = overrun(done.signal);
        over.catch(() => undefined); // It is aborted where the answer comes first.
        const first = await Promise.race([answer, over]);
        if (first) used = first.used;
        else answer.catch(() => undefined);
        return first && first.read;
      } finally {
        done.abort();
      }
    },
    end: () => worker.terminate(),
  };
};

type Thread = Awaited<ReturnType<typeof startThread>>;

/** What is read of an event, because all of it is copied to the thread. */
const forThread = (event: KnownEvent): KnownEvent => {
  const { task_id, plan_uid, recurrence_id, location, description, ...always } = event;
  return {
    ...always,
    ...(task_id && { task_id }),
    ...(plan_uid && { plan_uid }),
    ...(recurrence_id && { recurrence_id }),
    ...(location && { location: location.slice(0, MOST_DETAIL) }),
    ...(description && { description: description.slice(0, MOST_DETAIL) }),
  };
};

/** @param budgetMs tests shorten it */
export const createPromptReader = ({ log }: { log: Logger }, budgetMs = BUDGET_MS) => {
  const turns = createShares({ size: THREADS, each: () => 1, maxWaiting: Infinity, maxWaitMs: NEVER_MS });
  const threads = new Set<Promise<Thread>>();
  /** Those that read nothing, with what ends them, the last used one at the end. */
  const free: { thread: Promise<Thread>; idle: NodeJS.Timeout }[] = [];

  const end = async (thread: Promise<Thread>): Promise<void> => {
    threads.delete(thread);
    await thread.then((one) => one.end()).catch(() => undefined);
  };

  const takeThread = (): Promise<Thread> => {
    const last = free.pop();
    clearTimeout(last?.idle);
    const thread = last?.thread ?? startThread(budgetMs);
    threads.add(thread);
    return thread;
  };

  const release = (thread: Promise<Thread>): void => {
    const idle = setTimeout(() => {
      free.splice(free.indexOf(entry), 1);
      void end(thread);
    }, IDLE_MS).unref();
    const entry = { thread, idle };
    free.push(entry);
  };

  /** Null where the prompt takes too much time or memory. */
  const inThread = async (asked: Reading): Promise<Read | null> => {
    const thread = takeThread();
    const read = await thread
      .then((one) => one.read(asked))
      .catch((err: unknown) => {
        log.warn({ err }, 'a thread of the planner failed');
        return null;
      });
    if (read === null || !threads.has(thread)) await end(thread);
    else release(thread);
    return read;
  };

  const inTurn = async (asked: Reading, signal: AbortSignal | undefined): Promise<Read | null> => {
    const holder = currentHolder();
    await turns.take(holder);
    try {
      signal?.throwIfAborted(); // The client has disconnected while it waited.
      const known = { ...asked.known, events: asked.known.events.map(forThread) };
      return await inThread({ ...asked, known });
    } finally {
      turns.give(holder);
    }
  };

  return {
    /** Understands a prompt. Where that would take too long, the answer asks to say it in another way. */
    understand: async (prompt: string, known: IntentContext, signal?: AbortSignal): Promise<Understanding> => {
      const read = (await inTurn({ prompt, known }, signal)) as Understanding | null;
      const [question, reply] = [TOO_INVOLVED, TOO_INVOLVED];
      return read ?? { intents: [], questions: [], question, reply, unknown: [], unread: 0 };
    },

    /** What the intents leave out of the prompt, as sentences, and which of them it does not mean. */
    leftOver: async (
      prompt: string,
      known: IntentContext,
      intents: readonly Intent[],
      signal?: AbortSignal,
    ): Promise<LeftOver> =>
      ((await inTurn({ prompt, known, intents }, signal)) as LeftOver | null) ?? uncheckedOf(intents),

    /** Ends the threads, also those that are reading. */
    stop: async (): Promise<void> => {
      for (const { idle } of free.splice(0)) clearTimeout(idle);
      await Promise.all(Array.from(threads, end));
    },
  };
};

export type PromptReader = ReturnType<typeof createPromptReader>;
