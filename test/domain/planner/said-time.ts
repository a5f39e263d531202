/** Writes what a span of time means in a short form, for the tables of the tests. Now is Thursday, 26 November 2026, 10:00. */
import { readTime, type Kind } from '../../../src/domain/planner/time/read-time.ts';
import { settle, type Settled } from '../../../src/domain/planner/time/settle.ts';
import type { DayRange } from '../../../src/domain/planner/time/settle-days.ts';
import type { Item } from '../../../src/domain/planner/time/types.ts';

export const NOW = Temporal.PlainDateTime.from('2026-11-26T10:00');
const BASE = { now: NOW, today: NOW.toPlainDate(), zone: 'Europe/Berlin' };

export const clock = (minute: number): string =>
  `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;
const dayOf = ({ from, to, isWindow }: DayRange): string =>
  from.equals(to) ? from.toString() : `${from.toString()}${isWindow ? '~' : '..'}${to.toString()}`;
const partOf = ({ after, before }: { after?: number; before?: number }): string =>
  `${after === undefined ? '' : clock(after)}<${before === undefined ? '' : clock(before)}`;

const textOf = (settled: Settled): string =>
  [
    ...settled.days.map(dayOf),
    ...settled.not.map((range) => `!${dayOf(range)}`),
    ...settled.slots.map(({ at, minutes, dayShift }) =>
      [clock(at), minutes && `+${minutes}`, dayShift && `(${dayShift} day)`].filter(Boolean).join(''),
    ),
    ...(settled.start === undefined ? [] : [`from ${clock(settled.start)}`]),
    ...(settled.hours ? [partOf(settled.hours)] : []),
    ...(settled.notHours ? [`!${clock(settled.notHours.from)}<${clock(settled.notHours.to)}`] : []),
    ...settled.bounds.map(
      ({ edge, at, ...range }) => `${edge} ${dayOf(range)}${at === undefined ? '' : ` ${clock(at)}`}`,
    ),
    ...settled.every.map((every) => `every ${JSON.stringify(every)}`),
    ...settled.notEvery.map((every) => `not every ${JSON.stringify(every)}`),
    ...(settled.isSame ? ['same time'] : []),
    ...(settled.isWhole ? ['whole'] : []),
    ...(settled.fault ? [`fault: ${settled.fault}`] : []),
  ].join(' ');

/** A span of time said today, or with another day spoken of; `;` is between groups and `or` between alternatives. */
export const meant = (words: string, said?: string): string => {
  const base = { ...BASE, ...(said && { said: Temporal.PlainDate.from(said) }) };
  const { groups, isChoice } = settle(readTime(words), base);
  return groups.map(textOf).join(isChoice ? ' or ' : '; ');
};

/** The items of a span as text, with the words that name something and those that were not read. */
export const itemsIn = (words: string, kind: Kind): string => {
  const { items, names, unread } = readTime(words, kind);
  const read = items.map(({ item, ...more }: Item) => `${item} ${JSON.stringify(more)}`);
  return [...read, ...names.map((name) => `name ${name}`), ...unread.map((word) => `unread ${word}`)].join(' · ');
};
