/** Calendar arithmetic on day numbers (days since 1970-01-01): the year, month and week of a day, for any year from 1. */

export const DAY_MS = 86_400_000;

const MONTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** The number of days from 0001-01-01 to 1970-01-01. */
const BEFORE_EPOCH = 719_162;
/** 1970-01-01 was a Thursday; Monday is 0. */
const EPOCH_WEEKDAY = 3;

export const modulo = (a: number, b: number): number => ((a % b) + b) % b;

const isLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);

/** The weekday of a day, where 0 is Monday. */
export const weekdayOf = (day: number): number => modulo(day + EPOCH_WEEKDAY, 7);

const newYear = (year: number): number => {
  const past = year - 1;
  return 365 * past + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) - BEFORE_EPOCH;
};

/** A year with its first day, its length in days, and the same for its months (January is 0). */
export type Year = { year: number; first: number; length: number; months: { first: number; length: number }[] };

export const yearOf = (year: number): Year => {
  const first = newYear(year);
  let at = first;
  const months = MONTHS.map((usual, month) => {
    const length = month === 1 && isLeap(year) ? 29 : usual;
    const begin = at;
    at += length;
    return { first: begin, length };
  });
  return { year, first, length: at - first, months };
};

export const yearNumberOf = (day: number): number => new Date(day * DAY_MS).getUTCFullYear();

/** The first day of a year's week 1, the first week with at least four days in it (RFC 5545 §3.3.10, BYWEEKNO). */
const weekOne = (year: number, weekStart: number): number => {
  const fourth = newYear(year) + 3;
  return fourth - modulo(weekdayOf(fourth) - weekStart, 7);
};

/** The number of a day's week, and the number of weeks in the year to which that week belongs. */
export const weekOf = (day: number, weekStart: number): { number: number; count: number } => {
  const calendarYear = yearNumberOf(day);
  const after = day >= weekOne(calendarYear + 1, weekStart) ? 1 : 0;
  const year = calendarYear + (day < weekOne(calendarYear, weekStart) ? -1 : after);
  const first = weekOne(year, weekStart);
  return {
    number: Math.floor((day - first) / 7) + 1,
    count: Math.round((weekOne(year + 1, weekStart) - first) / 7),
  };
};
