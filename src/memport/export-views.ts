/** How things look from outside: what this credential may see of them, in the form of each mode, and their group. */
import { present } from '../calendar/in-transaction.ts';
import type { EventResource } from '../calendar/schemas.ts';
import { blanking, type Blanking } from '../domain/record/blanking.ts';
import { localDate } from '../domain/time/time.ts';
import type { TraceDoc } from '../domain/record/trace.ts';
import type { GroupBy } from './schemas.ts';

/** A document as exported. */
export type Exported = Record<string, unknown> & { uid: string };

/** Something exported, as the ledger has it. */
export type Item =
  | { subject: 'trace'; doc: TraceDoc }
  | { subject: 'event'; doc: EventResource }
  | { subject: 'profile'; doc: Record<string, unknown> & { user_id: string } };
export type View = (item: Item) => Exported;

/** Made once for as long as the values are kept. */
const blankings = new WeakMap<readonly string[], Blanking>();
const blankingOf = (values: readonly string[]): Blanking => {
  const known = blankings.get(values) ?? blanking(values);
  blankings.set(values, known);
  return known;
};

/**
 * @param sensitive the values of authored_by and chat_url to blank, or null for a credential that may see them.
 */
export const createView = ({
  sensitive,
  feedback,
}: {
  sensitive: readonly string[] | null;
  feedback: boolean;
}): View => {
  const blank = sensitive && blankingOf(sensitive);
  const shown = (item: Item): Exported => {
    if (item.subject === 'event') return { ...present(item.doc) };
    if (item.subject === 'profile') return { uid: item.doc.user_id, ...item.doc };
    if (feedback) return item.doc;
    const { feedback_rating: _r, notes: _n, ...rest } = item.doc;
    return rest;
  };
  return (item) => (blank ? blank(shown(item)) : shown(item));
};

/** The four fields of a summary export, feedback where asked for. */
export const summaryOf = (view: Exported): Record<string, unknown> => {
  const { type, task_id, timestamp, summary } = view;
  const { feedback_rating, notes } = view;
  return { type, task_id, timestamp, summary, ...('notes' in view ? { feedback_rating, notes } : {}) };
};

/** Key of the group a trace is in. */
export const groupOf = (
  trace: Pick<TraceDoc, 'task_id' | 'type' | 'timestamp'>,
  by: GroupBy,
  zone: string,
): string | null => {
  if (by === 'task') return trace.task_id;
  return by === 'trace_type' ? trace.type : localDate(trace.timestamp, zone);
};

/** In groups that keep the order within, groups sorted by key, no group last. */
export const inGroups = <T>(items: T[], keyOf: (item: T) => string | null): T[] =>
  [...Map.groupBy(items, keyOf)]
    .sort(([a], [b]) => (a === null ? 1 : b === null ? -1 : a < b ? -1 : 1))
    .flatMap(([, members]) => members);

/** Groups in the order they appear, with their sizes. */
export const countGroups = (keys: readonly (string | null)[]): { key: string | null; count: number }[] => {
  const counts = new Map<string | null, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Array.from(counts, ([key, count]) => ({ key, count }));
};
