/**
 * Walks over what existed at a seq, or was reachable from it through links. Each result has the key at which a later request
 * can continue.
 */
import type { Db } from '../../db/database.ts';
import { isKeptInstant, millis } from '../../domain/time/time.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import { problem } from '../../common/problem.ts';
import type { TraceFilter } from '../../memory/queries.ts';
import { spanOf } from '../../calendar/timeline.ts';
import type { EventResource } from '../../calendar/schemas.ts';
import { readDocuments } from '../../ledger/document-batches.ts';
import { eventsPage, groupKeys, profileAt, tracesPage, type After } from '../queries.ts';
import type { Reached } from './link-reach.ts';
import type { GroupBy, Subject } from '../schemas.ts';
import { groupOf, type Item } from './views.ts';

export type Key = (string | number)[];
/** One result. `seq` is that of the ledger entry with its document. */
export type Step<T> = { key: Key; seq: number; value: T; group: string | null };

export type Walk = {
  db: Db;
  user_id: string;
  /** The seq that the export is true for. */
  at: number;
  filter: TraceFilter;
  group_by: GroupBy | undefined;
  zone: string;
  /** The kinds to walk, in this order. With group_by only traces. */
  subjects: readonly Subject[];
  /** This many results are found at once. Their documents are read in smaller batches. */
  at_once: number;
};

const badCursor = () =>
  problem('invalid_cursor', 'The cursor belongs to another export. Start again with the first page.');

/** Checks a key from a cursor before it reaches SQL. @throws 422 where it is not a time and a uid */
const timeAndUid = (key: Key): After => {
  const [at, uid] = key.slice(-2);
  if (typeof at !== 'string' || typeof uid !== 'string' || !isKeptInstant(at)) throw badCursor();
  return [at, uid];
};

export const integer = (value: string | number | undefined): number => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw badCursor();
  return value as number;
};

/** The documents at these seqs, in their order. Erased ones are left out. */
export const itemsAt = async function* <T extends { seq: number }>(
  { db, user_id }: Pick<Walk, 'db' | 'user_id'>,
  entries: readonly T[],
): AsyncGenerator<[T, Record<string, unknown>]> {
  let next = 0;
  for await (const documents of readDocuments<Record<string, unknown>>(
    db,
    user_id,
    entries.map((place) => place.seq),
  ))
    for (const document of documents) {
      const place = entries[next++] as T;
      if (document) yield [place, document];
    }
};

/** The values of the column by which a walk groups that are left from this key on. Without a column there is one group, null. */
const groupsFrom = async (
  w: Walk,
  column: 'task_id' | 'type' | null,
  from: Key | undefined,
): Promise<(string | null)[]> => {
  if (!column) return [null];
  const all = await groupKeys(w.db, w.user_id, w.at, w.filter, column);
  const start = from ? all.findIndex((key) => (key ?? '') === from[0]) : 0;
  if (start < 0) throw badCursor();
  return all.slice(start);
};

/** Traces sorted by time, or by group and time. Key: [group,] timestamp, uid. */
const walkTraces = async function* (w: Walk, from: Key | undefined): AsyncGenerator<Step<Item>> {
  const column = w.group_by === 'task' ? 'task_id' : w.group_by === 'trace_type' ? 'type' : null;
  const groups = await groupsFrom(w, column, from);
  let after = from && timeAndUid(from);
  for (const key of groups) {
    const filter = column ? { ...w.filter, [column]: key } : w.filter;
    for (let isMore = true; isMore;) {
      const page = await tracesPage(w.db, w.user_id, w.at, filter, after, w.at_once);
      for await (const [found, document] of itemsAt(w, page)) {
        const doc = document as unknown as TraceDoc;
        const place = [found.at, found.uid];
        const group = w.group_by ? groupOf(doc, w.group_by, w.zone) : null;
        yield { key: column ? [key ?? '', ...place] : place, seq: found.seq, value: { subject: 'trace', doc }, group };
      }
      const last = page.at(-1);
      after = last && [last.at, last.uid];
      isMore = page.length === w.at_once;
    }
    after = undefined;
  }
};

/** Whether an event overlaps the window, both ends included. A series counts from its first to its last occurrence. */
const overlapsWindow = (event: EventResource, { start, end }: TraceFilter): boolean => {
  if (start === undefined && end === undefined) return true;
  const span = spanOf(event);
  const begins = end === undefined || millis(span.start) <= millis(end);
  return (
    begins && (start === undefined || span.end === null || millis(span.end) > millis(start) || span.start >= start)
  );
};

/** Events sorted by start. Key: start, uid. */
const walkEvents = async function* (w: Walk, from: Key | undefined): AsyncGenerator<Step<Item>> {
  let after = from && timeAndUid(from);
  for (let isMore = true; isMore;) {
    const page = await eventsPage(w.db, w.user_id, w.at, w.filter, after, w.at_once);
    for await (const [found, document] of itemsAt(w, page)) {
      const doc = document as unknown as EventResource;
      if (overlapsWindow(doc, w.filter))
        yield { key: [found.at, found.uid], seq: found.seq, value: { subject: 'event', doc }, group: null };
    }
    const last = page.at(-1);
    after = last && [last.at, last.uid];
    isMore = page.length === w.at_once;
  }
};

const walkProfile = async function* (w: Walk, from: Key | undefined): AsyncGenerator<Step<Item>> {
  const seq = from ? undefined : await profileAt(w.db, w.user_id, w.at);
  if (seq === undefined) return;
  for await (const [, document] of itemsAt(w, [{ seq }])) {
    const doc = document as Extract<Item, { subject: 'profile' }>['doc'];
    yield { key: [], seq, value: { subject: 'profile', doc }, group: null };
  }
};

const WALKS = { trace: walkTraces, event: walkEvents, profile: walkProfile };

/** Everything of the subjects asked for: traces, events, the profile. Key: subject, and the key of its walk. */
export const walkFull = async function* (w: Walk, from: Key | undefined): AsyncGenerator<Step<Item>> {
  const start = from ? w.subjects.findIndex((subject) => subject === from[0]) : 0;
  if (start < 0) throw badCursor();
  let rest = from?.slice(1);
  for (const subject of w.subjects.slice(start)) {
    for await (const step of WALKS[subject](w, rest)) yield { ...step, key: [subject, ...step.key] };
    rest = undefined;
  }
};

export type LinkedTrace = { trace: TraceDoc; depth: number };

/** Traces in the order of a walk along links. Key: the number of results so far. */
export const walkLinked = async function* (
  w: Walk,
  firstReached: (count: number) => Promise<Reached>,
  from: Key | undefined,
): AsyncGenerator<Step<LinkedTrace>> {
  for (let done = from ? integer(from[0]) : 0; ; done += w.at_once) {
    const { seqs, depths } = await firstReached(done + w.at_once);
    const part = seqs
      .slice(done, done + w.at_once)
      .map((seq, i) => ({ seq, depth: depths[done + i] as number, count: done + i + 1 }));
    for await (const [{ seq, depth, count }, document] of itemsAt(w, part)) {
      const trace = document as unknown as TraceDoc;
      const group = w.group_by ? groupOf(trace, w.group_by, w.zone) : null;
      yield { key: [count], seq, value: { trace, depth }, group };
    }
    if (part.length < w.at_once) return;
  }
};
