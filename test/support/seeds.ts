/**
 * A setup file of Vitest: properties try the same cases in every run, so that a failure is due to the change that is tested.
 * `npm run explore` tries other cases (test/explore.ts).
 */
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import { beforeAll, beforeEach, type RunnerTask } from 'vitest';
import { exploring } from './thoroughness.ts';

/** Where a property begins: a seed, and the number of its cases that are left out. */
export type Start = { seed: number; skip?: number };

/** Where every property begins. */
const SEED = 20_261_126;

/**
 * Where else the properties of a test begin, by its name: where `npm run explore` saw them fail. The test runs once more for each.
 * A case depends on the generator too: after a change of that these are other random cases. What must stay is a test of its own.
 */
const FOUND: Record<string, Start[]> = {};

/** fast-check takes a path as a global parameter, and its type leaves it out (test/domain/seeds.test.ts). */
export const beginAt = ({ seed, skip }: Start): void =>
  fc.configureGlobal({ seed, ...(skip !== undefined && { path: String(skip) }) });

/** The test notes how many cases its property tried, and what failed, for test/explore.ts. */
const explore = (test: string, { seed, cases, ms, notes }: NonNullable<typeof exploring>): void =>
  fc.configureGlobal({
    seed,
    numRuns: cases,
    interruptAfterTimeLimit: ms,
    reporter: ({ numRuns, counterexample, counterexamplePath, errorInstance }) => {
      const found = counterexample && {
        skip: Number(counterexamplePath?.split(':')[0]),
        counterexample: fc.stringify(counterexample),
        error: String(errorInstance),
      };
      appendFileSync(notes, `${JSON.stringify({ test, numRuns, seed, found })}\n`);
    },
  });

const repeat = (task: RunnerTask): void => {
  const found = FOUND[task.fullName];
  if (task.type === 'suite') task.tasks.forEach(repeat);
  else if (found) task.repeats = found.length;
};

// oxlint-disable-next-line eslint/no-empty-pattern -- Vitest refuses a name there
beforeAll(({}, file) => {
  if (!exploring) file.tasks.forEach(repeat);
});

beforeEach(({ task }) => {
  if (exploring) explore(task.fullName, exploring);
  else beginAt([{ seed: SEED }, ...(FOUND[task.fullName] ?? [])][task.result?.repeatCount ?? 0] as Start);
});
