/** Counts work, so that a generator yields after about a millisecond of it, whatever its input is. */

/** One unit is about 10 ns, the time to look at a character. */
const EACH = 100_000;

/** Returns a function that counts units of work and tells when it is time to yield. */
export const paceOf = (): ((units: number) => boolean) => {
  let done = 0;
  return (units) => {
    done += units;
    if (done < EACH) return false;
    done = 0;
    return true;
  };
};
