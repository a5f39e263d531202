/**
 * The day on which tests run. By default it is a Wednesday in November 2026 at 10:00 UTC; TEST_TODAY is another instant
 * (`2026-12-31T23:40Z`), or `now` for the day of the machine. On a Postgres server it is always the day of the machine, because the
 * service goes by the server's clock. Only this module reads the clock in tests (oxlint.config.ts).
 */
const DAY_MS = 86_400_000;
const USUAL = '2026-11-18T10:00Z';

/** For vitest.config.ts: the tests, the programs that they start and the pages that they open have the clock of that day. */
export const chooseDay = ({ TEST_TODAY = USUAL, TEST_DATABASE_URL, NODE_OPTIONS = '' } = process.env): void => {
  if (TEST_TODAY === 'now' || TEST_DATABASE_URL !== undefined) return;
  const start = Date.parse(TEST_TODAY);
  if (Number.isNaN(start)) throw new Error(`TEST_TODAY is ${TEST_TODAY}. Write an instant such as ${USUAL}, or now.`);
  process.env['SHIFT_MS'] ??= String(start - Date.now());
  process.env['NODE_OPTIONS'] = `${NODE_OPTIONS} --import=${new URL('shifted-clock.js', import.meta.url).href}`;
};

// Today is read once, so that a midnight changes nothing.
const today = Date.now();
const after = (days: number): Date => new Date(today + days * DAY_MS);

/** The date in so many days, in UTC. */
export const dayAhead = (days: number): string => after(days).toISOString().slice(0, 10);

/** The Monday after next, and days after it: none of them is today in any zone, and seven of them are one week. */
export const weekAhead = (days: number): string => dayAhead(14 - ((after(0).getUTCDay() + 6) % 7) + days);

/** The time in so many milliseconds, for what must happen soon, and to compare with what has just happened. */
export const millisIn = (milliseconds: number): number => Date.now() + milliseconds;
export const instantIn = (milliseconds: number): string => new Date(millisIn(milliseconds)).toISOString();
