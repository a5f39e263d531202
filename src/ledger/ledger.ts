/**
 * Writes to the ledger, the only way to change data (docs/decisions.md, One ledger per user). A write is a transaction that
 * takes the user's lock, assigns seq, chains the hashes and adds one entry for each change. Features update their projections
 * in the same transaction.
 */
import { sql, type Transaction } from 'kysely';
import type { Clock } from '../common/clock.ts';
import { onBehalfOf } from '../common/fair-shares.ts';
import type { ProblemCode } from '../common/problem-codes.ts';
import { notFound, Problem } from '../common/problem.ts';
import { inTransactionFirst } from '../common/yielding.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { Ending } from '../db/pipelined-transaction.ts';
import { isDatabaseAway } from '../db/sqlstate.ts';
import type { Database } from '../db/tables.ts';
import { createWriter, type Author, type Head, type Mark, type Writer } from './ledger-writer.ts';
import { createWriteQueue } from './write-queue.ts';
import { createStorage, limitOf, type Storage } from './storage.ts';
import { createOpen } from './open-ledger.ts';

/** The answer to one of several writes that are done together, and the seq of its last entry; null where it has none. */
export type Done<T> = { value: T; seq: number | null };

/** Does several writes at once. @returns what each is answered, in their order */
export type GroupWork<I, T> = (writer: Writer, items: I[]) => Promise<Done<T>[]>;

/** The problems of fair shares (common/fair-shares.ts). */
const NO_CONNECTION: ProblemCode[] = ['database_unavailable', 'too_many_requests'];

/** Thrown at the end of a simulated write to undo it. */
class RolledBack<T> extends Error {
  readonly value: T;
  constructor(value: T) {
    super('the write was simulated');
    this.value = value;
  }
}

/** Steps of a write: a read that is sent behind the lock without waiting for it, so it sees what the lock protects; then the work. */
type ReadAndWork<R, T> = {
  read: (tx: Transaction<Database>) => Promise<R>;
  work: (writer: Writer, found: R) => Promise<T>;
};

const SKIP_LOCKED = sql`skip locked`;
const EVEN_IF_LOCKED = sql``;

const readsNothing = async (): Promise<void> => undefined;

export type LedgerDeps = {
  handle: DatabaseHandle;
  clock: Clock;
  /** Without it no account has a limit. */
  storage?: Storage;
};

/** Called after each commit that recorded something. */
export type CommitListener = (user_id: string, seq: number, entries: number) => void;

/**
 * Locks the user's head. A write waits here for the one before; with `ifFree` it gets null at once. Uses the index
 * ledger_heads_pkey.
 */
const lock = async (tx: Transaction<Database>, user_id: string, ifFree: boolean): Promise<Locked | null> => {
  const { rows } = await sql<Omit<Locked, 'hash'> & { hash: Buffer }>`
    select h.seq, h.hash, h.recorded_at, h.counted_seq, h.counted_bytes, u.storage_limit as own_limit
    from ledger_heads h left join users u on u.user_id = h.user_id where h.user_id = ${user_id} for update of h ${ifFree ? SKIP_LOCKED : EVEN_IF_LOCKED}`.execute(
    tx,
  );
  const [head] = rows;
  return head ? { ...head, hash: head.hash.toString('hex') } : null;
};

type Locked = Head & { counted_seq: number; counted_bytes: number; own_limit: number | null };

/** An earlier release wrote entries whose bytes are not counted yet, and the account has a limit. */
class Uncounted extends Error {}

type Outcome<T> = { value: T; entries: number; seq: number };

type RunOptions<T> = {
  simulate?: boolean;
  ifFree?: boolean;
  /** The marks of several requests. Without it, that of the author. */
  marksOf?: (value: T) => Mark[];
};

