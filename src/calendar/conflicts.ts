/**
 * Keeps agents off busy time: refuses an agent's event that overlaps another, and displaces agents' blocks for a person's
 * event.
 */
import type { CalendarPlanPort } from './plan-port.ts';
import type { Clock } from '../common/clock.ts';
import { toInterval, toSpan, type Span } from '../domain/time/spans.ts';
import { instantOf, millis, minutesBetween, type Instant } from '../domain/time/time.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { SERIES_STEPS } from './calendar-bounds.ts';
import { busyTime, busyDuring } from './busy.ts';
import { isBusy, isSeries, type EventDraft } from './events/document.ts';
import { requireApart, type Together } from './events/moves-together.ts';
import { slotTaken } from './slot-taken.ts';
import { blocksIn, findEvents } from './queries.ts';
import type { EventResource } from './schemas.ts';
import type { EventChange, EventStore, Written } from './events/store.ts';

import { isEmpty, removeThese } from './events/series-edits.ts';
import {
  commonSpan,
  overlap,
  overlapping,
  happeningOf,
  happenings,
  hasBusyTime,
  intervalOf,
  takesTime,
  checkedSpan,
  withTimeline,
  spanOf,
  type WithTimeline,
} from './timeline.ts';
import { runYielding } from '../common/yielding.ts';

export type ConflictDeps = {
  clock: Clock;
  store: EventStore;
  planHooks: CalendarPlanPort;
};

/** Yields at each occurrence, and returns the busy times of an event in a span, merged and sorted. */
function* timesOf(event: EventDraft, window: Span): Generator<undefined, Span[]> {
  const times: [number, number][] = [];
  let last: [number, number] | undefined;
  for (const one of happenings(event, window)) {
    yield;
    if (!takesTime(event, one)) continue;
    if (last && one.start <= last[1]) last[1] = Math.max(last[1], one.end);
    else times.push((last = [one.start, one.end]));
  }
  return times;
}

/** Removes an agent's block. Its trace links to the plan. */
const removal = (block: EventResource): EventChange => ({
  what: 'removed',
  from: block,
  to: block,
  links: [block.plan_uid as string],
});

/** The span from the earliest start to the latest end of one or more events. */
const outlineOf = (events: readonly WithTimeline<EventDraft>[]): { start: Instant; end: Instant | null } => {
  const spans = events.map(({ event }) => spanOf(event));
  return spans.reduce((one, other) => ({
    start: one.start < other.start ? one.start : other.start,
    end: one.end === null || other.end === null ? null : one.end > other.end ? one.end : other.end,
  }));
};

/** An occurrence of a block whose time an event takes. */
type Overlapped = { id: Instant; start: Instant; end: Instant; by: WithTimeline<EventDraft> };

/** Finds the occurrences of an agent's series that begin after an instant and whose time one of the events takes. */
function* overlappedOccurrences(
  events: readonly WithTimeline<EventDraft>[],
  block: WithTimeline<EventResource>,
  since: number,
): Generator<undefined, Overlapped[]> {
  const found = new Map<Instant, Overlapped>();
  for (const by of events) {
    if (by.event.uid === block.event.uid) continue;
    const window = commonSpan(by.event, block.event);
    if (!window) continue;
    const times = yield* timesOf(by.event, window);
    let at = 0;
    for (const one of block.happenings({ window })) {
      yield;
      while ((times[at]?.[1] ?? Infinity) <= one.start) at += 1;
      const isTaken = (times[at]?.[0] ?? Infinity) < one.end && takesTime(block.event, one);
      if (one.id === null || one.start < since || !isTaken) continue;
      const id = instantOf(one.id);
      if (!found.has(id)) found.set(id, { id, start: instantOf(one.start), end: instantOf(one.end), by });
    }
  }
  return [...found.values()].sort((a, b) => (a.start < b.start ? -1 : 1));
}

/** Returns the first event whose busy time overlaps the block's. */
function* firstOverlapping(
  events: readonly WithTimeline<EventDraft>[],
  block: WithTimeline<EventDraft>,
): Generator<undefined, WithTimeline<EventDraft> | undefined> {
  for (const one of events) {
    yield;
    if (one.event.uid !== block.event.uid && (yield* overlapping(one, block))) return one;
  }
  return undefined;
}

