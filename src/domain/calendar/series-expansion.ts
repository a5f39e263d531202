/**
 * Computes when events happen: it expands series in their own zone, splits them and finds their end. A rule repeats a wall time,
 * which becomes an instant as in time.ts. So a series keeps its hour across DST changes; an occurrence in a gap moves forward by
 * the gap, and one in a fold is the first of the two.
 */
import { lengthOf, secondsOf } from './durations.ts';
import { partsOf, textOf, type RuleParts } from './rrule-parts.ts';
import { DAY_MS, faultOf, LAST_INSTANT, LAST_WALL, walkRule } from './rrule.ts';
import type { VisitCount, RuleWalk } from './rrule.ts';
import type { Schedule } from './schedule.ts';
import type { Span } from '../time/spans.ts';
import { instantOf, millis } from '../time/time.ts';
import type { Instant, Interval } from '../time/time.ts';
import { clockOf, instantAt, midnightOf, wallAt, wallOf, wallText } from '../time/wall-time.ts';
import type { Wall, ZoneClock } from '../time/wall-time.ts';

/**
 * One occurrence of an event, in epoch milliseconds. `id` identifies the occurrence in its series; it is null for an event that
 * does not recur.
 */
export type Happening<Doc extends Schedule> = {
  start: number;
  end: number;
  id: number | null;
  /** The override that replaces the occurrence, if there is one. */
  override?: Doc;
};

/** A happening with its times as text. */
export type Occurrence<Doc extends Schedule> = {
  uid: string;
  recurrence_id: Instant | null;
  scheduled_for: Instant;
  end: Instant;
  override?: Doc;
};

/** One half of a split series. It has no `rrule` where only single dates remain in it. */
export type SeriesPart = { rrule?: string; rdates: Instant[]; exdates: Instant[] };
export type SeriesTail = SeriesPart & { start: Instant; local_start: string };

/** A start as a wall time and as an instant, both in milliseconds. */
type Start = { wall: Wall; at: number };
type Series = { clock: ZoneClock; first: Start; parts: RuleParts; walk: RuleWalk; until: number };

/** A wall time, read as UTC, is never further than this from its instant. */
const SLACK_MS = DAY_MS;

/**
 * Returns why `rrule` cannot be used for an event that starts at `start` in `zone`, or null where it can. `start` is an instant,
 * or a date (`2026-11-21`) for an all-day event. It checks RFC 5545 §3.3.10 and the limits of `faultOf`.
 */
export const checkRrule = (rrule: string, start: string, zone: string, visits?: VisitCount): string | null => {
  const allDay = start.length === 10;
  const wall = allDay ? wallOf(start) : wallAt(millis(start), zone);
  const fault = faultOf(rrule, wall, allDay, visits);
  if (fault !== null) return fault;
  return untilOf(partsOf(rrule), zone, allDay) < instantAt(wall, zone) ? 'UNTIL is before the start.' : null;
};

/** An override: its occurrence, its current times, and its document, which is made on demand. */
export type Override<Doc extends Schedule> = { id: number | null; start: number; end: number; doc: () => Doc };

/** A query of a timeline: a half-open window, and optionally only what begins at or after `since`, or only the overrides. */
export type TimelineQuery = { window: Span; since?: number | undefined; changedOnly?: boolean | undefined };

/** Gives the occurrences of an event in order of time, each computed on demand. */
export type Timeline<Doc extends Schedule> = (query: TimelineQuery) => Generator<Happening<Doc>>;

/**
 * Prepares an event for queries. Preparing takes time in proportion to its exceptions, a query only to the occurrences in its
 * window: the rule is evaluated from the window's start, so the age of a series does not matter. DTSTART is an occurrence even
 * where the rule does not match it. An override is at its new time, also when the rule no longer has an occurrence at its
 * `recurrence_id`. Times are numbers, because writing instants as text takes longer than finding them.
 */
export const timelineOf = <Doc extends Schedule>(master: Doc, changed: readonly Override<Doc>[]): Timeline<Doc> => {
  const left = new Set(master.exdates.map(millis));
  for (const { id } of changed) if (id !== null) left.add(id);
  const series = seriesOf(master);
  const isSeries = recurs(master);
  const ownId = idOf(master);
  const singles = singleStarts(master)
    .filter(({ at }) => !left.has(at))
    .sort((a, b) => a.at - b.at);
  const moved = changed.toSorted((a, b) => a.start - b.start);
  const longest = longestMs(master);
  const plain = (start: Start): Happening<Doc> => ({
    ...{ start: start.at, end: endAt(master, start) },
    id: isSeries ? start.at : ownId,
  });

  return function* ({ window: [from, to], since = -Infinity, changedOnly = false }) {
    const isSeen = ({ start, end }: { start: number; end: number }): boolean =>
      start < to && start >= since && (end > from || start >= from);
    const byRule = series && !changedOnly ? ruleStarts(series, Math.max(from - longest, since), to) : null;
    const nextStart = startsInOrder(byRule, changedOnly ? [] : singles);
    let start = nextStart();
    let m = 0;
    const hasMore = (): boolean => (start?.at ?? Infinity) < to || (moved[m]?.start ?? Infinity) < to;
    while (hasMore()) {
      const own = moved[m];
      if (own && own.start < (start?.at ?? Infinity)) {
        m += 1;
        if (isSeen(own)) yield { start: own.start, end: own.end, id: own.id, override: own.doc() };
      } else if (start) {
        const found = plain(start);
        if (!left.has(start.at) && isSeen(found)) yield found;
        start = nextStart();
      }
    }
  };
};

