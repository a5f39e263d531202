/** Drops rows that outlive their use, every ten minutes. */
import type { Logger } from './log.ts';

const EVERY_MS = 10 * 60_000;

/** @param work each by itself: one that fails does not keep the others from it. */
export const createSweep = (log: Logger, work: (() => Promise<void>)[]) => {
  let timer: NodeJS.Timeout | undefined;
  const sweep = async (): Promise<void> => {
    for (const swept of await Promise.allSettled(work.map((one) => one())))
      if (swept.status === 'rejected') log.warn({ err: swept.reason as unknown }, 'sweeping failed; it is tried again');
  };
  return {
    start: (): void => {
      timer = setInterval(() => void sweep(), EVERY_MS).unref();
    },
    stop: (): void => clearInterval(timer),
  };
};
