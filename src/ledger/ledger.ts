/**
 * Writes to the ledger, the only way to change data (docs/decisions.md, One ledger per user). A write is a transaction that
 * takes the user's lock, assigns seq, chains the hashes and adds one entry for each change. Features update their projections
 * in the same transaction.
 */
import type { Transaction } from 'kysely';
import type { Clock } from '../common/clock.ts';
import { onBehalfOf } from '../common/fair-shares.ts';
import { notFound, Problem, type ProblemCode } from '../common/problem.ts';
import { inTransactionFirst } from '../common/yielding.ts';
import type { DatabaseHandle } from '../db/database.ts';
import { isDatabaseAway } from '../db/sqlstate.ts';
import type { Database } from '../db/tables.ts';
import { GENESIS_HASH } from '../domain/record/canonical-json.ts';
import type { Instant } from '../domain/time/time.ts';
import { createWriter, type Author, type Head, type Mark, type Writer } from './ledger-writer.ts';
import { createWriteQueue } from './write-queue.ts';

/** The answer to one of several writes that are done together, and the seq of its last entry; null where it has none. */
export type Done<T> = { value: T; seq: number | null };

/** Does several writes at once. @returns what each is answered, in their order */
export type GroupWork<I, T> = (writer: Writer, items: I[]) => Promise<Done<T>[]>;

/** The recorded_at before the first entry. */
const EPOCH: Instant = '1970-01-01T00:00:00.000Z';

/** The problems of fair shares (common/fair-shares.ts). */
const NO_CONNECTION: ProblemCode[] = ['database_unavailable', 'too_many_requests'];

/** Thrown at the end of a simulated write to undo it. */
class RolledBack extends Error {}

export type LedgerDeps = {
  handle: DatabaseHandle;
  clock: Clock;
};

/** Called after each commit that recorded something. */
export type CommitListener = (user_id: string, seq: number, entries: number) => void;

export const createLedger = ({ handle, clock }: LedgerDeps) => {
  const { db } = handle;
  const listeners: CommitListener[] = [];
  const committed: CommitListener = (user_id, seq, entries) => {
    for (const listener of listeners) listener(user_id, seq, entries);
  };

  /**
   * Locks the user's head. A write waits here for the one before; with `ifFree` it gets null at once. Uses the index
   * ledger_heads_pkey.
   */
  const lock = async (tx: Transaction<Database>, user_id: string, ifFree: boolean): Promise<Head | null> => {
    const head = await tx
      .selectFrom('ledger_heads')
      .select(['seq', 'hash', 'recorded_at'])
      .where('user_id', '=', user_id)
      .forUpdate()
      .$if(ifFree, (q) => q.skipLocked())
      .executeTakeFirst();
    return head ? { ...head, hash: head.hash.toString('hex') } : null;
  };

  const queue = createWriteQueue();

  type Outcome<T> = { value: T; entries: number; seq: number };

  type RunOptions<T> = {
    simulate?: boolean;
    ifFree?: boolean;
    /** The marks of several requests. Without it, that of the author. */
    marksOf?: (value: T) => Mark[];
  };

  const run = async <T>(
    author: Author,
    work: (writer: Writer) => Promise<T>,
    { simulate = false, ifFree = false, marksOf }: RunOptions<T> = {},
  ): Promise<Outcome<T> | null> => {
    let outcome: Outcome<T> | null = null;
    try {
      await db.transaction().execute(async (tx) => {
        const head = await lock(tx, author.user_id, ifFree);
        if (!head) return;
        const { writer, flush } = createWriter(tx, author, head, clock);
        const value = await inTransactionFirst(() => work(writer));
        await flush(marksOf?.(value));
        outcome = { value, entries: head.seq - writer.before, seq: head.seq };
        if (simulate) throw new RolledBack();
      });
    } catch (error) {
      if (!(error instanceof RolledBack)) throw error;
    }
    const done = outcome as Outcome<T> | null;
    if (done?.entries && !simulate) committed(author.user_id, done.seq, done.entries);
    return done;
  };

  /** All writes use the person's share of connections, so that none waits behind a write which waits for the agents' share. */
  const runFor = async <T>(author: Author, work: (writer: Writer) => Promise<T>, options?: RunOptions<T>) => {
    const outcome = await onBehalfOf(author.user_id, () => run(author, work, options));
    if (!outcome) throw notFound('user', author.user_id);
    return outcome.value;
  };

  /**
   * Runs `work` under the user's lock and commits all that it recorded. With `simulate` the same code runs and is undone at the
   * end.
   */
  const write = <T>(
    author: Author,
    work: (writer: Writer) => Promise<T>,
    { simulate = false }: { simulate?: boolean } = {},
  ): Promise<T> => queue.alone(author.user_id, () => runFor(author, work, { simulate }));

  /**
   * Like write(), for small writes of which many may wait. Those that wait next to each other, with the same `work` and by the
   * same actor, are one call of `work` in one transaction. Where it fails, each runs by itself, so `work` must bear being run
   * again.
   * @param size of the documents in characters
   */
  const writeTogether = <I, T>(author: Author, work: GroupWork<I, T>, item: I, size: number): Promise<T> => {
    type Member = { author: Author; item: I };
    const all = async (members: Member[]): Promise<T[]> => {
      const marksOf = (done: Done<T>[]): Mark[] =>
        members.flatMap(({ author: { idempotency } }, i) => {
          const seq = done[i]?.seq;
          return idempotency && seq ? [{ ...idempotency, seq }] : [];
        });
      const items = members.map((member) => member.item);
      const done = await runFor({ ...author, idempotency: undefined }, (writer) => work(writer, items), { marksOf });
      return done.map(({ value }) => value);
    };
    const one = (member: Member): Promise<T> =>
      runFor(member.author, async (writer) => ((await work(writer, [member.item]))[0] as Done<T>).value);
    // A transaction whose connection was lost may have been committed, and one that got no connection would wait again.
    const isUndone = (error: unknown): boolean =>
      error instanceof Problem ? !NO_CONNECTION.includes(error.code) : !isDatabaseAway(error);
    const group = { kind: work, actor: author.actor, all, one, isUndone };
    return queue.together(author.user_id, group, { author, item }, size);
  };

  /** Like write(), but does nothing and returns null where another write of this user is running. */
  const writeIfFree = async <T>(author: Author, work: (writer: Writer) => Promise<T>): Promise<{ value: T } | null> =>
    run(author, work, { ifFree: true });

  /**
   * Creates a user's ledger with the account, and does its first write. Of two concurrent accounts with one address, the unique
   * index on users.email refuses the second.
   */
  const open = async <T>(
    author: Author,
    account: { email: string; password_hash: string; admin: boolean },
    work: (writer: Writer) => Promise<T>,
  ): Promise<T> => {
    const { user_id } = author;
    const head: Head = { seq: 0, hash: GENESIS_HASH, recorded_at: EPOCH };
    const value = await db.transaction().execute(async (tx) => {
      await tx
        .insertInto('users')
        .values({ user_id, ...account })
        .execute();
      await tx
        .insertInto('ledger_heads')
        .values({ ...head, user_id, hash: Buffer.from(head.hash, 'hex') })
        .execute();
      const { writer } = createWriter(tx, author, head, clock);
      const result = await work(writer);
      await writer.flush();
      return result;
    });
    committed(user_id, head.seq, head.seq);
    return value;
  };

  return {
    write,
    writeTogether,
    writeIfFree,
    open,
    onCommit: (listener: CommitListener): void => void listeners.push(listener),
  };
};

export type Ledger = ReturnType<typeof createLedger>;
