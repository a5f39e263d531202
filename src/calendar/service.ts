/** The calendar as its routes use it: create, list, edit and remove events; find free and busy time; feeds and imports. */
import type { Clock } from '../common/clock.ts';
import { forPage, type DatabaseHandle, type Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { learnedWeight } from '../domain/plan/tempo-learning.ts';
import { findSlots, refusal, whyNone } from '../domain/plan/slots.ts';
import { intersectSpans, subtractSpans, toInterval, toSpan, type Span } from '../domain/time/spans.ts';
import { durationFor, tempoWindows } from '../domain/plan/tempo.ts';
import { addMinutes, instantOf, millis, timeFault, zoneNamed, type Interval } from '../domain/time/time.ts';
import { checkSeenVersion, invalidAt, notFound, problem, type SeenVersions } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { headSeq, resolveAsOf, versionsOf, type Asker } from '../ledger/read-ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { Logger } from '../observability/log.ts';
import { createProblemOf, eachItem } from '../observability/problem-per-item.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import type { StagedImports } from '../ledger/staged-import.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import { busyStretches } from './busy.ts';
import { newEvent, notWholeDays, readDates, readStart, type EventChanges, type NewEvent } from './event-document.ts';
import { freeBusyText, type FreeBusy } from './freebusy.ts';
import { createIcs } from './ics-feed.ts';
import { createObjects } from './objects.ts';
import { countOccurrences, keyOf, pageOf } from './listing.ts';
import { findEvents } from './queries.ts';
import { createRezone } from './rezone.ts';
import type {
  EventEdit,
  EventRemoval,
  EventResource,
  EventsQuery,
  EventUpdates,
  FreeBusyQuery,
  NewEventIn,
  SlotsQuery,
} from './schemas.ts';
import { createEventStore } from './event-store.ts';
import { createInTransaction, present, type InTransactionDeps } from './in-transaction.ts';
import { createSourceFiles } from './source-file.ts';
import { createSourceRefresh } from './source-refresh.ts';
import { createSources } from './sources.ts';
import { rememberZones } from './zone-rules.ts';
import {
  readMoment,
  readPosition,
  readWindow,
  writePosition,
  type Asked,
  type OccurrencesKey,
  type WindowRule,
} from './asked-window.ts';

export type CalendarDeps = Omit<InTransactionDeps, 'store'> & {
  handle: DatabaseHandle;
  log: Logger;
  outbound: Outbound;
  db: Db;
  reads: Db;
  ledger: Ledger;
  staged: StagedImports;
  clock: Clock;
  traces: TraceStore;
  sensitive: Sensitive;
};

const DAY_MINUTES = 24 * 60;
/** An answer lists at most this many unusable parts of a window; a year of a full calendar has tens of thousands. */
const MAX_REJECTED = 100;
/** Two years with a leap day each, and the day that a bare date as the end adds. */
const TWO_YEARS: WindowRule = { days: 30, most: 2 * 366 + 1, mostText: '2 years' };
const A_YEAR: WindowRule = { days: 7, most: 367, mostText: 'a year' };

/** The members that have a value. */
const given = <T extends object>(input: T): Partial<T> =>
  Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Partial<T>;

/** Reads the times of new values in their zone. @throws 422 */
const readTimes = (
  input: EventUpdates,
  zone: string,
  path: string,
): Pick<EventChanges, 'scheduled_for' | 'local_start' | 'rdates' | 'exdates'> => {
  const start = input.scheduled_for === undefined ? undefined : readStart(input.scheduled_for, zone);
  if (start === null)
    throw invalidAt(`${path}/scheduled_for`, 'invalid_time', timeFault(input.scheduled_for ?? '') ?? 'must be a time');
  return {
    ...start,
    ...(input.rdates ? { rdates: readDates(input.rdates, zone, `${path}/rdates`) } : {}),
    ...(input.exdates ? { exdates: readDates(input.exdates, zone, `${path}/exdates`) } : {}),
  };
};

export const createCalendarService = ({
  handle,
  log,
  outbound,
  db,
  reads,
  ledger,
  staged,
  clock,
  traces,
  sensitive,
  tempo,
  planHooks,
}: CalendarDeps) => {
  const store = createEventStore({ clock, traces });
  const inTransaction = createInTransaction({ clock, store, tempo, planHooks });
  const ics = createIcs({ db, staged, clock, inTransaction, sensitive });

  const files = createSourceFiles({ ledger, inTransaction });
  const sourceRefresh = createSourceRefresh({ handle, clock, log, outbound, tempo, files });
  const sources = createSources({ reads, ledger, clock, outbound, inTransaction }, sourceRefresh.wake);

  /** Completes what a client sent. The default duration is that of the tempo profile. */
  const seedOf = async (
    writer: Writer,
    caller: Caller,
    input: NewEventIn,
  ): Promise<NewEvent & { timezone: string }> => {
    const { user_id: _, scheduled_for, duration_minutes, timezone: zone, ...rest } = input;
    // A time that names a zone belongs to that zone, also where a series repeats it.
    const timezone = zone ?? zoneNamed(scheduled_for) ?? caller.zone;
    // A bare date without a duration means the whole day.
    const all_day = input.all_day ?? (scheduled_for.length === 10 && duration_minutes === undefined);
    const minutes = async (): Promise<number> => {
      const subject = { tempo_tag: input.tempo_tag, task_id: input.task_id, action_type: 'schedule' };
      return all_day ? DAY_MINUTES : durationFor(await tempo.profileOf(caller.user_id, writer.tx), subject).minutes;
    };
    if (all_day && duration_minutes !== undefined && duration_minutes % DAY_MINUTES !== 0)
      throw notWholeDays('/duration_minutes');
    const times = readTimes(input, timezone, '') as Pick<NewEvent, 'scheduled_for'>;
    return {
      ...(given(rest) as { title: string }),
      ...times,
      timezone,
      all_day,
      duration_minutes: duration_minutes ?? (await minutes()),
    };
  };

  /**
   * Returns the event that already has a client's uid, where a request is repeated.
   * @throws 409 where the content differs or it was removed
   */
  const repeated = async (
    writer: Writer,
    caller: Caller,
    seed: NewEvent & { timezone: string },
  ): Promise<EventResource | null> => {
    const { uid } = seed;
    if (uid === undefined) return null;
    const created = await versionsOf<EventResource>(writer.tx, caller.user_id, 'event', uid, { below: 2, limit: 1 });
    const first = created.items[0]?.payload;
    if (!first) return null;
    const { version: _v, created_at: _c, updated_at: _u, seq: _s, ...stored } = first;
    const draft = newEvent({ ...seed, uid, origin: first.origin }, caller.user_id);
    const isThere = (await findEvents(writer.tx, caller.user_id, [uid])).length > 0;
    if (isThere && canonicalJson(stored) === canonicalJson(draft)) return present(first);
    throw problem(
      'uid_taken',
      `The uid ${uid} already exists with other content, or its event was removed. Use PATCH /calendar/edit to change an event, or choose another uid.`,
      { uids: [uid] },
    );
  };

  const create = (caller: Caller, input: NewEventIn): Promise<EventResource> =>
    ledger.write(caller, async (writer) => {
      const seed = await seedOf(writer, caller, input);
      return (await repeated(writer, caller, seed)) ?? (await inTransaction.insert(writer, seed)).event;
    });

  const edit = (
    caller: Caller,
    { uid, updates, scope, recurrence_id, timezone }: EventEdit,
    expected?: SeenVersions,
  ): Promise<EventResource> =>
    ledger.write(caller, async (writer) => {
      const zone = updates.timezone ?? timezone ?? caller.zone;
      const { scheduled_for: _s, rdates: _r, exdates: _e, ...rest } = updates;
      const changes = { ...(given(rest) as EventChanges), ...readTimes(updates, zone, '/updates') };
      const at = readMoment(recurrence_id, zone, 'start', '/recurrence_id');
      const [from] = await inTransaction.find(writer.tx, caller.user_id, [uid]);
      if (from && !Object.keys(given(updates)).length) {
        checkSeenVersion('event', uid, expected, from.version);
        return from; // Nothing changes, so there is no new version.
      }
      if (from) await sensitive.refuseHiddenChanges(writer.tx, caller, from, rest);
      const { event } = await inTransaction.change(writer, uid, changes, {
        scope,
        recurrence_id: at && instantOf(millis(at)),
        expected,
      });
      return event;
    });

  const remove = (
    caller: Caller,
    { uid, scope, recurrence_id }: EventRemoval,
    expected?: SeenVersions,
  ): Promise<EventResource> =>
    ledger.write(caller, async (writer) => {
      const at = readMoment(recurrence_id, caller.zone, 'start', '/recurrence_id');
      const { event } = await inTransaction.remove(writer, uid, {
        scope,
        recurrence_id: at && instantOf(millis(at)),
        expected,
      });
      return event;
    });

  type Bound = { expected_version?: number | undefined };
  const problemOf = createProblemOf(log);

  const editEach = (caller: Caller, edits: readonly (EventEdit & Bound)[]) =>
    eachItem(caller, edits, (one) => edit(caller, one, one.expected_version), problemOf);

  const removeEach = (caller: Caller, removals: readonly (EventRemoval & Bound)[]) =>
    eachItem(caller, removals, (one) => remove(caller, one, one.expected_version), problemOf);

  const askerOf = ({ user_id, zone }: Caller): Asker => ({ user_id, zone, now: clock.now() });

  const event = async (caller: Caller, uid: string, as_of?: string): Promise<EventResource> => {
    const until = await resolveAsOf(reads, askerOf(caller), as_of);
    const [found] =
      until === undefined
        ? await findEvents(reads, caller.user_id, [uid])
        : (await versionsOf<EventResource>(reads, caller.user_id, 'event', uid, { until, limit: 1 })).items.map(
            (e) => e.payload,
          );
    if (!found || found.removed) throw notFound('event', uid);
    return (await sensitive.viewOf(caller, until))(present(found));
  };

  const windowOf = (caller: Caller, query: Asked & { timezone?: string | undefined }, rule: WindowRule): Interval =>
    readWindow(query, query.timezone ?? caller.zone, clock.millis(), rule);

  /** A page of occurrences, and for its cursor the seq and window of the first page. */
  const events = async (caller: Caller, query: EventsQuery, position?: { at: number; key: OccurrencesKey }) => {
    const walk = position && readPosition(position.key, TWO_YEARS);
    const window = walk?.window ?? windowOf(caller, query, { ...TWO_YEARS, points: true });
    const asked = await resolveAsOf(reads, askerOf(caller), query.as_of);
    const at = position?.at ?? asked ?? (await headSeq(reads, caller.user_id));
    const tag = query.tag === undefined ? undefined : await sensitive.present(caller, query.tag);
    const page = { tag, after: walk?.after, limit: query.limit };
    const { items, more } = await pageOf(forPage({ db, reads }, query.limit), caller.user_id, window, page, at);
    const last = more ? items.at(-1) : undefined;
    return {
      items,
      at,
      next: last ? { at, key: writePosition(keyOf(last), window) } : null,
      count: () => countOccurrences(db, caller.user_id, window, tag, at),
    };
  };

  const slots = async (caller: Caller, query: SlotsQuery) => {
    const profile = await tempo.profileOf(caller.user_id);
    const window = windowOf(caller, query, A_YEAR);
    const subject = { tempo_tag: query.tempo_tag, task_id: query.task_id };
    const { minutes, reason } = durationFor(profile, {
      ...subject,
      action_type: 'schedule',
      asked: query.duration_minutes,
    });
    const around = {
      start: addMinutes(window.start, -query.buffer_minutes),
      end: addMinutes(window.end, query.buffer_minutes),
    };
    const weight = profile.use_learned
      ? { weight: learnedWeight(profile.learned, { tag: query.tempo_tag, action_type: 'schedule' }, profile.timezone) }
      : {};
    const answer = findSlots({
      window,
      duration_minutes: minutes,
      busy: await busyStretches(db, caller.user_id, around),
      windows: tempoWindows(profile, subject, window),
      wider: tempoWindows(profile, {}, window),
      now: clock.now(),
      buffer_minutes: query.buffer_minutes,
      notice_minutes: query.notice_minutes,
      zone: profile.timezone,
      limit: query.limit,
      ...weight,
    });
    const found = answer.slots.map(({ start, end, duration_minutes, reasons }) => ({
      start,
      end,
      duration_minutes,
      reasons: [...reasons, reason],
    }));
    if (found.length) return { slots: found, why: null, rejected: [], rejected_count: 0 };
    const { refused } = answer;
    return {
      slots: [],
      why: whyNone(refused, minutes).detail,
      rejected: refused.slice(0, MAX_REJECTED).map(refusal),
      rejected_count: refused.length,
    };
  };

  const freebusy = async (caller: Caller, query: FreeBusyQuery) => {
    const window = windowOf(caller, query, TWO_YEARS);
    const whole: Span[] = [toSpan(window)];
    const busy = intersectSpans(whole, await busyStretches(db, caller.user_id, window));
    return { ...window, busy: busy.map(toInterval), free: subtractSpans(whole, busy).map(toInterval) };
  };

  /** Exports the whole calendar, or what overlaps the window. A side that is left out is open. */
  const exportText = (caller: Caller, { start, end, timezone }: FreeBusyQuery): Promise<AsyncIterable<string>> => {
    const zone = timezone ?? caller.zone;
    const last = readMoment(end, zone, 'end', '/end');
    const window = {
      start: readMoment(start, zone, 'start', '/start') ?? null,
      end: last === undefined ? null : instantOf(millis(last) + 1),
    };
    if (window.start !== null && window.end !== null && millis(window.end) <= millis(window.start))
      throw invalidAt('/end', 'empty_window', 'must not be before start');
    return ics.exportText(caller, window);
  };

  return {
    inTransaction,
    sources,
    sourceRefresh,
    create,
    edit,
    remove,
    editEach,
    removeEach,
    event,
    events,
    slots,
    freebusy,
    freebusyText: (caller: Caller, answer: FreeBusy): string => freeBusyText(answer, clock.now(), caller.user_id),
    exportText,
    rezone: createRezone({ db, ledger, clock, inTransaction }),
    /** Stores this process's time zone rules, for a later process whose rules have changed. Called at the start. */
    rememberZones: () => rememberZones(db),
    feed: ics.feed,
    importFile: ics.importFile,
    objects: createObjects({ reads, ledger, inTransaction, sensitive }),
  };
};

export type CalendarService = ReturnType<typeof createCalendarService>;
