/** What R15 measures of an answer to the other user, and how much more of it than without a flood is too much. */
import type { Answered } from './r15-other.ts';

export type Measure = { of: (answered: Answered) => number; unit: string; most: number };

/** How long the other waited. This tells something where no other program runs. */
export const BY_TIME: Measure[] = [{ of: ({ ms }) => ms, unit: 'ms', most: 250 }];

/** A prompt waits for a thread, whose time depends on other programs (test/api/prompt-reader.test.ts tries it). */
const slicesOf = ({ what, slices }: Answered): number => (what === 'prompt' ? 0 : slices);

/**
 * How the main thread worked meanwhile, which hardly depends on other programs. In the named cases beside the API tests, the other
 * waited up to 1.9 s, in at most 43 slices, and for at most 165 ms without a pause. Without limits for one user it was 402 slices.
 */
export const BY_WORK: Measure[] = [
  { of: slicesOf, unit: 'slices', most: 150 },
  { of: ({ longest }) => longest, unit: 'ms of processor time without a pause', most: 250 },
];

const highest = ({ of }: Measure, answered: readonly Answered[]): number => Math.max(0, ...answered.map(of));
/** The highest of the usual answers. Where the service did not count, nothing is usual, and every answer is late. */
const ownOf = (measure: Measure, usual: readonly Answered[]): number =>
  highest(
    measure,
    usual.filter((answer) => Number.isFinite(measure.of(answer))),
  );

/** How much higher the worst answer is than the usual ones, as a multiple of what is allowed. */
export const excessOf = (measures: Measure[], usual: readonly Answered[], answered: readonly Answered[]): number =>
  Math.max(...measures.map((one) => (highest(one, answered) - ownOf(one, usual)) / one.most));

/** The answers that came too late, each as a sentence. */
export const lateOf = (measures: Measure[], usual: readonly Answered[], answered: readonly Answered[]): string[] =>
  measures.flatMap((one) => {
    const own = ownOf(one, usual);
    return answered
      .filter((answer) => one.of(answer) > own + one.most)
      .map(
        (answer) =>
          `${answer.what} took ${one.of(answer).toFixed(0)} ${one.unit}, at most ${own.toFixed(0)} without the flood`,
      );
  });

export const allowed = (measures: Measure[]): string => measures.map(({ most, unit }) => `${most} ${unit}`).join(', ');

/** The highest of each, such as "12 ms". */
export const figuresOf = (measures: Measure[], answered: readonly Answered[]): string =>
  measures.map((one) => `${highest(one, answered).toFixed(0)} ${one.unit}`).join(', ');
