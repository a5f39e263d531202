/** Which stretch of time is asked for: read from a query, and from the cursor that continues one. Pure. */
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
/** Windows end where times do, with some days to spare for zones and what lies around. */
const FIRST = Date.parse('0001-01-10T00:00:00Z');
const LAST = Date.parse('9999-12-20T00:00:00Z');

export type Asked = { start?: string | undefined; end?: string | undefined };

export type WindowRule = {
  /** Length where an end is left out. */
  days: number;
  most: number;
  mostText: string;
  /** Moments are looked for, not stretches: the one at the very end counts. */
  points?: boolean;
};

/** A moment that may be left out. @throws 422 at `path` */
export const moment = (
  text: string | undefined,
  zone: string,
  edge: 'start' | 'end',
  path: string,
): Instant | undefined => {
  if (text === undefined) return undefined;
  const at = readTime(text, zone, edge);
  if (at === null) throw invalidAt(path, 'invalid_time', timeFault(text) ?? 'is not a time');
  return at;
};

/** The window asked for, half-open. Without a start it begins now, or before an end that has passed. @throws 422 */
export const readWindow = (
  asked: Asked,
  zone: string,
  now: number,
  { days, most, mostText, points = false }: WindowRule,
): Interval => {
  const last = moment(asked.end, zone, 'end', '/end');
  const until = last === undefined ? null : points ? millis(last) + 1 : toSpan({ start: last, end: last })[1];
  const first = moment(asked.start, zone, 'start', '/start');
  const usual = until !== null && until <= now ? until - days * DAY_MS : now;
  const from = Math.max(first === undefined ? usual : millis(first), FIRST);
  const to = Math.min(until ?? from + days * DAY_MS, LAST);
  if (to <= from) throw invalidAt('/end', 'empty_window', 'must not lie before start');
  if (to - from > most * DAY_MS)
    throw invalidAt(
      '/end',
      'window_too_long',
      `must lie at most ${mostText} after start: ask for the rest in a second request`,
    );
  return { start: instantOf(from), end: instantOf(to) };
};

/** Where a page ended, and `start/end` of its window. */
export type OccurrencesKey = [...OccurrenceKey, string];

/** Where a page ended and in which window, from the values of its cursor. @throws 422 where nobody here wrote them */
export const readPosition = ([at, uid, recurrence_id, bounds]: OccurrencesKey, { most }: WindowRule) => {
  const [start = '', end = ''] = bounds.split('/');
  const length = isKeptInstant(start) && isKeptInstant(end) ? millis(end) - millis(start) : 0;
  if (length <= 0 || length > most * DAY_MS)
    throw problem(
      'invalid_cursor',
      'The cursor belongs to another list or query: repeat the walk from its first page.',
    );
  return { after: [at, uid, recurrence_id] satisfies OccurrenceKey, window: { start, end } };
};

export const writePosition = (after: OccurrenceKey, window: Interval): OccurrencesKey => [
  ...after,
  `${window.start}/${window.end}`,
];
