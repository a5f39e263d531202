/** Reads time ranges of reports: half-open, in UTC, and open on a side that is left out (RFC 4791 §9.9). */
import { problem } from '../common/problem.ts';
import type { Span } from '../domain/time/spans.ts';
import { instantOf, millis, readTime } from '../domain/time/time.ts';
import type { Window } from './collections.ts';
import { refusal } from './preconditions.ts';
import { C, named, type Element } from './xml.ts';

const UTC = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/;

/** The years and days that exist are those of every time from outside (readTime). */
const millisOf = (text: string | undefined, open: number): number => {
  if (text === undefined) return open;
  const at = UTC.test(text) ? readTime(text.replace(UTC, '$1-$2-$3T$4:$5:$6.000Z'), 'UTC') : null;
  if (at === null)
    throw refusal(
      named(C, 'valid-filter'),
      'A time range must have times in UTC and in the years 1 to 9999, such as 20261101T090000Z.',
    );
  return millis(at);
};

/** @throws 403 */
export const spanOf = ({ attributes }: Element): Span => {
  const span: Span = [millisOf(attributes['start'], -Infinity), millisOf(attributes['end'], Infinity)];
  if (attributes['start'] === undefined && attributes['end'] === undefined)
    throw refusal(named(C, 'valid-filter'), 'A time range must have a start, an end, or both.');
  if (span[0] >= span[1]) throw refusal(named(C, 'valid-filter'), 'A time range must end after it starts.');
  return span;
};

/** The same where both ends are required. @throws 400 */
export const closedSpanOf = (element: Element | undefined): Span => {
  if (element?.attributes['start'] === undefined || element.attributes['end'] === undefined)
    throw problem('malformed_request', 'This element needs start and end.');
  return spanOf(element);
};

export const windowOf = ([from, to]: Span): Window => ({
  start: from === -Infinity ? null : instantOf(from),
  end: to === Infinity ? null : instantOf(to),
});
