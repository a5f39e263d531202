/**
 * WORKERS=n: one primary process, which does no work itself, starts n workers on one port, replaces those that die, stops them
 * together and carries questions between them.
 */
import cluster, { type Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { RateLimiterClusterMaster } from 'rate-limiter-flexible';
import type { Logger } from '../observability/log.ts';

/** A worker that lived shorter died of something that will not have passed yet. */
const SOUND_MS = 10_000;
const BACKOFF_MS = { first: 250, most: 30_000 };
const ANSWER_WITHIN_MS = 1_000;

/** One worker asks all others for something; the primary passes questions and answers on. */
type Question = { almanac: 'question'; id: string; asker: number };
type Answer = { almanac: 'answer'; id: string; asker: number; answer: unknown };
type Asked = { almanac: 'asked'; id: string; count: number };

const isOurs = <M extends { almanac: string }>(message: unknown, kind: M['almanac']): message is M =>
  (message as { almanac?: unknown } | null)?.almanac === kind;

const listening = new Set<Worker>();

const carry = (from: Worker, message: unknown): void => {
  if (isOurs<Question>(message, 'question')) {
    const others = [...listening].filter((w) => w !== from && w.isConnected());
    for (const other of others) other.send(message);
    from.send({ almanac: 'asked', id: message.id, count: others.length } satisfies Asked);
  } else if (isOurs<Answer>(message, 'answer')) {
    const asker = cluster.workers?.[message.asker];
    if (asker?.isConnected()) asker.send(message);
  }
};

export type Supervisor = { stop: (why: string) => void };

/** In the primary. `ended` is told once, when no worker is left, with the exit code of the whole. */
export const supervise = (count: number, log: Logger, ended: (code: number) => void): Supervisor => {
  let stopping = false;
  let begun = false;
  let failed = 0;
  let quickDeaths = 0;
  const born = new Map<Worker, number>();
  const fork = (): void => {
    if (!stopping) born.set(cluster.fork(), performance.now());
  };

  /** The first one migrates and makes the owner; the others start when it answers. */
  cluster.on('listening', (worker) => {
    listening.add(worker);
    if (begun) return;
    begun = true;
    for (let i = 1; i < count; i++) fork();
  });
  cluster.on('message', carry);
  cluster.on('exit', (worker, code, signal) => {
    listening.delete(worker);
    const lived = performance.now() - (born.get(worker) ?? 0);
    born.delete(worker);
    if (stopping || !begun) {
      failed ||= code || (signal ? 1 : 0);
      if (!born.size) ended(failed);
      return;
    }
    quickDeaths = lived < SOUND_MS ? quickDeaths + 1 : 0;
    const pause = quickDeaths ? Math.min(BACKOFF_MS.most, BACKOFF_MS.first * 2 ** (quickDeaths - 1)) : 0;
    log.error({ worker: worker.id, code, signal, restart_in_ms: pause }, 'a worker died');
    setTimeout(fork, pause);
  });
  void new RateLimiterClusterMaster(); // counts for all workers (http/rate-limit.ts)
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
  /** Of this worker, from 1; never used again after its death. */
  id: number;
  /** What this worker says when another one asks. */
  answerWith: (answer: () => Promise<unknown>) => void;
  /** The answers of the others; who does not answer soon is left out. */
  ask: () => Promise<unknown[]>;
};

/** In a worker. */
export const createSiblings = (worker: Worker): Siblings => {
  let answer: (() => Promise<unknown>) | undefined;
  const open = new Map<string, (message: Answer | Asked) => void>();
  const sendMessage = (message: Question | Answer): void => void (process.connected && process.send?.(message));

  process.on('message', (message: unknown) => {
    if (isOurs<Question>(message, 'question'))
      void answer?.().then(
        (told) => sendMessage({ almanac: 'answer', id: message.id, asker: message.asker, answer: told }),
        () => undefined, // left out
      );
    else if (isOurs<Answer>(message, 'answer') || isOurs<Asked>(message, 'asked')) open.get(message.id)?.(message);
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
        const end = (): void => {
          clearTimeout(late);
          open.delete(id);
          resolve(answers);
        };
        const late = setTimeout(end, ANSWER_WITHIN_MS);
        open.set(id, (message) => {
          if (message.almanac === 'asked') expected = message.count;
          else answers.push(message.answer);
          if (answers.length >= expected) end();
        });
        sendMessage({ almanac: 'question', id, asker: worker.id });
      }),
  };
};
