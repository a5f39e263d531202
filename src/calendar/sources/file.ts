/**
 * Makes a source's events equal to its file: events are created, changed and removed. The file decides; what was read before
 * plays no part (docs/decisions.md, Calendar sources).
 */
import { hash } from 'node:crypto';
import type { LeftOut } from '../../domain/calendar/ics/components.ts';
import { readingCalendar, type ReadEvent } from '../../domain/calendar/ics/read-ics.ts';
import { instantOf } from '../../domain/time/time.ts';
import type { Clock } from '../../common/clock.ts';
import { Problem } from '../../common/problem.ts';
import { runYielding } from '../../common/yielding.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { seriesLimit } from '../calendar-bounds.ts';
import { checkEvent, type EventDraft } from '../events/document.ts';
import type { EventChange } from '../events/store.ts';
import { isSameSeries, type CalendarFile } from '../ics/import.ts';
import { createGroup, documentOf } from '../ics/imported-event.ts';
import type { InTransaction } from '../in-transaction.ts';
import { findEvents, lastVersions } from '../queries.ts';
import type { EventResource } from '../schemas.ts';
import { findingsOf, type SourceFindings } from './findings.ts';
import { renewClaim, staleEvents, uidsOfSource, type Claimed } from './queries.ts';
import { freed, freeing, marking, STALE_MS } from './stale.ts';

/** Events are compared and written in groups of this many, each in a write of its own: a person’s own writes wait for one. */
const CHUNK = 100;
const END = /END:VCALENDAR\s*$/i;
/** The end of the file is searched in this many bytes. */
const TAIL = 200;

/** A file that is no whole calendar. The source keeps its events then. */
export class UnreadableFile extends Error {}
/** The claim was lost: the source was changed or removed meanwhile, or another instance reads it. */
export class ClaimLost extends Error {}

/** Two sources may have events of the same UID, and the person’s own ones too, so the uid is made of source and UID. */
export const uidOf = (source_uid: string, uid: string): string =>
  `source-${hash('sha256', JSON.stringify([source_uid, uid])).slice(0, 40)}`;

/** Applies what is set for the whole source. */
const ofSource = (draft: EventDraft, { id, busy }: Claimed): EventDraft => ({
  ...draft,
  ...(busy ? {} : freed(draft)),
  ...{ origin: 'import', source_uid: id },
});

/**
 * What a file says under one UID, which is `own` there. Where it is `partial`, the series itself could not be read, and its occurrences
 * alone would replace what was read of it before.
 */
type Found = { own: string; uid: string; parts: ReadEvent[]; partial: boolean };
type Judged = { change: EventChange | null; fault: string | null };
type Refused = { found: Found; reason: string };

function* judge(
  { uid, parts, partial }: Found,
  existing: EventResource | null,
  source: Claimed,
): Generator<undefined, Judged> {
  if (partial && existing && !existing.removed) return { change: null, fault: null };
  try {
    const group = yield* createGroup(source.user_id, uid, parts, []);
    const to = checkEvent(ofSource(yield* documentOf(group, null), source));
    if (!existing || existing.removed) return { change: { what: 'created', from: existing, to }, fault: null };
    const isSame = yield* isSameSeries(to, existing);
    return { change: isSame ? null : { what: 'updated', from: existing, to }, fault: null };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { change: null, fault: error.message };
  }
}

function* judging(chunk: Found[], known: ReadonlyMap<string, EventResource>, source: Claimed) {
  const changes: EventChange[] = [];
  const failed: Refused[] = [];
  for (const found of chunk) {
    yield;
    const judged = yield* judge(found, known.get(found.uid) ?? null, source);
    if (judged.change) changes.push(judged.change);
    if (judged.fault !== null) failed.push({ found, reason: judged.fault });
  }
  return { changes, failed };
}

const leftOut = ({ own, parts }: Found, reason: string): LeftOut => ({
  ...{ line: parts[0]?.line ?? 1, at: parts[0]?.line ?? 1, component: 'VEVENT', uid: own },
  ...{ outcome: 'failed', reason },
});

export type Applied = { changed: number; unread: number; findings: SourceFindings };

export type SourceFilesDeps = { ledger: Ledger; clock: Clock; inTransaction: InTransaction };

