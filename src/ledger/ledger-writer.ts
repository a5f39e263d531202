/**
 * Writes the entries of one transaction: it assigns seq, chains the hashes, and sends entries, head and idempotency marks in one
 * statement.
 */
import { sql, type Transaction } from 'kysely';
import type { Clock } from '../common/clock.ts';
import { problem } from '../common/problem.ts';
import { inMicroseconds, instantFromMicros, micros } from '../db/driver-values.ts';
import { requireSpace, type Space } from './storage.ts';
import { isAborted, isDatabaseAway } from '../db/sqlstate.ts';
import type { Db } from '../db/database.ts';
import type { Database } from '../db/tables.ts';
import type { Claim, Scope } from '../domain/access/caller.ts';
import { canonicalJson, entryHash, sha256Hex } from '../domain/record/canonical-json.ts';
import type { Origin } from '../domain/record/trace.ts';
import type { Instant } from '../domain/time/time.ts';

export type Subject = 'trace' | 'event' | 'profile' | 'key' | 'checkpoint' | 'webhook' | 'source' | 'invitation';

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
  /** A person who reads as an agent. Nothing is written in its name. */
  read_only?: true;
  /** Writes what was accepted before, so no limit of storage applies to it any more. */
  accepted?: true;
};

/** What the ledger assigns to an entry. */
export type Stamp = { seq: number; recorded_at: Instant };

export type Draft<P> = { kind: string; subject: Subject; uid: string; version: number; payload: (stamp: Stamp) => P };

/** Where the work of a write reads: in its transaction, or before it. */
export type Reading = { tx: Db; author: Author };

export type Writer = {
  tx: Transaction<Database>;
  author: Author;
  /** The seq of the last entry before this write. */
  before: number;
  /** How many entries this write has recorded so far. */
  entries: () => number;
  /** Adds an entry. The payload that `draft.payload` returns is what history shows. The next flush writes it. */
  record: <P extends object>(draft: Draft<P>) => P;
  /**
   * Takes statements of this transaction that are on their way, so that the write goes on without their answers. The next flush
   * waits for them; where one fails, the write fails.
   */
  send: (...statements: Promise<unknown>[]) => void;
  /** Writes what was recorded so far, for code that reads the ledger in this transaction. */
  flush: () => Promise<void>;
  /**
   * Runs a part of the write that may fail on its own. Then the part is undone and the write can continue.
   * @throws what the part throws
   */
  attempt: <T>(part: () => Promise<T>) => Promise<T>;
};

export type Head = { seq: number; hash: string; recorded_at: Instant };

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

/** Says of an Idempotency-Key that its request has had its effect, up to this seq. */
export type Mark = Claim & { seq: number };

const ignore = (): void => undefined;

/** Waits for statements. @throws the error of the first that failed, which is why the later ones failed */
const inOrder = async (statements: Promise<unknown>[]): Promise<void> => {
  for (const statement of statements) await statement;
};

/** Fails as soon as one fails, with the error of the first that failed. */
const allOf = async (statements: Promise<unknown>[]): Promise<void> => {
  try {
    await Promise.all(statements);
  } catch (error) {
    if (isAborted(error)) await inOrder(statements);
    throw error;
  }
};

/** Entries that add to what is stored. Changes of keys, passwords and settings are few, and removals are always possible. */
const addsContent = (subject: Subject, kind: string): boolean =>
  (subject === 'trace' || subject === 'event') && !kind.endsWith('.removed');

/** A person decides also where the storage is full. There are as many decisions as proposals. */
const isDecision = (kind: string): boolean => /^plan\.(approved|rejected|executed|reopened)$/.test(kind);