/** Returns a function that gives the starts by a rule and single starts in order of time, each time once; then undefined. */
const startsInOrder = (byRule: Iterator<Start> | null, singles: readonly Start[]): (() => Start | undefined) => {
  let one = byRule?.next();
  let s = 0;
  let last = NaN;
  return () => {
    while (singles[s]?.at === last) s += 1;
    const [rule, single] = [one?.done ? undefined : one?.value, singles[s]];
    const isRule = rule !== undefined && rule.at <= (single?.at ?? Infinity);
    const next = isRule ? rule : single;
    if (isRule) one = byRule?.next();
    else s += 1;
    last = next?.at ?? NaN;
    return next;
  };
};

const idOf = ({ recurrence_id }: Schedule): number | null => (recurrence_id ? millis(recurrence_id) : null);

/** Lists the occurrences in a window as text, sorted by time, at most `limit`. */
export const expand = <Doc extends Schedule>(
  master: Doc,
  overrides: readonly Doc[],
  { start: from, end: to }: Interval,
  { limit }: { limit: number },
): Occurrence<Doc>[] => {
  const changed = overrides.map((doc) => ({ ...spanMs(doc), id: idOf(doc), doc: () => doc }));
  return [...timelineOf(master, changed)({ window: [millis(from), millis(to)] }).take(limit)].map(
    ({ start, end, id, override }) => ({
      uid: master.uid,
      recurrence_id: id === null ? null : instantOf(id),
      scheduled_for: instantOf(start),
      end: instantOf(end),
      ...(override ? { override } : {}),
    }),
  );
};

/**
 * Splits a series for an edit of "this and following". `before` keeps what starts before `at` (its rule gets an UNTIL), `after`
 * begins with the first occurrence at or after it (COUNT reduced, UNTIL kept). A side without occurrences is null. Each override
 * belongs to the side of its `recurrence_id`; the caller moves them.
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

/** Returns the instant after which an event has no occurrence, without regard to its overrides; null for a series without end. */
export const seriesEnd = (master: Schedule): Instant | null => {
  const series = seriesOf(master);
  const last = series ? ruleEnd(series) : null;
  if (last === undefined) return null;
  const starts = [...singleStarts(master), ...(last ? [last] : [])];
  const end = starts.reduce((latest, start) => Math.max(latest, endAt(master, start)), -Infinity);
  return instantOf(Math.min(end, LAST_INSTANT));
};

/**
 * Returns the end of an event: the end of its last day for an all-day event, else its length after its start. Its nominal days end at
 * the same wall time, and the rest is exact time (RFC 5545 §3.3.6).
 */
export const eventEnd = (event: Timed): Instant => instantOf(spanMs(event).end);

/** Returns the start and end in epoch milliseconds. */
export const spanMs = (event: Timed): { start: number; end: number } => {
  const start = startOf(event);
  return { start: start.at, end: endAt(event, start) };
};

/** Returns the rule with UNTIL in the form that RFC 5545 §3.3.10 requires: a date for all-day events, else UTC. */
export const strictRrule = (event: Schedule): string | null => {
  if (!event.rrule) return null;
  const parts = partsOf(event.rrule);
  const until = untilOf(parts, event.timezone, event.all_day);
  return until === Infinity ? textOf(parts) : textOf({ ...parts, UNTIL: untilText(until, event) });
};

/** Returns whether an event is a series. */
export const recurs = (event: Schedule): boolean => Boolean(event.rrule) || event.rdates.length > 0;

/** The fields that determine the time of one occurrence. */
export type Timed = Pick<
  Schedule,
  'scheduled_for' | 'local_start' | 'timezone' | 'all_day' | 'duration_minutes' | 'ics'
>;

const daysOf = (event: Timed): number => Math.max(1, Math.round(event.duration_minutes / 1440));

const endAt = (event: Timed, start: Start): number => {
  if (event.all_day) return clockOf(event.timezone).instantAt(start.wall + daysOf(event) * DAY_MS);
  const { days, seconds } = lengthOf(event);
  const from = days === 0 ? start.at : clockOf(event.timezone).instantAt(start.wall + days * DAY_MS);
  return from + seconds * 1000;
};

/** Returns the end of an occurrence that begins at an instant, as the event has it. */
export const endFrom = (event: Timed, at: number): number =>
  endAt(event, { wall: clockOf(event.timezone).wallAt(at), at });

