/** Reads the calendar sources that are due, in every instance. The row of a source is the job. */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../common/clock.ts';
import { onBehalfOfService } from '../../common/fair-shares.ts';
import { Problem } from '../../common/problem.ts';
import type { DatabaseHandle } from '../../db/database.ts';
import { isDatabaseAway } from '../../db/sqlstate.ts';
import { instantOf } from '../../domain/time/time.ts';
import type { Logger } from '../../observability/log.ts';
import { OutboundError, type Outbound, type OutboundAnswer } from '../../outbound/guarded-fetch.ts';
import type { TempoService } from '../../tempo/service.ts';
import { charsetOf } from '../ics/import.ts';
import { ClaimLost, UnreadableFile, type createSourceFiles } from './file.ts';
import { claimSources, releaseSource, saveFailed, saveSuccess, type Claimed } from './queries.ts';

export type RefreshDeps = {
  handle: DatabaseHandle;
  clock: Clock;
  log: Logger;
  outbound: Outbound;
  tempo: TempoService;
  files: ReturnType<typeof createSourceFiles>;
};

/** As for an import. */
const MAX_BYTES = 16 * 1024 * 1024;
const FETCH_MS = 30_000;
/** A server that is there begins to answer sooner, and one that is not keeps its place for this long only. */
const BEGINS_MS = 10_000;
/** An instance reads this many at a time, of different users, each with a file of up to 16 MiB in memory. */
const MAX_READING = 2;
const SEARCH_MS = 5_000;
const MINUTE_MS = 60_000;
/** The longest pause after a failure. */
const LONGEST_MS = 24 * 60 * MINUTE_MS;
/**
 * A source that changes everything each time it is read is read less often: a second later for each change, so that it adds at
 * most some 90,000 changes a day to the ledger.
 */
const MS_PER_CHANGE = 1_000;

/** A source that answers, and not with a calendar. The text is for the person. */
class Refused extends Error {}

/** The pause after a number of failures in a row: a minute, two, four and so on up to a day. */
export const pauseAfter = (failures: number): number => Math.min(MINUTE_MS * 2 ** (failures - 1), LONGEST_MS);

const headersFor = ({ etag, last_modified }: Claimed): Record<string, string> => ({
  Accept: 'text/calendar, */*;q=0.1',
  ...(etag === null ? {} : { 'If-None-Match': etag }),
  ...(last_modified === null ? {} : { 'If-Modified-Since': last_modified }),
});

/** A header as it can be sent back, where it is short enough to be stored. */
const kept = (header: string | undefined): string | null =>
  header !== undefined && header.length <= 500 ? header : null;

const tagsOf = (headers: OutboundAnswer['headers']) => ({
  etag: kept(headers.etag),
  last_modified: kept(headers['last-modified']),
});

const reasonOf = (error: unknown): string => {
  if (error instanceof OutboundError || error instanceof UnreadableFile || error instanceof Refused)
    return error.message;
  if (error instanceof Problem && error.code === 'storage_full') return error.message;
  return error instanceof Problem ? `The file cannot be read: ${error.message}` : 'The service failed.';
};

