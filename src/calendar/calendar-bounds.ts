/** The limits of a calendar and of the work of one request on it, each with its reason. */
import { problem, type Problem } from '../common/problem.ts';
import type { StepBudget } from '../common/yielding.ts';

/** A calendar holds at most this many series. Every window expands those that overlap it, about 10 µs each. */
export const MAX_SERIES = 2_000;
/** A series has at most this many rdates, exdates and overrides together, since each version stores the whole document. */
export const MAX_EXCEPTIONS = 10_000;
/**
 * The limit on bytes of one series as JSON. Parsing 3 million takes about 20 ms, in which no other request is served.
 * 10,000 overrides with a title and a time take two million.
 */
export const MAX_SERIES_SIZE = 3_000_000;
/** The limit on bytes of all series together, since a window reads all series that overlap it. */
export const MAX_SERIES_SIZES = 16_000_000;

/** Series up to this size need no counting: as many of them as a calendar may hold stay below the limit. */
export const UNCOUNTED_SIZE = MAX_SERIES_SIZES / MAX_SERIES;
/** One request reads at most this many bytes of series. Series stored before the limits existed may exceed it. */
export const MOST_READ = 4 * MAX_SERIES_SIZES;

/** One request examines at most this many occurrences: a quarter of a second of work, which yields in between. */
const MAX_STEPS = 200_000;
/** An answer has at most this many busy stretches, as has a search for free time. */
export const MAX_STRETCHES = 20_000;
/** Limits of the occurrences that a prompt may refer to. `each` leaves every series a share. */
export const OVERVIEW = { limit: 2_000, each: 100, bytes: 2_000_000 };

export const tooMany = (): Problem =>
  problem(
    'too_many_occurrences',
    `The window has more busy time than one request can process (${MAX_STEPS} occurrences, ${MAX_STRETCHES} separate intervals). Ask for a shorter window.`,
  );

export const tooLarge = (uid: string, size: number): Problem =>
  problem(
    'too_many_occurrences',
    `The recurring events in this window have more than ${MOST_READ} bytes of changed occurrences. The largest is ${uid} with ${size} bytes. End it, split it or remove it.`,
    { uid },
  );

/** The limit of steps for expanding the series of one request. */
export const SERIES_STEPS: StepBudget = { steps: MAX_STEPS, refusal: tooMany };

export const seriesLimit = (): Problem =>
  problem(
    'series_limit',
    `A calendar holds at most ${MAX_SERIES} recurring events, and ${MAX_SERIES_SIZES} bytes of them with their changed occurrences. Remove events that have ended, or combine some into one rule.`,
    { limit: MAX_SERIES },
  );
