/** What the words of a prompt say about time, as values: days, minutes of the day, lengths. Words that are not read say nothing. */
import { zoned } from '../../time/time.ts';
import type { Piece } from '../act/clause.ts';
import { piecesIn } from '../act/clauses.ts';
import { readRoles } from '../roles/reader.ts';
import { type Kind, readTime } from '../time/read-time.ts';
import { settle, type Settled } from '../time/settle.ts';
import { daysIn } from '../time/settle-days.ts';
import type { Amount, Clock, Every, Item } from '../time/types.ts';
import type { IntentContext } from './types.ts';

type PlainDate = Temporal.PlainDate;

/** Words seldom say the half of the day, so that clock times are compared within this number of minutes. */
export const HALF_DAY = 720;
export const inHalf = (minutes: number): number => ((minutes % HALF_DAY) + HALF_DAY) % HALF_DAY;

const EPOCH = Temporal.PlainDate.from('1970-01-01');
/** A day as a number that can be compared. */
export const numberOf = (day: PlainDate): number => EPOCH.until(day).days;

/** The first and the last day, as numbers. */
export type Stretch = { from: number; to: number };

export type Heard = {
  days: Stretch[];
  bounds: (Stretch & Pick<Settled['bounds'][number], 'edge'>)[];
  /** The days of the week that are named or within a named stretch, 1 for Monday. */
  weekdays: Set<number>;
  /** Those of a repetition. */
  repeated: Set<number>;
  /** Whether any day fits, as for 'daily'. */
  isAnyDay: boolean;
  /** Minutes of half a day: when something begins, and when a stretch ends. */
  clocks: Set<number>;
  ends: Set<number>;
  /** Minutes of the day whose half is said, as by 'pm' or '19:00', and those of half a day that are said without it. */
  exact: Set<number>;
  loose: Set<number>;
  /** Whether the hours are said to be those of before. */
  isSame: boolean;
  hours: NonNullable<Settled['hours']>[];
  /** In minutes. */
  lengths: Set<number>;
  /** Distances in days and in minutes, negative for 'two days before'; both signs where no direction is said. */
  daysApart: Set<number>;
  minutesApart: Set<number>;
  /** By how many minutes something changes, negative for 'earlier' and 'shorter'. */
  changes: Set<number>;
  /** Whether a time is said by something else: 'before the dentist'. */
  relates: boolean;
  /** Whether a length is said as a multiple: 'half of it'. */
  hasMultiple: boolean;
};

const nothing = (): Heard => ({
  ...{ days: [], bounds: [], hours: [], isAnyDay: false, isSame: false, relates: false, hasMultiple: false },
  ...{
    weekdays: new Set(),
    repeated: new Set(),
    clocks: new Set(),
    ends: new Set(),
    lengths: new Set(),
    changes: new Set(),
  },
  ...{ daysApart: new Set(), minutesApart: new Set(), exact: new Set(), loose: new Set() },
});

const KINDS: Partial<Record<Piece['role'], Kind>> = { dur: 'length', shift: 'length', repeat: 'repeat' };
const DAY = 1440;
const WORKDAYS = [1, 2, 3, 4, 5];
const DAYS_OF_MONTH = 30;
const WEEK = 7;

const stretchOf = ({ from, to }: { from: PlainDate; to: PlainDate }): Stretch => ({
  from: numberOf(from),
  to: numberOf(to),
});

const hearGroup = (heard: Heard, { days, not, bounds, hours, start, over, slots, isSame }: Settled): void => {
  if (isSame) heard.isSame = true;
  heard.days.push(...not.map(stretchOf));
  for (const range of days) {
    const stretch = stretchOf(range);
    heard.days.push(stretch);
    if (stretch.to - stretch.from < WEEK) for (const { dayOfWeek } of daysIn(range)) heard.weekdays.add(dayOfWeek);
  }
  heard.bounds.push(...bounds.map((bound) => ({ ...stretchOf(bound), edge: bound.edge })));
  if (hours) heard.hours.push(hours);
  if (start !== undefined) heard.clocks.add(inHalf(start));
  if (over !== undefined) heard.ends.add(inHalf(over));
  for (const { at, minutes } of slots) {
    heard.clocks.add(inHalf(at));
    if (minutes === undefined) continue;
    heard.ends.add(inHalf(at + minutes));
    heard.lengths.add(minutes);
  }
};

