/** Fair shares: nobody holds more than his, lines take turns, and a line that is too long or too slow is refused. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  createShares,
  onBehalfOf,
  onBehalfOfService,
  currentHolder,
  type ShareLimits,
} from '../../src/common/fair-shares.ts';

const shares = (limits: Partial<ShareLimits> = {}) =>
  createShares({ size: 4, each: () => 2, maxWaiting: 10, maxWaitMs: 10_000, ...limits });

/** Asks for places in this order, and tells who has got one so far. */
const asked = (of: ReturnType<typeof shares>, names: (string | undefined)[]) => {
  const inside: (string | undefined)[] = [];
  const all = Promise.all(
    names.map(async (who) => {
      await of.take(who);
      inside.push(who);
    }),
  );
  all.catch(() => undefined); // those who still wait at the end of a test are refused later
  return { inside, all };
};

describe('fair shares', () => {
  test('a user holds at most his share, and the rest stays free for others', async () => {
    const { inside } = asked(shares(), ['a', 'a', 'a', 'a', 'b']);
    await sleep(1);
    expect(inside.toSorted()).toEqual(['a', 'a', 'b']);
  });

  test('work of the service itself has no share that bounds it', async () => {
    const { inside } = asked(shares(), [undefined, undefined, undefined]);
    await sleep(1);
    expect(inside).toHaveLength(3);
  });

  test('lines take turns: who comes last does not wait for all who came before', async () => {
    const one = shares({ size: 1, each: () => 1 });
    const { inside, all } = asked(one, ['a', 'a', 'a', 'a', 'b', 'c', 'b']);
    for (let given = 0; given < 7; given++) {
      await sleep(1);
      one.give(inside.at(-1));
    }
    await all;
    expect(inside.join('')).toBe('aabcaba');
    expect(one.waiting()).toBe(0);
  });

  test('what weighs more takes more, and an equal number comes back', async () => {
    const weighed = shares({ size: 100, each: () => 10 });
    await weighed.take('a', 8);
    await weighed.take('a', 8); // whoever holds less than his share may take one more
    const third = weighed.take('a', 1);
    expect(third).toBeInstanceOf(Promise);
    weighed.give('a', 8);
    await third;
  });

  test('a line that is too long is refused, with when to come again, and another user is not', async () => {
    const short = shares({ maxWaiting: 3 });
    const { all } = asked(short, ['a', 'a', 'a', 'a', 'a', 'a']);
    await expect(all).rejects.toMatchObject({
      code: 'too_many_requests',
      options: { headers: { 'Retry-After': '1' } },
    });
    expect(short.take('b')).toBeUndefined();
  });

  test('whoever waits too long is told why: his own requests, or those of others', async () => {
    const hasty = shares({ size: 2, maxWaitMs: 20 });
    const own = asked(hasty, ['a', 'a', 'a']);
    await expect(own.all).rejects.toMatchObject({ code: 'too_many_requests' });
    const others = asked(hasty, ['b']);
    await expect(others.all).rejects.toMatchObject({ code: 'database_unavailable' });
    expect(hasty.waiting()).toBe(0);
    hasty.give('a');
    expect(hasty.take('b')).toBeUndefined();
  });

  test('who asks is known to all that comes of his request, and to nothing else', async () => {
    const told = await Promise.all(
      ['a', 'b'].map((who) =>
        onBehalfOf(who, async () => {
          await sleep(2);
          return [currentHolder(), onBehalfOfService(currentHolder)];
        }),
      ),
    );
    expect(told).toEqual([
      ['a', undefined],
      ['b', undefined],
    ]);
    expect(currentHolder()).toBeUndefined();
  });
});
