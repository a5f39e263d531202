/**
 * Makes a source's events equal to its file: events are created, changed and removed. The file decides; what was read before
 * plays no part (docs/decisions.md, Calendar sources).
 */
import { hash } from 'node:crypto';
import { readingCalendar, type ReadEvent } from '../../domain/calendar/ics/read-ics.ts';
import { Problem } from '../../common/problem.ts';
import { runYielding } from '../../common/yielding.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { checkEvent, type EventDraft } from '../events/document.ts';
import type { EventChange } from '../events/store.ts';
import { isSameSeries, type CalendarFile } from '../ics/import.ts';
import { createGroup, documentOf } from '../ics/imported-event.ts';
import type { InTransaction } from '../in-transaction.ts';
import { findEvents, lastVersions } from '../queries.ts';
import type { EventResource } from '../schemas.ts';
import { renewClaim, uidsOfSource, type Claimed } from './queries.ts';

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
  ...{ origin: 'import', source_uid: id },
  ...(busy
    ? {}
    : {
        busy: false,
        overrides: Object.fromEntries(
          Object.entries(draft.overrides).map(([at, own]) => [at, { ...own, busy: false }] as const),
        ),
      }),
});

type Found = { uid: string; parts: ReadEvent[] };
type Judged = { change: EventChange | null; failed: boolean };

function* judge({ uid, parts }: Found, existing: EventResource | null, source: Claimed): Generator<undefined, Judged> {
  try {
    const group = yield* createGroup(source.user_id, uid, parts, []);
    const to = checkEvent(ofSource(yield* documentOf(group, null), source));
    if (!existing || existing.removed) return { change: { what: 'created', from: existing, to }, failed: false };
    const isSame = yield* isSameSeries(to, existing);
    return { change: isSame ? null : { what: 'updated', from: existing, to }, failed: false };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { change: null, failed: true };
  }
}

function* judging(chunk: Found[], known: ReadonlyMap<string, EventResource>, source: Claimed) {
  const changes: EventChange[] = [];
  let failed = 0;
  for (const found of chunk) {
    yield;
    const judged = yield* judge(found, known.get(found.uid) ?? null, source);
    if (judged.change) changes.push(judged.change);
    if (judged.failed) failed += 1;
  }
  return { changes, failed };
}

export type Applied = { changed: number; unread: number };

export const createSourceFiles = ({ ledger, inTransaction }: { ledger: Ledger; inTransaction: InTransaction }) => {
  const authorOf = ({ user_id }: Pick<Claimed, 'user_id'>) => ({
    ...{ user_id, actor: 'system:sources', origin: 'import' as const },
  });

  /** Writes one part under the user's lock, where the claim is still held. */
  const writeHeld = <T>(source: Claimed, claim: string, work: (writer: Writer) => Promise<T>): Promise<T> =>
    ledger.write(authorOf(source), async (writer) => {
      if (!(await renewClaim(writer.tx, source, claim))) throw new ClaimLost();
      return work(writer);
    });

  const writeChunk = async (writer: Writer, chunk: Found[], source: Claimed): Promise<Applied> => {
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
    return { changed: kept.length, unread: failed + beyond.size };
  };

  const removeChunk = async (writer: Writer, uids: string[]): Promise<number> => {
    const events = await findEvents(writer.tx, writer.author.user_id, uids);
    await inTransaction.writeImported(
      writer,
      events.map((event) => ({ what: 'removed', from: event, to: event })),
    );
    return events.length;
  };

  /**
   * Reads a file and writes what differs. What could not be read stays as it is.
   * @throws UnreadableFile where the file is no whole calendar, ClaimLost
   */
  const apply = async (source: Claimed, claim: string, { bytes, charset }: CalendarFile, zone: string) => {
    const tail = Buffer.from(bytes.subarray(-TAIL)).toString('latin1').replaceAll('\0', '');
    if (!END.test(tail)) throw new UnreadableFile('The answer is not a whole iCalendar file.');
    const { events, left } = await runYielding(readingCalendar(bytes, { zone, charset }));
    const unreadable = left.filter(({ outcome }) => outcome === 'failed');
    const all: Found[] = [...Map.groupBy(events, ({ event }) => event.uid)].map(([own, list]) => {
      const uid = uidOf(source.id, own);
      return { uid, parts: list.map(({ line, event }) => ({ line, event: { ...event, uid } })) };
    });
    const applied: Applied = { changed: 0, unread: unreadable.length };
    for (let at = 0; at < all.length; at += CHUNK) {
      const chunk = all.slice(at, at + CHUNK);
      const { changed, unread } = await writeHeld(source, claim, (writer) => writeChunk(writer, chunk, source));
      applied.changed += changed;
      applied.unread += unread;
    }
    // A component without a uid can be any event, so nothing is removed then.
    if (unreadable.some(({ uid }) => uid === null)) return applied;
    const there = new Set([...all.map(({ uid }) => uid), ...unreadable.map(({ uid }) => uidOf(source.id, uid ?? ''))]);
    const gone = await writeHeld(source, claim, async (writer) =>
      (await uidsOfSource(writer.tx, source.user_id, source.id)).filter((uid) => !there.has(uid)),
    );
    for (let at = 0; at < gone.length; at += CHUNK)
      applied.changed += await writeHeld(source, claim, (writer) => removeChunk(writer, gone.slice(at, at + CHUNK)));
    return applied;
  };

  return { apply };
};
