/**
 * Everyday requests from the prompt to the calendar: no entry of the corpus gets worse than it expects (test/corpus/requests.yaml).
 * `npm test` tries every twelfth entry. With THOROUGH=1, as in .ci/run, each one is tried too of which the planner understands
 * something else than when it was judged (judged.ts), and what is not right is listed. The planner is the same on a server.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TestApp } from './app.ts';
import { onPostgres } from './db.ts';
import { keyOf, readJudged } from './judged.ts';
import { CORPUS, corpusApp, isWorse, judge, run, tellOutcome, type Entry, type Round } from './requests.ts';
import { isThorough } from './thoroughness.ts';

/** Each entry is a conversation, an approval and a comparison of calendars. */
const EVERY = 12;
/** The rounds are in so many files of tests, which run at the same time. */
const FILES = 3;

const chosenOf = ({ name, requests, dialogues = [] }: Round): Entry[] => {
  const all = [...requests, ...dialogues];
  const judged = isThorough && !onPostgres ? readJudged() : undefined;
  const others = new Set(judged && all.filter((entry) => !judged.has(keyOf(entry))));
  if (others.size > 0)
    process.stdout.write(
      `${name}: ${others.size} are understood in another way; run npm run understand -- judge --accept\n`,
    );
  return all.filter((entry, i) => i % EVERY === 0 || others.has(entry));
};

/** @param file from 0 */
export const testRounds = (file: number): void => {
  let app: TestApp;
  beforeAll(async () => {
    app = await corpusApp();
  });
  afterAll(() => app.close());

  const rounds = CORPUS.rounds.filter((_, i) => i % FILES === file);
  test.each(rounds)('$name', { timeout: 300_000 }, async (round) => {
    const worse: string[] = [];
    for (const entry of chosenOf(round)) {
      const outcome = await run(app, entry);
      const verdict = judge(entry, outcome);
      const told = `${verdict}: ${[entry.say].flat().join(' / ')}\n    ${tellOutcome(outcome)}`;
      if (verdict !== 'right' && isThorough) process.stdout.write(`${told}\n`);
      if (isWorse(entry, verdict)) worse.push(told);
    }
    expect(worse.toSorted(), worse.join('\n')).toEqual([]);
  });
};
