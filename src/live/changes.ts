/** Reads the ledger as pages of change messages after a position. All readers that wait at the same position share one read. */
import type { Db } from '../db/database.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import { mapYielding } from '../common/yielding.ts';
import { messageOf, scopeOfKind, type Message } from '../domain/record/messages.ts';
import { problem, type Problem } from '../common/problem.ts';
import { DISABLED, ERASED } from '../ledger/erase.ts';
import { headPosition, markOf, writeLedgerPosition, type LedgerPosition } from '../ledger/ledger-position.ts';
import { entriesFrom } from '../ledger/read-ledger.ts';
import { isTrusted, type Sensitive } from '../ledger/sensitive-values.ts';
import { onBehalfOf } from '../common/fair-shares.ts';
import { endedCredentials, type Held } from './ended-credentials.ts';
import type { Hub } from './hub.ts';

/** A ledger entry for readers of changes. An entry without a message only advances the position. */
export type Change = {
  seq: number;
  mark: string;
  kind: string;
  subject_uid: string;
  scope: Scope | null;
  message: Message | null;
  text: string;
};

/** Returns whether this credential may see that change. */
export const isShown = (change: Change, scopes: Caller['scopes']): boolean =>
  change.message !== null && change.scope !== null && scopes.has(change.scope);

/** The kinds of changes that may end a credential (`ends`). */
const ENDING: ReadonlySet<string> = new Set([ERASED, DISABLED, 'key.revoked']);
export const mayEnd = ({ kind }: Change): boolean => ENDING.has(kind);

/** The reasons why a ledger can't be continued from a position. */
export const GONE = ['seq_ahead', 'seq_gone', 'restored'] as const;
export type Gone = (typeof GONE)[number];

/** A page, whether entries follow it, and the position at its end. */
export type Changes = { changes: Change[]; more: boolean; upto: LedgerPosition };

export const createChanges = ({ db, hub, sensitive }: { db: Db; hub: Hub; sensitive: Sensitive }) => {
  const underway = new Map<string, Promise<Changes>>();

  /**
   * Explains why a ledger can't be continued from a position. `found` is the seq of the first entry that exists from there on.
   */
  const gone = async (user_id: string, { seq }: LedgerPosition, found: number | undefined): Promise<Problem> => {
    const head = await headPosition(db, user_id);
    const [reason, detail]: [Gone, string] =
      found === undefined
        ? ['seq_ahead', `The ledger ends at ${head.seq} and has no seq ${seq}`]
        : found > seq
          ? ['seq_gone', `The entries after ${seq} are no longer stored`]
          : ['restored', `The database was restored from a backup, and its entry ${seq} is another one`];
    const position = writeLedgerPosition(head);
    return problem('seq_gone', `${detail}. Read the current state again, then follow from the newest seq.`, {
      reason,
      seq: head.seq,
      position,
    });
  };

  const load = async (user_id: string, at: LedgerPosition, limit: number): Promise<Changes> => {
    const { items: entries, more } = await onBehalfOf(user_id, () => entriesFrom(db, user_id, at.seq, limit));
    // seq has no gaps and begins with 1.
    const first = at.seq === 0 ? undefined : entries.shift();
    const isStart = at.seq === 0 ? (entries[0]?.seq ?? 1) === 1 : first?.seq === at.seq;
    const isSame = !first || at.mark === null || markOf(first.hash) === at.mark;
    if (!isStart || !isSame) throw await gone(user_id, at, (first ?? entries[0])?.seq);
    const changes = entries.map((entry) => {
      const mark = markOf(entry.hash);
      const message = messageOf(user_id, { ...entry, position: writeLedgerPosition({ seq: entry.seq, mark }) });
      const { seq, kind, subject_uid } = entry;
      return {
        seq,
        mark,
        kind,
        subject_uid,
        scope: scopeOfKind(kind),
        message,
        text: message ? JSON.stringify(message) : '',
      };
    });
    return { changes, more, upto: changes.at(-1) ?? { seq: at.seq, mark: first ? markOf(first.hash) : null } };
  };

  return {
    /**
     * Reads the changes after a position, oldest first, at most `limit` and at most a page of bytes. Sockets of one user that one
     * commit woke share one query. Its key holds the newest known seq, so that no socket joins a read that began before the
     * commit that woke it.
     * @throws 410 seq_gone with the reason, where the ledger does not continue from there
     */
    read: (user_id: string, at: LedgerPosition, limit: number): Promise<Changes> => {
      const key = `${user_id} ${writeLedgerPosition(at)} ${limit} ${hub.known(user_id)}`;
      const shared = underway.get(key) ?? load(user_id, at, limit).finally(() => underway.delete(key));
      underway.set(key, shared);
      return shared;
    },

    /** Blanks a page for this credential. Most credentials see it unchanged. */
    shownTo: async (credential: Pick<Caller, 'user_id' | 'scopes'>, page: Change[]): Promise<Change[]> => {
      if (isTrusted(credential) || !page.length) return page;
      return onBehalfOf(credential.user_id, async () => {
        const show = await sensitive.viewOfVersions(credential);
        return mapYielding(page, (change) => {
          const message = change.message && isShown(change, credential.scopes) ? show(change.message) : null;
          return { ...change, message, text: message ? JSON.stringify(message) : '' };
        });
      });
    },

    /**
     * Whether this change, which may end credentials, ends that one, which may see nothing after it. An account that was disabled may
     * be enabled again.
     */
    ends: async ({ kind, subject_uid }: Change, credential: Held): Promise<boolean> =>
      kind === DISABLED
        ? (await onBehalfOf(credential.user_id, () => endedCredentials(db, [credential]))).size > 0
        : kind === ERASED || subject_uid === credential.credential_id,

    head: (user_id: string): Promise<LedgerPosition> => onBehalfOf(user_id, () => headPosition(db, user_id)),
  };
};

export type Feed = ReturnType<typeof createChanges>;
