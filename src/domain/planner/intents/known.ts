/** What the acts need to know of the calendar and the queue, in wall time. */
import type { IntentContext } from './types.ts';
import { type Instant, zoned } from '../../time/time.ts';
import type { Known } from '../act/known.ts';
import { nameWords } from '../act/names.ts';

/** Each word of a request may be compared with every event, so there is a bound. The calendar gives the soonest first. */
const MOST_EVENTS = 500;
const WORK_HOURS = { from: 540, to: 1050 };

/** Words that begin so may be meant by each other. */
const startOf = (word: string): string => word.slice(0, 4);

/** The events that a text may name, ahead of the others. */
const namedFirst = (events: IntentContext['events'], text: string): IntentContext['events'] => {
  if (events.length <= MOST_EVENTS) return events;
  const said = new Set(nameWords(text).map(startOf));
  const isSaid = ({ title }: IntentContext['events'][number]): boolean =>
    nameWords(title).some((word) => said.has(startOf(word)));
  return [...events.filter(isSaid), ...events.filter((event) => !isSaid(event))];
};

/** @param text what is asked for */
export const knownOf = ({ now, zone, events, pending }: IntentContext, text: string): Known => {
  const wall = (at: Instant): Temporal.PlainDateTime => zoned(at, zone).toPlainDateTime();
  return {
    now: wall(now),
    zone,
    workHours: WORK_HOURS,
    events: namedFirst(events, text)
      .slice(0, MOST_EVENTS)
      .map(({ uid, recurrence_id, title, scheduled_for, duration_minutes, location, description }) => ({
        ...{ uid, title, start: wall(scheduled_for), minutes: duration_minutes },
        ...(recurrence_id && { recurrence_id }),
        ...(location && { place: location }),
        ...(description && { notes: description }),
      })),
    pending: pending
      .slice(0, MOST_EVENTS)
      .map(({ uid, title, scheduled_for, duration_minutes, target_event_uid: of, recurrence_id }) => {
        // a cancellation is when its event is
        const event = events.find((one) => one.uid === of && (one.recurrence_id ?? null) === (recurrence_id ?? null));
        const start = scheduled_for ?? event?.scheduled_for;
        const minutes = duration_minutes ?? event?.duration_minutes;
        return {
          ...{ uid, title },
          ...(of && { of }),
          ...(start && { start: wall(start) }),
          ...(minutes && { minutes }),
        };
      }),
  };
};
