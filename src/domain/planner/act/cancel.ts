/** Takes events off the calendar: those that are meant, or all from a day on. */
import type { Act } from './actions.ts';
import type { Lookup } from './lookup.ts';

export const cancel = ({ found, after }: Lookup): Act[] => {
  const [first] = found;
  if (after && first?.target.recurrence_id !== undefined)
    return [{ do: 'cancel', target: first.target, isFollowing: true }];
  return found.map(({ target }) => ({ do: 'cancel', target }));
};
