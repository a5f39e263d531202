/**
 * Counts the work of one request, over all resources that it looks at. Filters, expansions and properties multiply what a request
 * asks by what is stored, so neither alone bounds it.
 */
import { Problem } from '../common/problem.ts';
import { refusal } from './preconditions.ts';
import { D, named } from './xml.ts';

export const TOO_MANY = named(D, 'number-of-matches-within-limits');
/** One visit takes about a microsecond: a property, an alarm or an occurrence that is looked at, or CHARACTERS of text. */
const MOST_VISITS = 2_000_000;
const CHARACTERS = 32;

const tooMuch = (): Problem =>
  refusal(TOO_MANY, 'The request takes too much work. Ask for a shorter time range, or with a simpler filter.');

export const isTooMuch = (error: unknown): boolean =>
  error instanceof Problem && error.options.extra?.['condition'] === TOO_MANY;

/** @param most the limit of visits */
export const createWork = (most = MOST_VISITS) => {
  let visits = 0;
  /** @throws 403 number-of-matches-within-limits */
  const visit = (count = 1): void => {
    visits += count;
    if (visits > most) throw tooMuch();
  };
  return {
    visit,
    /** Counts text that is read or written. @param times how often @throws 403 */
    text: (length: number, times = 1): void => visit(Math.ceil((length / CHARACTERS) * times)),
    visits: (): number => visits,
  };
};

export type Work = ReturnType<typeof createWork>;
