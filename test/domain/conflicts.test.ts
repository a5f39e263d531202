/** Rivals for a time, against the plain definition: everything that overlaps. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rivalsOf, type Wish } from '../../src/domain/plan/rivals.ts';

const wishes = fc
  .array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 20 })), { maxLength: 40 })
  .map((list) => list.map(([from, length], i): Wish => ({ uid: `p${i}`, span: [from, from + length] })));

const plainly = ({ uid, span: [from, to] }: Wish, all: Wish[]): string[] =>
  all
    .filter((other) => other.uid !== uid && other.span[0] < to && other.span[1] > from)
    .toSorted((a, b) => a.span[0] - b.span[0] || (a.uid < b.uid ? -1 : 1))
    .map((other) => other.uid);

describe('rivals', () => {
  test('are those whose time overlaps: all are counted, the first are named', () => {
    fc.assert(
      fc.property(wishes, fc.nat(5), (all, most) => {
        const found = rivalsOf(all, all, most);
        for (const wish of all) {
          const expected = plainly(wish, all);
          expect(found.get(wish.uid)).toEqual({ count: expected.length, uids: expected.slice(0, most) });
        }
      }),
    );
  });

  test('of 14,000 for one hour are found without comparing each with each', () => {
    let looks = 0;
    const all = Array.from({ length: 14_000 }, (_, i): Wish => ({
      uid: `p${i}`,
      get span(): Wish['span'] {
        looks += 1;
        return [i % 7, 3600 + (i % 11)];
      },
    }));
    expect(rivalsOf(all.slice(0, 1000), all, 20).get('p0')).toMatchObject({ count: 13_999 });
    expect(looks).toBeLessThan(1_000_000); // 14 million pairs
  });
});
