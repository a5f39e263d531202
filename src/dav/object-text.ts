/** The iCalendar text of a resource. It depends on the resource alone, so that its tag identifies it. */
import { runYielding } from '../common/yielding.ts';
import type { EventDoc } from '../domain/calendar/event-doc.ts';
import { writingCalendar } from '../domain/calendar/ics/write-ics.ts';

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';
/** The limit of every request body without another one. */
export const MAX_RESOURCE_BYTES = 1024 * 1024;

type Events = readonly [EventDoc, ...EventDoc[]];

/** The text in pieces of whole lines. */
export const writingText = (events: Events): Generator<string> =>
  writingCalendar([...events], { now: events[0].updated_at });

/** Puts pieces together, and lets other work run after each. */
export function* joined(pieces: Iterable<string>): Generator<undefined, string> {
  let text = '';
  for (const piece of pieces) {
    text += piece;
    yield;
  }
  return text;
}

export const textOf = (events: Events): Promise<string> => runYielding(joined(writingText(events)));
