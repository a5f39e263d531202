/** Where the blocks of a day are drawn. */
import { endOf, wallMinutes, type Block } from './block.ts';

/** So high is a target of 24 px, where an hour has 56. Shorter blocks take that space. */
export const LEAST_SHOWN = 28;

export type Placed = { block: Block; top: number; height: number; column: number; columns: number };
/** A stretch with more blocks beside each other than a person can tell apart; `count` of them are not drawn. */
export type Crowd = { top: number; height: number; count: number };

export type PlacedDay = { date: string; placed: Placed[]; crowds: Crowd[] };

export const percent = (minutes: number): string => `${(minutes / 1440) * 100}%`;

/** One link for each stretch of hidden blocks without a gap, so that none covers free time. @param hidden by their beginning */
const crowdsOf = (hidden: readonly Placed[]): Crowd[] => {
  const crowds: Crowd[] = [];
  for (const { top, height } of hidden) {
    const last = crowds.at(-1);
    if (last && top < last.top + last.height) {
      last.height = Math.max(last.height, top + height - last.top);
      last.count += 1;
    } else crowds.push({ top, height, count: 1 });
  }
  return crowds;
};

/** Those in the first columns, and the others. */
const parted = (group: readonly Placed[], columns: number): [Placed[], Placed[]] => [
  group.filter(({ column }) => column < columns),
  group.filter(({ column }) => column >= columns),
];

/** Puts the blocks of one day beside each other where they overlap. */
export const placeDay = (date: string, all: Block[], most: number): PlacedDay => {
  const crowds: Crowd[] = [];
  const placed: Placed[] = [];
  let group: Placed[] = [];
  let groupEnd = -1;
  const close = (): void => {
    const columns = Math.max(0, ...group.map(({ column }) => column + 1));
    const [shownOf, hidden] = columns > most ? parted(group, most - 1) : [group, []];
    for (const one of shownOf) one.columns = Math.min(columns, most);
    placed.push(...shownOf);
    crowds.push(...crowdsOf(hidden));
    group = [];
  };
  for (const block of all) {
    if (block.allDay) continue;
    const from = Math.max(0, wallMinutes({ date, minutes: 0 }, block.start));
    const bottom = Math.min(1440, wallMinutes({ date, minutes: 0 }, endOf(block)));
    if (bottom <= 0 || from >= 1440 || (bottom === from && block.minutes > 0)) continue;
    const height = Math.max(LEAST_SHOWN, bottom - from);
    const top = Math.min(from, 1440 - height);
    if (top >= groupEnd) close();
    const taken = new Set(group.filter((one) => one.top + one.height > top).map(({ column }) => column));
    let column = 0;
    while (taken.has(column)) column += 1;
    group.push({ block, top, height, column, columns: 1 });
    groupEnd = Math.max(group.length === 1 ? 0 : groupEnd, top + height);
  }
  close();
  return { date, placed, crowds };
};

export const onDay = (date: string, all: Block[]): Block[] =>
  all.filter((block) => {
    const end = endOf(block);
    return (
      block.start.date <= date &&
      (end.date > date || (end.date === date && (end.minutes > 0 || block.minutes === 0)) || block.start.date === date)
    );
  });
