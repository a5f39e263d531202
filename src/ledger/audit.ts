/**
 * Verifies a user's ledger from its first entry to its head, and that the projections agree with it. Damage done behind the
 * service's back (a payload, an actor, a row gone, two swapped, the head itself) is found, and located at its seq.
 */
import { sql } from 'kysely';
import type { Db } from '../db/client.ts';
import { micros } from '../db/values.ts';
import { canonicalJson, entryHash, GENESIS_HASH, sha256Hex } from '../domain/jcs.ts';
import type { Instant } from '../domain/time.ts';
import { problem } from '../errors.ts';
import { canonicalEntry } from './ledger.ts';

const BATCH = 1000;

/** What is wrong at a seq, in the order it is looked for. */
type Damage =
  | 'missing'
  | 'payload_altered'
  | 'entry_altered'
  | 'time_not_increasing'
  | 'version_gap'
  | 'projection_differs'
  | 'projection_without_entry'
  | 'head_altered';

export type Verdict = {
  ok: boolean;
  /** Entries looked at; with damage, those before it. */
  checked: number;
  head: { seq: number; hash: string };
  first_bad?: { seq: number; why: Damage };
};

type Row = {
  seq: number;
  kind: string;
  subject: string;
  subject_uid: string;
  version: number;
  actor: string;
  recorded_at: Instant;
  payload: Record<string, unknown> | null;
  payload_hash: Buffer;
  hash: Buffer;
  /** The version before it stands earlier in the ledger. */
  continues: boolean;
  newest: boolean;
  /** Where the projection of this subject points; null where it has none. */
  shown_seq: number | null;
  shown_version: number | null;
};

/** Rides on ledger_pkey; the subqueries on the unique key (user_id, subject, subject_uid, version), traces_pkey, events_pkey. */
const readBatch = async (db: Db, user_id: string, after: number): Promise<Row[]> => {
  const { rows } = await sql<Row>`
    select l.seq, l.kind, l.subject, l.subject_uid, l.version, l.actor, l.recorded_at, l.payload, l.payload_hash, l.hash,
           l.version = 1 or exists (select 1 from ledger b where b.user_id = l.user_id and b.subject = l.subject
             and b.subject_uid = l.subject_uid and b.version = l.version - 1 and b.seq < l.seq) as continues,
           not exists (select 1 from ledger n where n.user_id = l.user_id and n.subject = l.subject
             and n.subject_uid = l.subject_uid and n.version > l.version) as newest,
           coalesce(t.seq, e.seq) as shown_seq, coalesce(t.version, e.version) as shown_version
    from ledger l
    left join traces t on l.subject = 'trace' and t.user_id = l.user_id and t.uid = l.subject_uid
    left join events e on l.subject = 'event' and e.user_id = l.user_id and e.uid = l.subject_uid
    where l.user_id = ${user_id} and l.seq > ${after} order by l.seq limit ${BATCH}`.execute(db);
  return rows;
};

/** Hashing what was altered may meet what no service wrote (a number beyond a double): then nothing fits. */
const fits = (hash: () => string, expected: Buffer): boolean => {
  try {
    return hash() === expected.toString('hex');
  } catch {
    return false;
  }
};

const PROJECTED = new Set(['trace', 'event']);

/** The newest version of a living trace or event is what its projection points at; a removed one has none. */
const projectionFits = (row: Row): boolean => {
  if (!row.newest || !PROJECTED.has(row.subject)) return true;
  if (row.kind.endsWith('.removed')) return row.shown_seq === null;
  return row.shown_seq === row.seq && row.shown_version === row.version;
};

type Link = { seq: number; hash: string; recorded_at: Instant };

