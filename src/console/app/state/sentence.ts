/** What the service says, for a person: in sentences, with times by the clock of the profile. */
import { AlmanacProblem } from '../../../client/almanac-client.ts';
import { momentOf, wallFrom, wallMoment, zone } from './wall-time.ts';

const INSTANT = /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?Z/g;

const WALL_TIME = /(\d{4}-\d\d-\d\d) (\d\d:\d\d)/g;

/** Writes the times in a text of the service as the console does. A zone that is the person’s own says nothing new. */
export const inOwnTime = (text: string): string =>
  text
    .replace(INSTANT, (instant) => momentOf(instant))
    .replace(WALL_TIME, (_, date: string, time: string) => wallMoment(wallFrom(`${date}T${time}`)))
    .replaceAll(` (${zone.value})`, '')
    .replaceAll(`, ${zone.value})`, ')');

const STATES: Record<string, string> = {
  approved: 'It is approved already.',
  executed: 'It was carried out already.',
  rejected: 'It no longer waits.',
};

/** The words for what the service counts versions of, by the `subject` of its problem. */
const THINGS: Record<string, string> = { event: 'event', plan: 'proposal', trace: 'note', profile: 'profile' };
/** Numbers of versions, which the service compares, and ids say nothing to a person. */
const changedText = (subject: unknown): string => {
  const thing = THINGS[String(subject)];
  return `${thing ? `This ${thing}` : 'It'} was changed in another place meanwhile, so nothing was done. Look at how it is now, then try again.`;
};

/** What the service has against a request. Of a plan that is in another state it names ids, and the console has named the title. */
export const problemText = (problem: object): string => {
  const { code, detail, from, to, subject } = problem as Record<string, unknown>;
  const state = code === 'illegal_transition' && from !== to ? STATES[String(from)] : undefined;
  if (state !== undefined) return state;
  if (code === 'version_mismatch') return changedText(subject);
  if (code === 'illegal_transition' && to === 'edited') return changedText('plan');
  return inOwnTime(String(detail));
};

/** What the service has against some of several; undefined where nothing was refused. */
export const refusalsText = (results: readonly { problem?: object | undefined }[]): string | undefined => {
  const reasons = results.flatMap(({ problem }) => (problem ? [problemText(problem)] : []));
  return reasons.length > 1 ? `${reasons.length} could not: ${[...new Set(reasons)].join(' ')}` : reasons[0];
};

/** Whether nothing is known of what was asked, because the service cannot be reached: by its proxy (502, 504), or without a database. */
export const isAway = (error: unknown): boolean =>
  error instanceof AlmanacProblem && (error.code === 'unreachable' || [502, 503, 504].includes(error.status));

/** What the page itself has against what a person asked for, in a sentence for them. */
export class Refusal extends Error {}

/** The sentence of the service, or what to do where none came. */
export const sentence = (error: unknown): string => {
  if (error instanceof Refusal) return error.message;
  if (!(error instanceof AlmanacProblem)) return 'The console failed. Reload the page.';
  if (error.code === 'unreachable')
    return navigator.onLine ? 'Almanac does not answer. Is it running?' : 'There is no network.';
  const faults = error.errors.map(({ path, message }) => `${path.split('/').pop() ?? ''} ${message}`.trim());
  return faults.length ? inOwnTime(`${faults.join('; ')}.`) : problemText({ ...error.problem, detail: error.message });
};
