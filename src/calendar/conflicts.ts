/** Room in the calendar: what is busy, what stands in an event's way, and agents' blocks that give way to a person's events. */
import type { PlanHooks } from '../agent/plan-hooks.ts';
import type { Clock } from '../common/clock.ts';
import { toInterval, toSpan, type Span } from '../domain/time/spans.ts';
import { millis, type Instant } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';
import type { Writer } from '../ledger/ledger.ts';
import { LOOK } from './calendar-bounds.ts';
import { busyTime, inTheWay } from './busy.ts';
import { isBusy, type EventDraft } from './event-document.ts';
import { blocksIn, findEvents } from './queries.ts';
import type { EventResource } from './schemas.ts';
import type { EventChange, EventStore, Written } from './event-store.ts';

import {
  clash,
  clashing,
  happeningOf,
  happenings,
  hasBusyTime,
  intervalOf,
  isTaken,
  lookedAt,
  opened,
  spanOf,
  type Opened,
} from './timeline.ts';
import { runYielding } from '../common/yielding.ts';

export type ConflictDeps = {
  clock: Clock;
  store: EventStore;
  planHooks: PlanHooks;
};

/** Titles in a sentence about what is in the way. */
const MOST_TITLES = 3;

/** Busy times of an event within a span, merged. */
function* timesOf(event: EventDraft, window: Span): Generator<undefined, Span[]> {
  const times: [number, number][] = [];
  let last: [number, number] | undefined;
  for (const one of happenings(event, window)) {
    yield;
    if (!isTaken(event, one)) continue;
    if (last && one.start <= last[1]) last[1] = Math.max(last[1], one.end);
    else times.push((last = [one.start, one.end]));
  }
  return times;
}

/** An agent's block goes; its plan is told. */
const removal = (block: EventResource): EventChange => ({
  what: 'removed',
  from: block,
  to: block,
  links: [block.plan_uid as string],
});

/** From the first to the last moment of some events, of which there is one at least. */
const outlineOf = (events: readonly Opened<EventDraft>[]): { start: Instant; end: Instant | null } => {
  const spans = events.map(({ event }) => spanOf(event));
  return spans.reduce((one, other) => ({
    start: one.start < other.start ? one.start : other.start,
    end: one.end === null || other.end === null ? null : one.end > other.end ? one.end : other.end,
  }));
};

/** The first event that takes a block's time. */
function* takerAmong(
  events: readonly Opened<EventDraft>[],
  block: Opened<EventDraft>,
): Generator<undefined, Opened<EventDraft> | undefined> {
  for (const one of events) {
    yield;
    if (one.event.uid !== block.event.uid && (yield* clashing(one, block))) return one;
  }
  return undefined;
}

export const createConflicts = ({ clock, store, planHooks }: ConflictDeps) => {
  /** @throws 409 slot_taken naming what is in the way; of a series ten years are looked at. */
  const requireFreeTime = async ({ tx, author }: Writer, event: EventDraft): Promise<void> => {
    const span = lookedAt(event);
    const times = await runYielding(timesOf(event, span), LOOK);
    const taken = await inTheWay(tx, author.user_id, times, event.uid);
    if (!taken.length) return;
    const titles = taken.slice(0, MOST_TITLES).map((b) => `“${b.title}”`);
    const window = toInterval(span);
    throw problem(
      'slot_taken',
      `${window.start} to ${window.end} is taken by ${titles.join(', ')}: choose another time, GET /calendar/slots shows free ones.`,
      { busy: taken.map(({ uid, title, start: from, end: to }) => ({ uid, title, start: from, end: to })) },
    );
  };

  /**
   * Takes agents' blocks out of the way of a person's events; a block that is over stays in the calendar, but takes no time.
   * @returns how many there were.
   */
  const displaceBlocks = async (
    writer: Writer,
    events: EventDraft[],
    except: ReadonlySet<string> = new Set(),
  ): Promise<number> => {
    const takers = events.filter(hasBusyTime).map(opened);
    if (!takers.length) return 0;
    let count = 0;
    for (const block of await blocksIn(writer.tx, writer.author.user_id, outlineOf(takers))) {
      if (except.has(block.uid)) continue;
      const taker = await runYielding(takerAmong(takers, opened(block)), LOOK);
      if (!taker) continue;
      const happening = taker.happenings({ window: toSpan(intervalOf(block)) }).next().value;
      const by = happening ? happeningOf(taker.event, happening) : taker.event;
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

  /** Where an agent's block that moved lies on something: what it is. `moved` may not be in the database yet. */
  const takerOf = async (
    { tx, author }: Writer,
    block: EventDraft,
    moved: EventChange[],
    moving: ReadonlySet<string>,
  ) => {
    if (!isBusy(block)) return undefined;
    const first = moved.find(({ to }) => clash(to, block))?.to;
    if (first) return first;
    const [taken] = await busyTime(tx, author.user_id, intervalOf(block), { except: [...moving] });
    return taken && (await findEvents(tx, author.user_id, [taken.uid]))[0];
  };

  /**
   * Writes events that move by themselves, all at once, none in another's way on its way. A person's may then lie over others;
   * an agent's block that would is displaced. @returns how many were.
   */
  const shift = async (writer: Writer, changes: EventChange[]): Promise<number> => {
    if (!changes.length) return 0;
    const moving = new Set(changes.map(({ to }) => to.uid));
    const moved = changes.filter(({ to }) => !to.yields);
    const persons = moved.map(({ to }) => to);
    const count = await displaceBlocks(writer, persons, moving);
    const lost: { block: EventResource; by: EventDraft }[] = [];
    for (const change of changes.filter(({ to }) => to.yields)) {
      const by = await takerOf(writer, change.to, moved, moving);
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
