/** What nearness in meaning adds: how much nearer than the mean a trace and those around it in its task are. */
import { expect, test } from 'vitest';
import { gains } from '../../src/memory/search/meaning.ts';
import type { RankedTrace } from '../../src/memory/search/rank.ts';
import { aScored, aTrace } from '../support/ranking.ts';

const gained = (
  traces: [seq: number, similarity: number | undefined, more?: Partial<RankedTrace>][],
  compared: 'words' | 'model' = 'words',
): Record<number, number> => {
  const likeness = new Map(
    traces.flatMap(([seq, similarity]) => (similarity === undefined ? [] : [[seq, similarity]])),
  );
  const scored = traces.map(([seq, , more]) => aScored(aTrace(seq, more), 1));
  return Object.fromEntries(gains(scored, likeness, compared));
};
const near = (value: number) => expect.closeTo(value, 9) as number;
const trip = { task_id: 'trip' };

test.each([
  ['words', 0.4],
  ['model', 0.8],
] as const)('compared by %s, %d of 1.6 times the distance from the mean is gained', (compared, weight) => {
  const traces: [number, number][] = [
    [1, 0.9],
    [2, 0.5],
    [3, 0.1],
  ];
  expect(gained(traces, compared)).toEqual({
    ...{ 1: near(weight * 1.6 * 0.4), 2: near(0), 3: near(weight * 1.6 * -0.4) },
  });
});

test('the traces around in the task count at .6, .4 and .2, as a mean', () => {
  // The mean is 0.
  const values = [0.8, -0.1, 0.2, -0.3, -0.6];
  const found = gained(values.map((value, i) => [i, value, trip]));
  expect(found).toEqual({
    0: near((0.64 * (0.8 + 0.6 * -0.1 + 0.4 * 0.2 + 0.2 * -0.3)) / 2.2),
    1: near((0.64 * (-0.1 + 0.6 * (0.8 + 0.2) + 0.4 * -0.3 + 0.2 * -0.6)) / 2.8),
    2: near((0.64 * (0.2 + 0.6 * (-0.1 - 0.3) + 0.4 * (0.8 - 0.6))) / 3),
    3: near((0.64 * (-0.3 + 0.6 * (0.2 - 0.6) + 0.4 * -0.1 + 0.2 * 0.8)) / 2.8),
    4: near((0.64 * (-0.6 + 0.6 * -0.3 + 0.4 * 0.2 + 0.2 * -0.1)) / 2.2),
  });
});

test('around means by time, and by the order of writing where the time is one', () => {
  const early = { ...trip, timestamp: '2026-11-14T09:00:00Z' };
  const found = gained([
    [5, 0.3, trip],
    [7, -0.6, early],
    [4, 0.3, trip],
  ]); // in time: 7, 4, 5
  expect(found[7]).toBeCloseTo((0.64 * (-0.6 + 0.6 * 0.3 + 0.4 * 0.3)) / 2, 9);
  expect(found[4]).toBeCloseTo((0.64 * (0.3 + 0.6 * (-0.6 + 0.3))) / 2.2, 9);
  expect(found[5]).toBeCloseTo((0.64 * (0.3 + 0.6 * 0.3 + 0.4 * -0.6)) / 2, 9);
});

test('another task and traces without one are not around', () => {
  const found = gained([
    [1, 0.5, trip],
    [2, -0.5, { task_id: 'work' }],
    [3, 0.5],
    [4, -0.5],
  ]);
  expect(found).toEqual({ 1: near(0.32), 2: near(-0.32), 3: near(0.32), 4: near(-0.32) });
});

test('a trace without a vector gains nothing, and does not count in the mean', () => {
  expect(
    gained([
      [1, 0.75],
      [2, undefined],
      [3, 0.25],
    ]),
  ).toEqual({ 1: near(0.16), 3: near(-0.16) });
});

test('where nothing is compared, nothing is gained', () => {
  expect(gained([[1, undefined, trip]])).toEqual({});
  expect(gained([])).toEqual({});
});
