/** Long work is cut into slices, one for each iteration of the event loop, and users are served in rotation. */
import { expect, test } from 'vitest';
import { onBehalfOf } from '../../src/common/fair-shares.ts';
import { createYielder, inTransactionFirst, mapYielding, runFairly, runYielding } from '../../src/common/yielding.ts';

/** Longer than a slice. */
const STEP_MS = 4;

const spin = (ms: number): void => {
  const until = performance.now() + ms;
  while (performance.now() < until);
};

/** Counts the iterations of the event loop while `work` runs. */
const countingIterations = async (work: (iteration: () => number) => Promise<unknown>): Promise<void> => {
  let iteration = 0;
  let isOver = false;
  const count = (): void => {
    iteration += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await work(() => iteration).finally(() => (isOver = true));
};

type Step = { user: string; iteration: number };

function* steps(user: string, count: number, log: Step[], iteration: () => number): Generator<undefined, string> {
  for (let n = 0; n < count; n++) {
    spin(STEP_MS);
    log.push({ user, iteration: iteration() });
    yield;
  }
  return user;
}

test('an iteration runs one slice of all work there is, however many requests work', async () => {
  const log: Step[] = [];
  await countingIterations((iteration) =>
    Promise.all([
      ...[1, 2, 3, 4].map((n) => onBehalfOf(`user ${n}`, () => runYielding(steps(`user ${n}`, 5, log, iteration)))),
      onBehalfOf('user 5', () => runFairly(() => steps('user 5', 1, log, iteration).next())),
      onBehalfOf('user 6', () => mapYielding([1, 2, 3], () => steps('user 6', 1, log, iteration).next())),
    ]),
  );
  expect(log).toHaveLength(4 * 5 + 1 + 3);
  expect(new Set(log.map(({ iteration }) => iteration)).size).toBe(log.length);
});

test('a user with much work does not delay one with little', async () => {
  const log: Step[] = [];
  await countingIterations((iteration) =>
    Promise.all([
      ...[1, 2, 3, 4].map(() => onBehalfOf('many', () => runYielding(steps('many', 5, log, iteration)))),
      onBehalfOf('one', () => runYielding(steps('one', 5, log, iteration))),
    ]),
  );
  expect(log.map(({ user }) => user).lastIndexOf('one')).toBeLessThanOrEqual(11);
});

test('the work of a transaction goes before other work of its user', async () => {
  const log: Step[] = [];
  await countingIterations((iteration) =>
    onBehalfOf('one', () =>
      Promise.all([
        ...[1, 2, 3].map((n) => runYielding(steps(`read ${n}`, 4, log, iteration))),
        inTransactionFirst(() => runYielding(steps('write', 4, log, iteration))),
      ]),
    ),
  );
  expect(log.map(({ user }) => user).lastIndexOf('write')).toBeLessThanOrEqual(5);
});

test('short pieces share a slice, so that they need no iteration each', async () => {
  let iterations = 0;
  await countingIterations(async (iteration) => {
    await Promise.all(Array.from({ length: 2_000 }, () => runYielding([1].values() as Iterator<unknown, void>)));
    await Promise.all(Array.from({ length: 500 }, () => mapYielding([1, 2], (n) => n + 1)));
    iterations = iteration();
  });
  expect(iterations).toBeLessThan(250);
});

test('the value, the refusal and a fault of the work are passed on, and the turn is given back', async () => {
  const work = function* (): Generator<undefined, number> {
    for (let n = 0; n < 5; n++) yield;
    return 7;
  };
  expect(await runYielding(work())).toBe(7);
  const refusal = (): never => {
    throw new Error('too many steps');
  };
  await expect(runYielding(work(), { steps: 3, refusal })).rejects.toThrow('too many steps');
  await expect(
    runFairly(() => {
      throw new Error('fault');
    }),
  ).rejects.toThrow('fault');
  expect(await mapYielding(['a', 'b'], (text, i) => `${text}${i}`)).toEqual(['a0', 'b1']);
});

test('a yielder lets timers and sockets be served between pieces of work', async () => {
  let served = 0;
  const timer = setInterval(() => (served += 1), 1);
  const yieldToOthers = createYielder();
  for (let n = 0; n < 10; n++) {
    spin(STEP_MS);
    await yieldToOthers();
  }
  clearInterval(timer);
  expect(served).toBeGreaterThanOrEqual(5);
});
