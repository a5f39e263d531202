/** Writes what happened to an event as a sentence for people: the content of its calendar_event trace. */
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { ruleText } from '../../domain/calendar/rrule-text.ts';
import { localStart, millis, instantOf } from '../../domain/time/time.ts';
import { isSeries, type EventDraft } from './document.ts';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const dayText = (wall: string): string => {
  const date = Temporal.PlainDate.from(wall.slice(0, 10));
  return `${DAYS[date.dayOfWeek - 1]} ${date.day} ${MONTHS[date.month - 1]} ${date.year}`;
};

/** `Fri 27 Nov 2026 15:30–15:50 (Europe/Berlin)`; `Fri 27 Nov 2026, all day`. */
export const whenText = (event: EventDraft): string => {
  const start = localStart(event.scheduled_for, event.timezone);
  const end = localStart(event.end, event.timezone);
  if (event.all_day) {
    const last = localStart(instantOf(millis(event.end) - 1), event.timezone);
    return `${start.slice(0, 10) === last.slice(0, 10) ? dayText(start) : `${dayText(start)} – ${dayText(last)}`}, all day`;
  }
  const until =
    start.slice(0, 10) === end.slice(0, 10) ? `–${end.slice(11, 16)}` : ` – ${dayText(end)} ${end.slice(11, 16)}`;
  return `${dayText(start)} ${start.slice(11, 16)}${until} (${event.timezone})`;
};

/**
 * Titles of imported events have no limit, and a content has 50,000 characters. A title that people write is never cut: a sensitive
 * value that is cut in two could not be recognised in the trace.
 */
const MAX_TITLE = 20_000;

const titleOf = ({ title }: EventDraft): string =>
  title.length > MAX_TITLE ? `${title.slice(0, MAX_TITLE).toWellFormed()}…` : title;

/** `“Board meeting”, Fri 27 Nov 2026 15:30–16:30 (Europe/Berlin)`. */
export const eventText = (event: EventDraft): string => `“${titleOf(event)}”, ${whenText(event)}`;

const repeats = (event: EventDraft): string => {
  if (event.rrule !== null) return `, ${ruleText(event.rrule)}`;
  return isSeries(event) ? `, and on ${event.rdates.length} more dates` : '';
};

const TIMING = ['scheduled_for', 'end', 'timezone', 'all_day'] as const;
/** These fields follow from others or mean nothing to people, so the sentence leaves them out. */
const NOT_LISTED = new Set<string>([
  ...TIMING,
  'local_start',
  'duration_minutes',
  'sequence',
  'yields',
  'ics',
  'split_to',
]);

export const created = (event: EventDraft): string => `Created: ${titleOf(event)}, ${whenText(event)}${repeats(event)}`;

export const removed = (event: EventDraft): string => `Removed: ${titleOf(event)}, ${whenText(event)}${repeats(event)}`;

/** Says where an event was and is, and which other fields changed. */
export const changed = (from: EventDraft, to: EventDraft): string => {
  const differs = (key: string) =>
    canonicalJson([from[key as keyof EventDraft]]) !== canonicalJson([to[key as keyof EventDraft]]);
  const others = Object.keys(to)
    .filter((key) => !NOT_LISTED.has(key) && differs(key))
    .sort();
  const changedFields = others.length ? ` (${others.join(', ')} changed)` : '';
  if (!TIMING.some(differs)) return `Changed: ${titleOf(to)}, ${whenText(to)}${repeats(to)}${changedFields}`;
  return `Moved: ${titleOf(to)}, from ${whenText(from)} to ${whenText(to)}${repeats(to)}${changedFields}`;
};
