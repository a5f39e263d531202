/** What is known of the calendar when a request is read. */
import type { Target } from './actions.ts';

/** One occurrence; an event without `recurrence_id` is no series. */
export type KnownEvent = {
  uid: string;
  recurrence_id?: string;
  title: string;
  start: Temporal.PlainDateTime;
  minutes: number;
  place?: string;
  notes?: string;
};
/** A proposal that waits for a decision. */
/** `of`: the event that it changes. */
export type KnownPlan = { uid: string; title: string; start?: Temporal.PlainDateTime; minutes?: number; of?: string };

export type Known = {
  now: Temporal.PlainDateTime;
  zone: string;
  /** Minutes of a working day. */
  workHours: { from: number; to: number };
  events: readonly KnownEvent[];
  pending: readonly KnownPlan[];
};

/** An event or a proposal with its wall time. */
export type Found = {
  target: Target;
  title: string;
  /** Its place and description. */
  about?: string;
  /** Of a proposal: the event that it changes. */
  of?: string;
  day: Temporal.PlainDate;
  at: number;
  minutes: number;
};

/** What is not over, in order of time. */
export const foundIn = ({ now, events, pending }: Known): Found[] => {
  const today = now.toPlainDate();
  const planned = pending.flatMap(({ uid, title, start, minutes = 60, of }): Found[] =>
    start
      ? [
          {
            target: { uid, isPending: true },
            title,
            day: start.toPlainDate(),
            at: start.hour * 60 + start.minute,
            minutes,
            ...(of !== undefined && { of }),
          },
        ]
      : [],
  );
  const known = events.map(({ uid, recurrence_id, title, start, minutes, place = '', notes = '' }): Found => ({
    target: { uid, ...(recurrence_id !== undefined && { recurrence_id }) },
    title,
    ...((place || notes) && { about: `${place} ${notes}` }),
    day: start.toPlainDate(),
    at: start.hour * 60 + start.minute,
    minutes,
  }));
  return [...planned, ...known]
    .filter(({ day }) => Temporal.PlainDate.compare(day, today) >= 0)
    .sort((a, b) => Temporal.PlainDate.compare(a.day, b.day) || a.at - b.at);
};

/** Whether something is on the calendar then. */
export const isBusy = (found: readonly Found[], day: Temporal.PlainDate, at: number, minutes: number): boolean =>
  found.some((one) => one.day.equals(day) && one.at < at + minutes && at < one.at + one.minutes);
