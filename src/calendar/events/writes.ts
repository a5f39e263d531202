/** Writes changes of events within the limits of the calendar, and tells the planner what a person changed. */
import type { CalendarPlanPort } from '../plan-port.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { MAX_SERIES, MAX_SERIES_SIZES, seriesLimit, UNCOUNTED_SIZE } from '../calendar-bounds.ts';
import { isSeries, sizeOf } from './document.ts';
import { isMoved } from './edits.ts';
import { countSeries } from '../queries.ts';
import type { EventResource } from '../schemas.ts';
import type { EventChange, EventStore, Written } from './store.ts';

export type EventWritesDeps = { store: EventStore; planHooks: CalendarPlanPort };

/** Whether a change adds a series to the calendar. */
const addsSeries = ({ what, from, to }: EventChange): boolean =>
  what !== 'removed' && isSeries(to) && (from === null || from.removed === true || !isSeries(from));

/** By how many characters a change enlarges the series of a calendar. Small series are not counted. */
const growthOf = ({ what, from, to }: EventChange): number => {
  const size = what === 'removed' ? 0 : sizeOf(to);
  return size <= UNCOUNTED_SIZE ? 0 : size - (from && !from.removed ? sizeOf(from) : 0);
};

export const createEventWrites = ({ store, planHooks }: EventWritesDeps) => {
  /** Returns those changes, in order, whose series would exceed the limits of the calendar. */
  const beyondSeries = async ({ tx, author }: Writer, changes: readonly EventChange[]): Promise<Set<EventChange>> => {
    const growing = changes.filter((change) => addsSeries(change) || growthOf(change) > 0);
    if (!growing.length) return new Set();
    let { count, size } = await countSeries(tx, author.user_id);
    return new Set(
      growing.filter((change) => {
        const [more, larger] = [addsSeries(change) ? 1 : 0, growthOf(change)];
        if (count + more > MAX_SERIES || size + larger > MAX_SERIES_SIZES) return true;
        count += more;
        size += larger;
        return false;
      }),
    );
  };

  /** Writes changes. @throws 409 series_limit */
  const write = async (writer: Writer, changes: EventChange[]): Promise<Written[]> => {
    if ((await beyondSeries(writer, changes)).size) throw seriesLimit();
    return store(writer, changes);
  };

  /** Informs the planner: a person's change of a plan's event is a decision about the plan. */
  const decide = async (
    writer: Writer,
    { plan_uid }: EventResource,
    change: 'moved' | 'edited' | 'removed',
  ): Promise<void> => {
    if (plan_uid !== null) await planHooks.eventChanged(writer, { plan_uid, change });
  };

  /** Writes the changes of an imported file. The caller has displaced agents' blocks and checked the limits. */
  const writeImported = async (writer: Writer, changes: EventChange[]): Promise<void> => {
    await store(writer, changes);
    for (const { what, from, to } of changes)
      if (what === 'updated' && from) await decide(writer, from, isMoved(from, to) ? 'moved' : 'edited');
  };

  return { beyondSeries, write, decide, writeImported };
};