type Sign = 1 | -1;
const BOTH: readonly Sign[] = [1, -1];

/** An amount of time, and in which direction it is. */
const amountOf = (item: Item): { amount: Amount; signs: readonly Sign[] } | undefined => {
  if (item.item === 'apart' || item.item === 'piece') return { amount: item.amount, signs: BOTH };
  if (item.item === 'length')
    return { amount: item.amount, signs: item.way ? [item.way === 'later' || item.way === 'more' ? 1 : -1] : BOTH };
  if (item.item !== 'relation' || !item.by) return undefined;
  const signs = { before: [-1], after: [1], between: BOTH, during: BOTH } as const;
  return { amount: item.by, signs: signs[item.side] };
};

const hearAmount = (heard: Heard, { minutes, days, months }: Amount, signs: readonly Sign[]): void => {
  if (minutes !== undefined) heard.lengths.add(minutes);
  if (days !== undefined) heard.lengths.add(days * DAY);
  for (const sign of signs) {
    if (minutes !== undefined) heard.minutesApart.add(sign * minutes);
    for (const apart of [days, months && months * DAYS_OF_MONTH]) if (apart) heard.daysApart.add(sign * apart);
  }
};

/** Clock times of another zone are compared by halves of the day only. */
const hearClock = (heard: Heard, { hour, minute, half, part, isFixed, zone }: Clock): void => {
  const at = hour * 60 + minute;
  if (half && !zone) heard.exact.add(inHalf(at) + (half === 'pm' ? HALF_DAY : 0));
  else if ((hour > 12 || isFixed) && !zone) heard.exact.add(at % DAY);
  else heard.loose.add(inHalf(at));
  if (part) heard.loose.add(inHalf(at));
};

const clocksIn = (item: Item): readonly Clock[] => {
  if (item.item === 'clock') return [item.clock];
  return item.item === 'hours' ? [item.from, item.to] : [];
};

/** What repeats fits each day, where it names none. */
const hearEvery = (heard: Heard, { weekdays, isWorkday, unit }: Every): void => {
  const named = weekdays ?? (isWorkday ? WORKDAYS : []);
  for (const day of named) heard.repeated.add(day);
  if (named.length === 0 && unit !== 'month' && unit !== 'year') heard.isAnyDay = true;
};

const hearItem = (heard: Heard, item: Item, isChange: boolean): void => {
  for (const clock of clocksIn(item)) hearClock(heard, clock);
  const said = amountOf(item);
  if (said) hearAmount(heard, said.amount, said.signs);
  if (item.item === 'bound' || item.item === 'relation') heard.relates = true;
  if (item.item === 'factor') heard.hasMultiple = true;
  if (item.item === 'every') hearEvery(heard, item.every);
  const by = item.item === 'length' && (item.way || isChange) ? item.amount.minutes : undefined;
  if (by && said) for (const sign of said.signs) heard.changes.add(sign * by);
};

/** What a text says, as of now. */
export const heardIn = (text: string, { now, zone }: Pick<IntentContext, 'now' | 'zone'>): Heard => {
  const heard = nothing();
  const wall = zoned(now, zone).toPlainDateTime();
  let said: PlainDate | undefined;
  for (const { role, text: words } of piecesIn({ text, spans: readRoles(text).best.spans })) {
    // A rule for all plans is a sentence, whose words would be read as any time.
    if (role === 'setting' || (role === 'glue' && !/\d/.test(words))) continue;
    for (const kind of new Set<Kind>([KINDS[role] ?? 'time', 'time'])) {
      const { items } = readTime(words, kind);
      for (const item of items) hearItem(heard, item, role === 'shift');
      for (const group of settle({ items }, { now: wall, zone, today: wall.toPlainDate(), said }).groups) {
        hearGroup(heard, group);
        said = group.days.at(-1)?.to ?? said;
      }
    }
  }
  return heard;
};
