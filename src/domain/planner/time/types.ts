/** What a span of time is read as, before it is known what else was said. */

/** Minutes on the clock, or days and months, which the calendar counts. */
export type Amount = { minutes?: number; days?: number; months?: number };

export type CycleUnit = 'week' | 'weekend' | 'month' | 'quarter' | 'year';
/** What the nth of a stretch is: a weekday (1 Monday to 7), any day, a working day, a weekend, a week. */
export type Nth = number | 'day' | 'workday' | 'weekend' | 'week';

export type Days =
  | { of: 'date'; day: number; month?: number; year?: number; weekday?: number; isSlash?: true; isBare?: true }
  | { of: 'weekday'; weekday: number; which?: 'next' | 'last' | 'after' | 'before' | 'that' }
  /** Days from today. */
  | { of: 'today'; plus: number }
  /** Days from the day last spoken of. */
  | { of: 'said'; plus: number }
  /** The days last spoken of. */
  | { of: 'those' }
  | { of: 'holiday'; name: string }
  | { of: 'cycle'; unit: CycleUnit; step: number; isRest?: true; isSaid?: true }
  | { of: 'calendarWeek'; week: number }
  | { of: 'weekOf'; days: Days }
  | { of: 'month'; month: number; year?: number }
  | { of: 'nth'; n: number; what: Nth; in: Days }
  /** A part of a stretch, by fractions of it. */
  | { of: 'slice'; from: number; to: number; in: Days }
  | { of: 'plus'; days: Days; by: Amount; isBack?: true }
  | { of: 'range'; from: Days; to: Days }
  | { of: 'in'; days: Days; in: Days }
  | { of: 'list'; days: readonly Days[]; isChoice?: true }
  /** The days from today on. */
  | { of: 'coming'; by: Amount };

export type Half = 'am' | 'pm';
export type PartOfDay = { from: number; to: number };
/** `isFixed`: the hour is as it is said, of 24. `isExact`: written with minutes, as 7:00. */
export type Clock = {
  hour: number;
  minute: number;
  half?: Half;
  part?: PartOfDay;
  isFixed?: true;
  isExact?: true;
  zone?: string;
};
/** A day with a clock time, or either. */
export type Moment = { days?: Days; clock?: Clock; part?: PartOfDay };

export type Edge = 'before' | 'by' | 'until' | 'after' | 'from';
export type Way = 'more' | 'less' | 'later' | 'earlier';
export type EveryUnit = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
export type Every = {
  unit: EveryUnit;
  step?: number;
  weekdays?: readonly number[];
  /** The nth weekdays of the weekdays, in a month; or of all working days. */
  nth?: readonly number[];
  isWorkday?: true;
  monthDays?: readonly number[];
  months?: readonly number[];
  /** A number of days on, then a number off. */
  cycle?: readonly [number, number];
  /** So often in each unit. */
  times?: number;
};

export type Item =
  | { item: 'days'; days: Days }
  | { item: 'clock'; clock: Clock }
  | { item: 'hours'; from: Clock; to: Clock }
  | { item: 'part'; part: PartOfDay }
  | { item: 'stretch'; from: Moment; to: Moment }
  /** `isSure`: it has its own 'not', so another one before it does not turn it round. */
  | { item: 'bound'; edge: Edge; at: Moment; isSure?: true }
  | { item: 'zone'; zone: string }
  | { item: 'length'; amount: Amount; way?: Way }
  /** A number without its unit: the role says what it counts. */
  | { item: 'number'; n: number; way?: Way }
  /** 'double', 'half of that': a multiple of the length it has. */
  | { item: 'factor'; times: number }
  /** A change without its size: 'a bit later'. */
  | { item: 'vague'; way?: Way }
  /** From now on: 'in twenty minutes'. */
  | { item: 'ahead'; amount: Amount }
  | { item: 'apart'; amount: Amount }
  /** The size of the pieces of a thing; at most or at least. */
  | { item: 'piece'; amount: Amount; isLeast?: true }
  /** At most this in a day. */
  | { item: 'rate'; amount?: Amount; times?: number }
  | { item: 'spread'; days: number }
  | { item: 'every'; every: Every }
  | { item: 'count'; times: number }
  /** At the time of day that was spoken of. */
  | { item: 'same' }
  | { item: 'whole' }
  | { item: 'not' }
  | { item: 'or' }
  /** In relation to what the words that were not read name. */
  | {
      item: 'relation';
      side: 'before' | 'after' | 'between' | 'during';
      by?: Amount;
      isExact?: true;
      isFromStart?: true;
      days?: Days;
      part?: PartOfDay;
    }
  /** A wish that is not about time; its words are kept. */
  | { item: 'condition' };

/**
 * `names` are the words that name what the time relates to, `unread` those of which nothing was made; each as they are written.
 * `steps` counts the work.
 */
export type Time = { items: readonly Item[]; names: readonly string[]; unread: readonly string[]; steps: number };
