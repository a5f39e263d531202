import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { summarise } from '../../src/domain/summary.ts';
import { countTokens } from '../../src/domain/tokens.ts';

const MEETING = `Had a long and pleasant call this morning, the line was bad at first. We talked about the weather and how everyone was doing
for quite some time. Anna Schmidt from Contoso decided to sign the contract on 14 March 2027. The price is 12,500 EUR per year. There was
some chatter about lunch options and about the new office plants and the colour of the walls. Tom will send the invoice before Friday. After
that people drifted off into small talk again. It was nice to see everyone in such good spirits. The rollout moved to Q3 because legal
needs six weeks. Someone mentioned a film. I liked it.`;

describe('summarise', () => {
  test.each([
    ['', ''],
    [' \n a \t b ', 'a b'],
    ['Call Tom.\n- milk\n- eggs', 'Call Tom. - milk - eggs'],
  ])('short content %j is only tidied', (content, summary) => {
    expect(summarise(content)).toBe(summary);
  });

  test('keeps names, numbers, dates and decisions, in order, and drops the small talk', () => {
    const summary = summarise(MEETING);
    for (const fact of ['Anna Schmidt', '14 March 2027', '12,500 EUR', 'Tom will send', 'Friday', 'moved to Q3']) {
      expect(summary).toContain(fact);
    }
    expect(summary).not.toContain('plants');
    expect(summary.indexOf('Anna')).toBeLessThan(summary.indexOf('Tom'));
  });

  test('says nothing twice', () => {
    expect(summarise('Tom will pay 12 EUR on Friday.\n'.repeat(500))).toBe('Tom will pay 12 EUR on Friday.');
  });

  test.each([
    ['one endless word', 'x'.repeat(100_000)],
    ['emoji', '😀'.repeat(50_000)],
    ['Chinese', '今天我们决定了预算，下周一开会'.repeat(6_000)],
    ['signs only', '-.'.repeat(40_000)],
    ['dots and a letter', `${'.'.repeat(99_999)}x`],
    ['lines', 'line of a list 12\n'.repeat(5_000)],
  ])('%s: bounded, well-formed, not empty', (_, content) => {
    const summary = summarise(content);
    expect(countTokens(summary)).toBeLessThanOrEqual(60);
    expect(summary.isWellFormed()).toBe(true);
    expect(summary).not.toBe('');
  });

  test('never exceeds the budget and only says what the text says', () => {
    const words = fc.constantFrom(
      'Anna ',
      'decided ',
      '12,500 ',
      'on Friday. ',
      'the ',
      'weather, ',
      '记忆。',
      '😀 ',
      '\n',
      'x'.repeat(80),
    );
    fc.assert(
      fc.property(fc.array(words, { maxLength: 300 }), fc.integer({ min: 0, max: 80 }), (parts, max_tokens) => {
        const content = parts.join('');
        const summary = summarise(content, { max_tokens });
        expect(countTokens(summary)).toBeLessThanOrEqual(max_tokens);
        expect(summary).toBe(summarise(content, { max_tokens }));
        // Runs without a space are cut at 240 characters, so a word may be part of a longer one, but never another.
        for (const word of summary.split(/\s+|(?<=。)/)) expect(content).toContain(word);
      }),
    );
  });
});
