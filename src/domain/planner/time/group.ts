/** Which items of a span of time belong together: a choice, days with times of their own, a number that is a day or a time. */
import { type DayBase, settleDays } from './settle-days.ts';
import type { Days, Item } from './types.ts';

type PlainDate = Temporal.PlainDate;

/** 'Tuesday 9' is a day where such a Tuesday is near, else a time. */
const NEAR_DAYS = 45;
const NEAR_HOUR_DAYS = 14;
const bareDay = (
  { isBare: _isBare, ...date }: Extract<Days, { of: 'date' }>,
  items: readonly Item[],
  today: PlainDate,
): Item[] => {
  const days = Array.from({ length: date.day > 12 ? NEAR_DAYS : NEAR_HOUR_DAYS }, (_, i) => today.add({ days: i }));
  if (date.month !== undefined) return bareDate(date, today);
  const isDate =
    date.day > 24 || items.some(hasClock) || days.some((one) => one.day === date.day && one.dayOfWeek === date.weekday);
  if (isDate) return [{ item: 'days', days: date }];
  const clock = { hour: date.day, minute: 0, ...(date.day > 12 && { isFixed: true as const }) };
  return [
    { item: 'days', days: { of: 'weekday', weekday: date.weekday! } },
    { item: 'clock', clock },
  ];
};

/** 'Saturday 12.12' is a date where that is a Saturday, else a time. */
const bareDate = (date: Extract<Days, { of: 'date' }>, today: PlainDate): Item[] => {
  const [first] = settleDays({ of: 'date', day: date.day, month: date.month! }, { today });
  if (first!.from.dayOfWeek === date.weekday) return [{ item: 'days', days: date }];
  const days: Item = { item: 'days', days: { of: 'weekday', weekday: date.weekday! } };
  return date.month! < 60 ? [days, { item: 'clock', clock: { hour: date.day % 24, minute: date.month! } }] : [days];
};

/** A choice of days is written out: 'Tuesday or Wednesday at 3' has two groups. */
export const flattened = (items: readonly Item[], { today }: DayBase): Item[] =>
  items.flatMap((item): Item[] => {
    if (item.item === 'days' && item.days.of === 'date' && item.days.isBare) return bareDay(item.days, items, today);
    return item.item === 'days' && item.days.of === 'list' && item.days.isChoice
      ? item.days.days.flatMap((days, i): Item[] => [
          ...(i > 0 ? [{ item: 'or' } as const] : []),
          { item: 'days', days },
        ])
      : [item];
  });

const isTimed = (item: Item): boolean => item.item === 'clock' || item.item === 'hours';
export const hasClock = (item: Item): boolean =>
  isTimed(item) || (item.item === 'bound' && item.at.clock !== undefined);
const isAhead = ({ item }: Item): boolean => item === 'ahead';
export const isDay = (item: Item): boolean => item.item === 'days' || item.item === 'stretch' || isAhead(item);

/** Days with times of their own are groups of their own: 'Wednesday 10-12 and Thursday 9-11'. */
export const grouped = (items: readonly Item[]): Item[][] => {
  const groups: Item[][] = [[]];
  for (const [i, item] of items.entries()) {
    const group = groups.at(-1)!;
    const first = group.find((one) => isTimed(one) || isDay(one));
    const isFull = group.some(isAhead) ? isAhead(item) : group.some(isTimed) && group.some(isDay);
    const isNext = isFull && first && (isTimed(first) ? isTimed(item) && items.slice(i + 1).some(isDay) : isDay(item));
    // 'in the morning and again in the evening' are two
    const isOtherPart =
      item.item === 'part' &&
      !group.some(isTimed) &&
      group.some((one) => one.item === 'part' && (one.part.from >= item.part.to || one.part.to <= item.part.from));
    if (isOtherPart) groups.push([...group.filter((one) => isDay(one) || one.item === 'every'), item]);
    else if (isNext) groups.push([item]);
    else group.push(item);
  }
  return groups;
};
