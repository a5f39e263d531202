/** What many want at once is done once, and never with less than each of them has seen. */
import { expect, test } from 'vitest';
import { createTogether } from '../../src/common/together.ts';

/** Each run waits until it is let go, and answers with what was true when it began. */
const aWork = () => {
  const begun: { seen: number; go: () => void; fail: (error: Error) => void }[] = [];
  let state = 0;
  return {
    begun,
    change: (): number => (state += 1),
    work: (): Promise<number> => {
      const seen = state;
      return new Promise((resolve, reject) => begun.push({ seen, go: () => resolve(seen), fail: reject }));
    },
  };
};
const began = async (begun: unknown[], times: number): Promise<void> => {
  await expect.poll(() => begun.length).toBe(times);
};

test('callers share the next run, and never one that has begun', async () => {
  const together = createTogether<number>();
  const { begun, change, work } = aWork();
  const early = [together('a', work), together('a', work)];
  await began(begun, 1);
  change();
  const late = [together('a', work), together('a', work), together('a', work)];
  change();
  begun[0]?.go();
  await began(begun, 2);
  begun[1]?.go();
  expect(await Promise.all(early)).toEqual([0, 0]);
  expect(await Promise.all(late)).toEqual([2, 2, 2]);
  const after = together('a', work);
  await began(begun, 3);
  begun[2]?.go();
  expect(await after).toBe(2);
});

test('keys do not wait for each other', async () => {
  const together = createTogether<number>();
  const { begun, work } = aWork();
  const [a, b] = [together('a', work), together('b', work)];
  await began(begun, 2);
  begun[1]?.go();
  expect(await b).toBe(0);
  begun[0]?.go();
  expect(await a).toBe(0);
});

test('a failure is that of those who share it, and the next run goes on', async () => {
  const together = createTogether<number>();
  const { begun, change, work } = aWork();
  const failed = Promise.allSettled([together('a', work), together('a', work)]);
  await began(begun, 1);
  const next = together('a', work);
  change();
  begun[0]?.fail(new Error('no'));
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await began(begun, 2);
  begun[1]?.go();
  expect(await next).toBe(1);
});
