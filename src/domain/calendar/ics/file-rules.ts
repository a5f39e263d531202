/**
 * Reads the RRULE of an event of a file. A part that means nothing is left out, and a person is shown what changed. A rule that means
 * something else than Almanac can compute does not lose the event: it happens once, and the line is kept unchanged.
 */
import type { EventContent, JcalProperty } from '../event-doc.ts';
import { partsOf, textOf } from '../rrule-parts.ts';
import type { VisitCount } from '../rrule.ts';
import { checkRrule, seriesEnd, untilOf } from '../series-expansion.ts';
import { instantOf } from '../../time/time.ts';
import { wallAt, wallOf, wallText } from '../../time/wall-time.ts';
import type { Wall } from '../../time/wall-time.ts';
import type { Component } from './components.ts';
import { fault } from './ics-times.ts';
import { cleanedRule } from './rule-cleaning.ts';

type Start = { wall: Wall; at: number; zone: string; isDay: boolean };
type Reading = { visits: VisitCount; warn: (line: number, message: string) => void };

export type FileRule = {
  rrule: string | null;
  /** A line that Almanac cannot compute. It is written back while the event has no other rule. */
  kept: JcalProperty | null;
  /** Whether the start is no occurrence, because the series has none. */
  isEmpty: boolean;
};

/** With white space; checkRrule judges what is left. */
const MAX_RULE = 10_000;
const NONE: FileRule = { rrule: null, kept: null, isEmpty: false };
/**
 * A series that never happens: its only occurrence is its start, which is excluded then. A rule with an UNTIL before the start would
 * be refused elsewhere, and programs differ in what they make of it.
 */
const NEVER: FileRule = { rrule: 'FREQ=DAILY;COUNT=1', kept: null, isEmpty: true };

/** Whether an event is a series that never happens, in the form in which it is read. */
export const happensNever = ({
  rrule,
  rdates,
  exdates,
  scheduled_for,
}: Pick<EventContent, 'rrule' | 'rdates' | 'exdates' | 'scheduled_for'>): boolean =>
  rrule === NEVER.rrule && rdates.length === 0 && exdates.includes(scheduled_for);

/** @throws a fault where a rule is too long to be read */
export function* readRule(
  component: Component,
  start: Start,
  { visits, warn }: Reading,
): Generator<undefined, FileRule> {
  const [rule, ...further] = component.properties.filter(({ name }) => name === 'rrule');
  const exception = component.properties.find(({ name }) => name === 'exrule');
  if (exception) warn(exception.line, 'EXRULE is not supported; the occurrences that it excludes are shown.');
  if (!rule) return NONE;
  for (const { line, raw } of further) if (raw !== rule.raw) warn(line, 'Only the first RRULE was used.');
  if (rule.raw.length > MAX_RULE) throw fault(rule.line, `A rule must have at most ${MAX_RULE} characters.`);
  const once = (why: string): FileRule => {
    warn(rule.line, `${why} The event was read as a single one; its rule is kept as it is.`);
    return { rrule: null, kept: rule.kept, isEmpty: false };
  };
  const { parts, changes, unsupported } = cleanedRule(rule.raw, start.isDay);
  if (unsupported !== null) return once(unsupported);
  for (const change of changes) warn(rule.line, change);
  if (Object.keys(parts).length === 0) return NONE;
  if (parts['FREQ'] === undefined) return once('FREQ is missing.');
  if (parts['UNTIL'] && start.isDay) parts['UNTIL'] = lastDayOf(parts['UNTIL'], start.zone);
  if (untilOf(parts, start.zone, start.isDay) < start.at) {
    warn(rule.line, 'UNTIL is before the start, so the series has no occurrence.');
    return NEVER;
  }
  const written = textOf(parts);
  const text = yield* oneEnd(written, start, visits);
  if (text !== written) warn(rule.line, 'COUNT and UNTIL exclude each other; the earlier end was used.');
  const reason = checkRrule(text, firstOf(start), start.zone, visits);
  return reason === null ? { rrule: text, kept: null, isEmpty: false } : once(reason);
}

/**
 * The last day of a series of whole days. Many programs write its midnight in UTC (`20261130T230000Z` is 1 December in Berlin); others
 * write the first or last second of the day itself.
 */
const lastDayOf = (until: string, zone: string): string =>
  !until.endsWith('Z') || /T(000000|2359\d\d)Z$/.test(until)
    ? until
    : wallText(wallAt(wallOf(until.slice(0, 15)), zone))
        .slice(0, 10)
        .replaceAll('-', '');

/** The start as checkRrule takes it. */
const firstOf = ({ wall, at, isDay }: Start): string => (isDay ? wallText(wall).slice(0, 10) : instantOf(at));

/** Some programs write both COUNT and UNTIL; the one that ends earlier is kept. checkRrule judges everything else. */
function* oneEnd(rule: string, start: Start, visits: VisitCount): Generator<undefined, string> {
  const { COUNT, UNTIL, ...parts } = partsOf(rule);
  if (COUNT === undefined || UNTIL === undefined) return rule;
  const { wall, at, zone, isDay } = start;
  const schedule = {
    uid: '',
    scheduled_for: instantOf(at),
    duration_minutes: 0,
    timezone: zone,
    local_start: wallText(wall),
    ...{ all_day: isDay, rdates: [], exdates: [] },
  };
  const endOf = function* (rrule: string): Generator<undefined, string | null> {
    yield;
    const isSound = checkRrule(rrule, firstOf(start), zone, visits) === null;
    yield;
    return isSound ? seriesEnd({ ...schedule, rrule }) : null;
  };
  const [byCount, byUntil] = [textOf({ ...parts, COUNT }), textOf({ ...parts, UNTIL })];
  const [endByUntil, endByCount] = [yield* endOf(byUntil), yield* endOf(byCount)];
  yield;
  if (endByUntil === null || endByCount === null) return rule;
  return endByUntil < endByCount ? byUntil : byCount;
}
