/** Work that many requests want at the same time, done once for all of them. */

const ignore = (): void => undefined;

type Run<T> = { hasBegun: boolean; result: Promise<T> };

/**
 * Returns a function that runs one piece of work per key after the other. Callers that come before the next one begins share it, so it
 * sees all that they have seen. A failure is that of all who share it.
 */
export const createTogether = <T>(): ((key: string, work: () => Promise<T>) => Promise<T>) => {
  const lastOf = new Map<string, Run<T>>();
  return (key, work) => {
    const last = lastOf.get(key);
    if (last && !last.hasBegun) return last.result;
    const begin = (): Promise<T> => {
      next.hasBegun = true;
      return work();
    };
    const before = last ? last.result.then(ignore, ignore) : Promise.resolve();
    const next: Run<T> = { hasBegun: false, result: before.then(begin) };
    lastOf.set(key, next);
    const forget = (): void => {
      if (lastOf.get(key) === next) lastOf.delete(key);
    };
    next.result.then(forget, forget);
    return next.result;
  };
};
