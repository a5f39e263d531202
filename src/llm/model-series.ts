/** Checks the repetition of an action that a model gave: its rule, and that each start that is left out is one of the rule's. */
import { partsOf } from '../domain/calendar/rrule-parts.ts';
import { walkRule } from '../domain/calendar/rrule.ts';
import { checkRrule } from '../domain/calendar/series-expansion.ts';
import { happeningsOf } from '../domain/calendar/series-schedule.ts';
import { addMinutes, instantOf, millis, type Instant } from '../domain/time/time.ts';
import { wallAt } from '../domain/time/wall-time.ts';

/** Exdates are compared with the occurrences of ten years, of which there may be this many. */
const MOST_COMPARED = 5_000;
const COMPARED_MINUTES = 10 * 366 * 24 * 60;
const TIMES_OF_DAY = /FREQ=(?:SECONDLY|MINUTELY|HOURLY)|BYHOUR|BYMINUTE|BYSECOND/i;

type Asked = { rrule: string; exdates: readonly Instant[]; start: Instant | null };
type Fault = (field: 'rrule' | 'exdates', message: string) => void;

/** @param asked `start` is null where the first occurrence still gets a place */
export const checkRepetition = (
  { rrule, exdates, start }: Asked,
  { now, zone }: { now: Instant; zone: string },
  fault: Fault,
): void => {
  const why = checkRrule(rrule, start ?? now, zone);
  if (why !== null) return fault('rrule', why);
  if (start === null) {
    if (TIMES_OF_DAY.test(rrule)) fault('rrule', 'must not name times of day where scheduled_for is null');
    if (exdates.length > 0) fault('exdates', 'must be empty where scheduled_for is null');
    return;
  }
  const wall = wallAt(millis(start), zone);
  if (walkRule(partsOf(rrule), wall).between(wall, wall).length === 0)
    return fault('rrule', 'leaves out scheduled_for, which must be the first occurrence');
  if (exdates.length === 0) return;
  const series = { scheduled_for: start, duration_minutes: null, rrule, exdates: [], timezone: zone, all_day: false };
  const window: [number, number] = [millis(start), millis(addMinutes(start, COMPARED_MINUTES))];
  const starts = new Set([...happeningsOf(series, window).take(MOST_COMPARED)].map((one) => instantOf(one.start)));
  const strays = exdates.filter((at) => !starts.has(at));
  if (strays.length > 0) fault('exdates', `must be starts of occurrences; ${strays.join(', ')} is none`);
  else if (new Set(exdates).size === starts.size) fault('exdates', 'must leave an occurrence of the series');
};
