/** The ledger as readers of changes see it: pages of messages after a seq, read once for all who wait at the same place. */
import type { Db } from '../db/client.ts';
import type { Caller, Scope } from '../domain/caller.ts';
import { messageOf, scopeOfKind, type Message } from '../domain/messages.ts';
import { problem } from '../errors.ts';
import { ERASED } from '../ledger/erase.ts';
import { entriesAfter, headSeq } from '../ledger/read.ts';
import { isTrusted, type Sensitive } from '../ledger/sensitive.ts';
import { onBehalfOf } from '../shares.ts';
import type { Hub } from './hub.ts';

/** An entry on its way out. Entries without a message only move the reader on. */
export type Change = {
  seq: number;
  kind: string;
  subject_uid: string;
  scope: Scope | null;
  message: Message | null;
  text: string;
};

/** Whether this credential is shown that change. */
export const isShown = (change: Change, scopes: Caller['scopes']): boolean =>
  change.message !== null && change.scope !== null && scopes.has(change.scope);

/** Whether this change is the end of that credential: nothing after it is for its eyes. */
export const revokes = (change: Change, credential_id: string): boolean =>
  change.kind === ERASED || (change.kind === 'key.revoked' && change.subject_uid === credential_id);

export const createChanges = ({ db, hub, sensitive }: { db: Db; hub: Hub; sensitive: Sensitive }) => {
  const underway = new Map<string, Promise<Change[]>>();

  const load = async (user_id: string, after: number, limit: number): Promise<Change[]> => {
    const entries = await onBehalfOf(user_id, () => entriesAfter(db, user_id, { after, limit }));
    // seq is dense: a hole at the start means that what was asked for is no longer kept.
    if (entries[0] && entries[0].seq !== after + 1)
      throw problem(
        'seq_gone',
        `Entries after ${after} are no longer kept: read what you need anew, then follow from the newest seq.`,
      );
    return entries.map((entry) => {
      const message = messageOf(user_id, entry);
      const { seq, kind, subject_uid } = entry;
      return {
        seq,
        kind,
        subject_uid,
        scope: scopeOfKind(kind),
        message,
        text: message ? JSON.stringify(message) : '',
      };
    });
  };

  return {
    /**
     * Changes after `after`, oldest first, at most `limit`. Sockets of one user woken by one commit share one query: the
     * key holds how far was known, so nobody joins a read that began before the commit that woke them.
     * @throws 410 seq_gone where entries in between are no longer kept.
     */
    read: (user_id: string, after: number, limit: number): Promise<Change[]> => {
      const key = `${user_id} ${after} ${limit} ${hub.known(user_id)}`;
      const shared = underway.get(key) ?? load(user_id, after, limit).finally(() => underway.delete(key));
      underway.set(key, shared);
      return shared;
    },

    /** A page as this credential may see it; most see it as it is. */
    shownTo: async (credential: Pick<Caller, 'user_id' | 'scopes'>, page: Change[]): Promise<Change[]> => {
      if (isTrusted(credential) || !page.length) return page;
      const show = await onBehalfOf(credential.user_id, () => sensitive.viewOf(credential));
      return page.map((change) => {
        const message = change.message && isShown(change, credential.scopes) ? show(change.message) : null;
        return { ...change, message, text: message ? JSON.stringify(message) : '' };
      });
    },

    head: (user_id: string): Promise<number> => onBehalfOf(user_id, () => headSeq(db, user_id)),
  };
};

export type Changes = ReturnType<typeof createChanges>;
