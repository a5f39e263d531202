/** Changes the name, the place or the description of an event. */
import type { Act } from './actions.ts';
import type { Clause } from './clause.ts';
import type { Found } from './known.ts';

export const change = (clause: Clause, found: readonly Found[]): Act[] => {
  const [title, place, notes] = [clause.text('title'), clause.text('place'), clause.text('extra')];
  if (!title && !place && !notes)
    return [{ do: 'ask', about: 'what to change', options: found.map(({ target }) => target) }];
  return found.map(({ target }) => ({
    do: 'change',
    target,
    ...(title && { title }),
    ...(place && { place }),
    ...(notes && { notes }),
  }));
};
