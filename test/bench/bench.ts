/** What a benchmark is, what it answers, and the statistics all of them share. */
import type { Place } from '../faults/cluster.ts';

/**
 * One measured quantity: a value per round. Without a unit it counts faults, of which any round may have none; `x` is a share of
 * the bare equivalent measured in the same round.
 */
export type Figure = {
  what: string;
  unit: 'ms' | 's' | '/s' | 'MiB' | 'x' | '';
  target: number | null;
  /** The target is a least value, not a greatest. */
  least?: boolean;
  rounds: number[];
};

export type Measured = {
  figures: Figure[];
  /** Circumstances, as sentences. */
  facts: string[];
};

export type Bench = {
  id: string;
  title: string;
  /** Where it runs when nothing is said. */
  places: Place['kind'][];
  /** Whether it can run on the embedded database, which takes one process. */
  embedded: boolean;
  run: (place: Place, quick: boolean, say: (line: string) => void) => Promise<Measured>;
};

/** Value below or at which the share `p` (0 to 1) of all values lies, by nearest rank; NaN without values. */
export const percentile = (values: readonly number[], p: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? NaN;
};

/** Of an even number of values the mean of the two in the middle. */
export const median = (values: readonly number[]): number =>
  (percentile(values, 0.5) +
    -percentile(
      values.map((v) => -v),
      0.5,
    )) /
  2;

/** One figure for each percentile asked for, from the single values of each round; `targets` by percentile. */
export const percentiles = (
  what: string,
  rounds: readonly (readonly number[])[],
  asked: readonly number[],
  targets: Record<number, number> = {},
): Figure[] =>
  asked.map((p) => ({
    what: `${what}, p${p}`,
    unit: 'ms',
    target: targets[p] ?? null,
    rounds: rounds.map((values) => percentile(values, p / 100)),
  }));

/** What a figure is judged by: the median of its rounds; of faults the worst. */
export const measuredBy = ({ unit, rounds }: Figure): number => (unit === '' ? Math.max(...rounds) : median(rounds));

/** Null where there is no target. Nothing measured misses it. */
export const isMet = (figure: Figure): boolean | null =>
  figure.target === null
    ? null
    : figure.least
      ? measuredBy(figure) >= figure.target
      : measuredBy(figure) <= figure.target;

/** How long one call takes, in milliseconds. */
export const timed = async (work: () => unknown): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};
