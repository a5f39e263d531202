/** Everyday requests from the prompt to the calendar: no round of the corpus gets worse (test/corpus/requests.yaml). */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { CORPUS, corpusApp, judge, run, tellOutcome, type Verdict } from '../support/requests.ts';

let app: TestApp;
beforeAll(async () => {
  app = await corpusApp();
});
afterAll(() => app.close());

test.each(CORPUS.rounds)('$name', { timeout: 300_000 }, async ({ now, requests, dialogues }) => {
  const counts: Record<Verdict, number> = { right: 0, unclear: 0, wrong: 0 };
  const faults: string[] = [];
  for (const entry of [...requests, ...dialogues]) {
    const outcome = await run(app, entry);
    const verdict = judge(entry, outcome);
    counts[verdict]++;
    if (verdict !== 'right') faults.push(`${verdict}: ${[entry.say].flat().join(' / ')}\n    ${tellOutcome(outcome)}`);
  }
  const told = `${JSON.stringify(counts)}\n${faults.toSorted().join('\n')}`;
  if (process.env['CORPUS']) process.stdout.write(`${told}\n`);
  expect(counts.right, told).toBeGreaterThanOrEqual(now.right);
  expect(counts.wrong, told).toBeLessThanOrEqual(now.wrong);
});
