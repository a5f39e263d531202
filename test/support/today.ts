/** Days seen from today, for tests of programs that read the real clock. Today is read once, so that a midnight changes nothing. */
const DAY_MS = 86_400_000;
const today = Date.now();
const after = (days: number): Date => new Date(today + days * DAY_MS);

/** The date in so many days, in UTC. */
export const dayAhead = (days: number): string => after(days).toISOString().slice(0, 10);

/** The Monday after next, and days after it: none of them is today in any zone, and seven of them are one week. */
export const weekAhead = (days: number): string => dayAhead(14 - ((after(0).getUTCDay() + 6) % 7) + days);
