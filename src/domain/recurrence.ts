/**
 * When events happen: series expanded in their own zone, split and ended.
 * Every rule repeats a wall time; its instant follows by the one rule of time (time.ts), so a series keeps its hour
 * across DST changes, an occurrence in a gap moves forward by the gap and one in a fold is the first of the two.
 */
import type { EventDoc, Schedule } from './calendar.ts';
import { DAY_MS, faultOf, LAST_WALL, partsOf, textOf, walkRule } from './rrule.ts';
import type { RuleParts, RuleWalk } from './rrule.ts';
import { instantOf, millis } from './time.ts';
import type { Instant, Interval } from './time.ts';
import { instantAt, midnightOf, wallAt, wallOf, wallReader, wallText } from './walls.ts';
import type { Wall } from './walls.ts';

/** One happening of an event. `recurrence_id` is null where the event does not recur; `override` is there where one applies. */
export type Occurrence<Doc extends Schedule = EventDoc> = {
  uid: string;
  recurrence_id: Instant | null;
  scheduled_for: Instant;
  end: Instant;
  override?: Doc;
};

/** What makes up one half of a split series; without `rrule` where only single dates are left of it. */
export type SeriesPart = { rrule?: string; rdates: Instant[]; exdates: Instant[] };
export type SeriesTail = SeriesPart & { start: Instant; local_start: string };

/** A start as wall time and as instant, both in milliseconds. */
type Start = { wall: Wall; at: number };
type Series = { zone: string; first: Start; parts: RuleParts; walk: RuleWalk; until: number };

const SLICE_MS = 366 * DAY_MS;
/** No wall time is further than this from its instant. */
const SLACK_MS = DAY_MS;

/**
 * Why `rrule` cannot be used for an event starting at `start` in `zone`, or null where it can. `start` is an instant, or
 * a date (`2026-11-21`) for an all-day event. RFC 5545 §3.3.10 and the limits told at `faultOf`.
 */
export const checkRrule = (rrule: string, start: string, zone: string): string | null => {
  const allDay = start.length === 10;
  const wall = allDay ? wallOf(start) : wallAt(millis(start), zone);
  const fault = faultOf(rrule, wall, allDay);
  if (fault !== null) return fault;
  return untilOf(partsOf(rrule), zone, allDay) < instantAt(wall, zone) ? 'UNTIL is before the start.' : null;
};

/**
 * The occurrences of an event that overlap the half-open window, sorted by time, at most `limit`. Walks the rule from the
 * window's start, so the age of a series costs nothing. DTSTART counts as an occurrence also where the rule leaves it
 * out. An override stands where it has moved to, also when no occurrence of the rule is left at its `recurrence_id`.
 */
export const expand = <Doc extends Schedule>(
  master: Doc,
  overrides: Doc[],
  window: Interval,
  { limit }: { limit: number },
): Occurrence<Doc>[] => {
  const from = millis(window.start);
  const to = millis(window.end);
  const isWithin = (start: number, end: number) => start < to && (end > from || start >= from);
  const taken = new Set([...master.exdates, ...overrides.flatMap((doc) => doc.recurrence_id ?? [])].map(millis));
  const found: Occurrence<Doc>[] = [];
  const take = (start: Start) => {
    if (taken.has(start.at)) return;
    taken.add(start.at);
    const end = endAt(master, start);
    if (isWithin(start.at, end)) found.push(occurrence(master, start.at, end));
  };
  const series = seriesOf(master);
  if (series) {
    for (const start of ruleStarts(series, from - longestMs(master), to)) {
      take(start);
      if (found.length >= limit) break;
    }
  }
  singleStarts(master).forEach(take);
  for (const doc of overrides) {
    const start = startOf(doc);
    const end = endAt(doc, start);
    if (isWithin(start.at, end)) found.push({ ...occurrence(doc, start.at, end), override: doc });
  }
  return found
    .sort((a, b) => (a.scheduled_for < b.scheduled_for ? -1 : Number(a.scheduled_for > b.scheduled_for)))
    .slice(0, limit);
};

