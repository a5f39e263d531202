/**
 * Everyday requests from the prompt to the calendar: no entry of the corpus gets worse than it expects (test/corpus/requests.yaml).
 * npm test tries every twelfth entry. With THOROUGH=1, as in .ci/run, each one is tried on the embedded database, and what is not
 * right is listed. The planner is the same on a server.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApp } from '../support/app.ts';
import { CORPUS, corpusApp, isWorse, judge, run, tellOutcome } from '../support/requests.ts';
import { onPostgres } from '../support/db.ts';
import { isThorough } from '../support/thoroughness.ts';

/** Each request is a conversation, an approval and a comparison of calendars. */
const EVERY = 12;
const isEveryOneTried = isThorough && !onPostgres;

let app: TestApp;
beforeAll(async () => {
  app = await corpusApp();
});
afterAll(() => app.close());

test.each(CORPUS.rounds)('$name', { timeout: 300_000 }, async ({ requests, dialogues = [] }) => {
  const worse: string[] = [];
  const all = [...requests, ...dialogues];
  for (const entry of isEveryOneTried ? all : all.filter((_, i) => i % EVERY === 0)) {
    const outcome = await run(app, entry);
    const verdict = judge(entry, outcome);
    const told = `${verdict}: ${[entry.say].flat().join(' / ')}\n    ${tellOutcome(outcome)}`;
    if (verdict !== 'right' && isEveryOneTried) process.stdout.write(`${told}\n`);
    if (isWorse(entry, verdict)) worse.push(told);
  }
  expect(worse.toSorted(), worse.join('\n')).toEqual([]);
});
