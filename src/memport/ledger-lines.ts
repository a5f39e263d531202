/** Ledger entries as clients see them: with all that their hash is made from, and the document where the credential may read it. */
import { sql } from 'kysely';
import { atMostCounted, countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import { DOCUMENT_BYTES, fitting, pageOfRows } from '../db/row-pages.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import { everything, type Blanking } from '../domain/record/blanking.ts';
import { sha256Hex } from '../domain/record/canonical-json.ts';
import { readActors } from '../ledger/actors.ts';
import type { Subject } from '../ledger/ledger-writer.ts';
import { headSeq, resolveAsOf, type Asker } from '../ledger/read-ledger.ts';
import { createSensitive, type Sensitive } from '../ledger/sensitive-values.ts';
import { createView, type Item } from './export/views.ts';
import type { LedgerEntry, LedgerQuery } from './ledger-schemas.ts';

export type HashedEntry = {
  seq: number;
  kind: string;
  subject: Subject;
  subject_uid: string;
  version: number;
  actor: string;
  recorded_at: string;
  payload_hash: Buffer;
  hash: Buffer;
};

export const HASHED_COLUMNS = [
  ...(['seq', 'kind', 'subject', 'subject_uid', 'version', 'actor', 'recorded_at', 'payload_hash', 'hash'] as const),
];

/** The scope that reading documents of each kind needs beside export:read. */
const NEEDED: Record<Subject, Scope | null> = {
  trace: null,
  checkpoint: null,
  event: 'calendar:read',
  profile: 'user:read',
  key: 'user:read',
  webhook: 'user:read',
  source: 'calendar:read',
  invitation: 'user:read',
};

type Line = Omit<LedgerEntry, 'by'>;

/** Returns the function that shows an entry to a caller. @param show blanks what the caller may not see @param hashes whether it is shown hashes */
export const createLineOf = (
  { user_id, scopes }: Pick<Caller, 'user_id' | 'scopes'>,
  show: Blanking,
  hashes: boolean,
): ((entry: HashedEntry, payload: Record<string, unknown> | null) => Line) => {
  const view = createView({ show, feedback: true });
  const shown = (subject: string, seq: number, payload: Record<string, unknown>): Record<string, unknown> => {
    if (show === everything) return payload; // As it was hashed.
    const isItem = subject === 'trace' || subject === 'event';
    return isItem ? view({ subject, doc: payload } as unknown as Item) : show({ seq, payload }).payload;
  };
  return ({ seq, kind, subject, subject_uid, version, actor, recorded_at, payload_hash, hash }, payload) => {
    const needed = NEEDED[subject];
    return {
      ...{ user_id, seq, kind, subject, version, actor, recorded_at },
      subject_digest: sha256Hex(subject_uid),
      ...(hashes ? { payload_hash: payload_hash.toString('hex'), hash: hash.toString('hex') } : {}),
      ...(needed === null || scopes.has(needed)
        ? { subject_uid, payload: payload && shown(subject, seq, payload) }
        : {}),
    };
  };
};

/** Where a filter selects few entries, a page looks at this many, and the next page continues there. */
const MOST_EXAMINED = 10_000;
const SUBJECTS = Object.keys(NEEDED);

export type LedgerPage = {
  items: LedgerEntry[];
  at: number;
  next: number | null;
  /** How many entries all pages have; null where a filter selects them from more than a page looks at. */
  count: () => Promise<number | null>;
};

export type LedgerPagesDeps = { db: Db; sensitive?: Sensitive; mostExamined?: number };

export const createLedgerPages = ({
  db,
  sensitive = createSensitive({ reads: db }),
  mostExamined = MOST_EXAMINED,
}: LedgerPagesDeps) => {
  /**
   * A page of entries, newest first. It ends early where it has looked at many entries. Uses the index ledger_pkey, or for one
   * uid the unique key (user_id, subject, subject_uid, version).
   * @param below where the page before ended, and the seq of the first page
   */
  return async (
    caller: Caller,
    asker: Asker,
    { subject, uid, actor, as_of, limit }: LedgerQuery,
    below: { at: number; seq: number } | undefined,
  ): Promise<LedgerPage> => {
    const { user_id } = caller;
    const at = below?.at ?? (await resolveAsOf(db, asker, as_of)) ?? (await headSeq(db, user_id));
    const to = Math.min(below?.seq ?? at + 1, at + 1);
    const from = uid === undefined ? Math.max(1, to - mostExamined) : 1;
    const selected = [sql`user_id = ${user_id}`];
    if (uid !== undefined)
      selected.push(sql`subject = any(${subject ? [subject] : SUBJECTS})`, sql`subject_uid = ${uid}`);
    else if (subject !== undefined) selected.push(sql`subject = ${subject}`);
    if (actor !== undefined) selected.push(sql`actor = ${actor}`);
    const conditions = [...selected, sql`seq >= ${from}`, sql`seq < ${to}`];
    const columns = (table: string) => sql.join(HASHED_COLUMNS.map((column) => sql.ref(`${table}.${column}`)));
    const { rows } = await sql<HashedEntry & { payload: Record<string, unknown> | null; fits: boolean }>`
      select ${columns('l')}, ${fitting(sql`seq desc`)}
      from (select ${columns('ledger')}, payload, ${DOCUMENT_BYTES} as bytes from ledger
            where ${sql.join(conditions, sql` and `)} order by seq desc limit ${limit + 1}) l
      order by seq desc`.execute(db);
    const { items, more } = pageOfRows(rows, limit);
    const show = await sensitive.viewOfVersions(caller);
    const lineOf = createLineOf(caller, show, await sensitive.mayVerify(caller));
    const actorOf = await readActors(
      db,
      user_id,
      items.map((entry) => entry.actor),
    );
    const last = more ? items.at(-1)?.seq : from > 1 ? from : undefined;
    return {
      items: items.map(({ payload, ...entry }) => ({ ...lineOf(entry, payload), by: show(actorOf(entry.actor)) })),
      at,
      next: last ?? null,
      count: async () => {
        if (selected.length === 1) return atMostCounted(at); // The seqs of a ledger have no gaps.
        if (uid === undefined && at > mostExamined) return null;
        return countRows(db, sql`ledger where ${sql.join([...selected, sql`seq <= ${at}`], sql` and `)}`);
      },
    };
  };
};
