/** Sorted sequences as one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { merged } from '../../src/domain/calendar/merge-sorted.ts';

test('is what sorting all of it would be, and asks for no more than is taken', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.integer({ min: 0, max: 50 }))), fc.nat(100), (lists, most) => {
      const sorted = lists.map((list) => list.toSorted((a, b) => a - b));
      let asked = 0;
      const sequences = sorted.map(function* (list): Generator<number> {
        for (const value of list) {
          asked += 1;
          yield value;
        }
      });
      const found: number[] = [];
      for (const value of merged<number>(sequences, (a, b) => a - b)) {
        if (value === undefined) continue;
        if (found.length === most) break;
        found.push(value);
      }
      const all = lists.flat().sort((a, b) => a - b);
      expect(found).toEqual(all.slice(0, most));
      expect(asked).toBeLessThanOrEqual(lists.length + found.length + 1);
    }),
  );
});
