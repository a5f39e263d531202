/** Converts ledger entries to realtime messages in the format of CloudEvents 1.0 (JSON). */
import type { Scope } from '../access/caller.ts';
import type { Instant } from '../time/time.ts';

/** The parts of a ledger entry that its message needs. */
export type MessageSource = {
  seq: number;
  kind: string;
  subject: string;
  subject_uid: string;
  recorded_at: Instant;
  /** The entry's position, `<seq>.<digits of its hash>`, which clients send to resume. */
  position: string;
  /** It is null only after the account was erased. */
  payload: Record<string, unknown> | null;
};

export type Message = {
  specversion: '1.0';
  /** It is unique over all users, and an entry that is sent again has the same id. */
  id: string;
  source: string;
  type: string;
  subject: string;
  time: Instant;
  /** An extension attribute, the entry's seq. */
  sequence: number;
  /** An extension attribute. A client resumes after the last position that it has received. */
  position: string;
  /** The whole document at this version. */
  data: Record<string, unknown>;
};

/** The scope that a credential needs to receive a message, by the first part of its type. */
const SCOPE_OF: Record<string, Scope> = {
  plan: 'plan:read',
  queue: 'plan:read',
  trace: 'memory:read',
  event: 'calendar:read',
};

/** Returns the scope that entries of this kind need; null for entries that are never sent (profile, keys, checkpoints). */
export const scopeOfKind = (kind: string): Scope | null => SCOPE_OF[kind.split('.', 1)[0] ?? ''] ?? null;

/** Makes the message of an entry, or null where it has none. The same entry always gives the same message. */
export const messageOf = (user_id: string, entry: MessageSource): Message | null => {
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
