/** Sets of time as sorted, disjoint, half-open spans in epoch milliseconds. Tempo windows and slots are computed with them. */
import { instantOf, millis } from './time.ts';
import type { Instant, Interval } from './time.ts';

/** Half-open `[from, to)` in epoch milliseconds. */
export type Span = readonly [from: number, to: number];

const FINER_THAN_MILLIS = /\.\d{3}(\d+)/;

/**
 * Rounds an instant up to milliseconds, so that a day's last microsecond (`23:59:59.999999Z`) as an end becomes the next day's
 * first instant.
 */
const ceilMillis = (at: Instant): number => {
  const finer = at.length > 24 ? FINER_THAN_MILLIS.exec(at)?.[1] : undefined;
  return millis(at) + (finer !== undefined && Number(finer) > 0 ? 1 : 0);
};

export const toSpan = ({ start, end }: Interval): Span => [millis(start), ceilMillis(end)];

export const toInterval = ([from, to]: Span): Interval => ({ start: instantOf(from), end: instantOf(to) });

/** Returns the same set of time, sorted and disjoint. Touching spans are joined and empty ones dropped. O(n log n). */
export const mergeSpans = (spans: readonly Span[]): Span[] => {
  const merged: [number, number][] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    if (!(from < to)) continue;
    const last = merged.at(-1);
    if (last && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
};

/** Returns the time in both sets. Both must be merged, and the result is merged. O(n + m). */
export const intersectSpans = (a: readonly Span[], b: readonly Span[]): Span[] => {
  const common: Span[] = [];
  let i = 0;
  let j = 0;
  for (let x = a[i], y = b[j]; x && y; x = a[i], y = b[j]) {
    const from = Math.max(x[0], y[0]);
    const to = Math.min(x[1], y[1]);
    if (from < to) common.push([from, to]);
    if (x[1] < y[1]) i += 1;
    else j += 1;
  }
  return common;
};

/** Returns the time in `a` that is not in `b`. Both must be merged, and the result is merged. O(n + m). */
export const subtractSpans = (a: readonly Span[], b: readonly Span[]): Span[] => {
  const left: Span[] = [];
  let j = 0;
  for (const [from, to] of a) {
    let at = from;
    while ((b[j]?.[1] ?? Infinity) <= from) j += 1;
    for (let k = j, hole = b[k]; hole && hole[0] < to; k += 1, hole = b[k]) {
      if (hole[0] > at) left.push([at, hole[0]]);
      at = Math.max(at, hole[1]);
    }
    if (at < to) left.push([at, to]);
  }
  return left;
};
