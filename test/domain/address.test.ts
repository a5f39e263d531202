/** Whom limits per address count together. */
import { expect, test } from 'vitest';
import { networkOf } from '../../src/domain/access/client-address.ts';

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::9', '2001:db8:1:2'],
  ['2001:db8::7', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['1:2:3:4:5:6:7::', '1:2:3:4'],
  ['', ''],
])('%s counts as %s', (ip, network) => {
  expect(networkOf(ip)).toBe(network);
});

test('all addresses of one customer’s /64 are one, those of another are not', () => {
  const mine = Array.from({ length: 50 }, (_, i) => networkOf(`2001:db8:1:2:${i.toString(16)}::${i}`));
  expect(new Set(mine).size).toBe(1);
  expect(networkOf('2001:db8:1:3::1')).not.toBe(mine[0]);
});
