/** Finds the days, months and years that a search query names, and the instants that they span in the user's zone. */
import { dayBounds, instantOf, type Interval, type LocalDate } from './time.ts';

export type NamedTime = Interval & {
  /** The text in the query, lower-cased. */
  text: string;
  days: number;
  /** The day, month or year: 2026-11-21, 2026-11 or 2026. */
  date: string;
};

const MONTHS = 'january|february|march|april|may|june|july|august|september|october|november|december'.split('|');
const MONTH = `(?<month>${MONTHS.map((m) => (m.length > 4 ? `${m.slice(0, 3)}(?:${m.slice(3)}|t)?\\.?` : `${m.slice(0, 3)}${m.slice(3) && `(?:${m.slice(3)})?`}\\.?`)).join('|')})`;
const DAY = '(?<day>\\d{1,2})(?:st|nd|rd|th)?';
const YEAR = '(?<year>(?:19|20)\\d\\d)';
const FORMS = [
  `${YEAR}-(?<m>\\d\\d)(?:-(?<d>\\d\\d))?`,
  `${DAY}(?: of)? ${MONTH}(?:,? ${YEAR})?`,
  `${MONTH} ${DAY}(?:,? ${YEAR})?`,
  `${MONTH},?(?: of)? ${YEAR}`,
  // Without such a word before them, 'may' and 'march' are ordinary words.
  `(?<=\\b(?:in|of|since|during|last|this|until|before|after|from|early|late) )${MONTH}`,
  YEAR,
].map((form) => new RegExp(`(?<![\\w-])${form}(?![\\w-])`, 'gi'));

/** A query may name this many times; further ones are ignored. */
const MOST = 4;

const spanOf = (
  year: number,
  month: number | undefined,
  day: number | undefined,
  zone: string,
): Omit<NamedTime, 'text'> => {
  const first = Temporal.PlainDate.from({ year, month: month ?? 1, day: day ?? 1 }, { overflow: 'reject' });
  const next = first.add(day ? { days: 1 } : month ? { months: 1 } : { years: 1 });
  return {
    start: dayBounds(first.toString(), zone).start,
    end: instantOf(next.toZonedDateTime(zone)),
    days: first.until(next).total({ unit: 'days', relativeTo: first }),
    date: first.toString().slice(0, day ? undefined : month ? -3 : -6),
  };
};

/** A month or a day without a year means the last one that has begun. */
const yearOf = (month: number, day: number, today: Temporal.PlainDate): number =>
  month < today.month || (month === today.month && day <= today.day) ? today.year : today.year - 1;

/**
 * Lists the distinct days, months and years that are named in figures or English, at most four. Text that is no date (30
 * February) is skipped. `today` determines the year where none is given.
 */
export const timesIn = (query: string, zone: string, today: LocalDate): NamedTime[] => {
  const now = Temporal.PlainDate.from(today);
  const found: NamedTime[] = [];
  let rest = query;
  for (const form of FORMS)
    rest = rest.replace(form, (...match: unknown[]) => {
      const groups = match.at(-1) as Record<string, string | undefined>;
      const name = groups['month']?.slice(0, 3).toLowerCase();
      const month = name ? MONTHS.findIndex((m) => m.startsWith(name)) + 1 : Number(groups['m']) || undefined;
      const day = Number(groups['day'] ?? groups['d']) || undefined;
      const year = Number(groups['year']) || yearOf(month ?? 1, day ?? 1, now);
      try {
        found.push({ text: String(match[0]).toLowerCase(), ...spanOf(year, month, day, zone) });
      } catch {
        return String(match[0]);
      }
      return ' ; ';
    });
  return found.slice(0, MOST);
};
