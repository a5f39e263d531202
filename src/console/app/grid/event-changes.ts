/** What a person changes of events. All of it can be taken back. */
import { AlmanacProblem, type EventUpdates, type NewEvent, type Occurrence } from '../../../client/almanac-client.ts';
import { movedText, savingWith } from '../state/conflict.ts';
import { readAgain, touchAll } from '../state/live.ts';
import { attempt, complain, say, trying } from '../state/messages.ts';
import { client } from '../state/service.ts';
import { undoChange } from '../state/undo.ts';
import { dayText, wallOf } from '../state/wall-time.ts';
import { events, leaving } from './blocks.ts';
import { focusNew } from './card.ts';

/** Which of a series are meant. */
export type Scope = 'this' | 'following' | 'all';

/** @returns whether it was saved: the person may have changed their mind */
const saved = async <T extends { seq: number }>(
  uid: string,
  save: Parameters<typeof savingWith<T>>[0],
  done: string | ((value: T) => string),
  then?: (value: T) => void,
): Promise<boolean> => {
  let isSaved = false;
  const work = async (): Promise<void> => {
    const result = await savingWith(save);
    if (!result) return;
    isSaved = true;
    const { seq } = result.value;
    then?.(result.value);
    const text = typeof done === 'string' ? done : done(result.value);
    say(text + (result.moved.length ? `.${movedText(result.moved)}` : ''), () => undoChange(seq));
  };
  await trying(`event ${uid}`, () => attempt(work)).finally(touchAll);
  return isSaved;
};

export const createEvent = (given: NewEvent): Promise<boolean> =>
  saved(
    '',
    (on_conflict) => client.calendar.create({ ...given, on_conflict }),
    `Created: ${given.title}`,
    ({ uid }) => focusNew(uid),
  );

/** The versions of an event that this page knows of or has made, and the last one of them. */
type Own = { versions: Set<number>; last: Promise<number> };
const own = new Map<string, Own>();

/**
 * Makes a change of an event at the version that the person means. Until the calendar is read again it shows the version before
 * their own last change, which a further one follows. What somebody else changed in between is still refused.
 */
const following = <T extends { uid: string; version?: number }>(
  { uid, version }: Occurrence,
  change: (version: number) => Promise<T>,
): Promise<T> => {
  const before = own.get(uid);
  const { versions, last } = before?.versions.has(version)
    ? before
    : { versions: new Set([version]), last: Promise.resolve(version) };
  const changed = last.then(change);
  // A part of a series may have become a series of its own, and what was removed has no version.
  const next = changed.then(
    (made) => (made.uid === uid ? made.version : undefined) ?? last,
    () => last,
  );
  own.set(uid, { versions, last: next });
  void next.then((made) => versions.add(made));
  return changed;
};

const whichOf = ({ recurrence_id }: Occurrence, scope: Scope) =>
  recurrence_id === null ? {} : { recurrence_id, scope };

/** @param done what was done with the title that the answer has, which somebody else may have set */
export const editEvent = (event: Occurrence, updates: EventUpdates, scope: Scope, done: string): Promise<boolean> => {
  const { uid } = event;
  return saved(
    uid,
    (on_conflict) =>
      following(event, (ifMatch) =>
        client.calendar.edit({ uid, updates, ...whichOf(event, scope), on_conflict }, { ifMatch }),
      ),
    (made) => `${done}: ${(scope === 'this' && made.overrides[event.recurrence_id ?? '']?.title) || made.title}`,
  );
};

const isMeant =
  ({ uid, recurrence_id }: Occurrence, scope: Scope) =>
  (one: Occurrence): boolean =>
    one.uid === uid &&
    (scope === 'all' ||
      one.recurrence_id === recurrence_id ||
      (scope === 'following' && (one.recurrence_id ?? '') > (recurrence_id ?? '')));

/** Which of a series it was. */
const partText = ({ recurrence_id, scheduled_for, all_day, local_start }: Occurrence, scope: Scope): string => {
  if (recurrence_id === null) return '';
  if (scope === 'all') return ', the whole series';
  const day = dayText(all_day ? local_start.slice(0, 10) : wallOf(scheduled_for).date);
  return scope === 'this' ? `, ${day}` : `, from ${day} on`;
};

/** What is removed is gone at once; where the service refuses, it comes back. */
export const removeEvent = async (event: Occurrence, scope: Scope): Promise<void> => {
  const { uid, title } = event;
  const those = isMeant(event, scope);
  leaving.value = new Set([...leaving.value, those]);
  const worked = await saved(
    uid,
    () => following(event, (ifMatch) => client.calendar.remove({ uid, ...whichOf(event, scope) }, { ifMatch })),
    `Removed: ${title}${partText(event, scope)}`,
  );
  // The next read shows them no longer itself.
  if (worked) await readAgain(events);
  leaving.value = new Set([...leaving.value].filter((one) => one !== those));
};

/** What an event, or an occurrence, was at an earlier moment. Whether it takes whole days is a matter of the series. */
const asThen = ({ title, all_day, scheduled_for, local_start, ...then }: Occurrence): EventUpdates => ({
  ...{ title, duration_minutes: then.duration_minutes, location: then.location, description: then.description },
  scheduled_for: all_day ? local_start.slice(0, 10) : scheduled_for,
  ...(then.recurrence_id === null ? { all_day } : {}),
});

/** Makes an event, or an occurrence, what it was at an earlier moment: its fields, or its place on the calendar where it is gone. */
export const putBack = (event: Occurrence): Promise<boolean> =>
  attempt(async () => {
    const { uid, recurrence_id, title } = event;
    const now = await client.calendar.event({ uid }).catch((error: unknown) => {
      if (error instanceof AlmanacProblem && error.code === 'event_not_found') return null;
      throw error;
    });
    if (now && (recurrence_id === null || !now.exdates.includes(recurrence_id)))
      return void editEvent({ ...event, version: now.version }, asThen(event), 'this', 'Put back');
    const back = now
      ? await client.calendar.edit(
          { uid, updates: { exdates: now.exdates.filter((at) => at !== recurrence_id) } },
          { ifMatch: now.version },
        )
      : await removalTakenBack(uid, title);
    if (back) say(`Put back: ${title}`, () => undoChange(back.seq));
  }).finally(touchAll);

/** An event that is gone was removed by its last change. Where that made something else, it is not this event that is meant. */
const removalTakenBack = async (uid: string, title: string): Promise<{ seq: number } | undefined> => {
  const { items } = await client.memport.ledger({ subject: 'event', uid, limit: 1 }).page();
  const seq = items[0]?.seq ?? 0;
  const others = (await client.calendar.undo({ seq, simulate: true })).events.filter((one) => one.uid !== uid);
  if (others.length) {
    const names = others.map((one) => `“${one.title}”`).join(', ');
    complain(
      `“${title}” lost its time to ${names}. Remove or move ${names} first, or look in the queue for its new time.`,
    );
    return undefined;
  }
  const { events } = await client.calendar.undo({ seq });
  return events[0];
};
