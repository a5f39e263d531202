/** Texts are cut so that no hidden value is cut in two. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cutBefore, withoutParts } from '../../src/domain/record/cutting.ts';
import { createFinder } from '../../src/domain/record/redact.ts';
import '../support/seeds.ts';

const VALUE = 'Ottoline Farnsworth';

describe('cutBefore', () => {
  const find = createFinder([VALUE]);
  const cutAt = (text: string, most: number): string => cutBefore(text, most, find);

  test('cuts at the length, or before the value that is there', () => {
    expect(cutAt(`Call ${VALUE} today`, 100)).toBe(`Call ${VALUE} today`);
    expect(cutAt(`Call ${VALUE} today`, 24)).toBe(`Call ${VALUE}`);
    for (let most = 6; most < 24; most++) expect(cutAt(`Call ${VALUE} today`, most)).toBe('Call ');
    expect(cutAt(`Call ${VALUE} today`, 3)).toBe('Cal');
  });

  test('leaves no part of a value, wherever it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(60), (before, after, most) => {
        const text = `${before} ${VALUE} ${after}`;
        const at = before.length + 1;
        const short = cutBefore(text, most, () => [[at, at + VALUE.length]]);
        expect(text.toWellFormed().startsWith(short.toWellFormed())).toBe(true);
        expect(short.length <= at || short.length >= at + VALUE.length).toBe(true);
      }),
    );
  });
});

describe('withoutParts', () => {
  const whole = withoutParts([VALUE, 'Farn Fard']);
  test.each([
    ['Call Ottoline Farnsw…', 'Call …'],
    ['“Call ottoline…” and “Ask OTTOLINE FARN…”.', '“Call …” and “Ask …”.'],
    ['Call Ottoline', 'Call Ottoline'],
    [`Call ${VALUE}…`, `Call ${VALUE}…`],
    ['Call xOttoline…', 'Call xOttoline…'],
    ['Call Ot…', 'Call Ot…'],
    ['Farn Far…', '…'],
    ['Farn Farn Fa…', 'Farn …'],
  ])('%s: %s', (text, without) => {
    expect(whole(text)).toBe(without);
  });
});
