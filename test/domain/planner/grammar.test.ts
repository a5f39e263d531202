/** Every pattern of the grammar of times is read without an exception: a production takes what its pattern gives. */
import { expect, test } from 'vitest';
import { readTime } from '../../../src/domain/planner/time/read-time.ts';
import { lexed } from '../../../src/domain/planner/time/lexicon.ts';
import { tokensOf } from '../../../src/domain/planner/time/tokens.ts';
import { CLOCKS } from '../../../src/domain/planner/words/clocks.ts';
import { DAYS } from '../../../src/domain/planner/words/days.ts';
import { LENGTHS } from '../../../src/domain/planner/words/lengths.ts';
import { RANGES } from '../../../src/domain/planner/words/ranges.ts';
import { TOP } from '../../../src/domain/planner/words/top.ts';

/** Writes out the choices of a pattern, as the grammar does. */
const expand = (pattern: string): string[] => {
  const choice = /\(([^()]*)\)/.exec(pattern);
  if (!choice) return [pattern.trim().replaceAll(/ +/g, ' ')];
  return choice[1]!.split('/').flatMap((one) => expand(pattern.replace(choice[0], one)));
};

const RULES = `${LENGTHS}\n${CLOCKS}\n${DAYS}\n${RANGES}\n${TOP}`
  .split('\n')
  .filter((line) => line.trim() && !line.startsWith('#'))
  .flatMap((line) => {
    const [kind = '', rest = ''] = line.split(' <- ');
    return (rest.split(' -> ')[0] ?? '')
      .split(' | ')
      .flatMap(expand)
      .map((pattern) => ({ kind: kind.trim(), pattern }));
  });

const MARKS: Record<string, string> = { SLASH: '/', OPEN: '(', CLOSE: ')', BAR: '|', ARROW: '>', '^': '' };
/** Words of which the lexicon makes the kinds that the grammar does not. */
const WORDS =
  '1 3 12 25 30 45 59 1000 2027 0900 14:30 9:15 12.10. 12.10 3.00 12/10 2027-01-05 3.5 1st 25th first half quarter two hour day week month weekend ' +
  'twenty ¼ ½ 1/2 half third 12. 3. 18. 26 mondays mon m t w mwf mo-fr tth monday friday january christmas today tomorrow morning evening noon am pm utc london berlin every next last before after until';

/** A text for each kind: those of the lexicon, then those of which all parts have one, until no kind is new. */
const samples = new Map<string, string>();
for (const text of WORDS.split(' '))
  for (const token of tokensOf(text))
    for (const [kind] of lexed(token)) if (!samples.has(kind)) samples.set(kind, text);
const textOf = (pattern: string): string | null => {
  const parts = pattern.split(' ').map((part) => {
    if (!part.startsWith('{')) return MARKS[part] ?? part;
    return samples.get(part.replaceAll(/[{+}]/g, '')) ?? null;
  });
  return parts.includes(null) ? null : parts.filter(Boolean).join(' ');
};
for (let known = -1; known < samples.size;) {
  known = samples.size;
  for (const { kind, pattern } of RULES) {
    const text = textOf(pattern);
    if (text !== null && !samples.has(kind)) samples.set(kind, text);
  }
}

test('every pattern of the grammar is read without an exception', () => {
  const texts = RULES.map(({ pattern }) => textOf(pattern));
  const missing = RULES.filter((_, i) => texts[i] === null).map(({ pattern }) => pattern);
  expect(missing).toEqual([]);
  const failed = [...new Set(texts)].filter((text) => {
    try {
      return readTime(text as string).steps < 0;
    } catch {
      return true;
    }
  });
  expect(failed).toEqual([]);
  expect(texts.length).toBeGreaterThan(1_000);
});
