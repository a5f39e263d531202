/** Which events the console names as being at the time that is typed. */
import { expect, test } from 'vitest';
import type { Occurrence } from '../../src/client/almanac-client.ts';
import { takesTime } from '../../src/console/app/state/overlap.ts';

const at = (time: string): string => `2026-11-23T${time}:00.000Z`;
const event = (more: Partial<Occurrence>): Occurrence =>
  ({ busy: true, status: 'confirmed', scheduled_for: at('10:00'), end: at('11:00'), ...more }) as Occurrence;

test.each<[what: string, event: Occurrence, isTaken: boolean]>([
  ['an event that begins before it', event({ scheduled_for: at('09:00'), end: at('10:30') }), true],
  ['an event that begins within it', event({ scheduled_for: at('10:45'), end: at('12:00') }), true],
  ['an event that ends when it begins', event({ scheduled_for: at('09:00'), end: at('10:00') }), false],
  ['an event that begins when it ends', event({ scheduled_for: at('11:00'), end: at('12:00') }), false],
  ['an event that takes no time', event({ busy: false }), false],
  ['a cancelled event of another calendar', event({ status: 'cancelled' }), false],
])('%s', (_, one, isTaken) => {
  expect(takesTime(one, Date.parse(at('10:00')), Date.parse(at('11:00')))).toBe(isTaken);
});
