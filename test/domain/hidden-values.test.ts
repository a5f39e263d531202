/** The sensitive values of one user, and the blanking of whole answers. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { blanking, blankingInSteps } from '../../src/domain/record/blanking.ts';
import { createFinder } from '../../src/domain/record/redact.ts';
import { createWordFilter } from '../../src/domain/text/word-filter.ts';
import { createHiddenValues, type ValueRow } from '../../src/ledger/hidden-values.ts';
import { runs } from '../support/thoroughness.ts';

describe('hidden values', () => {
  test('are hidden while they are set, in whatever spelling, for whom their setter says', async () => {
    const row = fc.record({
      seq: fc.integer({ min: 1, max: 20 }),
      lasts: fc.option(fc.integer({ min: 1, max: 10 })),
      agent: fc.constantFrom(null, 'one', 'other'),
      values: fc.uniqueArray(fc.constantFrom('anna', 'ANNA', 'Anna', 'bert', 'Bert'), { minLength: 1, maxLength: 2 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(row, { selector: ({ seq }) => seq, maxLength: 8 }),
        fc.constantFrom(null, 'one', 'other'),
        fc.boolean(),
        fc.integer({ min: 1, max: 30 }),
        async (made, agent, now, at) => {
          const rows: ValueRow[] = made.map(({ seq, lasts, ...rest }) => ({
            ...{ ...rest, seq, until: lasts === null ? null : seq + lasts },
          }));
          const known = createHiddenValues();
          // What is read at seq 10, and then what was set or ended after it.
          const isLater = (happened: number | null): boolean => happened !== null && happened > 10;
          const early = rows.filter(({ seq }) => !isLater(seq));
          await known.add(early.map((one) => (isLater(one.until) ? { ...one, until: null } : one)));
          await known.add(rows.filter(({ seq, until }) => isLater(seq) || isLater(until)));
          const find = known.finderAt(agent, { now, at: [at] });
          for (const name of ['anna', 'bert']) {
            const expected = rows.some(
              (one) =>
                (one.agent === null || one.agent === agent) &&
                one.values.some((value) => value.toLowerCase() === name) &&
                ((now && one.until === null) || (one.seq <= at && (one.until === null || at < one.until))),
            );
            expect(find(`by ${name}`).length, name).toBe(expected ? 1 : 0);
          }
        },
      ),
      { numRuns: runs(2_000) },
    );
  });

  test('in many spellings take the memory of one', async () => {
    const size = async (count: number): Promise<number> => {
      const known = createHiddenValues();
      const values = Array.from({ length: count }, (_, n) =>
        Array.from('abcdefghijklmnop', (letter, i) => ((n >> i) & 1 ? letter.toUpperCase() : letter)).join(''),
      );
      await known.add(values.map((value, n) => ({ seq: n + 1, until: null, agent: 'one', values: [value] })));
      return known.size();
    };
    expect(await size(2_000)).toBe(await size(1));
  });
});

describe('blanking', () => {
  const find = createFinder(['Anna']);
  const answer = {
    items: Array.from({ length: 20 }, (_, n) => ({
      uid: `${n}`,
      content: `Anna ${'x '.repeat(5_000)}`,
      notes: 'Anna',
    })),
  };

  test('of a long answer yields after each item and each long text, and is the same as at once', () => {
    const steps = blankingInSteps(() => find)(answer);
    for (let count = 0; ; count++) {
      const { done, value } = steps.next();
      if (!done) continue;
      expect(count).toBeGreaterThanOrEqual(40);
      expect(value).toEqual(blanking(() => find)(answer));
      expect(value.items[0]).toEqual({ uid: '0', content: `[redacted] ${'x '.repeat(5_000)}`, notes: '[redacted]' });
      return;
    }
  });

  test('makes one finder for all that an agent recorded', () => {
    const asked: (string | null)[] = [];
    blanking(({ agent }) => {
      asked.push(agent);
      return find;
    })(answer);
    expect(asked).toEqual([null]);
  });
});

describe('the filter of words', () => {
  test('knows every word that was added, and few others, in bounded memory', () => {
    const filter = createWordFilter();
    const words = Array.from({ length: 100_000 }, (_, n) => `w${n.toString(36)}`);
    for (const [n, word] of words.entries()) {
      filter.add(word);
      if (n === 1_000) expect(words.slice(2_000, 12_000).filter(filter.has).length).toBeLessThan(50);
    }
    expect(words.every(filter.has)).toBe(true);
    expect(words.filter((word) => filter.has(`x${word}`)).length).toBeLessThan(words.length / 20);
    expect(filter.bytes()).toBeLessThanOrEqual(8 * 2 ** 20);
  });
});
