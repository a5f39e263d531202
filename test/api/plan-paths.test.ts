/**
 * Every path that could change a plan x every state x every kind of credential
 * (docs/decisions.md, Every change of a plan is a move).
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, TEST_START, type TestApp } from '../support/app.ts';
import { aModel, type StubModel } from '../support/model.ts';
import { chooseMeanwhile, correctMeanwhile, decideMeanwhile } from '../support/plans/meanwhile.ts';
import { runRaces } from '../support/plans/races.ts';
import { CHANGED, SWAP_PATHS, walkSwaps } from '../support/plans/swaps.ts';
import {
  aScene,
  PATHS,
  readHistories,
  STATES,
  walkPaths,
  WHO,
  type Scene,
  type State,
} from '../support/plans/paths.ts';
import { isThorough, some } from '../support/thoroughness.ts';

/** A session is the person, as their key is; R14 tries both. */
const TRIED = WHO.filter((who) => who !== 'session');

let app: TestApp;
let stub: StubModel;
let scenes: Record<'automatic' | 'manual', Scene>;
beforeAll(async () => {
  stub = await aModel();
  app = await anApp({ env: { OPENAI_BASE_URL: stub.baseURL } });
  const today = TEST_START.slice(0, 10);
  scenes = {
    automatic: await aScene(app.url, today, 'automatic'),
    manual: await aScene(app.url, today, 'manual'),
  };
});
afterAll(async () => {
  await app.close();
  await stub.close();
});

const ALL_STATES = Object.keys(STATES) as State[];
test.each(ALL_STATES)('a plan that is %s changes as the table of moves says', { timeout: 60_000 }, async (state) => {
  const paths = some(PATHS, ALL_STATES.indexOf(state));
  const { tried, wrong } = await walkPaths(scenes, { who: TRIED, states: [state], paths });
  expect(tried).toBeGreaterThan(isThorough ? 100 : 20);
  expect(wrong).toEqual([]);
});

const SWAPS = CHANGED.map((changed, i) => ({ changed, paths: some(SWAP_PATHS, i, CHANGED.length) }));
test.each(SWAPS)(
  'a swap is decided on by what was read: $changed',
  { timeout: 120_000 },
  async ({ changed, paths }) => {
    const who = isThorough ? TRIED.filter((one) => !['feed', 'stranger'].includes(one)) : (['owner'] as const);
    const { tried, wrong } = await walkSwaps(scenes, { who, paths, changes: [changed] });
    expect(tried).toBeGreaterThan(isThorough ? 100 : 5);
    expect(wrong).toEqual([]);
  },
);

test('a decision is taken back once, whatever happens at the same moment', async () => {
  const { tried, wrong } = await runRaces({ ...scenes, urls: [app.url] }, isThorough ? 3 : 1, { clockRuns: false });
  expect(tried).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});

test('a correction in words reaches only the plan that was read, however long the model thinks', async () => {
  // The model is told of the first proposals of a queue: here there are no others.
  const fresh = await aScene(app.url, TEST_START.slice(0, 10), 'automatic');
  const { tried, wrong } = await correctMeanwhile(fresh, stub, { all: false });
  expect(tried).toBeGreaterThan(40);
  expect(wrong).toEqual([]);
});

test('of two readings nothing comes until one is chosen, and then only that one', async () => {
  const fresh = await aScene(app.url, TEST_START.slice(0, 10), 'automatic');
  const { tried, wrong } = await chooseMeanwhile(fresh, stub, { all: isThorough });
  expect(tried).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

test('a button on the page of the feed decides about what the page showed', async () => {
  const { tried, wrong } = await decideMeanwhile(scenes.automatic);
  expect(tried).toBeGreaterThan(10);
  expect(wrong).toEqual([]);
});

test('no version of any plan came about otherwise, and nothing imported was carried out', async () => {
  await app.executor.round();
  for (const scene of Object.values(scenes)) {
    const { tried, wrong } = await readHistories(scene);
    expect(tried).toBeGreaterThan(10);
    expect(wrong).toEqual([]);
  }
});
