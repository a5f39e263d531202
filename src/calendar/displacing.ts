/** Displaces agents' blocks for events of the person, or keeps them, or refuses the event. */
import type { Clock } from '../common/clock.ts';
import { runYielding } from '../common/yielding.ts';
import { toSpan } from '../domain/time/spans.ts';
import { instantOf, millis, minutesBetween, type Instant } from '../domain/time/time.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { SERIES_STEPS } from './calendar-bounds.ts';
import { isSeries, type EventDraft } from './events/document.ts';
import { isEmpty, removeThese } from './events/series-edits.ts';
import type { EventChange, EventStore, Written } from './events/store.ts';
import type { CalendarPlanPort } from './plan-port.ts';
import { blocksIn, type Outline } from './queries.ts';
import type { EventResource, OnConflict } from './schemas.ts';
import { slotTaken, type Taken } from './slot-taken.ts';
import {
  commonSpan,
  happeningOf,
  hasBusyTime,
  intervalOf,
  overlapping,
  spanOf,
  takesTime,
  timesOf,
  withTimeline,
  type WithTimeline,
} from './timeline.ts';

export type DisplacingDeps = {
  clock: Clock;
  store: EventStore;
  planHooks: CalendarPlanPort;
};

/** Removes an agent's block. Its trace links to the plan. */
export const removal = (block: EventResource): EventChange => ({
  what: 'removed',
  from: block,
  to: block,
  links: [block.plan_uid as string],
});

/** The span from the earliest start to the latest end of one or more events. */
export const outlineOf = (events: readonly EventDraft[]): Outline => {
  const spans = events.map(spanOf);
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

/** What a person's event takes of a block: occurrences of a series, or all of a single event. */
type Lost = { block: EventResource } & ({ occurrences: Overlapped[] } | { by: EventDraft });

/** What a refusal names of it. */
const timesLost = (lost: Lost): Taken[] => {
  const { uid, title } = lost.block;
  return 'occurrences' in lost
    ? lost.occurrences.map(({ start, end }) => ({ uid, title, start, end }))
    : [{ uid, title, ...intervalOf(lost.block) }];
};

export type Displacement = {
  /** The uids of blocks that stay. */
  except?: ReadonlySet<string>;
  how?: OnConflict | undefined;
  /** Blocks that were not changed after this seq stay. */
  since?: number;
};

const NOTHING: ReadonlySet<string> = new Set();
const WHAT_TO_DO =
  'Send on_conflict "displace" to have these proposed again at another time, "keep" to have both, or choose another time.';

export const createDisplacing = ({ clock, store, planHooks }: DisplacingDeps) => {
  /** Displaces occurrences of an agent's series: the series leaves them out, and the plan hooks learn of each. */
  const displaceOccurrences = async (writer: Writer, block: EventResource, lost: Overlapped[]): Promise<void> => {
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
  };

  /** What of a block loses its time: occurrences of a series, or all of it, where `by` is what takes the time. */
  const lostOf = async (
    displacing: readonly WithTimeline<EventDraft>[],
    block: EventResource,
  ): Promise<Lost | null> => {
    if (isSeries(block)) {
      // What is over stays as it is.
      const work = overlappedOccurrences(displacing, withTimeline(block), clock.millis());
      const occurrences = await runYielding(work, SERIES_STEPS);
      return occurrences.length ? { block, occurrences } : null;
    }
    const displacer = await runYielding(firstOverlapping(displacing, withTimeline(block)), SERIES_STEPS);
    if (!displacer) return null;
    const happening = displacer.happenings({ window: toSpan(intervalOf(block)) }).next().value;
    return { block, by: happening ? happeningOf(displacer.event, happening) : displacer.event };
  };

  const allLost = async (
    displacing: readonly WithTimeline<EventDraft>[],
    blocks: readonly EventResource[],
  ): Promise<Lost[]> => {
    const all: Lost[] = [];
    for (const block of blocks) {
      const lost = await lostOf(displacing, block);
      if (lost) all.push(lost);
    }
    return all;
  };

  const isOver = ({ block }: Lost): boolean => {
    const { end } = spanOf(block);
    return end !== null && millis(end) <= clock.millis();
  };

  const displace = async (writer: Writer, lost: Lost): Promise<void> => {
    const { block } = lost;
    if ('occurrences' in lost) return displaceOccurrences(writer, block, lost.occurrences);
    if (isOver(lost)) {
      await store(writer, [
        { what: 'updated', from: block, to: { ...block, busy: false, sequence: block.sequence + 1 } },
      ]);
      return;
    }
    const [gone] = await store(writer, [removal(block)]);
    const event = (gone as Written).event;
    await planHooks.blockDisplaced(writer, { plan_uid: block.plan_uid as string, event }, lost.by);
  };

  /** One occurrence of a series that is kept does not make the whole series the person's. */
  const keep = async (writer: Writer, all: readonly Lost[]): Promise<void> => {
    const own = all.flatMap(({ block }) => (isSeries(block) ? [] : [block]));
    if (!own.length) return;
    await store(
      writer,
      own.map((from) => ({ what: 'updated', from, to: { ...from, yields: false, sequence: from.sequence + 1 } })),
    );
  };

  /**
   * What happens to agents' blocks that overlap a person's events. They are displaced: each is removed and its plan is proposed
   * again. A block that is over stays in the calendar and no longer takes time.
   * @param how 'keep' leaves them where they are, so that they no longer yield to events of the person; 'refuse' changes nothing
   * @returns how many blocks there were
   * @throws 409 slot_taken with the blocks, for 'refuse'
   */
  return async (
    writer: Writer,
    events: EventDraft[],
    { except = NOTHING, how = 'displace', since = 0 }: Displacement = {},
  ): Promise<number> => {
    const displacing = events.filter(hasBusyTime).map(withTimeline);
    if (!displacing.length) return 0;
    const outline = outlineOf(displacing.map(({ event }) => event));
    const blocks = await blocksIn(writer.tx, writer.author.user_id, outline);
    const changed = blocks.filter(({ uid, seq }) => seq > since && !except.has(uid));
    const all = await allLost(displacing, changed);
    const present = all.filter((lost) => !isOver(lost));
    if (how === 'refuse' && present.length)
      throw slotTaken(
        writer.author,
        intervalOf((displacing[0] as WithTimeline<EventDraft>).event),
        present.flatMap(timesLost),
        WHAT_TO_DO,
      );
    if (how === 'keep') await keep(writer, all);
    else for (const lost of all) await displace(writer, lost);
    return all.length;
  };
};
