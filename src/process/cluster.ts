/**
 * Runs WORKERS processes on one port. The primary does no work itself: it starts the workers, replaces those that die, stops them
 * together and passes questions between them.
 */
import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import type { Logger } from '../observability/log.ts';

/** A worker that died earlier than this has a cause that probably persists, so it is not replaced at once. */
const STABLE_MS = 10_000;
const BACKOFF_MS = { first: 250, most: 30_000 };
const ANSWER_WITHIN_MS = 1_000;

/** A question that one worker asks all others. The primary passes questions and answers on. */
type Question = { almanac: 'question'; id: string; asker: number };
type Answer = { almanac: 'answer'; id: string; asker: number; answer: unknown };
/** `count` workers were asked. The primary says of itself what Primary has. */
type Asked = { almanac: 'asked'; id: string; count: number; primary: Primary };

/** `started` is in seconds since the epoch; `restarts` counts the workers that were replaced since then. */
export type Primary = { started: number; restarts: number };

const isMessage = <M extends { almanac: string }>(message: unknown, kind: M['almanac']): message is M =>
  (message as { almanac?: unknown } | null)?.almanac === kind;

const listening = new Set<Worker>();

const primary: Primary = { started: performance.timeOrigin / 1_000, restarts: 0 };

const passOn = (from: Worker, message: unknown): void => {
  if (isMessage<Question>(message, 'question')) {
    const others = [...listening].filter((w) => w !== from && w.isConnected());
    for (const other of others) other.send(message);
    from.send({ almanac: 'asked', id: message.id, count: others.length, primary } satisfies Asked);
  } else if (isMessage<Answer>(message, 'answer')) {
    const asker = cluster.workers?.[message.asker];
    if (asker?.isConnected()) asker.send(message);
  }
};

export type Supervisor = { stop: (why: string) => void };

/** Runs in the primary. `ended` is called once with the exit code, when no worker is left. */
export const supervise = (count: number, log: Logger, ended: (code: number) => void): Supervisor => {
  let stopping = false;
  let begun = false;
  let failed = 0;
  let quickDeaths = 0;
  const born = new Map<Worker, number>();
  const fork = (): void => {
    if (!stopping) born.set(cluster.fork(), performance.now());
  };

  /** The first worker migrates the database and creates the owner. The others start when it answers. */
  cluster.on('listening', (worker) => {
    listening.add(worker);
    if (begun) return;
    begun = true;
    for (let i = 1; i < count; i++) fork();
  });
  cluster.on('message', passOn);
  cluster.on('exit', (worker, code, signal) => {
    listening.delete(worker);
    const lived = performance.now() - (born.get(worker) ?? 0);
    born.delete(worker);
    if (stopping || !begun) {
      failed ||= code || (signal ? 1 : 0);
      if (!born.size) ended(failed);
      return;
    }
    quickDeaths = lived < STABLE_MS ? quickDeaths + 1 : 0;
    const pause = quickDeaths ? Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** (quickDeaths - 1)) : 0;
    primary.restarts += 1;
    log.error({ worker: worker.id, code, signal, restart_in_ms: pause }, 'a worker has ended unexpectedly');
    setTimeout(fork, pause);
  });
  void new RateLimiterClusterMaster(); // The primary counts requests for all workers (http/rate-limit.ts).
  fork();

  return {
    stop: (why) => {
      if (stopping) return;
      stopping = true;
      log.info({ signal: why }, 'stopping');
      if (!born.size) ended(0);
      for (const worker of born.keys()) worker.process.kill('SIGTERM');
    },
  };
};

export type Siblings = {
  /** The number of this worker, from 1. A number is not used again after its worker's death. */
  id: number;
  /** Sets how this worker answers when another one asks. */
  answerWith: (answer: () => Promise<unknown>) => void;
  /** Returns the answers of the other workers, without those that take too long, and what the primary says of itself, if it does. */
  ask: () => Promise<{ answers: unknown[]; primary: Primary | undefined }>;
};

/** Runs in a worker. */
export const createSiblings = (worker: Worker): Siblings => {
  let answer: (() => Promise<unknown>) | undefined;
  const open = new Map<string, (message: Answer | Asked) => void>();
  const sendMessage = (message: Question | Answer): void => void (process.connected && process.send?.(message));

  process.on('message', (message: unknown) => {
    if (isMessage<Question>(message, 'question'))
      void answer?.().then(
        (told) => sendMessage({ almanac: 'answer', id: message.id, asker: message.asker, answer: told }),
        () => undefined, // A worker that takes too long is left out.
      );
    else if (isMessage<Answer>(message, 'answer') || isMessage<Asked>(message, 'asked'))
      open.get(message.id)?.(message);
  });

  return {
    id: worker.id,
    answerWith: (given) => {
      answer = given;
    },
    ask: () =>
      new Promise((resolve) => {
        const id = randomUUID();
        const answers: unknown[] = [];
        let expected = Number.POSITIVE_INFINITY;
        let primary: Primary | undefined;
        const end = (): void => {
          clearTimeout(late);
          open.delete(id);
          resolve({ answers, primary });
        };
        const late = setTimeout(end, ANSWER_WITHIN_MS);
        open.set(id, (message) => {
          if (message.almanac === 'asked') ({ count: expected, primary } = message);
          else answers.push(message.answer);
          if (answers.length >= expected) end();
        });
        sendMessage({ almanac: 'question', id, asker: worker.id });
      }),
  };
};
