/** How a trace looks from outside: what this credential may see of it, in the form of each mode, and its group. */
import { redactDeep } from '../domain/redact.ts';
import { summarise } from '../domain/summary.ts';
import { localDate } from '../domain/time.ts';
import type { TraceDoc } from '../domain/trace.ts';
import type { GroupBy } from './schema.ts';

/** A trace as exported. */
export type Exported = Record<string, unknown> & { uid: string };
export type View = (trace: TraceDoc) => Exported;

/** Where people write freely; identifiers (uid, task_id, links) stay whole, or nothing would fit together any more. */
const FREE_TEXT = [
  'content',
  'summary',
  'notes',
  'title',
  'reasoning',
  'metadata',
  'arguments',
  'last_error',
  'tags',
] as const;
/** Records with one free text each. */
const NOTED = ['decision', 'transition'] as const;

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
  const blank = sensitive && sensitive.length ? redactDeep(sensitive) : null;
  const blanked = (trace: Exported): Exported => {
    if (!blank) return trace;
    const out: Exported = { ...trace };
    for (const field of FREE_TEXT) if (out[field] != null) out[field] = blank(out[field]);
    for (const field of NOTED) {
      const record = out[field] as { note: string | null } | null | undefined;
      if (record?.note) out[field] = { ...record, note: blank(record.note) };
    }
    // A summary may have cut a value in two: it is made again from what is left.
    if (out['content'] !== trace['content']) out['summary'] = summarise(out['content'] as string);
    return out;
  };
  return (trace) => {
    const { authored_by, chat_url, feedback_rating, notes, ...rest } = trace;
    return blanked({
      ...rest,
      ...(sensitive ? {} : { authored_by, chat_url }),
      ...(feedback ? { feedback_rating, notes } : {}),
    });
  };
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

/** Groups in the order they appear, with their sizes. */
export const countGroups = (keys: readonly (string | null)[]): { key: string | null; count: number }[] => {
  const counts = new Map<string | null, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return Array.from(counts, ([key, count]) => ({ key, count }));
};
