/** What the service says, for a person: in sentences, with times by the clock of the profile. */
import { AlmanacProblem } from '../../../client/almanac-client.ts';
import { momentOf } from './wall-time.ts';

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?Z/g;

/** Writes the instants in a text of the service as the person's own time. */
export const inOwnTime = (text: string): string => text.replace(INSTANT, (instant) => momentOf(instant));

/** Whether nothing is known of what was asked, because the service cannot be reached: by its proxy (502, 504), or without a database. */
export const isAway = (error: unknown): boolean =>
  error instanceof AlmanacProblem && (error.code === 'unreachable' || [502, 503, 504].includes(error.status));

/** The sentence of the service, or what to do where none came. */
export const sentence = (error: unknown): string => {
  if (!(error instanceof AlmanacProblem)) return 'The console failed. Reload the page.';
  if (error.code === 'unreachable')
    return navigator.onLine ? 'Almanac does not answer. Is it running?' : 'There is no network.';
  const faults = error.errors.map(({ path, message }) => `${path.split('/').pop() ?? ''} ${message}`.trim());
  return inOwnTime(faults.length ? `${faults.join('; ')}.` : error.message);
};
