/**
 * Verifies a user's ledger from its first entry to its head, and compares the projections with it. It finds damage that was
 * done in the database directly (a changed payload or actor, a removed row, two swapped rows, a changed head) and reports its
 * seq.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { micros } from '../db/driver-values.ts';
import { DOCUMENT_BYTES, PAGE_BYTES } from '../db/row-pages.ts';
import { only, oneByOne } from '../db/rows-by-key.ts';
import { canonicalJson, entryHash, GENESIS_HASH, sha256Hex } from '../domain/record/canonical-json.ts';
import { storedZone, type Instant } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';
import { mapYielding } from '../common/yielding.ts';
import { ERASED } from './erase.ts';
import { canonicalEntry } from './ledger-writer.ts';
import type { Difference, Projection, EntryState } from './projections.ts';
import type { Entry } from './read-ledger.ts';

/**
 * Entries are read this many at a time, fewer where their documents are large. This limits the memory of an audit and, on the
 * embedded database, how long other requests wait for it (about 40 ms).
 */
const BATCH = 250;

/** The kinds of damage. */
export const DAMAGE = [
  'missing',
  'payload_altered',
  'entry_altered',
  'time_not_increasing',
  'version_gap',
  'head_altered',
  'projection_differs',
  'projection_without_entry',
  'index_differs',
] as const;
type Damage = (typeof DAMAGE)[number];
type Found = { seq: number; why: Damage };

export type Verdict = {
  ok: boolean;
  /** The number of entries that are as they were written. Where the chain is damaged, only those before the damage count. */
  checked: number;
  head: { seq: number; hash: string };
  first_bad?: Found;
  /** The number of rows that an earlier release wrote and the service has yet to make again. They are no damage. */
  outdated: number;
};

type Row = Entry<Record<string, unknown> | null> & {
  payload_hash: Buffer;
  hash: Buffer;
  /** Whether the previous version exists, earlier in the ledger. */
  continues: boolean;
  /** The seq of the next version; null for the newest. */
  until: number | null;
};

/** An entry with the user's zone as of it. */
type ZonedRow = Row & { zone: string };

/** Uses the index ledger_pkey, and for each row the unique key (user_id, subject, subject_uid, version). */
const readBatch = async (db: Db, user_id: string, after: number): Promise<Row[]> => {
  const version = (name: string, number: RawBuilder<unknown>): RawBuilder<unknown> =>
    oneByOne(
      sql`select seq from ledger where user_id = ${user_id} and subject = l.subject and subject_uid = l.subject_uid
            and ${only('version', number)}`,
      name,
    );
  const { rows } = await sql<Row>`
    select l.seq, l.kind, l.subject, l.subject_uid, l.version, l.actor, l.recorded_at, l.payload, l.payload_hash, l.hash,
           l.version = 1 or coalesce(before.seq < l.seq, false) as continues, next.seq as until
    from (select *, sum(${DOCUMENT_BYTES}) over (order by seq rows between unbounded preceding and 1 preceding) as size_before
            from (select * from ledger where user_id = ${user_id} and seq > ${after} order by seq limit ${sql.lit(BATCH)}) page) l
    left join ${version('before', sql`l.version - 1`)} on true
    left join ${version('next', sql`l.version + 1`)} on true
    where coalesce(l.size_before, 0) < ${sql.lit(PAGE_BYTES)} order by l.seq`.execute(db);
  return rows;
};

/**
 * Compares a hash. A changed document can hold what no service wrote, such as a number beyond a double. Hashing it fails, which
 * counts as different.
 */
const fits = (hash: () => string, expected: Buffer): boolean => {
  try {
    return hash() === expected.toString('hex');
  } catch {
    return false;
  }
};

type Link = { seq: number; hash: string; recorded_at: Instant; kind?: string };
type Head = Link & { last: number; erased: boolean };

/** The damage of an entry, given the entry before it. An erased account has digests of uids and no documents. */
const damageOf = (user_id: string, before: Link, row: Row, erased: boolean): Damage | null => {
  const { seq, kind, subject, subject_uid, version, actor, recorded_at, payload } = row;
  const isWhole = erased ? payload === null : fits(() => sha256Hex(canonicalJson(payload)), row.payload_hash);
  if (!isWhole) return 'payload_altered';
  const entry = canonicalEntry({
    ...{ user_id, seq, kind, subject, version, actor, recorded_at },
    subject_digest: erased ? subject_uid : sha256Hex(subject_uid),
    payload_hash: row.payload_hash.toString('hex'),
  });
  if (!fits(() => entryHash(before.hash, entry), row.hash)) return 'entry_altered';
  if (micros(recorded_at) <= micros(before.recorded_at)) return 'time_not_increasing';
  return row.continues ? null : 'version_gap';
};

/**
 * The head and the last seq of the ledger, in one snapshot. An account counts as erased where its end is stored and no user
 * with that id exists. So removing the documents of an existing account is still damage.
 */
const readHead = async (db: Db, user_id: string): Promise<Head | null> => {
  const { rows } = await sql<Omit<Head, 'hash'> & { hash: Buffer }>`
    select h.seq, h.hash, h.recorded_at, h.erased,
           coalesce((select max(l.seq) from ledger l where l.user_id = ${user_id}), 0) as last
    from (select seq, hash, recorded_at, false as erased from ledger_heads where user_id = ${user_id}
          union all
          select seq, hash, recorded_at, true from erased_accounts e where user_id = ${user_id}
            and not exists (select from users u where u.user_id = e.user_id)) h
    order by h.erased limit 1`.execute(db);
  const [head] = rows;
  return head ? { ...head, hash: head.hash.toString('hex') } : null;
};

const ENDS = /\.(removed|revoked|used)$/;

