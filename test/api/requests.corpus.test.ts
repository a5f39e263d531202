/**
 * Everyday requests from the prompt to the calendar: no round of the corpus gets worse (test/corpus/requests.yaml). npm test tries
 * every twelfth entry. With THOROUGH=1, as in .ci/run, each one is tried, and what is not right is listed.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { CORPUS, corpusApp, judge, run, tellOutcome, type Verdict } from '../support/requests.ts';
import { isThorough, some } from '../support/thoroughness.ts';

/** Each request is a conversation, an approval and a comparison of calendars. */
const EVERY = 12;

let app: TestApp;
beforeAll(async () => {
  app = await corpusApp();
});
afterAll(() => app.close());

test.each(CORPUS.rounds)('$name', { timeout: 300_000 }, async ({ now, requests, dialogues }) => {
  const counts: Record<Verdict, number> = { right: 0, unclear: 0, wrong: 0 };
  const faults: string[] = [];
  const tried = some([...requests, ...dialogues], 0, EVERY);
  for (const entry of tried) {
    const outcome = await run(app, entry);
    const verdict = judge(entry, outcome);
    counts[verdict]++;
    if (verdict !== 'right') faults.push(`${verdict}: ${[entry.say].flat().join(' / ')}\n    ${tellOutcome(outcome)}`);
  }
  const told = `${JSON.stringify(counts)}\n${faults.toSorted().join('\n')}`;
  if (isThorough) process.stdout.write(`${told}\n`);
  const known = now.unclear + now.wrong;
  expect(tried.length - counts.right, told).toBeLessThanOrEqual(known);
  expect(counts.wrong, told).toBeLessThanOrEqual(now.wrong);
});