/** Makes the writer of one transaction. It moves `head` forward with each entry. `space` is null where there is no limit. */
// oxlint-disable-next-line eslint/max-lines-per-function -- What is recorded, sent and undone in one write is one state.
export const createWriter = (
  tx: Transaction<Database>,
  author: Author,
  head: Head,
  clock: Clock,
  space: Space | null = null,
): {
  writer: Writer;
  flush: (marks?: Mark[]) => Promise<void>;
  ownMark: () => Mark[];
  causeOf: (error: unknown) => Promise<unknown>;
} => {
  const before = head.seq;
  const first = before + 1;
  let pending: object[] = [];
  let payloads: string[] = [];
  let sent: Promise<unknown>[] = [];
  let at = micros(head.recorded_at);
  const { ahead_ms } = clock.state();
  /** The last seq that is written, and the bytes of the documents after it. */
  let written = head.seq;
  let grown = 0;
  let isLimited = false;
  let decides = false;
  const { user_id, actor } = author;

  const record: Writer['record'] = ({ kind, subject, uid, version, payload }) => {
    const seq = head.seq + 1;
    at = Math.max((clock.millis() - ahead_ms) * 1000, at + 1);
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
    grown += Buffer.byteLength(text);
    isLimited ||= addsContent(subject, kind);
    decides ||= isDecision(kind);
    Object.assign(head, { seq, hash, recorded_at });
    return document;
  };

  /** A write without entries has no effect to mark. */
  const ownMark = (): Mark[] =>
    pending.length && author.idempotency ? [{ ...author.idempotency, seq: head.seq }] : [];

  /**
   * Writes entries, head and the clients' idempotency marks in one statement, so the round trips do not depend on the number
   * of entries.
   * @throws 409 where another attempt at the same request has taken the key over, since only one may have the effect, and where the
   * storage of the account is full
   */
  const flush = async (marks = ownMark()): Promise<void> => {
    const before = sent;
    sent = [];
    if (!pending.length && !marks.length) return allOf(before);
    if (space && isLimited && !decides) requireSpace(author, space, grown);
    const [from, bytes] = [written, grown];
    [written, grown] = [head.seq, 0];
    if (space) space.used += bytes;
    const rows = JSON.stringify(pending);
    // Canonical JSON contains no line break. Splitting the documents at line breaks costs a fraction of parsing them twice.
    const documents = payloads.join('\n');
    pending = [];
    payloads = [];
    const flushed = sql<{ marked: number }>`
      with entries as (
        insert into ledger (user_id, seq, kind, subject, subject_uid, version, actor, recorded_at, payload, bytes, payload_hash, hash, write_seq)
        select ${user_id}, r.seq, r.kind, r.subject, r.subject_uid, r.version, ${actor}, r.recorded_at, r.payload::jsonb, octet_length(r.payload),
               decode(r.payload_hash, 'hex'), decode(r.hash, 'hex'), ${first}::bigint
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
      update ledger_heads set seq = ${head.seq}, hash = ${Buffer.from(head.hash, 'hex')}, recorded_at = ${head.recorded_at},
        counted_bytes = case when counted_seq = ${from} then counted_bytes + ${bytes} else counted_bytes end,
        counted_seq = case when counted_seq = ${from} then ${head.seq} else counted_seq end
      where user_id = ${user_id}
      returning (select count(*) from marked) as marked`.execute(tx);
    await allOf([...before, flushed]);
    const { rows: done } = await flushed;
    if (done[0]?.marked !== marks.length)
      throw problem('idempotency_running', 'Another attempt at this request is running. Wait for its answer.');
  };

  const send: Writer['send'] = (...statements) => {
    for (const statement of statements) statement.catch(ignore);
    sent.push(...statements);
  };

  /** After a failed statement all others of the transaction fail too. @returns the error of the first that was sent */
  const causeOf = async (error: unknown): Promise<unknown> =>
    isAborted(error)
      ? inOrder(sent).then(
          () => error,
          (first: unknown) => first,
        )
      : error;

  const attempt: Writer['attempt'] = async (part) => {
    await flush();
    const start = { head: { ...head }, at, used: space?.used ?? 0 };
    await sql`savepoint part`.execute(tx);
    try {
      const value = await part();
      await flush();
      await sql`release savepoint part`.execute(tx);
      return value;
    } catch (caught) {
      const error = await causeOf(caught);
      if (isDatabaseAway(error)) throw error;
      await sql`rollback to savepoint part`.execute(tx);
      sent = [];
      pending = [];
      payloads = [];
      at = start.at;
      [written, grown] = [start.head.seq, 0];
      if (space) space.used = start.used;
      Object.assign(head, start.head);
      throw error;
    }
  };

  const entries = (): number => head.seq - before;
  return {
    ...{ writer: { tx, author, before, entries, record, send, flush: () => flush(), attempt } },
    ...{ flush, ownMark, causeOf },
  };
};
