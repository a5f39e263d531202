/** Computes changes of several events that happen at once, such as an exchange of places, and what must be free for them. Pure. */
import { toSpan } from '../../domain/time/spans.ts';
import type { Instant } from '../../domain/time/time.ts';
import type { Author } from '../../ledger/ledger-writer.ts';
import { checkEvent, isBusy, type EventChanges, type EventDraft } from './document.ts';
import { planEdit } from './edits.ts';
import type { EventChange } from './store.ts';
import type { EventResource } from '../schemas.ts';
import { slotTaken } from '../slot-taken.ts';
import { happeningOf, happenings, intervalOf, takesTime } from '../timeline.ts';

/** A change of an event, or of one occurrence of a series, by a plan. */
export type Moved = { uid: string; changes: EventChanges; recurrence_id: Instant | undefined; byPlan: string };

/** The changes to write, one for each event, and the events and occurrences with their new times. */
export type Together = { changes: EventChange[]; affected: EventDraft[] };

const noOtherEvent = (): string => {
  throw new Error('changes that happen at once split no series');
};

/** Computes the changes in order. Two occurrences of one series become one change of it. @throws 422 */
export const planTogether = (events: ReadonlyMap<string, EventResource>, moves: readonly Moved[]): Together => {
  const byUid = new Map<string, EventChange>();
  const affected: EventDraft[] = [];
  for (const { uid, changes, recurrence_id, byPlan } of moves) {
    const earlier = byUid.get(uid);
    const from = events.get(uid) as EventResource;
    const edit = planEdit(earlier ? { ...from, ...earlier.to } : from, changes, { recurrence_id }, noOtherEvent);
    const [change] = edit.changes as [EventChange];
    const contents = [earlier?.content, change.content].filter((text) => text !== undefined);
    byUid.set(uid, {
      ...change,
      from,
      to: { ...checkEvent(change.to, '/updates'), sequence: from.sequence + 1 },
      links: [...(earlier?.links ?? []), byPlan],
      ...(contents.length ? { content: contents.join('; ') } : {}),
    });
    affected.push(checkEvent(edit.affected, '/updates'));
  }
  return { changes: [...byUid.values()], affected };
};

const isSelf = (one: EventDraft, uid: string, id: Instant | null): boolean =>
  one.uid === uid && (one.recurrence_id === null || one.recurrence_id === id);

/** Requires that the new times overlap neither each other nor other occurrences of their series. @throws 409 slot_taken */
export const requireApart = (author: Author, { changes, affected }: Together): void => {
  for (const one of affected) {
    if (!isBusy(one)) continue;
    for (const { what, to } of changes)
      for (const happening of happenings(to, toSpan(intervalOf(one)))) {
        const other = happeningOf(to, happening);
        if (what === 'removed' || !takesTime(to, happening) || isSelf(one, to.uid, other.recurrence_id)) continue;
        const busy = [{ uid: to.uid, title: other.title, start: other.scheduled_for, end: other.end }];
        throw slotTaken(author, intervalOf(one), busy);
      }
  }
};
