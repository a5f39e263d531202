/** Realtime messages: what a ledger entry looks like to the outside, as a CloudEvent (CloudEvents 1.0, JSON format). */
import type { Scope } from '../access/caller.ts';
import type { Instant } from '../time/time.ts';

/** What a message is made from; ledger entries are that. */
export type Fact = {
  seq: number;
  kind: string;
  subject: string;
  subject_uid: string;
  recorded_at: Instant;
  /** Of the entry: its place as clients come back with it, `<seq>.<digits of its hash>`. */
  position: string;
  /** Null only after the account was erased. */
  payload: Record<string, unknown> | null;
};

export type Message = {
  specversion: '1.0';
  /** Unique over all users: the same entry is the same message, however often it is sent. */
  id: string;
  source: string;
  type: string;
  subject: string;
  time: Instant;
  /** Extension: the entry's seq. */
  sequence: number;
  /** Extension: a client resumes after the last one it has seen. */
  position: string;
  /** The whole document at this version. */
  data: Record<string, unknown>;
};

/** What a credential needs to be shown a message, by the first part of its type. */
const SCOPE_OF: Record<string, Scope> = {
  plan: 'plan:read',
  queue: 'plan:read',
  trace: 'memory:read',
  event: 'calendar:read',
};

/** The scope that shows this kind of entry; null for entries that nobody is sent (profile, keys, checkpoints). */
export const scopeOfKind = (kind: string): Scope | null => SCOPE_OF[kind.split('.', 1)[0] ?? ''] ?? null;

/** The message of an entry, or null where it has none. Pure: the same entry always makes the same message. */
export const messageOf = (user_id: string, entry: Fact): Message | null => {
  if (!entry.payload || scopeOfKind(entry.kind) === null) return null;
  return {
    specversion: '1.0',
    id: `${user_id}:${entry.position}`,
    source: `/ledger/${encodeURIComponent(user_id)}`,
    type: entry.kind,
    subject: entry.subject_uid,
    time: entry.recorded_at,
    sequence: entry.seq,
    position: entry.position,
    data: entry.payload,
  };
};
