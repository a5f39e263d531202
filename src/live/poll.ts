/** Long polling: the same changes as on the socket, for clients that can't hold one. */
import type { Caller } from '../domain/caller.ts';
import type { Message } from '../domain/messages.ts';
import { problem } from '../errors.ts';
import { isShown, revokes, type Changes } from './changes.ts';
import type { Hub } from './hub.ts';

export type Asked = {
  /** Seq seen last; undefined = from now on. */
  after?: number | undefined;
  /** Seconds to wait where there is nothing yet. */
  wait: number;
  limit: number;
};

export const createPoll =
  ({ hub, changes }: { hub: Hub; changes: Changes }) =>
  /**
   * Answers as soon as there is a change this caller may see, at the latest after `wait` seconds, when the client goes
   * (`signal`) or when the process stops. @throws 410 seq_gone where `after` lies beyond the ledger or is no longer kept.
   */
  async (
    caller: Caller,
    { after, wait, limit }: Asked,
    signal: AbortSignal,
  ): Promise<{ changes: Message[]; seq: number }> => {
    const { user_id, scopes } = caller;
    let over = wait === 0;
    let bell = Promise.withResolvers<void>();
    const ring = (): void => bell.resolve();
    const unwatch = hub.watch(user_id, ring); // before the first look, so that no commit falls in between
    const timer = setTimeout(() => {
      over = true;
      ring();
    }, wait * 1000);
    signal.addEventListener('abort', ring);
    try {
      const head = await changes.head(user_id);
      let seq = after ?? head;
      if (seq > head)
        throw problem(
          'seq_gone',
          `The ledger stands at ${head}, it has no seq ${seq}: read anew and follow from there.`,
          { seq: head },
        );
      for (;;) {
        bell = Promise.withResolvers();
        const page = await changes.read(user_id, seq, limit);
        if (page.some((change) => revokes(change, caller.credential_id)))
          throw problem('unauthenticated', 'The credential was revoked.');
        const messages = page.filter((change) => isShown(change, scopes)).map((change) => change.message as Message);
        seq = page.at(-1)?.seq ?? seq;
        if (messages.length || over || signal.aborted || hub.isStopped()) return { changes: messages, seq };
        if (page.length < limit) await bell.promise;
      }
    } finally {
      unwatch();
      clearTimeout(timer);
      signal.removeEventListener('abort', ring);
    }
  };

export type Poll = ReturnType<typeof createPoll>;