// oxlint-disable-next-line eslint/max-lines-per-function -- All ways to write share one transaction and one queue.
export const createLedger = ({
  handle,
  clock,
  storage = createStorage({ db: handle.db, limitOfAll: 0 }),
}: LedgerDeps) => {
  const { db, transaction } = handle;
  const listeners: CommitListener[] = [];
  const committed: CommitListener = (user_id, seq, entries) => {
    for (const listener of listeners) listener(user_id, seq, entries);
  };

  const queue = createWriteQueue();

  /**
   * Does the work under the lock. Its last statements are still on their way where only the commit follows, so that both take
   * one round trip.
   */
  const runLocked = async <R, T>(
    tx: Transaction<Database>,
    author: Author,
    { read, work }: ReadAndWork<R, T>,
    { simulate = false, ifFree = false, marksOf }: RunOptions<T>,
  ): Promise<Ending<Outcome<T> | null>> => {
    const locking = lock(tx, author.user_id, ifFree);
    const reading = read(tx);
    reading.catch(() => undefined);
    const head = await locking;
    if (!head) return { value: null };
    const found = await reading;
    const { counted_seq, counted_bytes, own_limit, ...position } = head;
    const limit = limitOf(own_limit, storage.limitOfAll);
    if (limit !== null && counted_seq < position.seq) throw new Uncounted();
    const space = limit === null ? null : { used: counted_bytes, limit };
    const { writer, flush, ownMark, causeOf } = createWriter(tx, author, position, clock, space);
    try {
      const value = await inTransactionFirst(() => work(writer, found));
      const marks = marksOf?.(value) ?? ownMark();
      const last = flush(marks);
      // A mark that does not fit undoes the write, so the commit must wait for it.
      if (simulate || marks.length) await last;
      if (simulate) throw new RolledBack(value);
      return { value: { value, entries: writer.entries(), seq: position.seq }, last };
    } catch (error) {
      throw await causeOf(error);
    }
  };

  const run = async <R, T>(
    author: Author,
    steps: ReadAndWork<R, T>,
    options: RunOptions<T> = {},
  ): Promise<Outcome<T> | null> => {
    if (author.read_only) throw new Error(`${author.actor} only reads, so nothing is written in its name`);
    const once = () => transaction((tx) => runLocked(tx, author, steps, options));
    // A process of an earlier release may write again between the count and the write.
    const counted = (): ReturnType<typeof once> =>
      once().catch(async (error: unknown) => {
        if (!(error instanceof Uncounted)) throw error;
        await storage.count(author.user_id);
        return counted();
      });
    const done = await counted();
    if (done?.entries) committed(author.user_id, done.seq, done.entries);
    return done;
  };

  /** All writes use the person's share of connections, so that none waits behind a write which waits for the agents' share. */
  const runFor = async <R, T>(author: Author, steps: ReadAndWork<R, T>, options?: RunOptions<T>): Promise<T> => {
    const outcome = await onBehalfOf(author.user_id, () => run(author, steps, options));
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
  ): Promise<T> =>
    queue.alone(author.user_id, async () => {
      try {
        return await runFor(author, { read: readsNothing, work }, { simulate });
      } catch (error) {
        if (error instanceof RolledBack) return (error as RolledBack<T>).value;
        throw error;
      }
    });

  /**
   * Like write(), with what `read` finds under the lock. That saves a round trip, because the read is sent together with the
   * lock.
   */
  const readAndWrite = <R, T>(
    author: Author,
    read: ReadAndWork<R, T>['read'],
    work: ReadAndWork<R, T>['work'],
  ): Promise<T> => queue.alone(author.user_id, () => runFor(author, { read, work }));

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
      const steps = { read: readsNothing, work: (writer: Writer) => work(writer, items) };
      const done = await runFor({ ...author, idempotency: undefined }, steps, { marksOf });
      return done.map(({ value }) => value);
    };
    const one = (member: Member): Promise<T> =>
      runFor(member.author, {
        read: readsNothing,
        work: async (writer) => ((await work(writer, [member.item]))[0] as Done<T>).value,
      });
    // A transaction whose connection was lost may have been committed, and one that got no connection would wait again.
    const isUndone = (error: unknown): boolean =>
      error instanceof Problem ? !NO_CONNECTION.includes(error.code) : !isDatabaseAway(error);
    const group = { kind: work, actor: author.actor, all, one, isUndone };
    return queue.together(author.user_id, group, { author, item }, size);
  };

  /** Like write(), but does nothing and returns null where another write of this user is running. */
  const writeIfFree = async <T>(author: Author, work: (writer: Writer) => Promise<T>): Promise<{ value: T } | null> =>
    run(author, { read: readsNothing, work }, { ifFree: true });

  const { open, openWithin } = createOpen({ db, clock, committed });
  return {
    write,
    readAndWrite,
    writeTogether,
    writeIfFree,
    open,
    openWithin,
    onCommit: (listener: CommitListener): void => void listeners.push(listener),
  };
};

export type Ledger = ReturnType<typeof createLedger>;
