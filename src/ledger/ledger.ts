/**
 * Writes to the ledger, the only way to change data (docs/decisions.md, One ledger per user). A write is a transaction that
 * takes the user's lock, assigns seq, chains the hashes and adds one entry for each change. Features update their projections
 * in the same transaction.
 */
import { sql, type Transaction } from 'kysely';
import type { Clock } from '../common/clock.ts';
import type { DatabaseHandle } from '../db/database.ts';
import { isDatabaseAway } from '../db/sqlstate.ts';
import type { Database } from '../db/tables.ts';
import { inMicroseconds, instantFromMicros, micros } from '../db/driver-values.ts';
import type { Claim, Scope } from '../domain/access/caller.ts';
import { canonicalJson, entryHash, GENESIS_HASH, sha256Hex } from '../domain/record/canonical-json.ts';
import type { Origin } from '../domain/record/trace.ts';
import type { Instant } from '../domain/time/time.ts';
import { notFound, Problem, problem, type ProblemCode } from '../common/problem.ts';
import { onBehalfOf } from '../common/fair-shares.ts';
import { inTransactionFirst } from '../common/yielding.ts';
import { createWriteQueue } from './write-queue.ts';

export type Subject = 'trace' | 'event' | 'profile' | 'key' | 'checkpoint' | 'webhook' | 'source';

/** Whose data a write changes, and who makes the change. */
export type Author = {
  user_id: string;
  /** One of `user:<key id>`, `agent:<key id>`, `user:session`, `system:executor`, `system:webhooks`, `system:sources`. */
  actor: string;
  origin: Origin;
  /** The scopes of the credential. The service itself has none. */
  scopes?: ReadonlySet<Scope>;
  /** Marks the client's Idempotency-Key in the same transaction, to say that the request has had its effect. */
  idempotency?: Claim | undefined;
};

/** What the ledger assigns to an entry. */
export type Stamp = { seq: number; recorded_at: Instant };

export type Draft<P> = { kind: string; subject: Subject; uid: string; version: number; payload: (stamp: Stamp) => P };

export type Writer = {
  tx: Transaction<Database>;
  author: Author;
  /** The seq of the last entry before this write. */
  before: number;
  /** Adds an entry. The payload that `draft.payload` returns is what history shows. The next flush writes it. */
  record: <P extends object>(draft: Draft<P>) => P;
  /** Writes what was recorded so far, for code that reads the ledger in this transaction. */
  flush: () => Promise<void>;
  /**
   * Runs a part of the write that may fail on its own. Then the part is undone and the write can continue.
   * @throws what the part throws
   */
  attempt: <T>(part: () => Promise<T>) => Promise<T>;
};

/** The answer to one of several writes that are done together, and the seq of its last entry; null where it has none. */
export type Done<T> = { value: T; seq: number | null };

/** Does several writes at once. @returns what each is answered, in their order */
export type GroupWork<I, T> = (writer: Writer, items: I[]) => Promise<Done<T>[]>;

/** The recorded_at before the first entry. */
const EPOCH: Instant = '1970-01-01T00:00:00.000Z';

type Head = { seq: number; hash: string; recorded_at: Instant };

export type ChainedEntry = {
  user_id: string;
  seq: number;
  kind: string;
  subject: string;
  /** The digest of the uid, so that the chain of an erased account can still be verified. */
  subject_digest: string;
  version: number;
  actor: string;
  recorded_at: Instant;
  payload_hash: string;
};

/**
 * The text of an entry that is hashed. With the members in this order it is canonical already (RFC 8785), in a third of the
 * time.
 */
export const canonicalEntry = (entry: ChainedEntry): string =>
  JSON.stringify({
    actor: entry.actor,
    kind: entry.kind,
    payload_hash: entry.payload_hash,
    recorded_at: entry.recorded_at,
    seq: entry.seq,
    subject: entry.subject,
    subject_digest: entry.subject_digest,
    user_id: entry.user_id,
    version: entry.version,
  } satisfies ChainedEntry);

/** The problems of fair shares (common/fair-shares.ts). */
const NO_CONNECTION: ProblemCode[] = ['database_unavailable', 'too_many_requests'];

