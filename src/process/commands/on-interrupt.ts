/** Removes what a command has begun when the operator interrupts it. */

/**
 * Calls `remove` at SIGINT and SIGTERM, before the process ends.
 * @returns what the command calls at its own end: it removes too
 */
export const onInterrupt = (remove: () => void): (() => void) => {
  const end = (signal: NodeJS.Signals): void => {
    done();
    process.kill(process.pid, signal); // Now it ends the process.
  };
  const done = (): void => {
    process.off('SIGINT', end).off('SIGTERM', end);
    remove();
  };
  process.on('SIGINT', end).on('SIGTERM', end);
  return done;
};