const entryStateOf = ({ seq, subject_uid, payload, until, kind, zone }: ZonedRow): EntryState => ({
  seq,
  uid: subject_uid,
  payload: payload ?? {},
  zone,
  until,
  ends: ENDS.test(kind),
});

type Damaged = { seq: number; why: Exclude<Difference['why'], 'outdated'> };

/** The worse of two differences: one of a document before one of the index, and of the same kind the one with the smaller seq. */
const worse = (a: Damaged | undefined, b: Damaged | undefined): Damaged | undefined => {
  if (!a || !b) return a ?? b;
  if (a.why !== b.why) return a.why === 'projection_differs' ? a : b;
  return a.seq <= b.seq ? a : b;
};

type Compared = { worst: Damaged | undefined; outdated: number };

const compare = async (
  db: Db,
  user_id: string,
  projections: readonly Projection[],
  rows: ZonedRow[],
): Promise<Compared> => {
  let worst: Damaged | undefined;
  let outdated = 0;
  for (const projection of projections) {
    const entries = rows.filter((row) => row.subject === projection.subject).map(entryStateOf);
    if (!entries.length) continue;
    for (const { seq, why } of await projection.differing(db, user_id, entries))
      if (why === 'outdated') outdated += 1;
      else worst = worse(worst, { seq, why });
  }
  return { worst, outdated };
};

/** Reads in one snapshot, so that a write between two queries is not taken for damage. In a transaction its snapshot is used. */
const inSnapshot = <T>(db: Db, work: (db: Db) => Promise<T>): Promise<T> =>
  db.isTransaction
    ? work(db)
    : db.transaction().setAccessMode('read only').setIsolationLevel('repeatable read').execute(work);

export type VerifyOptions = {
  /** Tables to compare with the ledger. Without any, only the chain is verified. */
  projections?: readonly Projection[];
  /** Called after each batch with the number of verified entries. */
  onProgress?: ((checked: number) => void) | undefined;
  /** Stops the work where the client has disconnected. */
  signal?: AbortSignal | undefined;
};

/** Verifies the ledger in batches, each in a transaction of its own. Entries that are written meanwhile are verified too. */
export const verifyLedger = async (
  db: Db,
  user_id: string,
  { projections = [], onProgress, signal }: VerifyOptions = {},
): Promise<Verdict> => {
  const isErased = async (): Promise<boolean> => (await readHead(db, user_id))?.erased ?? false;
  const erased = await isErased();
  // Reported only where the chain itself is undamaged, since a lost entry also leaves rows without an entry.
  let differs: Damaged | undefined;
  let outdated = 0;
  let zone = 'UTC';
  const zoned = (row: Row): ZonedRow => {
    if (row.subject === 'profile') zone = storedZone(String(row.payload?.['timezone']));
    return { ...row, zone };
  };
  let link: Link = { seq: 0, hash: GENESIS_HASH, recorded_at: '0001-01-01T00:00:00.000Z' };
  const verdict = (first_bad?: Found | null): Verdict => {
    const head = { seq: link.seq, hash: link.hash };
    return { ok: !first_bad, checked: link.seq, head, outdated, ...(first_bad ? { first_bad } : {}) };
  };

  /** Verifies one more entry of the chain. @returns its damage */
  const step = (row: Row): Found | null => {
    if (row.seq !== link.seq + 1) return { seq: link.seq + 1, why: 'missing' };
    const why = damageOf(user_id, link, row, erased);
    if (why) return { seq: row.seq, why };
    link = { seq: row.seq, hash: row.hash.toString('hex'), recorded_at: row.recorded_at, kind: row.kind };
    return null;
  };

  /** Compares the end of the chain with the head. Returns `more` where entries were added meanwhile. */
  const atEnd = (head: Head | null): Found | 'more' | null => {
    if (!head) return { seq: link.seq, why: 'head_altered' };
    if (head.seq > head.last) return { seq: head.last + 1, why: 'missing' };
    if (head.last > link.seq) return 'more';
    const isHead = head.seq === link.seq && head.hash === link.hash && head.recorded_at === link.recorded_at;
    const isEnd = !erased || link.kind === ERASED;
    return isHead && isEnd ? null : { seq: Math.min(link.seq, head.seq + 1), why: 'head_altered' };
  };

  const strays = async (): Promise<Found | null> => {
    for (const projection of projections) {
      const stray = await projection.stray(db, user_id);
      if (stray) return { seq: stray.seq ?? link.seq, why: 'projection_without_entry' };
    }
    return null;
  };

  /** The damage of a chain that is whole: a projection that differs from it, or has rows that it does not. */
  const inProjections = async (): Promise<Found | undefined> =>
    differs?.why === 'projection_differs' ? differs : ((await strays()) ?? differs);

  for (;;) {
    if (signal?.aborted) throw problem('malformed_request', 'Whoever asked for this has gone.');
    const { rows, bad } = await inSnapshot(db, async (tx) => {
      const rows = await readBatch(tx, user_id, link.seq);
      let bad: Found | null = null;
      await mapYielding(rows, (row) => (bad ??= step(row)));
      if (!bad && !erased) {
        const compared = await compare(tx, user_id, projections, rows.map(zoned));
        differs = worse(differs, compared.worst);
        outdated += compared.outdated;
      }
      return { rows, bad };
    });
    // The account was erased meanwhile, so verify from the start.
    if (bad && erased !== (await isErased())) return verifyLedger(db, user_id, { projections, onProgress, signal });
    if (bad) return verdict(bad);
    onProgress?.(link.seq);
    if (rows.length) continue;
    const end = atEnd(await readHead(db, user_id));
    if (end === 'more') continue;
    if (end) return verdict(end);
    return verdict(await inProjections());
  }
};
