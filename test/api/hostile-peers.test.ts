/** A part of the fault trial R17: outbound requests against a hostile peer reach no network that is not allowed. */
import { expect, test } from 'vitest';
import { attempt } from '../faults/r17-attempt.ts';
import { PUBLIC, reachCases } from '../faults/r17-cases.ts';
import { aCanary, aHostilePeer } from '../support/hostile-peer.ts';
import { playPublicNetwork } from '../support/public-network.ts';

test('redirects, resets, rebinding names and forms of an address reach no network that is not allowed', async () => {
  const stop = playPublicNetwork();
  const [peer, canary] = [await aHostilePeer(PUBLIC.listenOn, true), await aCanary()];
  const cases = reachCases(peer, canary.port).filter((_, n) => n % 9 === 0);
  const reached: string[] = [];
  for (const one of cases) {
    const before = canary.reached();
    const { codes } = await attempt(one);
    if (canary.reached() !== before || codes.includes('200')) reached.push(`${one.what}: ${codes.join(' ')}`);
  }
  expect(reached).toEqual([]);
  expect(cases.length).toBeGreaterThan(100);
  // The canary counts: the operator's own networks may be asked.
  const control = {
    what: '',
    url: `http://127.0.0.1:${canary.port}/`,
    via: 'fetch',
    policy: 'open',
    times: 1,
  } as const;
  expect((await attempt(control)).codes).toEqual(['200']);
  expect(canary.reached()).toBe(1);
  for (const one of [peer, canary]) one.close();
  stop();
});
