/**
 * Deletes rows that have expired: once soon after the start, since some processes run for minutes only, and then every ten
 * minutes.
 */
import type { Logger } from '../observability/log.ts';

const FIRST_MS = 30_000;
const EVERY_MS = 10 * 60_000;

/** @param work runs one after the other; a failure of one does not stop the others */
export const createSweep = (log: Logger, work: (() => Promise<void>)[]) => {
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  const sweep = async (): Promise<void> => {
    for (const swept of await Promise.allSettled(work.map((one) => one())))
      if (swept.status === 'rejected') log.warn({ err: swept.reason as unknown }, 'sweeping failed; it is tried again');
  };
  return {
    start: (): void => {
      const next = (ms: number): void => {
        timer = setTimeout(() => void sweep().finally(() => stopped || next(EVERY_MS)), ms).unref();
      };
      next(FIRST_MS);
    },
    stop: (): void => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
