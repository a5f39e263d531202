/** Runs a generator to its end without a pause. */
export const resultOf = <T>(work: Iterator<unknown, T>): T => {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
};
