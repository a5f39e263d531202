/** Takes events off the calendar: those that are meant, or the rest of a series. */
import type { Act } from './actions.ts';
import { firstOfEach, type Lookup } from './lookup.ts';

export const cancel = ({ found, after, isWhole }: Lookup): Act[] => {
  const [first] = found;
  if (isWhole || (after && found.every(({ target }) => target.uid === first?.target.uid)))
    return firstOfEach(found).map(({ target }) => ({
      ...{ do: 'cancel', target },
      ...(target.recurrence_id !== undefined && { isFollowing: true }),
    }));
  return found.map(({ target }) => ({ do: 'cancel', target }));
};
