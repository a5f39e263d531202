/** Takes events off the calendar: those that are meant, or the rest of a series. */
import type { Act } from './actions.ts';
import type { Lookup } from './lookup.ts';

export const cancel = ({ found, after, isWhole }: Lookup): Act[] => {
  const [first] = found;
  const isSeries =
    first?.target.recurrence_id !== undefined && found.every(({ target }) => target.uid === first.target.uid);
  if ((after || isWhole) && first && isSeries) return [{ do: 'cancel', target: first.target, isFollowing: true }];
  return found.map(({ target }) => ({ do: 'cancel', target }));
};
