import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { snippet } from '../../src/domain/text/snippet.ts';
import { parseQuery } from '../../src/domain/text/search-words.ts';

const FILLER = 'Nothing of note was said here for a while. '.repeat(20);

describe('snippet', () => {
  test.each<[string, string, string, number, string]>([
    ['marks the word forms search matches', 'We planned two Plans.', 'planning', 100, 'We **planned** two **Plans**.'],
    ['whole short text without hits', 'Just\n a  text.', 'absent', 100, 'Just a text.'],
    ['start of a long text without hits', FILLER, 'absent', 20, 'Nothing of note was…'],
    [
      'the window with most different terms',
      `budget ${FILLER}budget of Anna ${FILLER}`,
      'anna budget',
      40,
      '…while. **budget** of **Anna** Nothing of note…',
    ],
    ['touching CJK pairs are one mark', '今天我们决定了预算', '决定了', 100, '今天我们**决定了**预算'],
    ['an empty text', '', 'a', 100, ''],
  ])('%s', (_, content, query, max_chars, expected) => {
    expect(snippet(content, parseQuery(query).terms, { max_chars })).toBe(expected);
  });

  test('finds a hit far down a long text', () => {
    const content = `${FILLER.repeat(100)}The invoice is lost. ${FILLER}`;
    expect(snippet(content, parseQuery('invoices').terms)).toContain('The **invoice** is lost.');
  });

  test('is well-formed and within its length', () => {
    const parts = fc.array(fc.constantFrom('Anna ', 'plan ', '😀', '记忆', 'filler ', '. ', 'İ', 'x'.repeat(30)), {
      maxLength: 120,
    });
    fc.assert(
      fc.property(parts, fc.integer({ min: 10, max: 200 }), (words, max_chars) => {
        const found = snippet(words.join(''), ['anna', 'plan', '记忆'], { max_chars });
        expect(found.isWellFormed()).toBe(true);
        expect(found.replaceAll('**', '').replace(/^…|…$/g, '').length).toBeLessThanOrEqual(max_chars);
        expect(found.split('**').length % 2).toBe(1);
      }),
    );
  });
});