/**
 * Cuts a series for an edit of "this and following": `before` keeps what starts before `at` (its rule ends with UNTIL),
 * `after` begins with the first occurrence at or after it (COUNT reduced, UNTIL kept). A side without occurrences is
 * null. Overrides belong to the side of their `recurrence_id`; moving them is the caller's.
 */
export const splitSeries = (master: Schedule, at: Instant): { before: SeriesPart | null; after: SeriesTail | null } => {
  const cut = millis(at);
  const part = (isKept: (date: number) => boolean): SeriesPart => ({
    rdates: master.rdates.filter((date) => isKept(millis(date))).sort(),
    exdates: master.exdates.filter((date) => isKept(millis(date))).sort(),
  });
  const before = part((date) => date < cut);
  const after = part((date) => date >= cut);
  const first = startOf(master);
  const series = seriesOf(master);
  const lastBefore = series && ruleStartBefore(series, cut);
  if (series && lastBefore) before.rrule = ruleUntil(series, lastBefore, master);
  const next = series && ruleStartFrom(series, cut);
  if (series && next) after.rrule = ruleWithout(series, lastBefore);
  const starts = [...(next ? [next] : []), ...(first.at >= cut ? [first] : [])].sort((a, b) => a.at - b.at);
  return {
    before: first.at < cut || before.rdates.length > 0 ? before : null,
    after: tailOf(after, starts[0], master),
  };
};

/** The instant after which nothing of an event occurs, its overrides apart; null for a series without end. */
export const seriesEnd = (master: Schedule): Instant | null => {
  const series = seriesOf(master);
  const last = series ? ruleEnd(series) : null;
  if (last === undefined) return null;
  const ends = [...singleStarts(master), ...(last ? [last] : [])].map((start) => endAt(master, start));
  return instantOf(Math.min(Math.max(...ends), LAST_WALL));
};

/** Where an event ends: exact minutes after its start, for all-day events with its last day. */
export const eventEnd = (event: Schedule): Instant => instantOf(endAt(event, startOf(event)));

/** The rule with UNTIL in the form RFC 5545 §3.3.10 asks for: a date for all-day events, else UTC. */
export const strictRrule = (event: Schedule): string | null => {
  if (!event.rrule) return null;
  const parts = partsOf(event.rrule);
  const until = untilOf(parts, event.timezone, event.all_day);
  return until === Infinity ? textOf(parts) : textOf({ ...parts, UNTIL: untilText(until, event) });
};

const occurrence = <Doc extends Schedule>(event: Doc, start: number, end: number): Occurrence<Doc> => {
  // formatting instants is half of an expansion's time
  const scheduled_for = instantOf(start);
  const recurrence_id = recurs(event) ? scheduled_for : (event.recurrence_id ?? null);
  return { uid: event.uid, recurrence_id, scheduled_for, end: instantOf(end) };
};

/** Whether an event is a series. */
export const recurs = (event: Schedule): boolean => Boolean(event.rrule) || event.rdates.length > 0;

const daysOf = (event: Schedule): number => Math.max(1, Math.round(event.duration_minutes / 1440));

const endAt = (event: Schedule, start: Start): number =>
  event.all_day
    ? instantAt(start.wall + daysOf(event) * DAY_MS, event.timezone)
    : start.at + event.duration_minutes * 60_000;

const longestMs = (event: Schedule): number =>
  event.all_day ? daysOf(event) * DAY_MS + SLACK_MS : event.duration_minutes * 60_000;

const startOf = (event: Schedule): Start => ({
  wall: wallOf(event.all_day ? event.local_start.slice(0, 10) : event.local_start),
  at: millis(event.scheduled_for),
});

/** DTSTART and the RDATEs. */
const singleStarts = (event: Schedule): Start[] => [
  startOf(event),
  ...event.rdates.map((date) => {
    const wall = wallAt(millis(date), event.timezone);
    return { wall: event.all_day ? midnightOf(wall) : wall, at: millis(date) };
  }),
];

