/**
 * The calendar inside a write: what the agent's executor, imports and the routes share. Nothing here opens a transaction.
 * A person may book twice and displaces agents' blocks; what a plan brings about never lands on busy time (decisions §9).
 */
import { randomUUIDv7 } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import type { TempoProfile } from '../domain/tempo.ts';
import { instantOf, millis, overlaps, type Instant, type Interval } from '../domain/time.ts';
import { invalidAt, notFound, problem, stale } from '../errors.ts';
import type { Writer } from '../ledger/ledger.ts';
import { checkEvent, isSeries, newEvent, type EventChanges, type EventDraft, type NewEvent } from './document.ts';
import { planEdit, planRemoval, type Target } from './edits.ts';
import { pageOf } from './listing.ts';
import { blocksIn, busySingles, findEvents, seriesIn, type Busy } from './queries.ts';
import type { EventResource, Occurrence, Scope } from './schema.ts';
import {
  busyTimes,
  clash,
  happeningOf,
  happenings,
  hasBusyTime,
  intervalOf,
  nextOccurrence,
  spanOf,
} from './series.ts';
import type { EventStore, Written } from './store.ts';

const YEAR_MS = 366 * 86_400_000;

export type ChangeOptions = {
  /** uids of the traces the change follows from; the calendar_event trace links to them. */
  links?: string[];
  /** The plan this carries out: then it may not land on busy time, whoever approved it. */
  byPlan?: string;
  scope?: Scope | undefined;
  recurrence_id?: Instant | undefined;
  /** Version the caller has seen (If-Match). */
  expected?: string | undefined;
};

/** A person's decision about what an agent's plan had put into the calendar. */
export type Decided = { plan_uid: string; event: EventDraft; change: 'moved' | 'edited' | 'removed' };

export type WithinDeps = {
  clock: Clock;
  store: EventStore;
  /** In the write's own transaction. */
  profileOf: (user_id: string, tx?: Db) => Promise<TempoProfile>;
  /** A block's event had to go; `by` is not in the calendar yet. */
  displaced: (writer: Writer, block: { plan_uid: string; event: EventResource }, by: EventDraft) => Promise<void>;
  decided?: (writer: Writer, decision: Decided) => Promise<void>;
};

/** An event as answered: without what only .ics needs. */
export const present = ({ ics: _ics, ...event }: EventResource): EventResource => ({
  ...event,
  overrides: Object.fromEntries(Object.entries(event.overrides).map(([id, { ics: _own, ...own }]) => [id, own])),
});

const shown = ({ event, trace }: Written) => ({ event: present(event), trace });

/** Busy time of series within a window. */
export const busySeries = async (db: Db, user_id: string, window: Interval, except: string[] = []): Promise<Busy[]> =>
  (await seriesIn(db, user_id, window))
    .filter(({ uid }) => !except.includes(uid))
    .flatMap((event) => {
      const { uid, task_id } = event;
      const plan_uid = event.yields ? event.plan_uid : null;
      return busyTimes(event, window).map((time) => ({ ...time, uid, plan_uid, task_id }));
    });

