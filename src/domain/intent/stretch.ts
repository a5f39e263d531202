/** Stretches from one day into another: 'from Saturday 8pm till Sunday 11am', 'wed 22:00 to thu 06:00'. */
import { compareDays } from './calendar.ts';
import { readAtom as readDay } from './dates.ts';
import type { Clock, Day, Reader, Scan } from './facet.ts';
import { readAtom as readHour } from './hour.ts';
import { phraseAt, wordAt } from './words.ts';

const RANGE = 'to|-|–|—|until|till|til|through|(and/,) (finishes/ends/finishing/ending) (at/)';
const NEXT_DAY = '(on/) (the/) (next/following) (morning/day)';

/** A day with its hour, in either order. */
const readMoment = (scan: Scan, i: number): { day: Day; clock: Clock; next: number } | null => {
  const { tokens } = scan;
  const start = phraseAt(tokens, i, 'on|at') ?? i;
  const day = readDay(scan, start);
  const hour = readHour(tokens, day ? (phraseAt(tokens, day.next, '(,/) at|,|@') ?? day.next) : start);
  if (day && hour) return day.fault || day.past ? null : { day: day.day, clock: hour.clock, next: hour.next };
  const behind = hour && !day ? readDay(scan, phraseAt(tokens, hour.next, 'on') ?? hour.next) : null;
  return hour && behind && !behind.fault && !behind.past
    ? { day: behind.day, clock: hour.clock, next: behind.next }
    : null;
};

/** '6 the next morning' */
const readNextDay = ({ tokens }: Scan, i: number, { date }: Day): ReturnType<typeof readMoment> => {
  const hour = readHour(tokens, phraseAt(tokens, i, 'at') ?? i);
  const next = hour && phraseAt(tokens, hour.next, NEXT_DAY);
  if (!hour || !next) return null;
  const fixed = hour.clock.fixed || wordAt(tokens, next - 1) === 'morning';
  return { day: { date: date.add({ days: 1 }) }, clock: { ...hour.clock, fixed }, next };
};

const minutesOf = ({ hour, minute }: Clock): number => hour * 60 + minute;

export const readStretch: Reader = (scan, i) => {
  const first = readMoment(scan, phraseAt(scan.tokens, i, 'from|starting') ?? i);
  const joint = first && phraseAt(scan.tokens, first.next, RANGE);
  const last = first && joint ? (readNextDay(scan, joint, first.day) ?? readMoment(scan, joint)) : null;
  if (!first?.clock.fixed || !last?.clock.fixed) return null;
  const { date } = first.day;
  const end = compareDays(last.day.date, date) < 0 && last.day.roll ? last.day.date.add(last.day.roll) : last.day.date;
  const minutes = date.until(end, { largestUnit: 'day' }).days * 1440 + minutesOf(last.clock) - minutesOf(first.clock);
  const { next } = last;
  if (minutes <= 0)
    return { facets: [{ kind: 'fault', ask: 'It would end before it begins. When should it be?' }], next };
  return {
    facets: [
      { kind: 'days', days: [{ date }], till: { day: { date: end }, clock: last.clock } },
      { kind: 'clock', times: [first.clock] },
      { kind: 'duration', minutes },
    ],
    next,
  };
};
