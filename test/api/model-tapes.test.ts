/**
 * The way through a model, from the prompt to the calendar, with what models answered to requests of outsiders (test/corpus/tapes).
 * `npm test` tries some of the entries, and all with THOROUGH=1.
 */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { mediocre } from '../support/mediocre.ts';
import { isDoubted } from '../support/planned-effects.ts';
import { isWorse, tellOutcome } from '../support/requests.ts';
import { readTape } from '../support/tape.ts';
import { aTapeApp, wantedOf } from '../support/tape-app.ts';
import { some } from '../support/thoroughness.ts';

const TIMEOUT = 300_000;
const EVERY = 10;
const SEED = 1;
const GOOD = readTape(join(import.meta.dirname, '../corpus/tapes/good.jsonl'));

let tape: Awaited<ReturnType<typeof aTapeApp>>;
beforeAll(async () => {
  tape = await aTapeApp();
});
afterAll(() => tape.close());

test('the tape of a good model has 400 requests and 80 dialogues, of which at least 97 % are right', () => {
  const dialogues = GOOD.filter((lines) => lines.length > 1);
  const right = GOOD.filter(([head]) => head!.now === undefined);
  const wrong = GOOD.filter(([head]) => head!.now === 'wrong');
  expect([GOOD.length - dialogues.length, dialogues.length]).toEqual([400, 80]);
  expect(right.length / GOOD.length).toBeGreaterThan(0.97);
  expect(wrong.length / GOOD.length).toBeLessThan(0.015);
});

test('what a good model answers comes out as its tape says', { timeout: TIMEOUT }, async () => {
  const worse: string[] = [];
  for (const lines of some(GOOD, 0, EVERY)) {
    const { outcome, verdict } = await tape.play(lines);
    const { say } = wantedOf(lines);
    if (isWorse({ say, ...(lines[0]!.now && { now: lines[0]!.now }) }, verdict) || !outcome.isByModel)
      worse.push(`${verdict}: ${[say].flat().join(' / ')}\n    ${tellOutcome(outcome)}`);
  }
  expect(worse, worse.join('\n')).toEqual([]);
});

/** Of what a mediocre model answers, this share is wrong and the reply says no doubt. It should be 1 %. */
const SILENTLY_WRONG = 0.2;

test('of what a mediocre model answers, most of what is wrong is asked about', { timeout: TIMEOUT }, async () => {
  const tried = some(mediocre(GOOD, SEED), 0, EVERY);
  const silent: string[] = [];
  for (const { fault, lines } of tried) {
    const { outcome, verdict } = await tape.play(lines);
    if (verdict === 'wrong' && !isDoubted(outcome))
      silent.push(`${fault}: ${[wantedOf(lines).say].flat().join(' / ')}\n    ${tellOutcome(outcome)}`);
  }
  expect(silent.length / tried.length, silent.join('\n')).toBeLessThan(SILENTLY_WRONG);
});
