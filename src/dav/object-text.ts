/** The iCalendar text of a resource. It depends on the resource alone, so that its tag identifies it. */
import type { EventDoc } from '../domain/calendar/event-doc.ts';
import { writeCalendar } from '../domain/calendar/ics/write-ics.ts';

export const CALENDAR_TYPE = 'text/calendar; charset=utf-8';
/** The limit of every request body without another one. */
export const MAX_RESOURCE_BYTES = 1024 * 1024;

export const textOf = (events: readonly [EventDoc, ...EventDoc[]]): string =>
  writeCalendar([...events], { now: events[0].updated_at });
