/**
 * Reads the environment and starts the service in this process or in WORKERS processes (compiled.js calls it). Beside this file only
 * environment.ts reads process.env.
 */
import cluster from 'node:cluster';
import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Config } from './config.ts';

const STOP_WITHIN_MS = 10_000;
/** The start has finished all its work after this time. */
const SETTLED_MS = 1_000;
const parent = process.ppid;

/**
 * V8 collects old garbage when the heap has grown by this much; its own choice is up to four times. Large pages leave much garbage,
 * and reading them five at a time took 392 MiB without this and 218 MiB with it, at the same speed.
 */
setFlagsFromString('--heap-growing-percent=60');

/** Frees memory that only the start needed: 25 MiB, for a single pause of 60 ms. */
const settle = (): void => {
  flushCompileCache();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as NodeJS.GCFunction;
  void collect({ type: 'major', execution: 'async', flavor: 'last-resort' });
};

/** Calls `stop` once, at the first signal, and ends the process if stopping takes too long. */
const onEnd = (stop: (why: string) => Promise<void> | void): void => {
  let stopping = false;
  const end = (why: string): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    void stop(why);
  };
  process.on('SIGTERM', () => end('SIGTERM'));
  // A terminal sends SIGINT to the whole process group, so workers ignore it and the primary stops them.
  process.on('SIGINT', () => (cluster.isWorker ? undefined : end('SIGINT')));
  // npm runs its scripts under a shell that dies of SIGTERM without passing it on, so the service ends when that parent is gone.
  if (process.env['npm_lifecycle_event'] === 'start')
    setInterval(() => {
      if (process.ppid !== parent) end('the end of npm start');
    }, 500).unref();
};

const superviseWorkers = async (config: Config): Promise<void> => {
  const { createLog } = await import('../observability/log.ts');
  const { supervise } = await import('./cluster.ts');
  const supervisor = supervise(config.WORKERS, createLog(config.LOG_LEVEL), (code) => process.exit(code));
  onEnd(supervisor.stop);
};

const serveHere = async (config: Config): Promise<void> => {
  const { worker } = cluster;
  const siblings = worker ? (await import('./cluster.ts')).createSiblings(worker) : null;
  const { serve } = await import('./serve.ts');
  const service = await serve(config, { commit: process.env['BUILD_COMMIT'], siblings });
  onEnd(async (why) => {
    await service.stop(why);
    process.exit(0);
  });
  setTimeout(settle, SETTLED_MS).unref();
};

const startService = async (): Promise<void> => {
  const { readEnvironment } = await import('./environment.ts');
  const { readConfig } = await import('./config.ts');
  const config = readConfig(readEnvironment());
  const { checkPort } = await import('./listen.ts');
  if (cluster.isPrimary) await checkPort(config);
  await (config.WORKERS > 1 && cluster.isPrimary ? superviseWorkers(config) : serveHere(config));
};

/** Starts the service, or ends the process with a message for people. */
export const start = async (): Promise<void> => {
  try {
    await startService();
  } catch (error) {
    const { message, cause } = error as Error;
    process.stderr.write(`${message}\n${cause instanceof Error ? `${cause.message}\n` : ''}`);
    process.exit(1);
  }
};