export const createSourceFiles = ({ ledger, clock, inTransaction }: SourceFilesDeps) => {
  const authorOf = ({ user_id }: Pick<Claimed, 'user_id'>) => ({
    ...{ user_id, actor: 'system:sources', origin: 'import' as const },
  });

  /** Writes one part under the user's lock, where the claim is still held. */
  const writeHeld = <T>(source: Claimed, claim: string, work: (writer: Writer) => Promise<T>): Promise<T> =>
    ledger.write(authorOf(source), async (writer) => {
      if (!(await renewClaim(writer.tx, source, claim))) throw new ClaimLost();
      return work(writer);
    });

  /** What of a chunk is left out, and why. */
  type Chunk = { changed: number; failed: Refused[] };

  const writeChunk = async (writer: Writer, chunk: Found[], source: Claimed): Promise<Chunk> => {
    const uids = chunk.map(({ uid }) => uid);
    const known = await lastVersions(writer.tx, source.user_id, uids);
    const { changes, failed } = await runYielding(judging(chunk, known, source));
    const beyond = await inTransaction.beyondSeries(writer, changes);
    const kept = changes.filter((change) => !beyond.has(change));
    await inTransaction.displaceBlocks(
      writer,
      kept.map(({ to }) => to),
    );
    await inTransaction.writeImported(writer, kept);
    const byUid = new Map(chunk.map((found) => [found.uid, found]));
    const { message: reason } = seriesLimit();
    for (const { to } of beyond) failed.push({ found: byUid.get(to.uid) as Found, reason });
    return { changed: kept.length, failed };
  };

  /** Writes changes of a group of events, which take no time that was free. */
  const writeGroup = async (writer: Writer, changes: EventChange[]): Promise<number> => {
    await inTransaction.writeImported(writer, changes);
    return changes.length;
  };

  type ChangesOf = (events: EventResource[]) => EventChange[];
  const removing: ChangesOf = (events) => events.map((event) => ({ what: 'removed', from: event, to: event }));
  /** Marks the events whose newest form could not be read. */
  const markingNow: ChangesOf = (events) => marking(events, clock.now());

  /** Changes events in groups. @returns how many were changed */
  const changeEach = async (source: Claimed, claim: string, uids: readonly string[], changesOf: ChangesOf) => {
    let changed = 0;
    for (let at = 0; at < uids.length; at += CHUNK)
      changed += await writeHeld(source, claim, async (writer) => {
        const events = await findEvents(writer.tx, source.user_id, uids.slice(at, at + CHUNK));
        return writeGroup(writer, changesOf(events));
      });
    return changed;
  };

  /** Lets events that have been marked for a day no longer count as busy. @returns how many */
  const free = async (source: Claimed, claim: string): Promise<number> => {
    const until = instantOf(clock.millis() - (source.busy ? STALE_MS : 0));
    for (let changed = 0; ;) {
      const count = await writeHeld(source, claim, async (writer) =>
        writeGroup(writer, freeing(await staleEvents(writer.tx, source, until, CHUNK))),
      );
      changed += count;
      if (count < CHUNK) return changed;
    }
  };

  /**
   * Reads a file and writes what differs. What could not be read stays as it is.
   * @throws UnreadableFile where the file is no whole calendar, ClaimLost
   */
  const apply = async (source: Claimed, claim: string, { bytes, charset }: CalendarFile, zone: string) => {
    const tail = Buffer.from(bytes.subarray(-TAIL)).toString('latin1').replaceAll('\0', '');
    if (!END.test(tail)) throw new UnreadableFile('The answer is not a whole iCalendar file.');
    const { events, report, left } = await runYielding(readingCalendar(bytes, { zone, charset }));
    const unreadable = left.filter(({ outcome }) => outcome === 'failed');
    const unreadUids = new Set(unreadable.map(({ uid }) => uid));
    const all: Found[] = [...Map.groupBy(events, ({ event }) => event.uid)].map(([own, list]) => {
      const uid = uidOf(source.id, own);
      const partial = unreadUids.has(own) && list.every(({ event }) => event.recurrence_id !== null);
      return { own, uid, partial, parts: list.map(({ line, event }) => ({ line, event: { ...event, uid } })) };
    });
    const failed: LeftOut[] = [...unreadable];
    const refused = new Set<string>();
    let changed = 0;
    for (let at = 0; at < all.length; at += CHUNK) {
      const chunk = all.slice(at, at + CHUNK);
      const written = await writeHeld(source, claim, (writer) => writeChunk(writer, chunk, source));
      changed += written.changed;
      for (const { found, reason } of written.failed) {
        refused.add(found.uid);
        failed.push(leftOut(found, reason));
      }
    }
    const applied: Applied = { changed, unread: failed.length, findings: findingsOf(failed, report) };
    const stale = new Set(failed.flatMap(({ uid }) => (uid === null ? [] : [uidOf(source.id, uid)])));
    // An event that was read has the form of the file, also where an occurrence of it was not.
    for (const { uid, partial } of all) if (!partial && !refused.has(uid)) stale.delete(uid);
    applied.changed += await changeEach(source, claim, [...stale], markingNow);
    if (failed.length) applied.changed += await free(source, claim);
    const there = new Set([...all.map(({ uid }) => uid), ...unreadable.map(({ uid }) => uidOf(source.id, uid ?? ''))]);
    const gone = await writeHeld(source, claim, async (writer) =>
      (await uidsOfSource(writer.tx, source.user_id, source.id)).filter((uid) => !there.has(uid)),
    );
    // A component without a uid can be any event, so what is missing is only marked then.
    const isKnown = unreadable.every(({ uid }) => uid !== null);
    applied.changed += await changeEach(source, claim, gone, isKnown ? removing : markingNow);
    return applied;
  };

  return { apply, free };
};