/** Says of an Idempotency-Key that its request has had its effect, up to this seq. */
type Mark = Claim & { seq: number };

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

  /** Makes the writer of one transaction. It moves `head` forward with each entry. */
  const createWriter = (
    tx: Transaction<Database>,
    author: Author,
    head: Head,
  ): { writer: Writer; flush: (marks?: Mark[]) => Promise<void> } => {
    const before = head.seq;
    let pending: object[] = [];
    let payloads: string[] = [];
    let at = micros(head.recorded_at);
    const { user_id, actor } = author;

    const record: Writer['record'] = ({ kind, subject, uid, version, payload }) => {
      const seq = head.seq + 1;
      at = Math.max(clock.millis() * 1000, at + 1);
      const recorded_at = instantFromMicros(at);
      const document = payload({ seq, recorded_at: inMicroseconds(recorded_at) });
      const text = canonicalJson(document);
      const payload_hash = sha256Hex(text);
      const subject_digest = sha256Hex(uid);
      const entry = canonicalEntry({
        user_id,
        seq,
        kind,
        subject,
        subject_digest,
        version,
        actor,
        recorded_at,
        payload_hash,
      });
      const hash = entryHash(head.hash, entry);
      pending.push({ seq, kind, subject, subject_uid: uid, version, recorded_at, payload_hash, hash });
      payloads.push(text);
      Object.assign(head, { seq, hash, recorded_at });
      return document;
    };

    /** A write without entries has no effect to mark. */
    const ownMark = (): Mark[] =>
      pending.length && author.idempotency ? [{ ...author.idempotency, seq: head.seq }] : [];

    /**
     * Writes entries, head and the clients' idempotency marks in one statement, so the round trips do not depend on the number
     * of entries.
     * @throws 409 where another attempt at the same request has taken the key over, since only one may have the effect
     */
    const flush = async (marks = ownMark()): Promise<void> => {
      if (!pending.length && !marks.length) return;
      const rows = JSON.stringify(pending);
      // Canonical JSON contains no line break. Splitting the documents at line breaks costs a fraction of parsing them twice.
      const documents = payloads.join('\n');
      pending = [];
      payloads = [];
      const { rows: done } = await sql<{ marked: number }>`
        with entries as (
          insert into ledger (user_id, seq, kind, subject, subject_uid, version, actor, recorded_at, payload, bytes, payload_hash, hash)
          select ${user_id}, r.seq, r.kind, r.subject, r.subject_uid, r.version, ${actor}, r.recorded_at, r.payload::jsonb, octet_length(r.payload),
                 decode(r.payload_hash, 'hex'), decode(r.hash, 'hex')
          from rows from (
            json_to_recordset(${rows}::json) as (seq bigint, kind text, subject text, subject_uid text, version integer,
              recorded_at timestamptz, payload_hash text, hash text),
            unnest(string_to_array(${documents}, chr(10)))
          ) as r(seq, kind, subject, subject_uid, version, recorded_at, payload_hash, hash, payload)
        ), marked as (
          update idempotency_keys k set effect_seq = m.seq
          from json_to_recordset(${JSON.stringify(marks)}::json) as m(key text, claim text, seq bigint)
          where k.user_id = ${user_id} and k.key = m.key and k.claim = m.claim returning 1
        )
        update ledger_heads set seq = ${head.seq}, hash = ${Buffer.from(head.hash, 'hex')}, recorded_at = ${head.recorded_at}
        where user_id = ${user_id}
        returning (select count(*) from marked) as marked`.execute(tx);
      if (done[0]?.marked !== marks.length)
        throw problem('idempotency_running', 'Another attempt at this request is running. Wait for its answer.');
    };

    const attempt: Writer['attempt'] = async (part) => {
      await flush();
      const start = { head: { ...head }, at };
      await sql`savepoint part`.execute(tx);
      try {
        const value = await part();
        await flush();
        await sql`release savepoint part`.execute(tx);
        return value;
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        await sql`rollback to savepoint part`.execute(tx);
        pending = [];
        payloads = [];
        at = start.at;
        Object.assign(head, start.head);
        throw error;
      }
    };

    return { writer: { tx, author, before, record, flush: () => flush(), attempt }, flush };
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
        const { writer, flush } = createWriter(tx, author, head);
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
      const { writer } = createWriter(tx, author, head);
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
