/** How things look from outside: what this credential may see of them, in the form of each mode, and their group. */
import { present } from '../calendar/within.ts';
import type { EventResource } from '../calendar/schema.ts';
import { redactDeep } from '../domain/redact.ts';
import { summarise } from '../domain/summary.ts';
import { localDate } from '../domain/time.ts';
import type { TraceDoc } from '../domain/trace.ts';
import type { GroupBy, Subject } from './schema.ts';

/** A document as exported. */
export type Exported = Record<string, unknown> & { uid: string };

/** Something exported, as the ledger has it. */
export type Item =
  | { subject: 'trace'; doc: TraceDoc }
  | { subject: 'event'; doc: EventResource }
  | { subject: 'profile'; doc: Record<string, unknown> & { user_id: string } };
export type View = (item: Item) => Exported;

/** Where people write freely; identifiers (uid, task_id, links) stay whole, or nothing would fit together any more. */
const FREE_TEXT: Record<Subject, readonly string[]> = {
  trace: ['content', 'summary', 'notes', 'title', 'reasoning', 'last_error', 'tags'],
  event: ['title', 'description', 'location', 'url', 'tags', 'overrides'],
  profile: ['display_name'],
};
/** The caller's own data, names of its members included. */
const OWN_DATA = ['metadata', 'arguments'] as const;
/** Records with one free text each. */
const NOTED = ['decision', 'transition'] as const;

type Blank = { text: ReturnType<typeof redactDeep>; own: ReturnType<typeof redactDeep> };

/** Made once for as long as the values are kept. */
const blanks = new WeakMap<readonly string[], Blank>();
const blankOf = (values: readonly string[]): Blank => {
  const blank = blanks.get(values) ?? { text: redactDeep(values), own: redactDeep(values, { names: true }) };
  blanks.set(values, blank);
  return blank;
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
  const blank = sensitive && sensitive.length ? blankOf(sensitive) : null;
  const blanked = (subject: Subject, shown: Exported): Exported => {
    if (!blank) return shown;
    const out: Exported = { ...shown };
    for (const field of FREE_TEXT[subject]) if (out[field] != null) out[field] = blank.text(out[field]);
    if (subject !== 'trace') return out;
    for (const field of OWN_DATA) if (out[field] != null) out[field] = blank.own(out[field]);
    for (const field of NOTED) {
      const record = out[field] as { note: string | null } | null | undefined;
      if (record?.note) out[field] = { ...record, note: blank.text(record.note) };
    }
    // A summary may have cut a value in two: it is made again from what is left.
    if (out['content'] !== shown['content']) out['summary'] = summarise(out['content'] as string);
    return out;
  };
  const shown = (item: Item): Exported => {
    if (item.subject === 'event') return { ...present(item.doc) };
    if (item.subject === 'profile') return { uid: item.doc.user_id, ...item.doc };
    if (!sensitive && feedback) return item.doc;
    const { authored_by, chat_url, feedback_rating, notes, ...rest } = item.doc;
    return {
      ...rest,
      ...(sensitive ? {} : { authored_by, chat_url }),
      ...(feedback ? { feedback_rating, notes } : {}),
    };
  };
  return (item) => blanked(item.subject, shown(item));
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
