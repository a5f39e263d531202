/** Keeps agents off busy time: refuses an agent's event that overlaps another, and moves events together. */
import { runYielding } from '../common/yielding.ts';
import { toInterval } from '../domain/time/spans.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { busyDuring, busyTime } from './busy.ts';
import { SERIES_STEPS } from './calendar-bounds.ts';
import { createDisplacing, removal, type DisplacingDeps } from './displacing.ts';
import { isBusy, isSeries, type EventDraft } from './events/document.ts';
import { requireApart, type Together } from './events/moves-together.ts';
import type { EventChange, Written } from './events/store.ts';
import { findEvents, type Busy } from './queries.ts';
import type { EventResource } from './schemas.ts';
import { slotTaken } from './slot-taken.ts';
import { checkedSpan, intervalOf, overlap, timesOf } from './timeline.ts';

export type ConflictDeps = DisplacingDeps;

/**
 * Requires that an event's busy time is free. Of a series it checks ten years.
 * @param except the uids of events that do not count, because they change in the same write
 * @param since only events that were changed after this seq count
 * @throws 409 slot_taken with the overlapping events
 */
const requireFreeTime = async (
  { tx, author }: Writer,
  event: EventDraft,
  except: readonly string[] = [event.uid],
  since?: number,
): Promise<void> => {
  const span = checkedSpan(event);
  const times = await runYielding(timesOf(event, span), SERIES_STEPS);
  const taken = await busyDuring(tx, author.user_id, times, except, since);
  if (!taken.length) return;
  const [first, last] = [taken[0], taken.at(-1)] as [Busy, Busy];
  throw slotTaken(author, isSeries(event) ? { start: first.start, end: last.end } : toInterval(span), taken);
};

/** Works as requireFreeTime for events that change at once, whose present times are left. @throws 409 slot_taken */
const requireFreeTogether = async (
  writer: Writer,
  together: Together,
  { except = [], since }: { except?: readonly string[]; since?: number } = {},
): Promise<void> => {
  requireApart(writer.author, together);
  const changing = [...new Set([...together.changes.map(({ to }) => to.uid), ...except])];
  for (const event of together.affected.filter(isBusy)) await requireFreeTime(writer, event, changing, since);
};

/**
 * Returns the event that an agent's block overlaps after it moved. `moved` lists changes that may not be in the database yet.
 */
const overlappedBy = async (
  { tx, author }: Writer,
  block: EventDraft,
  moved: EventChange[],
  moving: ReadonlySet<string>,
) => {
  // A series is not removed for one occurrence; people see where it overlaps.
  if (!isBusy(block) || isSeries(block)) return undefined;
  const first = moved.find(({ to }) => overlap(to, block))?.to;
  if (first) return first;
  const [taken] = await busyTime(tx, author.user_id, intervalOf(block), { except: [...moving] });
  return taken && (await findEvents(tx, author.user_id, [taken.uid]))[0];
};

export const createConflicts = (deps: ConflictDeps) => {
  const { store, planHooks } = deps;
  const displaceBlocks = createDisplacing(deps);

  /**
   * Writes events that move together, such as after an update of the time zone data. They do not block each other. A person's
   * event may then overlap others; an agent's block that would overlap is displaced.
   * @returns how many blocks were displaced
   */
  const shift = async (writer: Writer, changes: EventChange[]): Promise<number> => {
    if (!changes.length) return 0;
    const moving = new Set(changes.map(({ to }) => to.uid));
    const moved = changes.filter(({ to }) => !to.yields);
    const persons = moved.map(({ to }) => to);
    const count = await displaceBlocks(writer, persons, { except: moving });
    const lost: { block: EventResource; by: EventDraft }[] = [];
    for (const change of changes.filter(({ to }) => to.yields)) {
      const by = await overlappedBy(writer, change.to, moved, moving);
      if (by) lost.push({ block: change.from as EventResource, by });
      else moved.push(change);
    }
    const gone = lost.map(({ block }) => removal(block));
    const written = await store(writer, [...gone, ...moved]);
    for (const [i, { block, by }] of lost.entries())
      await planHooks.blockDisplaced(
        writer,
        { plan_uid: block.plan_uid as string, event: (written[i] as Written).event },
        by,
      );
    return count + lost.length;
  };

  return { requireFreeTime, requireFreeTogether, displaceBlocks, shift };
};

export type Conflicts = ReturnType<typeof createConflicts>;
