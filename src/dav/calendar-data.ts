/** The form of the text that a report asks for (RFC 4791 §9.6): expanded, without changes elsewhere, or in part. */
import type { CalendarObject } from '../calendar/objects/objects.ts';
import { problem } from '../common/problem.ts';
import { endFrom, eventEnd } from '../domain/calendar/series-expansion.ts';
import type { EventDoc } from '../domain/calendar/event-doc.ts';
import { sizeOf } from '../domain/calendar/ics/write-ics.ts';
import type { Span } from '../domain/time/spans.ts';
import { millis, type Instant } from '../domain/time/time.ts';
import { expanded } from './happenings.ts';
import { joined, writingText } from './object-text.ts';
import { partialText } from './partial-text.ts';
import { refusal } from './preconditions.ts';
import { closedSpanOf } from './time-range.ts';
import { TOO_MANY, type Work } from './work.ts';
import { C, childOf, escaped, named, type Element } from './xml.ts';

export const CALENDAR_DATA = named(C, 'calendar-data');
/** One report expands series into at most this many occurrences. */
export const MOST_OCCURRENCES = 20_000;
/** Each occurrence repeats the text of its series, so this text counts more: 16 million characters in one report. */
const REPEATED = 8;

type Events = CalendarObject['events'];
/** The events of a resource that are written; null where there is none. */
type Choice = (events: Events, work: Work) => Generator<undefined, Events | null>;

/** Counts occurrences over all resources of a report. */
const expanding = (span: Span): Choice => {
  let count = 0;
  return function* (events, work) {
    const found: EventDoc[] = [];
    const size = sizeOf(events[0]);
    for (const one of expanded(events, span)) {
      yield;
      if ((count += 1) > MOST_OCCURRENCES)
        throw refusal(
          TOO_MANY,
          `A report expands at most ${MOST_OCCURRENCES} occurrences. Ask for a shorter time range.`,
        );
      work.text(size + 500, REPEATED);
      found.push(one);
    }
    const [first, ...rest] = found;
    return first ? [first, ...rest] : null;
  };
};

/** Leaves out changed occurrences that neither are in the range nor were (§9.6.6). */
const limiting = ([from, to]: Span): Choice =>
  function* ([first, ...changed]) {
    yield;
    const isIn = (start: number, end: number): boolean => start < to && (end > from || start >= from);
    return [
      first,
      ...changed.filter((doc) => {
        const was = millis(doc.recurrence_id as Instant);
        return isIn(was, endFrom(first, was)) || isIn(millis(doc.scheduled_for), millis(eventEnd(doc)));
      }),
    ];
  };

/** Writes what a report asks for of a resource, as XML. It yields. @throws 403 */
export type DataText = (object: CalendarObject, work: Work) => Generator<undefined, string>;

/** Reads the form of a calendar-data element. @throws 400, 403 */
export const readCalendarData = (data: Element): DataText => {
  const { 'content-type': type = 'text/calendar', version = '2.0' } = data.attributes;
  if (type.toLowerCase() !== 'text/calendar' || version !== '2.0')
    throw refusal(named(C, 'supported-calendar-data'), 'Calendar data is text/calendar, version 2.0.');
  const [expand, limit, freeBusy] = ['expand', 'limit-recurrence-set', 'limit-freebusy-set'].map((local) =>
    childOf(data, named(C, local)),
  );
  if (expand && limit)
    throw problem('malformed_request', 'Ask for expand or for limit-recurrence-set, and not for both.');
  // A calendar has no VFREEBUSY, so there is nothing to leave out.
  if (freeBusy) closedSpanOf(freeBusy);
  const choose = expand ? expanding(closedSpanOf(expand)) : limit ? limiting(closedSpanOf(limit)) : null;
  const partial = partialText(data);
  return function* ({ events }, work) {
    const chosen = choose ? yield* choose(events, work) : events;
    if (!chosen) return '';
    const pieces = writingText(chosen);
    return yield* joined((partial ? partial(pieces) : pieces).map(escaped));
  };
};
