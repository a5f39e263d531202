/** WORKERS=2 without a second process. */
import type { Siblings } from '../../src/process/cluster.ts';

/** A second process whose figures are those of the first. */
export const twin = (): Siblings => {
  let answer: () => Promise<unknown> = async () => undefined;
  return {
    id: 1,
    answerWith: (given) => void (answer = given),
    ask: async () => ({ answers: [await answer()], primary: { started: 1, restarts: 0 } }),
  };
};
