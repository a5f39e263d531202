/** Content that the service puts together fits, and ends in a whole character. */
import { expect, test } from 'vitest';
import { asContent, MAX_CONTENT } from '../../src/domain/record/trace.ts';

test.each([0, 1])('%i characters before a run of pairs: cut within one or between two', (before) => {
  const content = asContent('x'.repeat(before) + '😀'.repeat(MAX_CONTENT));
  expect(content).toHaveLength(MAX_CONTENT);
  expect(content.isWellFormed()).toBe(true);
});

test('what fits stays as it is', () => {
  expect(asContent('Fine as it is 😀')).toBe('Fine as it is 😀');
});
