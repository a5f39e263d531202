/**
 * The queries of embedders: how far each has read the ledger, which versions of traces it has not embedded, and storing
 * vectors.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../db/database.ts';
import { EMBEDDER } from '../../domain/text/word-embedder.ts';

/** A user's ledger that one instance has claimed for a while, and the seq up to which the embedder has read it. */
export type Claim = { user_id: string; seq: number };

/** A text to embed: the content of a trace from `seq` on. */
export type Version = { uid: string; seq: number; content: string; vector: string | null };

/** The entries after a claim: texts, the ends of earlier texts (edits and removals), and the seq after which to continue. */
export type Ahead = Claim & {
  versions: Version[];
  endings: { uid: string; seq: number }[];
  upto: number;
  more: boolean;
};

/**
 * Entries are examined this many at a time, about 13 ms on PGlite. That is short enough to hold a user's lock and its one
 * connection.
 */
export const WINDOW = 250;
/** A claim expires after this long. Its instance has crashed, or still works; then both do the same work, which is harmless. */
const CLAIM_SECONDS = 90;

/**
 * At most `limit` users after `after` whose ledger has entries that the model has not read. Uses the primary keys of both
 * tables.
 */
export const usersBehind = async (db: Db, model: string, after: string, limit: number): Promise<string[]> => {
  const { rows } = await sql<{ user_id: string }>`
    select h.user_id from ledger_heads h left join embedding_progress p on p.user_id = h.user_id and p.model = ${model}
    where h.user_id > ${after} and h.seq > coalesce(p.seq, 0) order by h.user_id limit ${limit}`.execute(db);
  return rows.map((r) => r.user_id);
};

/**
 * The number of ledger entries of all users that a model has not read. While the length of its vectors is unknown, the model is
 * given by its name.
 */
export const entriesBehind = async (db: Db, model: { key: string } | { name: string }): Promise<number> => {
  const which = 'key' in model ? sql`p.model = ${model.key}` : sql`starts_with(p.model, ${`${model.name}/`})`;
  const { rows } = await sql<{ behind: number }>`
    select coalesce(sum(greatest(0, h.seq - coalesce(p.seq, 0))), 0)::bigint as behind
    from ledger_heads h
    left join (select user_id, max(seq) as seq from embedding_progress p where ${which} group by user_id) p using (user_id)`.execute(
    db,
  );
  return rows[0]?.behind ?? 0;
};

export const progressOf = async (db: Db, user_id: string, model: string): Promise<number> => {
  const { rows } = await sql<{ seq: number }>`
    select seq from embedding_progress where user_id = ${user_id} and model = ${model}`.execute(db);
  return rows[0]?.seq ?? 0;
};

/**
 * Claims those users whom no other instance has claimed. It locks them in the order of users, so that two instances cannot
 * deadlock.
 * @returns the claims, and the users whom other instances have claimed
 */
export const claim = async (db: Db, model: string, users: string[]): Promise<{ claims: Claim[]; taken: string[] }> => {
  await sql`
    insert into embedding_progress (user_id, model)
    select user_id, ${model}::text from users where user_id = any(${users}) order by user_id on conflict do nothing`.execute(
    db,
  );
  const { rows: claims } = await sql<Claim>`
    update embedding_progress set claimed_until = now() + ${CLAIM_SECONDS} * interval '1 second'
    where user_id = any(${users}) and model = ${model} and (claimed_until is null or claimed_until < now())
    returning user_id, seq`.execute(db);
  if (claims.length === users.length) return { claims, taken: [] };
  const mine = new Set(claims.map((c) => c.user_id));
  const { rows } = await sql<{ user_id: string }>`
    select user_id from embedding_progress where user_id = any(${users}) and model = ${model}`.execute(db);
  return { claims, taken: rows.map((r) => r.user_id).filter((user_id) => !mine.has(user_id)) };
};

export const releaseClaims = async (db: Db, model: string, claims: Claim[]): Promise<void> => {
  await sql`update embedding_progress set claimed_until = null
    where user_id = any(${claims.map((c) => c.user_id)}) and model = ${model}`.execute(db);
};

