/** Shows documents as exports answer them: what the credential may see, in the form of each mode, and the group. */
import { present } from '../../calendar/in-transaction.ts';
import type { EventResource } from '../../calendar/schemas.ts';
import type { Blanking } from '../../domain/record/blanking.ts';
import { localDate } from '../../domain/time/time.ts';
import { isPlan, type TraceDoc } from '../../domain/record/trace.ts';
import { planLine } from '../../domain/record/plan-line.ts';
import type { GroupBy } from '../schemas.ts';

/** A document as exported. */
export type Exported = Record<string, unknown> & { uid: string };

/** A document as the ledger stores it, with its kind. */
export type Item =
  | { subject: 'trace'; doc: TraceDoc }
  | { subject: 'event'; doc: EventResource }
  | { subject: 'profile'; doc: Record<string, unknown> & { user_id: string } };
export type View = (item: Item) => Exported;

/** Returns the function that shows documents. @param show blanks what the credential may not see */
export const createView = ({ show, feedback }: { show: Blanking; feedback: boolean }): View => {
  const shown = (item: Item): Exported => {
    if (item.subject === 'event') return { ...present(item.doc) };
    if (item.subject === 'profile') {
      const { account: _, ...doc } = item.doc; // Its digests are for the audit.
      return { uid: item.doc.user_id, ...doc };
    }
    if (feedback) return item.doc;
    const { feedback_rating: _r, notes: _n, ...rest } = item.doc;
    return rest;
  };
  return (item) => show(shown(item));
};

/** Whether a summary export leaves a trace out: the line of a plan says what the records of its transitions say. */
export const isToldByPlan = ({ transition }: TraceDoc): boolean => transition !== undefined;

/**
 * The four fields of a summary, with the feedback where it was asked for.
 * @param zone the time zone of the times of plans
 */
export const summaryOf = (view: Exported, zone: string): Record<string, unknown> => {
  const { type, task_id, timestamp } = view;
  const { feedback_rating, notes } = view;
  const trace = view as unknown as TraceDoc;
  const summary = isPlan(trace) ? planLine(trace, zone) : trace.summary;
  return { type, task_id, timestamp, summary, ...('notes' in view ? { feedback_rating, notes } : {}) };
};

/** The key of the group that a trace belongs to. */
export const groupOf = (
  trace: Pick<TraceDoc, 'task_id' | 'type' | 'timestamp'>,
  by: GroupBy,
  zone: string,
): string | null => {
  if (by === 'task') return trace.task_id;
  return by === 'trace_type' ? trace.type : localDate(trace.timestamp, zone);
};

/** Sorts items into groups by key, those without a group last. The order in each group stays. */
export const inGroups = <T>(items: T[], keyOf: (item: T) => string | null): T[] =>
  [...Map.groupBy(items, keyOf)]
    .sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
    .flatMap(([, members]) => members);

/** The groups in the order they appear, with their sizes. */
export const countGroups = (keys: readonly (string | null)[]): { key: string | null; count: number }[] => {
  const counts = new Map<string | null, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Array.from(counts, ([key, count]) => ({ key, count }));
};
