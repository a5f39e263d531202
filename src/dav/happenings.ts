/** When a resource happens: the occurrences of its event and its changed occurrences. */
import type { EventDoc } from '../domain/calendar/event-doc.ts';
import { eventEnd, recurs, timelineOf, type Happening, type Timeline } from '../domain/calendar/series-expansion.ts';
import type { Span } from '../domain/time/spans.ts';
import { instantOf, localStart, millis, type Instant } from '../domain/time/time.ts';

export type Events = readonly [EventDoc, ...EventDoc[]];

/** The timeline of a resource. The documents of changed occurrences are those of `events`. */
export const timelineOfEvents = ([first, ...changed]: Events): Timeline<EventDoc> =>
  timelineOf(
    first,
    changed.map((doc) => ({
      id: millis(doc.recurrence_id as Instant),
      start: millis(doc.scheduled_for),
      end: millis(eventEnd(doc)),
      doc: () => doc,
    })),
  );

/** An occurrence as an event of its own, in UTC, for programs that do not expand rules. */
export const occurrenceOf = (first: EventDoc, { id, start, end, override }: Happening<EventDoc>): EventDoc => {
  const doc = override ?? first;
  const isOne = override !== undefined || recurs(first);
  const scheduled_for = instantOf(start);
  const zone = doc.all_day ? doc.timezone : 'UTC';
  const { floating: _f, duration: _d, ...ics } = doc.ics ?? { properties: [], components: [] };
  return {
    ...doc,
    ics: { ...ics, properties: ics.properties.filter(([name]) => name !== 'rrule') },
    scheduled_for,
    duration_minutes: doc.all_day ? doc.duration_minutes : Math.round((end - start) / 60_000),
    timezone: zone,
    local_start: localStart(scheduled_for, zone),
    rrule: null,
    rdates: [],
    exdates: [],
    recurrence_id: isOne && id !== null ? instantOf(id) : (doc.recurrence_id ?? null),
  };
};

/** Returns those occurrences of a resource that overlap a window, as events of their own. */
export function* expanded(events: Events, window: Span): Generator<EventDoc> {
  for (const one of timelineOfEvents(events)({ window })) yield occurrenceOf(events[0], one);
}
