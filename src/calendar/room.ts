/** Room in the calendar: what is busy, what stands in an event's way, and agents' blocks that give way to a person's events. */
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import { intersectSpans, mergeSpans, toInterval, toSpan } from '../domain/spans.ts';
import { instantOf, millis, type Instant, type Interval } from '../domain/time.ts';
import { problem } from '../errors.ts';
import type { Writer } from '../ledger/ledger.ts';
import { isBusy, type EventDraft } from './document.ts';
import { blocksIn, busySingles, findEvents, seriesIn, type Busy } from './queries.ts';
import type { EventResource } from './schema.ts';
import {
  busyTimes,
  eachBusyTimeOf,
  clash,
  happeningOf,
  happenings,
  hasBusyTime,
  intervalOf,
  lookedAt,
  spanOf,
} from './series.ts';
import type { EventChange, EventStore, Written } from './store.ts';

export type RoomDeps = {
  clock: Clock;
  store: EventStore;
  /** A block's event had to go; `by` may not be in the calendar yet. */
  displaced: (writer: Writer, block: { plan_uid: string; event: EventResource }, by: EventDraft) => Promise<void>;
};

/** Busy time of series within a window. @throws 422 too_many_occurrences */
const busySeries = async (db: Db, user_id: string, window: Interval, except: string[] = []): Promise<Busy[]> => {
  const series = (await seriesIn(db, user_id, window)).filter(({ uid }) => !except.includes(uid));
  const found: Busy[] = [];
  eachBusyTimeOf(series, toSpan(window), ({ uid, task_id, yields, plan_uid: plan }, span, title) => {
    found.push({ ...toInterval(span), title, uid, plan_uid: yields ? plan : null, task_id });
  });
  return found;
};

/** An agent's block goes; its plan is told. */
const removal = (block: EventResource): EventChange => ({
  what: 'removed',
  from: block,
  to: block,
  links: [block.plan_uid as string],
});

export const createRoom = ({ clock, store, displaced }: RoomDeps) => {
  /** Busy events and occurrences overlapping the window, by time; `except` names uids to leave out. */
  const busy = async (
    tx: Db,
    user_id: string,
    window: Interval,
    { except = [] }: { except?: string[] } = {},
  ): Promise<Busy[]> => {
    const singles = await busySingles(tx, user_id, window, except);
    const series = await busySeries(tx, user_id, window, except);
    return series.length
      ? [...singles, ...series].sort((a, b) => (a.start < b.start ? -1 : Number(a.start > b.start)))
      : singles;
  };

  /** @throws 409 slot_taken naming what is in the way; of a series ten years are looked at. */
  const requireRoom = async ({ tx, author }: Writer, event: EventDraft): Promise<void> => {
    const span = lookedAt(event);
    const window = toInterval(span);
    const times = mergeSpans(busyTimes(event, span));
    const taken = times.length ? await busy(tx, author.user_id, window, { except: [event.uid] }) : [];
    const inTheWay = taken.filter((one) => intersectSpans(times, [toSpan(one)]).length > 0);
    if (!inTheWay.length) return;
    const titles = inTheWay.slice(0, 3).map((b) => `“${b.title}”`);
    throw problem(
      'slot_taken',
      `${window.start} to ${window.end} is taken by ${titles.join(', ')}: choose another time, GET /calendar/slots shows free ones.`,
      {
        busy: inTheWay
          .slice(0, 20)
          .map(({ uid, title, start: from, end: to }) => ({ uid, title, start: from, end: to })),
      },
    );
  };

  /**
   * Takes agents' blocks out of the way of a person's events; a block that is over stays in the calendar, but takes no time.
   * @returns how many there were.
   */
  const makeRoom = async (
    writer: Writer,
    events: EventDraft[],
    except: ReadonlySet<string> = new Set(),
  ): Promise<number> => {
    const takers = events.filter(hasBusyTime);
    if (!takers.length) return 0;
    let count = 0;
    const spans = takers.map(spanOf);
    const start = instantOf(Math.min(...spans.map((s) => millis(s.start))));
    const end = spans.some((s) => s.end === null)
      ? null
      : instantOf(Math.max(...spans.map((s) => millis(s.end as Instant))));
    for (const block of await blocksIn(writer.tx, writer.author.user_id, { start, end })) {
      const taker = takers.find((event) => event.uid !== block.uid && clash(event, block));
      if (!taker || except.has(block.uid)) continue;
      const [happening] = happenings(taker, toSpan(intervalOf(block)), 1);
      const by = happening ? happeningOf(taker, happening) : taker;
      count += 1;
      const over = spanOf(block).end;
      if (over !== null && millis(over) <= clock.millis()) {
        await store(writer, [
          { what: 'updated', from: block, to: { ...block, busy: false, sequence: block.sequence + 1 } },
        ]);
        continue;
      }
      const [gone] = await store(writer, [removal(block)]);
      await displaced(writer, { plan_uid: block.plan_uid as string, event: (gone as Written).event }, by);
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
    const [taken] = await busy(tx, author.user_id, intervalOf(block), { except: [...moving] });
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
    const count = await makeRoom(writer, persons, moving);
    const lost: { block: EventResource; by: EventDraft }[] = [];
    for (const change of changes.filter(({ to }) => to.yields)) {
      const by = await takerOf(writer, change.to, moved, moving);
      if (by) lost.push({ block: change.from as EventResource, by });
      else moved.push(change);
    }
    const gone = lost.map(({ block }) => removal(block));
    const written = await store(writer, [...gone, ...moved]);
    for (const [i, { block, by }] of lost.entries())
      await displaced(writer, { plan_uid: block.plan_uid as string, event: (written[i] as Written).event }, by);
    return count + lost.length;
  };

  return { busy, requireRoom, makeRoom, shift };
};