export const createSourceRefresh = ({ handle, clock, log, outbound, tempo, files }: RefreshDeps) => {
  const { db } = handle;
  const aborting = new AbortController();
  const { signal } = aborting;
  const reading = new Set<Promise<void>>();
  let searching: NodeJS.Timeout | undefined;
  let started = false;

  const fetchFile = (source: Claimed): Promise<OutboundAnswer> =>
    outbound.fetch(source.url, {
      ...{ method: 'GET', headers: headersFor(source), signal },
      ...{ timeoutMs: FETCH_MS, beginsMs: BEGINS_MS, maxBytes: MAX_BYTES, longer: 'fail' },
    });

  const refresh = async (source: Claimed, claim: string): Promise<void> => {
    const answer = await fetchFile(source);
    const { status, headers, body } = answer;
    const { etag, last_modified } = source;
    if (status !== 200 && status !== 304) throw new Refused(`The server answered ${status}.`);
    const isSame = status === 304 && (etag !== null || last_modified !== null);
    if (status === 304 && !isSame)
      throw new Refused('The server answered 304, although it was asked for the whole file.');
    const { timezone } = await tempo.profileOf(source.user_id);
    const file = { bytes: body, charset: charsetOf(headers['content-type']) };
    const applied = isSame ? null : await files.apply(source, claim, file, timezone);
    if (isSame && source.unread > 0) await files.free(source, claim);
    const { changed, unread, findings } = applied ?? { changed: 0, unread: null, findings: null };
    const wait = Math.max(source.refresh_minutes * MINUTE_MS, changed * MS_PER_CHANGE);
    await saveSuccess(db, source, claim, {
      ...(isSame ? { etag, last_modified } : tagsOf(headers)),
      ...{ unread, findings },
      at: clock.now(),
      refresh_at: instantOf(clock.millis() + wait),
    });
  };

  const refreshOrSay = async (source: Claimed, claim: string): Promise<void> => {
    const { user_id, id } = source;
    try {
      await refresh(source, claim);
    } catch (error) {
      if (error instanceof ClaimLost) return;
      if (signal.aborted || isDatabaseAway(error)) return releaseSource(db, source, claim);
      // Neither the address nor the content of a source is logged.
      const isOurs = !(error instanceof OutboundError || error instanceof UnreadableFile || error instanceof Refused);
      if (isOurs && !(error instanceof Problem))
        log.error({ err: error, user_id, source: id }, 'a source could not be read');
      // A source that fails says nothing of what was marked before. Where that cannot be written, the next try does it.
      if (source.unread > 0) await files.free(source, claim).catch(() => 0);
      const failures = source.failures + 1;
      await saveFailed(db, source, claim, {
        failures,
        failing_since: source.failing_since ?? clock.now(),
        last_error: reasonOf(error),
        refresh_at: instantOf(clock.millis() + pauseAfter(failures)),
      });
    }
  };

  const begin = (source: Claimed, claim: string): void => {
    // A request may have led here, and its user’s share is not meant for this.
    const work = onBehalfOfService(() => refreshOrSay(source, claim))
      .catch((error: unknown) =>
        log.warn({ err: error, source: source.id }, 'a source could not be read, and will be read again'),
      )
      .finally(() => {
        reading.delete(work);
        wake();
      });
    reading.add(work);
  };

  /** Claims what is due, and begins to read it. @returns how many sources */
  const round = async (): Promise<number> => {
    const free = MAX_READING - reading.size;
    if (free <= 0 || signal.aborted || handle.isReadOnly()) return 0;
    const claim = randomUUID();
    const due = await onBehalfOfService(() => claimSources(db, claim, clock.now(), free));
    for (const source of due) begin(source, claim);
    return due.length;
  };

  const search = async (): Promise<void> => {
    await round().catch((error: unknown) =>
      log.debug({ err: error }, 'calendar sources could not be searched, which will be repeated'),
    );
    clearTimeout(searching);
    if (!signal.aborted) searching = setTimeout(() => void search(), SEARCH_MS).unref();
  };

  /** Searches soon, since something is due. */
  const wake = (): void => {
    if (!started || signal.aborted) return;
    clearTimeout(searching);
    searching = setTimeout(() => void search(), 0).unref();
  };

  return {
    wake,
    start: (): void => {
      started = true;
      wake();
    },
    /** Reads everything that is due, for tests with a clock of their own. */
    settle: async (): Promise<void> => {
      while ((await round()) > 0 || reading.size) await Promise.all(reading);
    },
    stop: async (): Promise<void> => {
      aborting.abort();
      clearTimeout(searching);
      await Promise.allSettled(reading);
    },
  };
};
