/** Which half of the day a clock time means. */
import { isSure } from './clocks.ts';
import type { Clock, PartOfDay } from './types.ts';

/** The part of the day that was said, or which half is likely: a breakfast is in the morning. */
export type Hint = PartOfDay | 'am' | 'pm';

const NOON = 720;
const DAY = 1440;
/** Without any hint a time is within these waking hours: 8 is in the morning, 7 in the evening; but 7:00 is written so for a morning. */
const FIRST_HOUR = 8;
const FIRST_EXACT_HOUR = 6;
const FIRST_EARLY_HOUR = 4;
/** What is usually in the evening may be in the late morning. */
const FIRST_LATE_HOUR = 10;
/** A part of the day is wide: 'in the evening at 11'. */
const MARGIN = 60;

const morningMinute = ({ hour, minute }: Clock): number => (hour % 12) * 60 + minute;

const inPart = (time: Clock, { from, to }: PartOfDay): number => {
  const morning = morningMinute(time);
  // 'two at night' is after midnight
  if (from >= 1080 && time.hour !== 12 && time.hour <= 4) return morning;
  return morning + NOON <= to + MARGIN || morning + 180 < from ? morning + NOON : morning;
};

const waking = (time: Clock, likely: 'am' | 'pm' | undefined): number => {
  const unsaid = time.isExact ? FIRST_EXACT_HOUR : FIRST_HOUR;
  const first = likely === 'am' ? FIRST_EARLY_HOUR : likely === 'pm' ? FIRST_LATE_HOUR : unsaid;
  return morningMinute(time) + (time.hour === 12 || time.hour < first ? NOON : 0);
};

/** `after`: the time before it in a list, which it follows. */
export const minuteOf = (
  time: Clock,
  { hint, after }: { hint?: Hint | undefined; after?: number | undefined } = {},
): number => {
  const { hour, minute, half, part } = time;
  if (half) return morningMinute(time) + (half === 'pm' ? NOON : 0);
  if (isSure(time) || hour === 0) return hour * 60 + minute;
  const said = part ?? hint;
  if (typeof said === 'object') return inPart(time, said);
  const meant = waking(time, said);
  return after !== undefined && meant < after && meant + NOON < DAY ? meant + NOON : meant;
};

/** The end follows the start, within twelve hours where it does not say its half of the day. */
const endAfter = (time: Clock, start: number, hint: Hint | undefined): number => {
  if (isSure(time) || time.hour === 0 || time.part) {
    const end = minuteOf(time, { hint: time.part ?? hint });
    return end > start ? end : end + DAY;
  }
  const morning = morningMinute(time);
  return [morning, morning + NOON, morning + DAY, morning + DAY + NOON].find((end) => end > start)!;
};

/** The start by an end that says its half of the day: '7-7:50am', '3-5pm', '10-2pm'. */
const startBefore = (from: Clock, to: Clock, said: Hint | undefined): number => {
  const [morning, end] = [morningMinute(from), minuteOf(to, { hint: said })];
  // '7 till 19:30' is of 24 hours at both ends
  const is24 = !to.half && to.hour > 12 && to.hour < 24 && from.hour >= 5 && from.hour < 12;
  if (is24 && morning < end) return morning;
  // of the two starts the later one that is before the end
  const starts = [morning + NOON, morning].filter((one) => one < end);
  const near = to.half || end > NOON ? starts.find((one) => end - one <= NOON) : starts[0];
  return near ?? minuteOf(from, { hint: said });
};

/** '7 to 3' is a day's work, not an evening and a night. */
const LONG_EVENING = 600;
const isWorkingDay = (from: Clock, to: Clock, start: number, said: Hint | undefined): boolean => {
  if (start < NOON || typeof said === 'object' || from.hour === 12) return false;
  const [early, late] = [endAfter(to, morningMinute(from), said), endAfter(to, start, said)];
  return (late >= DAY || late - start > LONG_EVENING) && early <= DAY;
};

const startOf = (from: Clock, to: Clock, said: Hint | undefined): number => {
  const start = minuteOf(from, { hint: said });
  if (isSure(from)) return start;
  if (isSure(to)) return from.hour === 0 ? start : startBefore(from, to, said);
  return isWorkingDay(from, to, start, said) ? morningMinute(from) : start;
};

export const startAndLength = (from: Clock, to: Clock, hint: Hint | undefined): { at: number; minutes: number } => {
  const said = from.part ?? (isSure(from) ? undefined : to.part) ?? hint;
  const at = startOf(from, to, said);
  return { at, minutes: endAfter(to, at, said) - at };
};
