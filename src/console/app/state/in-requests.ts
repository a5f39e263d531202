/** Decisions on more plans than one request may name. */

const MOST_NAMED = 100;

/**
 * Asks with one request after the other.
 * @returns the answers, and the failure that ended them; where nothing was answered, it is thrown
 */
export const inRequests = async <T, R>(
  all: readonly T[],
  ask: (some: T[]) => Promise<R[]>,
): Promise<{ answers: R[]; failure?: unknown }> => {
  const answers: R[] = [];
  for (let i = 0; i < all.length; i += MOST_NAMED) {
    try {
      answers.push(...(await ask(all.slice(i, i + MOST_NAMED))));
    } catch (failure) {
      if (!i) throw failure;
      return { answers, failure };
    }
  }
  return { answers };
};
