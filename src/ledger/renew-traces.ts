/** Writes new versions of traces, with the rows and search terms that follow from them. */
import { sql } from 'kysely';
import type { Db } from '../db/database.ts';
import { SENSITIVE, setterOf, type SensitivePart } from '../domain/record/blanking.ts';
import type { TraceDoc, Unstamped } from '../domain/record/trace.ts';
import { embed, EMBEDDER, toVectorLiteral } from '../domain/text/word-embedder.ts';
import { hasRelativeDates } from '../domain/time/relative-dates.ts';
import { storedZone } from '../domain/time/time.ts';
import { mapYielding } from '../common/yielding.ts';
import type { Author, Writer } from './ledger-writer.ts';
import { dueOf, endedRows, keepPast, store, TRACE_COLUMNS, type Due, type Ended } from './trace-rows.ts';

export type RenewalDeps = { vectors: boolean };

const saltOf = (from: SensitivePart | undefined): string =>
  from?.sensitive?.salt ?? Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');

/**
 * Who recorded a trace and who set its sensitive values, as members of the new version. What stays is still set by who set it, so
 * that no other change makes a value somebody else's.
 */
export const setBy = (author: Author, from: SensitivePart | undefined, to: SensitivePart) => {
  const actor = author.origin === 'agent' ? author.actor : null;
  const set = SENSITIVE.filter((name) => typeof to[name] === 'string');
  const agents = set.flatMap((name) => {
    const agent = from && from[name] === to[name] ? setterOf(from, name) : actor;
    return agent === null ? [] : [[name, agent] as const];
  });
  const { sensitive: _s, recorded_by: _r, ...rest } = to as TraceDoc;
  const recorded_by = from ? from.recorded_by : (actor ?? undefined);
  return {
    ...rest,
    ...(recorded_by === undefined ? {} : { recorded_by }),
    ...(set.length ? { sensitive: { salt: saltOf(from), agents: Object.fromEntries(agents) } } : {}),
  };
};

/** Copies vectors into embeddings_past before a change, as keepPast copies rows. */
export const keepPastEmbeddings = async (db: Db, user_id: string, ended: Ended): Promise<void> => {
  await sql`
    insert into embeddings_past (user_id, uid, seq, until, model, embedding)
    select t.user_id, t.uid, t.seq, f.seq, t.model, t.embedding
    from ${endedRows(sql`embeddings`, user_id, ended)}`.execute(db);
};

/** The user's zone, which is read only where a text tells a date relative to its day. */
export const zoneFor = async (writer: Writer, docs: readonly Unstamped[]): Promise<string> => {
  if (!docs.some((doc) => hasRelativeDates(doc.content))) return 'UTC';
  const find = () =>
    sql<{ zone: string | null }>`
    select l.payload ->> 'timezone' as zone
    from users u left join ledger l on l.user_id = u.user_id and l.seq = u.profile_seq
    where u.user_id = ${writer.author.user_id}`.execute(writer.tx);
  const [found] = (await find()).rows;
  if (found?.zone) return storedZone(found.zone);
  await writer.flush(); // This write has changed the profile.
  return storedZone((await find()).rows[0]?.zone ?? 'UTC');
};

export const createRenewal = ({ vectors }: RenewalDeps) => {
  const index = async (writer: Writer, docs: TraceDoc[], { changed }: { changed: boolean }): Promise<void> => {
    if (!vectors || !docs.length) return;
    const { tx, author } = writer;
    const { user_id } = author;
    const rows = await mapYielding(docs, (d) => ({
      uid: d.uid,
      seq: d.seq,
      embedding: toVectorLiteral(embed(d.content)),
    }));
    if (changed) writer.send(keepPastEmbeddings(tx, user_id, docs));
    writer.send(
      sql`
        insert into embeddings (user_id, uid, seq, model, embedding)
        select ${user_id}::text, f.uid, f.seq, ${EMBEDDER}::text, f.embedding::vector
        from json_to_recordset(${JSON.stringify(rows)}::json) as f(uid text, seq bigint, embedding text)
        on conflict (user_id, uid) do update set seq = excluded.seq, model = excluded.model, embedding = excluded.embedding`.execute(
        tx,
      ),
    );
  };

  /** Records new versions of traces or plans. */
  const renew = async <T extends TraceDoc>(
    writer: Writer,
    list: (Due & { from: T; to: T; kind: string })[],
  ): Promise<T[]> => {
    if (!list.length) return [];
    const zone = await zoneFor(
      writer,
      list.map(({ to }) => to),
    );
    const docs = list.map(({ from, to, kind }) =>
      writer.record<T>({
        kind,
        subject: 'trace',
        uid: from.uid,
        version: from.version + 1,
        payload: ({ seq, recorded_at }) => ({
          ...(setBy(writer.author, from, to) as T),
          version: from.version + 1,
          recorded_at: from.recorded_at,
          updated_at: recorded_at,
          seq,
        }),
      }),
    );
    const { user_id } = writer.author;
    const rows = await mapYielding(docs, (doc, i) => ({
      ...TRACE_COLUMNS.row({ ...doc, zone }),
      ...dueOf(doc, list[i] ?? {}),
    }));
    writer.send(keepPast(writer.tx, user_id, docs), store(writer.tx, user_id, rows, { changed: true }));
    // A removed trace has no vector.
    const rewritten = docs.filter((doc, i) => list[i]?.from.removed || doc.content !== list[i]?.from.content);
    await index(writer, rewritten, { changed: true });
    return docs;
  };

  return { index, renew };
};
