/** When a failed delivery is tried again, and when the webhook is paused. */

const FIRST_MS = 100;
const LONGEST_MS = 3_600_000;
/** A delivery is tried again for this long, which covers a weekend. */
const GIVE_UP_MS = 3 * 24 * 3_600_000;

/** The milliseconds until the next attempt: 0.1 s, 0.5 s, 2.5 s and so on up to an hour, or longer where the endpoint asks. */
export const retryAfter = (failures: number, asked_ms: number): number =>
  Math.max(Math.min(FIRST_MS * 5 ** (failures - 1), LONGEST_MS), asked_ms);

export const isGivenUp = (failing_since_ms: number, now_ms: number): boolean => now_ms - failing_since_ms >= GIVE_UP_MS;
