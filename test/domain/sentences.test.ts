import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sentences } from '../../src/domain/text/sentences.ts';

describe('sentences', () => {
  test.each<[string, string, string[]]>([
    ['prose', 'We agreed. Tom pays! Does he? Yes…', ['We agreed.', 'Tom pays!', 'Does he?', 'Yes…']],
    [
      'abbreviations',
      'Dr. Smith met J. R. Miller on Jan. 5th, e.g. for lunch. They agreed.',
      ['Dr. Smith met J. R. Miller on Jan. 5th, e.g. for lunch.', 'They agreed.'],
    ],
    ['decimals and times', 'It is 3.5 million at 10.30. Fine.', ['It is 3.5 million at 10.30.', 'Fine.']],
    ['quotation', '"Really?" she said. Then "No." He left.', ['"Really?" she said.', 'Then "No."', 'He left.']],
    ['numbered list', '1. Buy milk\n2. Call Tom', ['1. Buy milk', '2. Call Tom']],
    ['bullets', '- one\n- two\n* three', ['- one', '- two', '* three']],
    [
      'wrapped lines',
      'a sentence that\nwas wrapped\r\nby a mailer\n\nnew paragraph',
      ['a sentence that was wrapped by a mailer', 'new paragraph'],
    ],
    ['lower-case chat', 'shipped v2. fixed the login. ask anna', ['shipped v2.', 'fixed the login.', 'ask anna']],
    [
      'Chinese',
      '今天决定了预算。下周一开会！「好的。」他说',
      ['今天决定了预算。', '下周一开会！', '「好的。」', '他说'],
    ],
    ['nothing said', ' ... \n --- \n', []],
  ])('%s', (_, text, expected) => {
    expect(sentences(text)).toEqual(expected);
  });

  test('are of bounded length and lose no word', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom('Anna', 'met', '12', 'e.g.', '。', '. ', ', ', ' ', '\n', '😀', '记忆', 'x'.repeat(50)),
          { maxLength: 200 },
        ),
        (parts) => {
          const text = parts.join('');
          const found = sentences(text);
          for (const sentence of found) {
            expect(sentence.length).toBeLessThanOrEqual(240);
            expect(sentence.isWellFormed()).toBe(true);
          }
          const letters = (value: string): string => value.replace(/[^\p{L}\p{N}]/gu, '');
          expect(letters(found.join(''))).toBe(letters(text));
        },
      ),
    );
  });
});
