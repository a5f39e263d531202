/** What an approval asks about first: it puts many things on the calendar, or takes something off it. */
import type { Plan } from '../../../client/almanac-client.ts';
import { amountOf, cancels, changesFollowing, isSeries } from '../state/series.ts';
import { configures } from '../state/settings.ts';
import { counted } from './words.ts';

export const mustAsk = (plan: Plan): boolean => isSeries(plan) || cancels(plan);

/**
 * Why an approval asks first.
 * @param taken how many of a series it leaves out
 */
export const whySure = (plan: Plan, taken = 0): string => {
  const rest = changesFollowing(plan) && 'all later times';
  if (cancels(plan)) return `This takes ${rest || 'something'} off your calendar.`;
  return rest ? `This changes ${rest} of a series.` : `This is a series: ${amountOf(plan, taken)}.`;
};

/** `with 2 series, 1 cancellation and 1 change of settings`, where some of these ask or change settings; else empty. */
export const sureText = (plans: readonly Plan[]): string => {
  const cancelled = plans.filter(cancels).length;
  const series = plans.filter((plan) => isSeries(plan) && !cancels(plan)).length;
  const changes = plans.filter(configures).length;
  const parts = [
    ...(series ? [counted(series, 'series', 'series')] : []),
    ...(cancelled ? [counted(cancelled, 'cancellation')] : []),
    ...(changes ? [counted(changes, 'change of settings', 'changes of settings')] : []),
  ];
  return parts.length ? `with ${parts.join(', ').replace(/, (?!.*, )/, ' and ')}` : '';
};