/**
 * Entries `l` with their predecessor `p`, and the condition that one began or ended a text. Uses ledger_pkey and the unique key
 * of versions.
 */
const VERSION_PAIRS = sql`
  ledger l left join ledger p on p.user_id = l.user_id and p.subject = l.subject and p.subject_uid = l.subject_uid and p.version = l.version - 1`;
const BEGINS_OR_ENDS_TEXT = sql`
  l.subject = 'trace' and (l.payload ? 'removed' or l.payload ->> 'content' is distinct from p.payload ->> 'content')`;

type Row = {
  user_id: string;
  from: number;
  head: number;
  uid: string | null;
  seq: number;
  later: boolean;
  content: string | null;
};

/** The entries after each claim, at most `limit` texts and ends of each. */
export const readAhead = async (db: Db, claims: Claim[], limit: number): Promise<Ahead[]> => {
  const { rows } = await sql<Row>`
    select c.user_id, c.seq as "from", h.seq as head, v.*
    from json_to_recordset(${JSON.stringify(claims)}::json) as c(user_id text, seq bigint)
    join ledger_heads h using (user_id)
    left join lateral (
      select l.subject_uid as uid, l.seq, l.version > 1 as later,
             case when not l.payload ? 'removed' then l.payload ->> 'content' end as content
      from ${VERSION_PAIRS} where l.user_id = h.user_id and l.seq > c.seq and l.seq <= c.seq + ${WINDOW} and ${BEGINS_OR_ENDS_TEXT} order by l.seq limit ${limit}) v on true
    order by c.user_id, v.seq`.execute(db);
  return [...Map.groupBy(rows, (r) => r.user_id).values()].map((list) => aheadOf(list, limit));
};

const aheadOf = (rows: Row[], limit: number): Ahead => {
  const [{ user_id, from, head }] = rows as [Row];
  const changes = rows.flatMap((r) => (r.uid === null ? [] : [{ ...r, uid: r.uid }]));
  const upto = changes.length === limit ? (changes.at(-1)?.seq ?? head) : Math.min(head, from + WINDOW);
  return {
    user_id,
    seq: from,
    versions: changes.flatMap(
      ({ uid, seq, content }) => (content?.trim() ? [{ uid, seq, content, vector: null }] : []), // null is a removed trace, or one of an erased account.
    ),
    endings: changes.filter((t) => t.later).map(({ uid, seq }) => ({ uid, seq })),
    upto,
    more: upto < head,
  };
};

/** Moves the claim forward to `upto` in the transaction. False where another instance has taken the claim over. */
export const advance = async (tx: Db, model: string, { user_id, seq }: Claim, upto: number): Promise<boolean> => {
  const { rows } = await sql`
    update embedding_progress set seq = ${upto}, claimed_until = null
    where user_id = ${user_id} and model = ${model} and seq = ${seq} returning 1`.execute(tx);
  return rows.length > 0;
};

/** The seq of the first end of a text after it. */
const untilOf = ({ uid, seq }: Version, endings: Ahead['endings']): number | undefined =>
  endings.find((e) => e.uid === uid && e.seq > seq)?.seq;

/**
 * Stores the vectors of a model and moves the claim forward, in one transaction. Versions without a vector are skipped. It does
 * nothing where another instance took the claim over. Entries are stored in ledger order, so `until` follows from this part of
 * the ledger alone.
 */
