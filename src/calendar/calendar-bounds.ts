/** What a calendar may hold and what one request may look at: every number of it, with its reason. */
import { problem, type Problem } from '../common/problem.ts';
import type { StepBudget } from '../common/yielding.ts';

/** Series one calendar holds: every window opens those that overlap it, some 10 µs each. */
export const MAX_SERIES = 2_000;
/** rdates, exdates and changed occurrences of one series: its document is written whole with every version. */
export const MAX_EXCEPTIONS = 10_000;
/**
 * Characters of one series as JSON: parsing so much takes some 20 ms, in which nobody else is served. 10,000 changed
 * occurrences with a title and a time of their own have two million.
 */
export const MAX_SERIES_SIZE = 3_000_000;
/** Characters of all series together: what overlaps a window is read whole. */
export const MAX_SERIES_SIZES = 16_000_000;

/** Below this, as many series as a calendar may hold have room: they need not be added up. */
export const UNCOUNTED_SIZE = MAX_SERIES_SIZES / MAX_SERIES;
/** Characters of series one request reads. What was kept before there was a limit may be more than that allows. */
export const MOST_READ = 4 * MAX_SERIES_SIZES;

/** Occurrences one request looks at: a quarter of a second of work, in slices. */
const MAX_STEPS = 200_000;
/** Stretches of busy time in one answer, or that one search for free time goes around. */
export const MAX_STRETCHES = 20_000;
/** Occurrences around a prompt that its words may mean: so many of each series that all have their share. */
export const OVERVIEW = { limit: 2_000, each: 100 };

export const tooMany = (): Problem =>
  problem(
    'too_many_occurrences',
    `Events are busy more often in that window than one request looks at (${MAX_STEPS} occurrences, ${MAX_STRETCHES} separate stretches): ask for a shorter window.`,
  );

export const tooLarge = (uid: string, size: number): Problem =>
  problem(
    'too_many_occurrences',
    `The series in that window hold more than ${MOST_READ} characters of changed occurrences. The largest has ${size}, with the uid ${uid}: end it, split it or remove it.`,
    { uid },
  );

/** Of one look at the series of a calendar. */
export const LOOK: StepBudget = { steps: MAX_STEPS, refusal: tooMany };

export const seriesLimit = (): Problem =>
  problem(
    'series_limit',
    `A calendar holds at most ${MAX_SERIES} series, and ${MAX_SERIES_SIZES} characters of series with their changed occurrences: remove those that are over, or join some into one rule.`,
    { limit: MAX_SERIES },
  );
