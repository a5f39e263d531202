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
    const target = deciding.value.has(plan.uid) ? undefined : targetOf(plan);
    if (target !== undefined) found.set(target, [...(found.get(target) ?? []), plan]);
  }
  return found;
});

const following = computed(() =>
  (waiting.data.value ?? []).filter((plan) => changesFollowing(plan) && !deciding.value.has(plan.uid)),
);

const isLater = ({ arguments: given }: Waiting, id: string): boolean =>
  typeof given['recurrence_id'] === 'string' && given['recurrence_id'] < id;

export const proposalsFor = ({ uid, recurrence_id }: Occurrence): readonly Waiting[] => [
  ...(changing.value.get(keyOf(uid, recurrence_id)) ?? []),
  ...following.value.filter(
    (plan) => plan.target_event_uid === uid && recurrence_id !== null && isLater(plan, recurrence_id),
  ),
];

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
