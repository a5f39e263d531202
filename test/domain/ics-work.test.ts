/** Expensive files are read in short steps, and in time that grows with their size alone. */
import { describe, expect, test } from 'vitest';
import { readingCalendar } from '../../src/domain/calendar/ics/read-ics.ts';
import { HOSTILE_FILES } from '../support/hostile-ics.ts';
import { cpuMs } from '../support/slices.ts';
import { isThorough } from '../support/thoroughness.ts';

/** Milliseconds. The longest steps take 20. */
const MOST_STEP_MS = 50;
/**
 * A step is judged by its fastest run, because the collection of garbage and other programs fall on other steps each time: a worker with
 * a large heap collected for up to 144 ms in one step.
 */
const TRIES = 8;
/** Four times as much may take this many times as long. Where time grows with the square of the size, it takes 16 times as long. */
const MOST_GROWTH = 8;
/** Less counts as much, because compiling takes as long, and the clock of a thread has ticks of up to 10 ms. */
const LEAST_MS = 25;

/** Reads a file step by step: the CPU time of all steps, and the time of each, which is not more than the clock showed. */
const workOf = (input: string | Uint8Array): { total: number; steps: number[] } => {
  const work = readingCalendar(input, { zone: 'Europe/Berlin' });
  const [from, steps] = [cpuMs(), [] as number[]];
  let [before, isDone] = [from, false];
  while (!isDone) {
    const began = performance.now();
    isDone = work.next().done === true;
    const [byClock, now] = [performance.now() - began, cpuMs()];
    steps.push(Math.min(byClock, now - before));
    before = now;
  }
  return { total: before - from, steps };
};

/** The steps of a file are the same each time, so the n-th of two readings can be compared. */
const fastestOf = (some: number[], others: number[]): number[] => {
  expect(others, 'the same steps each time').toHaveLength(some.length);
  return some.map((ms, n) => Math.min(ms, others[n]!));
};

const longestOf = (steps: number[]): number => steps.reduce((most, ms) => Math.max(most, ms), 0);

describe.each(HOSTILE_FILES)('$name', ({ most: largest, make }) => {
  const most = isThorough ? largest : Math.ceil(largest / 5);
  test('takes short steps, and grows with its size', () => {
    let { total, steps } = workOf(make(most));
    /** Reads it again, at most TRIES times in all, until the fastest readings are good. */
    const settle = (isGood: () => boolean): void => {
      for (let tries = 1; !isGood() && tries < TRIES; tries++) {
        const other = workOf(make(most));
        total = Math.min(total, other.total);
        steps = fastestOf(steps, other.steps);
      }
    };
    settle(() => longestOf(steps) < MOST_STEP_MS);
    expect(longestOf(steps)).toBeLessThan(MOST_STEP_MS);
    const quarter = Math.max(LEAST_MS, workOf(make(Math.ceil(most / 4))).total);
    settle(() => total < MOST_GROWTH * quarter);
    expect(total, `four times what took ${quarter} ms`).toBeLessThan(MOST_GROWTH * quarter);
  }, 120_000);
});