const longestMs = (event: Schedule): number => {
  if (event.all_day) return daysOf(event) * DAY_MS + SLACK_MS;
  const length = lengthOf(event);
  return secondsOf(length) * 1000 + (length.days === 0 ? 0 : SLACK_MS);
};

const startOf = (event: Timed): Start => ({
  wall: Date.parse(event.all_day ? event.local_start.slice(0, 10) : `${event.local_start.slice(0, 19)}Z`),
  at: millis(event.scheduled_for),
});

/** Lists DTSTART and the RDATEs. */
const singleStarts = (event: Schedule): Start[] => [
  startOf(event),
  ...event.rdates.map((date) => {
    const wall = clockOf(event.timezone).wallAt(millis(date));
    return { wall: event.all_day ? midnightOf(wall) : wall, at: millis(date) };
  }),
];

const seriesOf = (event: Schedule): Series | null => {
  if (!event.rrule) return null;
  const parts = partsOf(event.rrule);
  const first = startOf(event);
  const until = untilOf(parts, event.timezone, event.all_day);
  return { clock: clockOf(event.timezone), first, parts, walk: walkRule(parts, first.wall), until };
};

/**
 * Returns the last instant that UNTIL includes. A date includes all of that local day (docs/decisions.md, One rule for times), a
 * time without Z is a wall time of the event, and for all-day events only the date counts, because calendar programs write all of
 * these.
 */
export const untilOf = (parts: RuleParts, zone: string, allDay: boolean): number => {
  const text = parts['UNTIL'];
  if (!text) return Infinity;
  if (allDay || text.length === 8) return instantAt(wallOf(text.slice(0, 8)) + DAY_MS - 1, zone);
  const wall = wallOf(text.slice(0, 15));
  return text.endsWith('Z') ? wall : instantAt(wall, zone);
};

/** Gives the rule's starts in `[from, to)` in order, each instant once, computed on demand. */
function* ruleStarts({ clock, first, walk, until }: Series, from: number, to: number): Generator<Start> {
  const upper = Math.min(clock.wallAt(Math.min(to, until, LAST_WALL)) + SLACK_MS, LAST_WALL);
  // Where a series begins in the second hour of a fold, its first hour has no occurrence.
  const isWithin = (at: number): boolean => at >= from && at >= first.at && at < to && at <= until;
  // Wall times in a gap move forward, between or onto later ones, so they wait here until their instant comes.
  let moved: Start[] = [];
  // A window may have no beginning, and no clock has a time for that.
  const lower = Math.max(first.wall, clock.wallAt(Math.max(from, first.at - SLACK_MS)) - SLACK_MS);
  for (const wall of walk.walls(lower, upper)) {
    const at = wall === first.wall ? first.at : clock.instantAt(wall);
    if (clock.wallAt(at) !== wall) {
      if (moved.at(-1)?.at !== at) moved.push({ wall, at });
      continue;
    }
    if (moved.length) {
      for (const start of moved) if (start.at < at && isWithin(start.at)) yield start;
      moved = moved.filter((start) => start.at > at);
    }
    if (at >= to || at > until) return;
    if (isWithin(at)) yield { wall, at };
  }
  for (const start of moved) if (isWithin(start.at)) yield start;
}

/** Returns the rule's last start before `cut`: its instant, and the last of the wall times before it. */
const ruleStartBefore = (series: Series, cut: number): Start | null => {
  const { clock, first, walk, until } = series;
  let wall = walk.previous(Math.min(clock.wallAt(Math.min(cut, until, LAST_WALL)) + SLACK_MS, LAST_WALL));
  while (wall !== null) {
    let at = wall === first.wall ? first.at : clock.instantAt(wall);
    if (at < cut && at <= until) {
      // A start that moved out of a gap may be later still.
      for (const start of ruleStarts(series, at, cut)) ({ at } = start);
      return { wall, at };
    }
    wall = walk.previous(wall);
  }
  return null;
};

/** Returns the rule's last start: null where it has none, undefined where the rule has no end. */
const ruleEnd = (series: Series): Start | null | undefined =>
  series.until === Infinity && !series.parts['COUNT'] ? undefined : ruleStartBefore(series, Infinity);

/** Returns the rule's first start at or after `cut`. */
const ruleStartFrom = (series: Series, cut: number): Start | null => {
  const last = ruleEnd(series);
  if (last === null) return null;
  return ruleStarts(series, cut, last ? last.at + 1 : LAST_WALL).next().value ?? null;
};

const ruleUntil = (series: Series, last: Start, master: Schedule): string => {
  const { COUNT: _count, ...parts } = series.parts;
  return textOf({ ...parts, UNTIL: untilText(last.at, master) });
};

/** An instant as UNTIL of an event. */
export const untilText = (at: number, { all_day, timezone }: Schedule): string => {
  const text = all_day ? wallText(wallAt(at, timezone)).slice(0, 10) : instantOf(at);
  return text.replace(/[-:]|\.\d+/g, '');
};

/** Returns the rule as it continues after `last`. */
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
