/** How long work occupies the event loop at a time. */

/** The processor time of this thread so far, in milliseconds: that of other programs is not in it. Counted in ticks of up to 10 ms. */
export const cpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

/** Does some work. @returns the processor time of the longest iteration of the event loop meanwhile, and of all of them, in milliseconds */
export const slicesOf = async (work: () => PromiseLike<unknown>): Promise<{ longest: number; whole: number }> => {
  const began = cpuMs();
  let [longest, last, isOver] = [0, began, false];
  const iteration = (): void => {
    const now = cpuMs();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(iteration);
  };
  setImmediate(iteration);
  await work();
  isOver = true;
  return { longest, whole: cpuMs() - began };
};