export const storeVectors = async (db: Db, model: string, ahead: Ahead): Promise<void> => {
  const { user_id, endings } = ahead;
  const fresh = ahead.versions.flatMap((v) =>
    v.vector ? [{ uid: v.uid, seq: v.seq, until: untilOf(v, endings), embedding: v.vector }] : [],
  );
  const first = [...Map.groupBy(endings, (e) => e.uid).values()].map(([one]) => one);
  await db.transaction().execute(async (tx) => {
    if (!(await advance(tx, model, ahead, ahead.upto))) return;
    if (first.length)
      await sql`
        update model_embeddings e set until = f.seq
        from json_to_recordset(${JSON.stringify(first)}::json) as f(uid text, seq bigint)
        where e.user_id = ${user_id} and e.model = ${model} and e.uid = f.uid and e.seq < f.seq and e.until > f.seq`.execute(
        tx,
      );
    if (fresh.length)
      await sql`
        insert into model_embeddings (user_id, model, uid, seq, until, embedding)
        select ${user_id}::text, ${model}::text, f.uid, f.seq, coalesce(f.until, 9223372036854775807), f.embedding::vector
        from json_to_recordset(${JSON.stringify(fresh)}::json) as f(uid text, seq bigint, until bigint, embedding text)
        on conflict do nothing`.execute(tx);
  });
};

type Missing = { uid: string; seq: number; content: string; until: number | null };

/**
 * Versions after a claim, in the window, without a vector of the built-in embedder: they were written before pgvector was
 * installed, or by a release with another built-in embedder.
 */
const missing = async (tx: Db, { user_id, seq }: Claim, limit: number): Promise<Missing[]> => {
  const there = (table: RawBuilder<unknown>) =>
    sql`exists (select from ${table} e where e.user_id = l.user_id and e.uid = l.subject_uid and e.seq = l.seq and e.model = ${EMBEDDER})`;
  const { rows } = await sql<Missing>`
    select m.*, (select min(l.seq) from ${VERSION_PAIRS}
                 where l.user_id = ${user_id} and l.subject_uid = m.uid and l.version > m.version and ${BEGINS_OR_ENDS_TEXT}) as until
    from (select l.subject_uid as uid, l.seq, l.version, l.payload ->> 'content' as content
          from ${VERSION_PAIRS} where l.user_id = ${user_id} and l.seq > ${seq} and l.seq <= ${seq + WINDOW} and ${BEGINS_OR_ENDS_TEXT} and l.payload ->> 'content' is not null
            and not l.payload ? 'removed' and not ${there(sql`embeddings`)} and not ${there(sql`embeddings_past`)}
          order by l.seq limit ${limit}) m order by m.seq`.execute(tx);
  return rows;
};

/**
 * Stores at most `limit` missing vectors of the built-in embedder for old versions. It holds the user's lock, since a
 * concurrent write stores its own vectors.
 * @returns whether more are missing
 */
export const fillBuiltin = async (
  db: Db,
  from: Claim,
  limit: number,
  vectorOf: (text: string) => string,
): Promise<boolean> =>
  db.transaction().execute(async (tx) => {
    const { user_id } = from;
    const { rows } = await sql<{ seq: number }>`
      select seq from ledger_heads where user_id = ${user_id} for update`.execute(tx);
    const found = await missing(tx, from, limit);
    const head = rows[0]?.seq ?? 0;
    const upto = found.length === limit ? (found.at(-1)?.seq ?? head) : Math.min(head, from.seq + WINDOW);
    if (!rows[0] || !(await advance(tx, EMBEDDER, from, upto))) return false;
    if (!found.length) return upto < head;
    const fresh = found.map(({ uid, seq, until, content }) => ({ uid, seq, until, embedding: vectorOf(content) }));
    const given = sql`
      json_to_recordset(${JSON.stringify(fresh)}::json) as f(uid text, seq bigint, until bigint, embedding text)`;
    const past = sql`
      insert into embeddings_past (user_id, uid, seq, until, model, embedding)
      select ${user_id}::text, uid, seq, until, ${EMBEDDER}::text, embedding::vector from ${given} where until is not null
      on conflict (user_id, uid, seq) do update set model = excluded.model, embedding = excluded.embedding`;
    const current = sql`
      insert into embeddings (user_id, uid, seq, model, embedding)
      select ${user_id}::text, uid, seq, ${EMBEDDER}::text, embedding::vector from ${given} where until is null
      on conflict (user_id, uid) do update set model = excluded.model, embedding = excluded.embedding, seq = excluded.seq
        where embeddings.seq <= excluded.seq`;
    await Promise.all([past.execute(tx), current.execute(tx)]);
    return upto < head;
  });
