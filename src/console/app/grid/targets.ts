/** Which events the waiting proposals would change, and how. A plan names one occurrence of a series, or the first of all later ones. */
import { computed } from '@preact/signals';
import type { Occurrence } from '../../../client/almanac-client.ts';
import { waiting, type Waiting } from '../state/data.ts';
import { deciding } from '../state/decide.ts';
import { cancels, changesFollowing } from '../state/series.ts';

type Fate = 'cancelled' | 'moved' | 'changed';

/** The name of an event, or of one occurrence of a series. */
export const keyOf = (uid: string, recurrence_id: unknown): string =>
  `${uid} ${typeof recurrence_id === 'string' ? recurrence_id : ''}`;

/** The `keyOf` the event that a plan changes. */
export const targetOf = ({ target_event_uid, arguments: given }: Waiting): string | undefined =>
  target_event_uid === null ? undefined : keyOf(target_event_uid, given['recurrence_id']);

const changing = computed(() => {
  const found = new Map<string, Waiting[]>();
  for (const plan of waiting.data.value ?? []) {
    const { uid, target_event_uid: target } = plan;
    if (target !== null && !deciding.value.has(uid)) found.set(target, [...(found.get(target) ?? []), plan]);
  }
  return found;
});

const concerns = (plan: Waiting, id: string | null): boolean => {
  const { recurrence_id: own = null } = plan.arguments;
  return own === id || (changesFollowing(plan) && String(own) < String(id));
};

export const proposalsFor = ({ uid, recurrence_id }: Occurrence): readonly Waiting[] =>
  (changing.value.get(uid) ?? []).filter((plan) => concerns(plan, recurrence_id));

export const fateOf = (event: Occurrence): Fate | undefined => {
  const plans = proposalsFor(event);
  if (!plans.length) return undefined;
  if (plans.some(cancels)) return 'cancelled';
  return plans.some(({ scheduled_for }) => scheduled_for !== null) ? 'moved' : 'changed';
};

const TEXTS: Record<Fate, string> = {
  cancelled: 'a proposal would cancel it',
  moved: 'a proposal would move it',
  changed: 'a proposal would change it',
};

export const fateText = (event: Occurrence): string | undefined => {
  const fate = fateOf(event);
  return fate && TEXTS[fate];
};