/**
 * Requires that an event's busy time is free. Of a series it checks ten years.
 * @throws 409 slot_taken with the overlapping events
 */
const requireFreeTime = async ({ tx, author }: Writer, event: EventDraft): Promise<void> => {
  const span = checkedSpan(event);
  const times = await runYielding(timesOf(event, span), SERIES_STEPS);
  const taken = await busyDuring(tx, author.user_id, times, event.uid);
  if (!taken.length) return;
  throw slotTaken(author, toInterval(span), taken);
};

/** Works as requireFreeTime for events that move at once, whose present times are left. @throws 409 slot_taken */
const requireFreeTogether = async ({ tx, author }: Writer, together: Together): Promise<void> => {
  requireApart(author, together);
  const moving = new Set(together.changes.map(({ to }) => to.uid));
  for (const event of together.affected.filter(isBusy)) {
    const taken = await busyTime(tx, author.user_id, intervalOf(event), { except: [...moving] });
    if (taken.length) throw slotTaken(author, intervalOf(event), taken);
  }
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

export const createConflicts = ({ clock, store, planHooks }: ConflictDeps) => {
  /**
   * Displaces occurrences of an agent's series: the series leaves them out, and the plan hooks learn of each. What is over
   * stays as it is.
   * @returns how many there were
   */
  const displaceOccurrences = async (
    writer: Writer,
    block: EventResource,
    displacing: readonly WithTimeline<EventDraft>[],
  ): Promise<number> => {
    const work = overlappedOccurrences(displacing, withTimeline(block), clock.millis());
    const lost = await runYielding(work, SERIES_STEPS);
    if (!lost.length) return 0;
    const rest = removeThese(
      block,
      lost.map(({ id }) => id),
    );
    const links = [block.plan_uid as string];
    const isGone = isEmpty(rest);
    await store(writer, [
      isGone ? removal(block) : { what: 'updated', from: block, to: { ...rest, sequence: block.sequence + 1 }, links },
    ]);
    const occurrences = lost.map(({ start, end, by }) => {
      const happening = by.happenings({ window: [millis(start), millis(end)] }).next().value;
      const { title, end: until } = happening ? happeningOf(by.event, happening) : by.event;
      return {
        event: { scheduled_for: start, duration_minutes: minutesBetween(start, end) },
        by: { title, end: until },
      };
    });
    await planHooks.occurrencesDisplaced(writer, { plan_uid: block.plan_uid as string, occurrences, isGone });
    return lost.length;
  };

  /**
   * Displaces agents' blocks that overlap a person's events: removes each and proposes its plan again. A block that is over
   * stays in the calendar and no longer takes time.
   * @returns how many blocks there were
   */
  const displaceBlocks = async (
    writer: Writer,
    events: EventDraft[],
    except: ReadonlySet<string> = new Set(),
  ): Promise<number> => {
    const displacing = events.filter(hasBusyTime).map(withTimeline);
    if (!displacing.length) return 0;
    let count = 0;
    for (const block of await blocksIn(writer.tx, writer.author.user_id, outlineOf(displacing))) {
      if (except.has(block.uid)) continue;
      if (isSeries(block)) {
        count += await displaceOccurrences(writer, block, displacing);
        continue;
      }
      const displacer = await runYielding(firstOverlapping(displacing, withTimeline(block)), SERIES_STEPS);
      if (!displacer) continue;
      const happening = displacer.happenings({ window: toSpan(intervalOf(block)) }).next().value;
      const by = happening ? happeningOf(displacer.event, happening) : displacer.event;
      count += 1;
      const over = spanOf(block).end;
      if (over !== null && millis(over) <= clock.millis()) {
        await store(writer, [
          { what: 'updated', from: block, to: { ...block, busy: false, sequence: block.sequence + 1 } },
        ]);
        continue;
      }
      const [gone] = await store(writer, [removal(block)]);
      await planHooks.blockDisplaced(
        writer,
        { plan_uid: block.plan_uid as string, event: (gone as Written).event },
        by,
      );
    }
    return count;
  };

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
    const count = await displaceBlocks(writer, persons, moving);
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
