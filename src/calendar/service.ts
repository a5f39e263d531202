/** The calendar as its routes use it: create, list, edit and remove events; find free and busy time; feeds and imports. */
import type { Clock } from '../common/clock.ts';
import { forPage, type DatabaseHandle, type Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { instantOf, millis, type Interval } from '../domain/time/time.ts';
import { invalidAt, notFound } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { headSeq, resolveAsOf, versionsOf, type Asker } from '../ledger/read-ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import type { Logger } from '../observability/log.ts';
import type { Outbound } from '../outbound/guarded-fetch.ts';
import type { StagedImports } from '../ledger/staged-import.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import { freeBusyText, type FreeBusy } from './freebusy.ts';
import { createIcs } from './ics/feed.ts';
import { createObjects } from './objects/objects.ts';
import { countOccurrences, keyOf, pageOf } from './listing.ts';
import { findEvents } from './queries.ts';
import { createRezone } from './rezone.ts';
import type { EventResource, EventsQuery, FreeBusyQuery } from './schemas.ts';
import { createEventStore } from './events/store.ts';
import { createInTransaction, present, type InTransactionDeps } from './in-transaction.ts';
import { createSourceFiles } from './sources/file.ts';
import { createSourceRefresh } from './sources/refresh.ts';
import { createSources } from './sources/sources.ts';
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
import { createSlots, TWO_YEARS } from './slots.ts';
import { createEventChanges } from './events/changes.ts';
import { createUndo } from './events/undo.ts';

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

  const files = createSourceFiles({ ledger, clock, inTransaction });
  const sourceRefresh = createSourceRefresh({ handle, clock, log, outbound, tempo, files });
  const sources = createSources({ reads, ledger, clock, outbound, inTransaction }, sourceRefresh.wake);

  const { create, edit, remove, editEach, removeEach } = createEventChanges({
    tempo,
    ledger,
    inTransaction,
    sensitive,
    log,
  });

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

  const { slots, freebusy } = createSlots({ tempo, windowOf, db, clock });

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
    undo: createUndo({ ledger, inTransaction, planHooks }),
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