const seriesOf = (event: Schedule): Series | null => {
  if (!event.rrule) return null;
  const parts = partsOf(event.rrule);
  const first = startOf(event);
  const until = untilOf(parts, event.timezone, event.all_day);
  return { zone: event.timezone, first, parts, walk: walkRule(parts, first.wall), until };
};

/**
 * The last instant UNTIL lets in. A date means all of that local day (decisions §4), a time without Z the event's wall
 * clock, and all-day events know days only: calendar programs write all of these.
 */
const untilOf = (parts: RuleParts, zone: string, allDay: boolean): number => {
  const text = parts['UNTIL'];
  if (!text) return Infinity;
  if (allDay || text.length === 8) return instantAt(wallOf(text.slice(0, 8)) + DAY_MS - 1, zone);
  const wall = wallOf(text.slice(0, 15));
  return text.endsWith('Z') ? wall : instantAt(wall, zone);
};

/** The rule's starts in `[from, to)`, by years, so that a reader who stops early has paid for little. */
function* ruleStarts({ zone, first, walk, until }: Series, from: number, to: number): Generator<Start> {
  const upper = Math.min(wallAt(Math.min(to, until, LAST_WALL), zone) + SLACK_MS, LAST_WALL);
  for (let lower = Math.max(first.wall, wallAt(from, zone) - SLACK_MS); lower <= upper; lower += SLICE_MS) {
    const end = Math.min(lower + SLICE_MS - 1, upper);
    const read = wallReader(zone, lower - SLACK_MS, end + SLACK_MS);
    for (const wall of walk.between(lower, end)) {
      const at = wall === first.wall ? first.at : read(wall);
      if (at >= to || at > until) return;
      // a series begun in the second pass of a fold has nothing in the first
      if (at >= from && at >= first.at) yield { wall, at };
    }
  }
}

/** The rule's last start before `cut`. */
const ruleStartBefore = ({ zone, first, walk, until }: Series, cut: number): Start | null => {
  let wall = walk.previous(Math.min(wallAt(Math.min(cut, until, LAST_WALL), zone) + SLACK_MS, LAST_WALL));
  while (wall !== null) {
    const at = wall === first.wall ? first.at : instantAt(wall, zone);
    if (at < cut && at <= until) return { wall, at };
    wall = walk.previous(wall);
  }
  return null;
};

/** The rule's last start, null where it has none; undefined where it goes on for good, or further than can be worked out. */
const ruleEnd = (series: Series): Start | null | undefined => {
  if (series.until === Infinity && !series.parts['COUNT']) return undefined;
  try {
    return ruleStartBefore(series, Infinity);
  } catch {
    return undefined;
  }
};

/** The rule's first start at or after `cut`. */
const ruleStartFrom = (series: Series, cut: number): Start | null => {
  const last = ruleEnd(series);
  if (last === null) return null;
  return ruleStarts(series, cut, last ? last.at + 1 : LAST_WALL).next().value ?? null;
};

const ruleUntil = (series: Series, last: Start, master: Schedule): string => {
  const { COUNT: _count, ...parts } = series.parts;
  return textOf({ ...parts, UNTIL: untilText(last.at, master) });
};

const untilText = (at: number, { all_day, timezone }: Schedule): string => {
  const text = all_day ? wallText(wallAt(at, timezone)).slice(0, 10) : instantOf(at);
  return text.replace(/[-:]|\.\d+/g, '');
};

/** The rule as it goes on after `last`. */
const ruleWithout = ({ parts, walk, first }: Series, last: Start | null): string => {
  if (!parts['COUNT'] || !last) return textOf(parts);
  return textOf({ ...parts, COUNT: String(Number(parts['COUNT']) - walk.between(first.wall, last.wall).length) });
};

const tailOf = (part: SeriesPart, start: Start | undefined, { timezone }: Schedule): SeriesTail | null => {
  if (start) return { ...part, start: instantOf(start.at), local_start: wallText(start.wall) };
  const [earliest, ...rdates] = part.rdates;
  if (earliest === undefined) return null;
  return { ...part, rdates, start: earliest, local_start: wallText(wallAt(millis(earliest), timezone)) };
};
