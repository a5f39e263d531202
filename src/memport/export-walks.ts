/** What there was at a seq, and what was reachable from it, as walks: one result after the other, each with the key at which the walk can go on. */
import type { Db } from '../db/database.ts';
import { isKeptInstant, millis } from '../domain/time/time.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import { problem } from '../common/problem.ts';
import type { TraceFilter } from '../memory/queries.ts';
import { spanOf } from '../calendar/timeline.ts';
import type { EventResource } from '../calendar/schemas.ts';
import { readDocuments } from '../ledger/document-batches.ts';
import { eventsPage, groupKeys, profileAt, tracesPage, type After } from './queries.ts';
import type { Reached } from './link-reach.ts';
import type { GroupBy, Subject } from './schemas.ts';
import { groupOf, type Item } from './export-views.ts';

export type Key = (string | number)[];
/** `seq`: of the ledger entry a result stands on. */
export type Step<T> = { key: Key; seq: number; value: T; group: string | null };

export type Walk = {
  db: Db;
  user_id: string;
  /** Seq the export is true for. */
  at: number;
  filter: TraceFilter;
  group_by: GroupBy | undefined;
  zone: string;
  /** In this order; others than traces only without group_by. */
  subjects: readonly Subject[];
  /** Reached found at once; their documents come in smaller batches. */
  at_once: number;
};

const badCursor = () =>
  problem('invalid_cursor', 'The cursor is not one of this export: repeat it from its first page.');

/** A key that was forged or cut is refused here, before it reaches SQL. */
const timeAndUid = (key: Key): After => {
  const [at, uid] = key.slice(-2);
  if (typeof at !== 'string' || typeof uid !== 'string' || !isKeptInstant(at)) throw badCursor();
  return [at, uid];
};

export const integer = (value: string | number | undefined): number => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw badCursor();
  return value as number;
};

/** What the ledger holds at these seqs, one after the other; what was erased is left out. */
export const itemsAt = async function* <T extends { seq: number }>(
  { db, user_id }: Pick<Walk, 'db' | 'user_id'>,
  places: readonly T[],
): AsyncGenerator<[T, Record<string, unknown>]> {
  let next = 0;
  for await (const documents of readDocuments<Record<string, unknown>>(
    db,
    user_id,
    places.map((place) => place.seq),
  ))
    for (const document of documents) {
      const place = places[next++] as T;
      if (document) yield [place, document];
    }
};

/** Traces by time, or by group and time. Key: [group,] timestamp, uid. */
const walkTraces = async function* (w: Walk, from: Key | undefined): AsyncGenerator<Step<Item>> {
  const column = w.group_by === 'task' ? 'task_id' : w.group_by === 'trace_type' ? 'type' : null;
  const all = column ? await groupKeys(w.db, w.user_id, w.at, w.filter, column) : [null];
  const start = column && from ? all.findIndex((key) => (key ?? '') === from[0]) : 0;
  if (start < 0) throw badCursor();
  let after = from && timeAndUid(from);
  for (const key of all.slice(start)) {
    const filter = column ? { ...w.filter, [column]: key } : w.filter;
    for (let isMore = true; isMore;) {
      const page = await tracesPage(w.db, w.user_id, w.at, filter, after, w.at_once);
      for await (const [held, document] of itemsAt(w, page)) {
        const doc = document as unknown as TraceDoc;
        const place = [held.at, held.uid];
        const group = w.group_by ? groupOf(doc, w.group_by, w.zone) : null;
        yield { key: column ? [key ?? '', ...place] : place, seq: held.seq, value: { subject: 'trace', doc }, group };
      }
      const last = page.at(-1);
      after = last && [last.at, last.uid];
      isMore = page.length === w.at_once;
    }
    after = undefined;
  }
};

/** Whether any of an event lies in the window, both ends included; of a series any time from its first to its last occurrence. */
const isWithin = (event: EventResource, { start, end }: TraceFilter): boolean => {
  if (start === undefined && end === undefined) return true;
  const span = spanOf(event);
  const begins = end === undefined || millis(span.start) <= millis(end);
  return (
    begins && (start === undefined || span.end === null || millis(span.end) > millis(start) || span.start >= start)
  );
};

/** Events by start. Key: start, uid. */
const walkEvents = async function* (w: Walk, from: Key | undefined): AsyncGenerator<Step<Item>> {
  let after = from && timeAndUid(from);
  for (let isMore = true; isMore;) {
    const page = await eventsPage(w.db, w.user_id, w.at, w.filter, after, w.at_once);
    for await (const [held, document] of itemsAt(w, page)) {
      const doc = document as unknown as EventResource;
      if (isWithin(doc, w.filter))
        yield { key: [held.at, held.uid], seq: held.seq, value: { subject: 'event', doc }, group: null };
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

/** All that there was: traces, events, the profile, as far as wanted. Key: subject, and where in its walk. */
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

/** Traces in the order of a walk along links. Key: how many were told. */
export const walkLinked = async function* (
  w: Walk,
  placesTo: (count: number) => Promise<Reached>,
  from: Key | undefined,
): AsyncGenerator<Step<LinkedTrace>> {
  for (let done = from ? integer(from[0]) : 0; ; done += w.at_once) {
    const { seqs, depths } = await placesTo(done + w.at_once);
    const part = seqs
      .slice(done, done + w.at_once)
      .map((seq, i) => ({ seq, depth: depths[done + i] as number, told: done + i + 1 }));
    for await (const [{ seq, depth, told }, document] of itemsAt(w, part)) {
      const trace = document as unknown as TraceDoc;
      const group = w.group_by ? groupOf(trace, w.group_by, w.zone) : null;
      yield { key: [told], seq, value: { trace, depth }, group };
    }
    if (part.length < w.at_once) return;
  }
};
