/** How long a new thing is, and how often, by what the clause says. */
import { readTime } from '../time/read-time.ts';
import { type Base, settle } from '../time/settle.ts';
import type { Amount } from '../time/types.ts';
import type { Clause } from './clause.ts';
import type { Length } from './wish.ts';

/** A month in days, where no more exactness is needed. */
const MONTH = 30;

const addAmount = (length: Length, { minutes, days, months }: Amount): void => {
  if (minutes) length.minutes ??= minutes;
  else if (days ?? months) length.days ??= (days ?? 0) + (months ?? 0) * MONTH;
};

export const lengthOf = (text: string): Length => {
  const length: Length = {};
  for (const item of readTime(text, 'length').items) {
    if (item.item === 'whole') length.days = 1;
    else if (item.item === 'number') length.minutes ??= item.n;
    else if (item.item === 'length' || item.item === 'ahead') addAmount(length, item.amount);
    else if (item.item === 'rate') addAmount(length, item.amount ?? {});
  }
  return length;
};

/** A length within a name: 'a ten-minute call'. */
const lengthIn = (title: string): Length => {
  const found =
    /(?<![\p{L}\d])[\p{L}\d]{1,20}-(?:min|hour|hr)[a-z]{0,5}|(?<!\d)\d{1,4} ?(?:min|hour|hr|h)[a-z]{0,5}\b/iu.exec(
      title,
    );
  return found ? lengthOf(found[0]) : {};
};

export const lengthSaid = (clause: Clause, title: string): Length => {
  if (clause.has('dur')) return lengthOf(clause.text('dur'));
  const inVerb = clause.has('find', 'create') ? readTime(clause.text('find', 'create'), 'length').items : [];
  const found = inVerb.find((item) => item.item === 'length' && item.amount.minutes !== undefined);
  return found?.item === 'length' ? { minutes: found.amount.minutes! } : lengthIn(title);
};

/** A length that is said as an end: 'until seven'. */
export const endOfLength = (clause: Clause, base: Base): number | undefined =>
  clause.has('dur') ? settle(readTime(clause.text('dur')), base).groups[0]?.over : undefined;

/** More than once. */
export const timesSaid = (text: string): number | undefined => {
  for (const item of readTime(text, 'length').items) {
    const times = item.item === 'count' ? item.times : item.item === 'number' ? Math.round(item.n) : 0;
    if (times > 1) return times;
  }
  return undefined;
};
