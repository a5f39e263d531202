/** Which events take a time, as the service counts them. */
import type { Occurrence } from '../../../client/almanac-client.ts';

/** @param from in milliseconds since 1970, as is `until` */
export const takesTime = ({ busy, status, scheduled_for, end }: Occurrence, from: number, until: number): boolean =>
  busy && status !== 'cancelled' && Date.parse(scheduled_for) < until && Date.parse(end) > from;
