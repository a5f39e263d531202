import { describe, expect, test } from 'vitest';
import { answerAsked, speechOf, withoutSpeaker } from '../../src/domain/text/speech.ts';

describe('speechOf', () => {
  test.each<[string, string | undefined]>([
    ['Maria: I moved house', 'Maria'],
    ['Dr. Jane O’Neil: it heals', 'Dr. Jane O’Neil'],
    ['田中: おはよう', '田中'],
    ['Jean-Luc: engage', 'Jean-Luc'],
    ['the plan: buy milk', undefined],
    ['Meeting about the budget: it is late', undefined],
    ['One Two Three Four Five: too many words', undefined],
    ['10:30 we meet', undefined],
    ['https://example.com', undefined],
    ['Maria:no space', undefined],
    ['', undefined],
  ])('the speaker of %j', (text, speaker) => {
    expect(speechOf(text).speaker).toBe(speaker);
    expect(withoutSpeaker(text)).toBe(speaker === undefined ? text : text.slice(speaker.length + 2));
  });

  test.each<[string, boolean, boolean]>([
    ['Where is it?', true, true],
    ['“Where is it?”', true, true],
    ['Maria: Where is it? [a map]', true, true],
    ['どこ？', true, true],
    ['Where is it? In the cellar.', true, false],
    ['In the cellar. [what?]', false, false],
  ])('%j asks: %s, and ends with it: %s', (text, asks, endsAsking) => {
    expect(speechOf(text)).toMatchObject({ asks, endsAsking });
  });

  test.each<[string, boolean, boolean]>([
    ['I did it yesterday', true, true],
    ['in 2019 we met', true, true],
    ['two weeks ago', true, true],
    ['we have three cats', false, true],
    ['we may march', false, false],
    ['in May', true, true],
    ['nice', false, false],
  ])('%j tells a time: %s, and an amount: %s', (text, tellsTime, tellsAmount) => {
    expect(speechOf(text)).toMatchObject({ tellsTime, tellsAmount });
  });
});

test.each<[string, boolean, boolean]>([
  ['When did Maria move?', true, false],
  ['what year was it', true, false],
  ['in which month', true, false],
  ['How many cats has she', false, true],
  ['for how long', false, true],
  ['She asked me when', false, false],
  ['where and how', false, false],
])('%j asks for a time: %s, or an amount: %s', (query, time, amount) => {
  expect(answerAsked(query)).toEqual({ time, amount });
});
