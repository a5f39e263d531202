/** Runs regular work: once soon after the start, because some processes run for minutes only, and then at an interval. */
import type { Logger } from '../observability/log.ts';

const FIRST_MS = 30_000;
/**
 * How often expired rows are deleted, and how often the embedded database is vacuumed: the autovacuum_naptime of a server. A large
 * import is slow to read until its tables are analyzed.
 */
export const EVERY_MS = { sweep: 10 * 60_000, vacuum: 60_000 };

/**
 * @param everyMs the milliseconds between the end of one round and the next one's start
 * @param work runs one after the other; a failure of one does not stop the others
 */
export const createSweep = (log: Logger, everyMs: number, work: (() => Promise<void>)[]) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const sweep = async (): Promise<void> => {
    for (const swept of await Promise.allSettled(work.map((one) => one())))
      if (swept.status === 'rejected')
        log.warn({ err: swept.reason as unknown }, 'removing expired rows failed and will be tried again');
  };
  return {
    start: (): void => {
      const next = (ms: number): void => {
        timer = setTimeout(() => void sweep().finally(() => stopped || next(everyMs)), ms).unref();
      };
      next(FIRST_MS);
    },
    stop: (): void => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
