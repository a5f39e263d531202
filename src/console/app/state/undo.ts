/** How a person undoes a decision or a change: what was approved is cancelled, its event removed, or an event set back. */
import type { Event, Plan } from '../../../client/almanac-client.ts';
import { touchAll } from './live.ts';
import { complain } from './messages.ts';
import { client } from './service.ts';

export type Undo = () => Promise<unknown>;

type Place = Pick<Event, 'scheduled_for' | 'duration_minutes' | 'title' | 'location' | 'description'>;

const placeOf = (event: Event, recurrence_id: string | undefined): Place => {
  const { scheduled_for, duration_minutes, title, location, description } = event;
  const series = { duration_minutes, title, location, description };
  if (recurrence_id === undefined)
    return { ...series, scheduled_for: event.all_day ? event.local_start.slice(0, 10) : scheduled_for };
  const { timezone: _, local_start: __, ...own } = event.overrides[recurrence_id] ?? {};
  return { ...series, scheduled_for: recurrence_id, ...own };
};

/**
 * Sets an event, or one occurrence, back to what it was before its last change, which the ledger has.
 * @param seq the ledger number of that change or a later one: where the event was changed since, it is left as it is
 */
export const setBack = async (uid: string, recurrence_id: string | undefined, seq: number): Promise<void> => {
  const now = await client.calendar.event({ uid });
  if (now.seq > seq) return complain('It was changed since, so it is left as it is now.');
  const before = await client.calendar.event({ uid, as_of: String(now.seq - 1) });
  const { scheduled_for, duration_minutes, title, location, description } = placeOf(before, recurrence_id);
  const isMissing = now.exdates.length > before.exdates.length;
  await client.calendar.edit(
    isMissing
      ? { uid, updates: { exdates: before.exdates } }
      : {
          uid,
          updates: { scheduled_for, duration_minutes, title, location, description },
          ...(recurrence_id === undefined ? {} : { recurrence_id }),
        },
    { ifMatch: now.version },
  );
  touchAll();
};

/** Undoes an approval; undefined where that is not possible. A removed event cannot be restored, and a note is kept. */
export const undoOf = (plan: Plan): Undo | undefined => {
  const { uid, status, action_type, linked_event_uid, target_event_uid, seq } = plan;
  if (status === 'approved') return () => client.agent.reject({ uid, note: 'Undone.' }).finally(touchAll);
  if (status !== 'executed') return undefined;
  if (action_type === 'schedule' && linked_event_uid)
    return () => client.calendar.remove({ uid: linked_event_uid }).finally(touchAll);
  const id = plan.arguments['recurrence_id'];
  const recurrence_id = typeof id === 'string' ? id : undefined;
  if (action_type !== 'reschedule' || target_event_uid === null) return undefined;
  if (plan.arguments['cancel'] === true && recurrence_id === undefined) return undefined;
  return () => setBack(target_event_uid, recurrence_id, seq);
};

/** Undoes several one after the other, the last one first. */
export const undoAll = (plans: readonly Plan[]): Undo | undefined => {
  const undos = plans.flatMap((plan) => undoOf(plan) ?? []).toReversed();
  if (!undos.length) return undefined;
  return async () => {
    for (const undo of undos) await undo();
  };
};
