/** What a person changes of events, with undo where the ledger has what was before. */
import type { EventUpdates, NewEvent, Occurrence } from '../../../client/almanac-client.ts';
import { touchAll } from '../state/live.ts';
import { attempt, say } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { setBack } from '../state/undo.ts';

/** Which of a series are meant. */
export type Scope = 'this' | 'following' | 'all';

export const createEvent = (given: NewEvent): Promise<boolean> =>
  attempt(async () => {
    const { uid, title } = await client.calendar.create(given);
    touchAll();
    say(`Created: ${title}`, () => client.calendar.remove({ uid }).finally(touchAll));
  });

/** A change of this and all later occurrences makes two series of one, which is not undone. */
export const editEvent = (event: Occurrence, updates: EventUpdates, scope: Scope, done: string): Promise<boolean> => {
  const { uid, version } = event;
  const recurrence_id = event.recurrence_id ?? undefined;
  return attempt(async () => {
    const which = recurrence_id === undefined ? {} : { recurrence_id, scope };
    const { seq } = await client.calendar.edit({ uid, updates, ...which }, { ifMatch: version });
    const undo = () => setBack(uid, scope === 'all' ? undefined : recurrence_id, seq);
    say(done, recurrence_id !== undefined && scope === 'following' ? undefined : undo);
  }).finally(touchAll);
};

/** One occurrence can be restored; a removed event cannot. */
export const removeEvent = (event: Occurrence, scope: Scope): Promise<boolean> => {
  const { uid, title, version } = event;
  const recurrence_id = event.recurrence_id ?? undefined;
  return attempt(async () => {
    const which = recurrence_id === undefined ? {} : { recurrence_id, scope };
    await client.calendar.remove({ uid, ...which }, { ifMatch: version });
    if (recurrence_id === undefined || scope !== 'this') return say(`Removed: ${title}`);
    const { seq } = await client.calendar.event({ uid });
    say(`Removed: ${title}`, () => setBack(uid, recurrence_id, seq));
  }).finally(touchAll);
};
