/** Lists and dictionaries of request bodies: what is too much is not looked at. */
import { expect, test } from 'vitest';
import { z } from 'zod';
import { dictionary, list, MAX_FAULTS, unreadList } from '../../src/domain/record/bounded-collections.ts';

/** A schema that refuses every value, and the number of values it was given. */
const refusing = () => {
  const seen = { values: 0 };
  return { seen, schema: z.unknown().refine(() => ((seen.values += 1), false)) };
};
const zeros = (count: number): number[] => Array<number>(count).fill(0);

test('a list stops after a hundred faults, also one of lists', () => {
  const { seen, schema } = refusing();
  expect(list(schema, 50_000).safeParse(zeros(50_000)).error?.issues).toHaveLength(MAX_FAULTS);
  expect(seen.values).toBe(MAX_FAULTS);
  list(list(schema, 1_000), 1_000).safeParse(Array.from({ length: 500 }, () => zeros(999)));
  expect(seen.values).toBe(2 * MAX_FAULTS);
});

test('the items of a list that its handler parses are not parsed before', () => {
  const { seen, schema } = refusing();
  expect(unreadList(schema, 1_000).safeParse(zeros(1_000)).success).toBe(true);
  expect(seen.values).toBe(0);
});

test('a dictionary with too many members is refused as a whole', () => {
  const { seen, schema } = refusing();
  const members = Object.fromEntries(zeros(1_001).map((zero, i) => [`n${i}`, zero]));
  expect(dictionary(z.string().max(9), schema, 1_000).safeParse(members).error?.issues).toHaveLength(1);
  expect(seen.values).toBe(0);
});
