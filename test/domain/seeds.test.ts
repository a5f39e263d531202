/** What the setup of the tests asks of fast-check. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { beginAt } from '../support/seeds.ts';

test('a property begins at a seed, and behind the cases that are left out', () => {
  const tried = (skip?: number): number[] => {
    beginAt({ seed: 1, ...(skip !== undefined && { skip }) });
    const all: number[] = [];
    fc.assert(
      fc.property(fc.nat(), (n) => void all.push(n)),
      { numRuns: 5 },
    );
    return all;
  };
  expect(tried()).toEqual(tried());
  expect(tried(3).slice(0, 2)).toEqual(tried().slice(3));
});
