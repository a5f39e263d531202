/**
 * Keeps agents off busy time: refuses an agent's event that overlaps another, and displaces agents' blocks for a person's
 * event.
 */
import type { PlanHooks } from '../agent/plan-hooks.ts';
import type { Clock } from '../common/clock.ts';
import { toInterval, toSpan, type Span } from '../domain/time/spans.ts';
import { millis, type Instant } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';
import type { Writer } from '../ledger/ledger.ts';
import { SERIES_STEPS } from './calendar-bounds.ts';
import { busyTime, busyDuring } from './busy.ts';
import { isBusy, type EventDraft } from './event-document.ts';
import { blocksIn, findEvents } from './queries.ts';
import type { EventResource } from './schemas.ts';
import type { EventChange, EventStore, Written } from './event-store.ts';

import {
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
  planHooks: PlanHooks;
};

/** The message names at most this many titles. */
const MOST_TITLES = 3;

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

export const createConflicts = ({ clock, store, planHooks }: ConflictDeps) => {
  /**
   * Requires that an event's busy time is free. Of a series it checks ten years.
   * @throws 409 slot_taken with the overlapping events
   */
  const requireFreeTime = async ({ tx, author }: Writer, event: EventDraft): Promise<void> => {
    const span = checkedSpan(event);
    const times = await runYielding(timesOf(event, span), SERIES_STEPS);
    const taken = await busyDuring(tx, author.user_id, times, event.uid);
    if (!taken.length) return;
    const titles = taken.slice(0, MOST_TITLES).map((b) => `“${b.title}”`);
    const window = toInterval(span);
    throw problem(
      'slot_taken',
      `${window.start} to ${window.end} is taken by ${titles.join(', ')}. Choose another time; GET /calendar/slots lists free ones.`,
      { busy: taken.map(({ uid, title, start: from, end: to }) => ({ uid, title, start: from, end: to })) },
    );
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
   * Returns the event that an agent's block overlaps after it moved. `moved` lists changes that may not be in the database yet.
   */
  const overlappedBy = async (
    { tx, author }: Writer,
    block: EventDraft,
    moved: EventChange[],
    moving: ReadonlySet<string>,
  ) => {
    if (!isBusy(block)) return undefined;
    const first = moved.find(({ to }) => overlap(to, block))?.to;
    if (first) return first;
    const [taken] = await busyTime(tx, author.user_id, intervalOf(block), { except: [...moving] });
    return taken && (await findEvents(tx, author.user_id, [taken.uid]))[0];
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

  return { requireFreeTime, displaceBlocks, shift };
};