export const createWithin = ({ clock, store, profileOf, displaced, decided }: WithinDeps) => {
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

  /** @throws 409 slot_taken naming what is in the way; of an endless series the first year is looked at. */
  const requireRoom = async ({ tx, author }: Writer, event: EventDraft): Promise<void> => {
    const { start, end } = spanOf(event);
    const last = instantOf(Math.min(millis(end ?? '9999-12-31T00:00:00Z'), millis(start) + YEAR_MS));
    const window = isSeries(event) ? { start, end: last } : intervalOf(event);
    const times = busyTimes(event, window);
    const taken = times.length ? await busy(tx, author.user_id, window, { except: [event.uid] }) : [];
    const inTheWay = taken.filter((one) => times.some((time) => overlaps(one, time)));
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
  const makeRoom = async (writer: Writer, events: EventDraft[]): Promise<number> => {
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
      if (!taker) continue;
      const [happening] = happenings(taker, intervalOf(block), 1);
      const by = happening ? happeningOf(taker, happening) : taker;
      count += 1;
      const over = spanOf(block).end;
      if (over !== null && millis(over) <= clock.millis()) {
        await store(writer, [
          { what: 'updated', from: block, to: { ...block, busy: false, sequence: block.sequence + 1 } },
        ]);
        continue;
      }
      const [gone] = await store(writer, [
        { what: 'removed', from: block, to: block, links: [block.plan_uid as string] },
      ]);
      await displaced(writer, { plan_uid: block.plan_uid as string, event: (gone as Written).event }, by);
    }
    return count;
  };

  const load = async (writer: Writer, uid: string, expected: string | undefined): Promise<EventResource> => {
    const [event] = await findEvents(writer.tx, writer.author.user_id, [uid]);
    if (!event) throw notFound('event', uid);
    if (expected !== undefined && expected !== String(event.version))
      throw stale('event', uid, expected, event.version);
    return event;
  };

  const isPerson = ({ author }: Writer, { byPlan }: ChangeOptions): boolean =>
    byPlan === undefined && (author.origin === 'user' || author.origin === 'import');

  /** A plan that names a series means its next occurrence: never all that has been. */
  const targetOf = (event: EventResource, { scope, recurrence_id, byPlan }: ChangeOptions): Target => {
    if (byPlan === undefined || !isSeries(event) || scope !== undefined || recurrence_id !== undefined)
      return { scope, recurrence_id };
    const next = nextOccurrence(event, clock.now());
    if (next === null)
      throw invalidAt('/target_event_uid', 'no_occurrence', 'is a series that does not occur any more');
    return { scope: 'this', recurrence_id: next };
  };

  /** @throws 409 slot_taken (an agent's block on busy time), 422 */
  const insert = async (writer: Writer, seed: NewEvent, { links }: { links?: string[] } = {}): Promise<Written> => {
    const { user_id, origin } = writer.author;
    const timezone = seed.timezone ?? (await profileOf(user_id, writer.tx)).timezone;
    const linked_trace_ids = [...new Set([...(seed.linked_trace_ids ?? []), ...(links ?? [])])];
    const event = checkEvent(
      newEvent({ origin, ...seed, uid: seed.uid ?? randomUUIDv7(), timezone, linked_trace_ids }, user_id),
    );
    if (event.yields) await requireRoom(writer, event);
    else await makeRoom(writer, [event]);
    const [written] = await store(writer, [{ what: 'created', from: null, to: event }]);
    return shown(written as Written);
  };

  /**
   * Changes an event, or one, the following or all occurrences of a series. Answers the event that has the new values: of
   * `following` the new series. @throws 404, 409 slot_taken (for a plan), 412, 422
   */
  const change = async (
    writer: Writer,
    uid: string,
    changes: EventChanges,
    options: ChangeOptions = {},
  ): Promise<Written> => {
    const from = await load(writer, uid, options.expected);
    const person = isPerson(writer, options);
    const edit = planEdit(from, changes, targetOf(from, options), randomUUIDv7);
    // Where a person puts a block, it stays.
    if (person && edit.moved) for (const { to } of edit.changes) to.yields = false;
    for (const event of [...edit.changes.map(({ to }) => to), edit.affected]) checkEvent(event, '/updates');
    if (person && !edit.affected.yields) await makeRoom(writer, [edit.affected]);
    else if (edit.moved || hasBusyTime(edit.affected) !== hasBusyTime(from)) await requireRoom(writer, edit.affected);
    const written = await store(
      writer,
      edit.changes.map((one) => ({ ...one, links: options.links })),
    );
    if (person && from.plan_uid !== null)
      await decided?.(writer, {
        plan_uid: from.plan_uid,
        event: edit.affected,
        change: edit.moved ? 'moved' : 'edited',
      });
    return shown(written.at(-1) as Written);
  };

  /** Removes an event, or one, the following or all occurrences of a series. @throws 404, 412, 422 */
  const remove = async (writer: Writer, uid: string, options: ChangeOptions = {}): Promise<Written> => {
    const from = await load(writer, uid, options.expected);
    const removal = planRemoval(from, targetOf(from, options));
    const [written] = await store(writer, [{ ...removal, links: options.links }]);
    if (isPerson(writer, options) && from.plan_uid !== null)
      await decided?.(writer, { plan_uid: from.plan_uid, event: from, change: 'removed' });
    return shown(written as Written);
  };

  return {
    busy,
    insert,
    change,
    remove,
    makeRoom,
    find: async (tx: Db, user_id: string, uids: string[]): Promise<EventResource[]> =>
      (await findEvents(tx, user_id, uids)).map(present),
    list: (
      tx: Db,
      user_id: string,
      window: Interval,
      { tag }: { tag?: string | undefined } = {},
    ): Promise<Occurrence[]> => pageOf(tx, user_id, window, { tag, limit: 100_000 }),
  };
};

export type Within = ReturnType<typeof createWithin>;
