/** What clock times, hours and parts of the day are made of. */
import type { Productions } from './chart.ts';
import type { Clock, Days, Half, Item, Moment, PartOfDay } from './types.ts';

type Hours = { from: Clock; to: Clock };

const clock = (hour: number, minute: number, more: Partial<Clock> = {}): Clock | null =>
  hour < 24 || (hour === 24 && minute === 0) ? { hour, minute, ...more } : null;

/** Whether the clock says by itself which half of the day is meant. */
export const isSure = ({ hour, half, isFixed }: Clock): boolean => isFixed === true || half !== undefined || hour > 12;

const withHalf = (time: Clock, half: Half): Clock | null =>
  time.hour > 12 || time.hour === 0 ? time : { ...time, half };

const shifted = (time: Clock, minutes: number): Clock | null => {
  const sum = time.hour * 60 + time.minute + minutes;
  const total = sum < 60 ? sum + 720 : sum;
  return time.minute !== 0 || time.isFixed || time.half ? null : clock(Math.floor(total / 60), total % 60);
};

/** 'ten to four' is a time before four; so only where the minutes are the usual ones. */
const USUAL_MINUTES: readonly number[] = [5, 10, 20, 25];

const partOfHours = (constant: string): PartOfDay => {
  const [from = 0, to = 0] = constant.split(' ').map(Number);
  return { from, to };
};

export const CLOCKS: Productions = {
  hour: (_, value: Clock | number) =>
    typeof value === 'number' ? (value >= 1 && value <= 24 ? { hour: value, minute: 0 } : null) : value,
  minute: (_, n: number) => (n > 0 && n < 60 ? n : null),
  hourMinute: (constant, { hour }: Clock, minute: number) =>
    constant === 'words' && minute < 10 && minute > 0 && hour > 20
      ? null
      : clock(hour, minute, constant === 'exact' ? { isExact: true } : {}),
  exact: (_, time: Clock) => ({ ...time, isExact: true as const }),
  fixed: (_, time: Clock) => ({ ...time, isFixed: true as const }),
  hundred: (_, n: number) => clock(n, 0, { isFixed: true }),
  sure: (_, time: Clock) =>
    time.hour > 12 ? { ...time, isFixed: true as const } : { hour: time.hour, minute: time.minute },
  past: (constant, time: Clock) => shifted(time, Number(constant)),
  hourAnd: (constant, time: Clock) => (time.minute === 0 ? { ...time, minute: Number(constant) } : null),
  pastHour: (_, minute: number, time: Clock) => shifted(time, minute),
  toHour: (constant, minute: number, time: Clock) =>
    constant === 'words' && !USUAL_MINUTES.includes(minute) ? null : shifted(time, -minute),
  clock: (constant) => clock(Math.floor(Number(constant)), (Number(constant) % 1) * 60, { isFixed: true }),
  half: (_, time: Clock, half: Half) => (time.half ? null : withHalf(time, half)),
  halfFirst: (_, half: Half, time: Clock) => (time.half ? null : withHalf(time, half)),
  partly: (_, time: Clock, part: PartOfDay) => (isSure(time) ? time : { ...time, part }),
  zoned: (_, a: Clock | string, b: Clock | string) =>
    typeof a === 'string' ? { ...(b as Clock), zone: a } : { ...a, zone: b as string },
  twice: (_, a: Clock, b: Clock) =>
    a.minute === b.minute && a.hour % 12 === b.hour % 12 && isSure(b) && !isSure(a) ? b : null,
  heard: (constant) => clock(Math.floor(Number(constant)), (Number(constant) % 1) * 60),
  zoneNamed: (constant) => constant,
  halfIs: (constant, time: Clock) => (time.half ? null : withHalf(time, constant as Half)),
  zonedUtc: (_, time: Clock) => ({ ...time, zone: 'UTC' }),
  forClock: (_, first: Clock, second: Clock) =>
    ((((second.hour - first.hour) * 60 + second.minute - first.minute) % 720) + 719) % 720 < 30 ? first : null,

  // 'three to five Lisbon time' is of one zone, a journey of two
  hours: (_, from: Clock, to: Clock): Hours => ({ from: { ...(to.zone && { zone: to.zone }), ...from }, to }),
  trip: (_, from: Clock, to: Clock): Hours => ({ from, to }),
  // '7 to twenty past' is within the hour
  hoursPast: (_, from: Clock, minute: number): Hours | null =>
    minute > from.minute ? { from, to: { ...from, minute } } : null,
  hoursQuarter: (_, from: Clock): Hours => ({ from, to: { ...from, minute: 15 } }),
  zonedHours: (_, { from, to }: Hours, zone: string): Hours => ({ from: { ...from, zone }, to: { ...to, zone } }),
  halfHours: (_, { from, to }: Hours, half: Half): Hours | null => {
    const end = to.half ? null : withHalf(to, half);
    return end && { from, to: end };
  },

  part: (constant): PartOfDay => partOfHours(constant),
  early: (_, { from, to }: PartOfDay): PartOfDay => ({ from, to: from + Math.round((to - from) / 120) * 60 }),
  late: (_, { from, to }: PartOfDay): PartOfDay => ({ from: to - Math.round((to - from) / 120) * 60, to }),
  weekdayPart: (constant, weekday: number, part: PartOfDay): Moment => ({
    days: { of: 'weekday', weekday, which: constant as 'before' | 'after' },
    part,
  }),
  partBefore: (_, part: PartOfDay, days: Days): Moment => ({
    days: { of: 'plus', days, by: { days: 1 }, isBack: true },
    part,
  }),
  dayPart: (constant, part?: PartOfDay): Moment => {
    const [of, plus, from, to] = constant.split(' ');
    const days = { of: of as 'today' | 'said', plus: Number(plus) };
    return { days, part: part ?? (from ? { from: Number(from), to: Number(to) } : { from: 720, to: 1380 }) };
  },

  clockItem: (_, time: Clock): Item => ({ item: 'clock', clock: time }),
  hoursItem: (_, hours: Hours): Item => ({ item: 'hours', ...hours }),
  partItem: (_, part: PartOfDay): Item => ({ item: 'part', part }),
  zoneItem: (_, zone: string): Item => ({ item: 'zone', zone }),
};
