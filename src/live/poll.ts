/** Long polling: gives the changes of the socket to clients that can't hold one. */
import type { Caller } from '../domain/access/caller.ts';
import type { Message } from '../domain/record/messages.ts';
import { problem } from '../common/problem.ts';
import { writeLedgerPosition, type LedgerPosition } from '../ledger/ledger-position.ts';
import { isShown, mayEnd, type Feed } from './changes.ts';
import type { Hub } from './hub.ts';

export type Asked = {
  /** The position that the client has read; undefined means from now on. */
  after?: LedgerPosition | undefined;
  /** Seconds to wait while there is no change. */
  wait: number;
  limit: number;
};

export const createPoll =
  ({ hub, changes }: { hub: Hub; changes: Feed }) =>
  /**
   * Answers as soon as there is a change that this caller may see. It answers without one after `wait` seconds, when the client
   * disconnects (`signal`), or when the process stops.
   * @throws 410 seq_gone where `after` is beyond the ledger, is no longer kept, or belongs to the time before a backup was
   * restored
   */
  async (
    caller: Caller,
    { after, wait, limit }: Asked,
    signal: AbortSignal,
  ): Promise<{ changes: Message[]; seq: number; position: string }> => {
    const { user_id, scopes } = caller;
    let over = wait === 0;
    let bell = Promise.withResolvers<void>();
    const ring = (): void => bell.resolve();
    const unwatch = hub.watch(user_id, ring); // The watch begins before the first read, so that no commit is missed in between.
    const timer = setTimeout(() => {
      over = true;
      ring();
    }, wait * 1000);
    signal.addEventListener('abort', ring);
    try {
      let at = after ?? (await changes.head(user_id));
      for (;;) {
        bell = Promise.withResolvers();
        const { changes: page, more, upto } = await changes.read(user_id, at, limit);
        for (const change of page.filter(mayEnd))
          if (await changes.ends(change, caller)) throw problem('unauthenticated', 'The credential was revoked.');
        const shown = await changes.shownTo(caller, page);
        const messages = shown.filter((change) => isShown(change, scopes)).map((change) => change.message as Message);
        at = upto;
        if (messages.length || over || signal.aborted || hub.isStopped())
          return { changes: messages, seq: at.seq, position: writeLedgerPosition(at) };
        if (!more) await bell.promise;
      }
    } finally {
      unwatch();
      clearTimeout(timer);
      signal.removeEventListener('abort', ring);
    }
  };

export type Poll = ReturnType<typeof createPoll>;
