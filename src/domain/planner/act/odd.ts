/** Times that cannot be: figures that no clock or calendar shows, an end before the start. */
import type { Item, Time } from '../time/types.ts';

const FIGURES = /^\d+[:.]\d+$/;
/** Between two hours that both say their half of the day there is less than this. */
const isBackwards = (item: Item): boolean => {
  if (item.item !== 'hours' || !item.from.half || item.from.half !== item.to.half) return false;
  const minute = ({ hour, minute }: typeof item.from): number => (hour % 12) * 60 + minute;
  return minute(item.to) <= minute(item.from);
};

/** Why a time cannot be. */
export const oddIn = ({ items, names, unread }: Time): string | undefined => {
  const figures = [...names, ...unread].find((word) => FIGURES.test(word));
  if (figures) return `“${figures}” is no time`;
  return items.some(isBackwards) ? 'it would end before it begins' : undefined;
};
