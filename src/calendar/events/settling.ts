/** Computes a change of an event, and makes its time free or requires that it is free, before it is written. */
import { randomUUIDv7 } from 'node:crypto';
import { checkSeenVersion, invalidAt, notFound, problem, type SeenVersions } from '../../common/problem.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { Conflicts } from '../conflicts.ts';
import { findEvents } from '../queries.ts';
import type { EventResource } from '../schemas.ts';
import { hasBusyTime } from '../timeline.ts';
import { checkEvent, type EventChanges } from './document.ts';
import { planEdit, type Edit } from './edits.ts';
import { followingFault } from './following.ts';
import type { ChangeOptions, Targets } from './targets.ts';

/** @throws 409 where the event is read from a source, which would write over any change */
export const requireChangeable = ({ source_uid }: EventResource): void => {
  if (source_uid === undefined) return;
  throw problem(
    'source_event',
    // Without the title, which a caller without calendar:read may not see.
    'The event belongs to a calendar source, so it cannot be changed here. Change it in the calendar that it comes from.',
    { source_uid },
  );
};

/** @throws 404, 409 source_event, 412 */
export const load = async (writer: Writer, uid: string, expected: SeenVersions | undefined): Promise<EventResource> => {
  const [event] = await findEvents(writer.tx, writer.author.user_id, [uid]);
  if (!event) throw notFound('event', uid);
  requireChangeable(event);
  checkSeenVersion('event', uid, expected, event.version);
  return event;
};

export const isPerson = ({ author }: Writer, { byPlan }: ChangeOptions): boolean =>
  byPlan === undefined && (author.origin === 'user' || author.origin === 'import');

export const createSettling = ({
  requireFreeTime,
  displaceBlocks,
  targetOf,
}: Pick<Conflicts, 'requireFreeTime' | 'displaceBlocks'> & Pick<Targets, 'targetOf'>) => {
  /** Computes a change, and makes its time free or requires that it is. Of a series its own times do not count as busy. */
  return async (
    writer: Writer,
    uid: string,
    changes: EventChanges,
    options: ChangeOptions,
  ): Promise<{ from: EventResource; edit: Edit }> => {
    const from = await load(writer, uid, options.expected);
    const person = isPerson(writer, options);
    const edit = planEdit(from, changes, targetOf(from, options), randomUUIDv7);
    // A block that a person moves is no longer displaced by other events.
    if (person && edit.moved) for (const { to } of edit.changes) to.yields = false;
    const documents = edit.changes.map(({ to }) => to);
    for (const event of [...documents, edit.affected]) checkEvent(event, '/updates');
    const fault = options.byPlan === undefined ? null : followingFault(edit);
    if (fault !== null) throw invalidAt('/scheduled_for', 'invalid_rrule', fault);
    if (!edit.moved && hasBusyTime(edit.affected) === hasBusyTime(from)) return { from, edit };
    if (person && !edit.affected.yields) await displaceBlocks(writer, [edit.affected], { how: options.on_conflict });
    else
      await requireFreeTime(
        writer,
        edit.affected,
        documents.map((event) => event.uid),
      );
    return { from, edit };
  };
};
