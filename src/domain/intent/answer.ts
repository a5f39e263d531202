/** Answers to questions about the calendar: what is on a day, whether a time is free, when an event is. */
import type { Work } from './build.ts';
import { gather } from './gather.ts';
import { facetsOf, hasWhen, type Request } from './request.ts';
import { timeName, windowName } from './say.ts';
import { findTargets, targetsIn } from './targets.ts';
import { phraseOf } from './title.ts';
import { place, type Slot } from './when.ts';
import { addMinutes, dayBounds, type Interval, localDate, millis } from '../time/time.ts';

const ABOUT_TIME =
  /\b(?:on|free|busy|have|plans?|planned|plate|agenda|calendar|schedule|scheduled|happening|anything)\b/i;
const MOST = 12;

/** All of today, not only what is left of it. */
const windowOf = ({ at, between }: Slot, { now, zone }: Work['context']): Interval | null => {
  if (at) return { start: at, end: addMinutes(at, 30) };
  if (!between) return null;
  return between.start === now ? { ...between, start: dayBounds(localDate(now, zone), zone).start } : between;
};

const within = ({ context }: Work, window: Interval): string => {
  const { zone, now } = context;
  const events = context.events
    .filter(
      ({ scheduled_for: at, duration_minutes }) =>
        millis(at) < millis(window.end) && millis(at) + duration_minutes * 60_000 > millis(window.start),
    )
    .toSorted((a, b) => a.scheduled_for.localeCompare(b.scheduled_for));
  const when = windowName(window, zone);
  if (events.length === 0) return `Nothing is on your calendar on ${when}: you are free.`;
  const shown = events
    .slice(0, MOST)
    .map(({ title, scheduled_for }) => `“${title}” on ${timeName(scheduled_for, zone, now)}`);
  const more = events.length > MOST ? `; and ${events.length - MOST} more` : '';
  return `On ${when} there ${events.length === 1 ? 'is' : 'are'}: ${shown.join('; ')}${more}.`;
};

/** The answer to a question, null where it is not about the calendar. */
export const answerOf = (work: Work, request: Request, text: string): string | null => {
  const { context, tokens } = work;
  const facets = facetsOf(request.items);
  const g = gather(facets);
  if (g.past || g.ask) return null;
  if (hasWhen(facets)) {
    const windows = ABOUT_TIME.test(text) ? place(g, context).slots.map((slot) => windowOf(slot, context)) : [];
    return windows.length === 1 && windows[0] ? within(work, windows[0]) : null;
  }
  if (!/^when\b|what time/i.test(text)) return null;
  const phrase = phraseOf(
    tokens,
    request.items.filter((item) => item.facets.length === 0),
  ).replace(/\b(?:is|are|do|does|will|start|starts|i|have|take|place)\b/gi, ' ');
  if (!phrase.trim()) return null;
  const match = findTargets({ phrase, facets: [] }, context, targetsIn({ ...context, pending: [] }));
  if ('ask' in match) return match.missing ? null : match.ask;
  const [first] = match.targets;
  return first?.scheduled_for
    ? `“${first.title}” is on ${timeName(first.scheduled_for, context.zone, context.now)}.`
    : null;
};
