/** Reads the window of time that a request asks about: from its query, or from the cursor that continues an earlier one. Pure. */
import { toSpan } from '../domain/time/spans.ts';
import {
  instantOf,
  isKeptInstant,
  millis,
  readTime,
  timeFault,
  type Instant,
  type Interval,
} from '../domain/time/time.ts';
import { invalidAt, problem } from '../common/problem.ts';
import type { OccurrenceKey } from './listing.ts';

const DAY_MS = 86_400_000;
/** Windows end at the first and last years of a time. A few days are left for zones and for events that overlap the edge. */
const FIRST = Date.parse('0001-01-10T00:00:00Z');
const LAST = Date.parse('9999-12-20T00:00:00Z');

export type Asked = { start?: string | undefined; end?: string | undefined };

export type WindowRule = {
  /** The length in days where an end is left out. */
  days: number;
  most: number;
  mostText: string;
  /** True where the list is of points in time: then a point exactly at the end is included. */
  points?: boolean;
};

/** Reads a time that may be left out. @throws 422 at `path` */
export const readMoment = (
  text: string | undefined,
  zone: string,
  edge: 'start' | 'end',
  path: string,
): Instant | undefined => {
  if (text === undefined) return undefined;
  const at = readTime(text, zone, edge);
  if (at === null) throw invalidAt(path, 'invalid_time', timeFault(text) ?? 'must be a time');
  return at;
};

/** Reads the window, half-open. Without a start it begins now, or before the end where the end has passed. @throws 422 */
export const readWindow = (
  asked: Asked,
  zone: string,
  now: number,
  { days, most, mostText, points = false }: WindowRule,
): Interval => {
  const last = readMoment(asked.end, zone, 'end', '/end');
  const until = last === undefined ? null : points ? millis(last) + 1 : toSpan({ start: last, end: last })[1];
  const first = readMoment(asked.start, zone, 'start', '/start');
  const usual = until !== null && until <= now ? until - days * DAY_MS : now;
  const from = Math.max(first === undefined ? usual : millis(first), FIRST);
  const to = Math.min(until ?? from + days * DAY_MS, LAST);
  if (to <= from) throw invalidAt('/end', 'empty_window', 'must not be before start');
  if (to - from > most * DAY_MS)
    throw invalidAt(
      '/end',
      'window_too_long',
      `must be at most ${mostText} after start; ask for the rest in a second request`,
    );
  return { start: instantOf(from), end: instantOf(to) };
};

/** The sort key of the last occurrence of a page, and `start/end` of its window. */
export type OccurrencesKey = [...OccurrenceKey, string];

/** Reads from a cursor where a page ended and in which window. @throws 422 where this service did not write the cursor */
export const readPosition = ([at, uid, recurrence_id, bounds]: OccurrencesKey, { most }: WindowRule) => {
  const [start = '', end = ''] = bounds.split('/');
  const length = isKeptInstant(start) && isKeptInstant(end) ? millis(end) - millis(start) : 0;
  if (length <= 0 || length > most * DAY_MS)
    throw problem('invalid_cursor', 'The cursor belongs to another list or query. Start again with the first page.');
  return { after: [at, uid, recurrence_id] satisfies OccurrenceKey, window: { start, end } };
};

export const writePosition = (after: OccurrenceKey, window: Interval): OccurrencesKey => [
  ...after,
  `${window.start}/${window.end}`,
];
