/** Puts uids in the place of the short references by which an answer names events and proposals. */
import { instantOf, millis, readTime, type Instant } from '../domain/time/time.ts';
import type { FactEvent, PlanningFacts } from './model-planner.ts';
import type { ActionDraft } from './model-shape.ts';

/** 'E1', '[e1]' and '“e1”' are e1. */
const refIn = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '');

const REFERENCE = /^[ep]\d+$/;

/** The uid of what is named. A uid that looks like a reference names nothing, because whoever writes a calendar chooses its uids. */
const uidOf = (name: string | null, named: readonly { uid: string; ref?: string }[]): string | null => {
  if (name === null || named.every(({ ref }) => ref === undefined)) return name;
  const asked = refIn(name);
  return REFERENCE.test(asked) ? (named.find(({ ref }) => ref === asked)?.uid ?? UNKNOWN) : name;
};
/** No event and no proposal has this uid. */
const UNKNOWN = '';

/** The occurrence that begins at this time; where several do, or none, the one that is called so. */
const occurrenceAt = (occurrences: readonly FactEvent[], text: string, zone: string): FactEvent | undefined => {
  const read = readTime(text, zone);
  if (read === null) return undefined;
  const at = instantOf(millis(read));
  const starting = occurrences.filter(({ start, whole_days }) => whole_days?.from === text || start === at);
  const called = (list: readonly FactEvent[]) => list.find(({ recurrence_id }) => recurrence_id === at);
  return starting.length > 1 ? (called(starting) ?? starting[0]) : (starting[0] ?? called(occurrences));
};

/**
 * The draft with uids and recurrence_ids. What names nothing stays as it is. References come first, since the model was given no
 * uids, and a uid may look like the reference of another event.
 */
export const withUids = (draft: ActionDraft, { events, pending, zone }: PlanningFacts): ActionDraft => {
  const { target_event_uid: event, target_recurrence_id: occurrence, target_plan_uid: plan } = draft;
  const uid = uidOf(event, events);
  const meant: Instant | null | undefined =
    occurrence === null
      ? null
      : occurrenceAt(
          events.filter((one) => one.uid === uid && one.recurrence_id),
          occurrence,
          zone,
        )?.recurrence_id;
  return {
    ...draft,
    target_event_uid: uid,
    target_recurrence_id: meant ?? occurrence,
    target_plan_uid: uidOf(plan, pending),
  };
};
