/** Whether days are counted from what was said before. */
import type { Days } from '../time/types.ts';

export const refersToDay = (days: Days): boolean => {
  if (days.of === 'said' || days.of === 'those') return true;
  if (days.of === 'weekday') return days.which === 'after' || days.which === 'before' || days.which === 'that';
  if (days.of === 'cycle') return days.isSaid === true;
  if (days.of === 'list') return days.days.some(refersToDay);
  if (days.of === 'plus' || days.of === 'weekOf') return refersToDay(days.days);
  return days.of === 'range' ? refersToDay(days.from) : days.of === 'in' && refersToDay(days.in);
};