/** What is wrong with an entry, given the one before it. */
const damageOf = (user_id: string, before: Link, row: Row): Damage | null => {
  const { kind, subject, subject_uid, version, actor, recorded_at, payload } = row;
  if (!fits(() => sha256Hex(canonicalJson(payload)), row.payload_hash)) return 'payload_altered';
  const entry = canonicalEntry({
    user_id,
    seq: row.seq,
    kind,
    subject,
    subject_digest: sha256Hex(subject_uid),
    version,
    actor,
    recorded_at,
    payload_hash: row.payload_hash.toString('hex'),
  });
  if (!fits(() => entryHash(before.hash, entry), row.hash)) return 'entry_altered';
  if (micros(recorded_at) <= micros(before.recorded_at)) return 'time_not_increasing';
  return row.continues ? null : 'version_gap';
};

/** The head and where the ledger really ends, in one snapshot. */
const readHead = async (db: Db, user_id: string): Promise<Link & { last: number }> => {
  const { rows } = await sql<{ seq: number; hash: Buffer; recorded_at: Instant; last: number }>`
    select h.seq, h.hash, h.recorded_at, coalesce((select max(l.seq) from ledger l where l.user_id = h.user_id), 0) as last
    from ledger_heads h where h.user_id = ${user_id}`.execute(db);
  const [head] = rows;
  if (!head) throw new Error(`there is no ledger of ${user_id}`);
  return { ...head, hash: head.hash.toString('hex') };
};

/** Seq of the first projected row that stands for nothing in the ledger. */
const strayProjection = async (db: Db, user_id: string): Promise<number | null> => {
  const { rows } = await sql<{ seq: number }>`
    select p.seq from (select 'trace' as subject, uid, seq from traces where user_id = ${user_id}
                       union all select 'event', uid, seq from events where user_id = ${user_id}) p
    where not exists (select 1 from ledger l where l.user_id = ${user_id} and l.seq = p.seq and l.subject = p.subject and l.subject_uid = p.uid)
    order by p.seq limit 1`.execute(db);
  return rows[0]?.seq ?? null;
};

export type VerifyOptions = {
  /** Told after each batch how many entries are verified. */
  onProgress?: (checked: number) => void;
  /** Stops the work when whoever asked has gone. */
  signal?: AbortSignal;
};

/**
 * Streams the ledger in batches; entries written meanwhile are verified too. Holds no transaction open.
 */
export const verifyLedger = async (
  db: Db,
  user_id: string,
  { onProgress, signal }: VerifyOptions = {},
): Promise<Verdict> => {
  // Told only when the chain itself is whole: a lost entry also leaves a projection that points nowhere.
  let differs: number | undefined;
  let link: Link = { seq: 0, hash: GENESIS_HASH, recorded_at: '0001-01-01T00:00:00.000Z' };
  const verdict = (first_bad?: { seq: number; why: Damage }): Verdict => {
    const head = { seq: link.seq, hash: link.hash };
    return { ok: !first_bad, checked: link.seq, head, ...(first_bad ? { first_bad } : {}) };
  };
  for (;;) {
    if (signal?.aborted) throw problem('malformed_request', 'Whoever asked for this has gone.');
    const batch = await readBatch(db, user_id, link.seq);
    for (const row of batch) {
      if (row.seq !== link.seq + 1) return verdict({ seq: link.seq + 1, why: 'missing' });
      const why = damageOf(user_id, link, row);
      if (why) return verdict({ seq: row.seq, why });
      if (!projectionFits(row)) differs ??= row.seq;
      link = { seq: row.seq, hash: row.hash.toString('hex'), recorded_at: row.recorded_at };
    }
    onProgress?.(link.seq);
    if (batch.length === BATCH) continue;
    const head = await readHead(db, user_id);
    if (head.seq > head.last) return verdict({ seq: head.last + 1, why: 'missing' });
    if (head.last > link.seq) continue; // written meanwhile
    if (head.seq !== link.seq || head.hash !== link.hash || head.recorded_at !== link.recorded_at)
      return verdict({ seq: link.seq, why: 'head_altered' });
    if (differs !== undefined) return verdict({ seq: differs, why: 'projection_differs' });
    const stray = await strayProjection(db, user_id);
    return verdict(stray === null ? undefined : { seq: stray, why: 'projection_without_entry' });
  }
};
