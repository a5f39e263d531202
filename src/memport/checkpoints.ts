/**
 * Stores checkpoints: the resolved parameters and the seq of an export under a tag. The ledger keeps every version, so these
 * are enough to give the same export again.
 */
import { sql } from 'kysely';
import { countRows } from '../db/count-rows.ts';
import type { Db } from '../db/database.ts';
import { isUniqueViolation } from '../db/sqlstate.ts';
import type { Caller } from '../domain/access/caller.ts';
import type { Instant } from '../domain/time/time.ts';
import { isUsedUp, type Held } from '../domain/access/quota.ts';
import { invalidAt, notFound, problem } from '../common/problem.ts';
import { readActors } from '../ledger/actors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { versionsOf } from '../ledger/read-ledger.ts';
import type { TraceFilter } from '../memory/queries.ts';
import type { Checkpoint, ExportFormat, GroupBy, Subject } from './schemas.ts';

export type Parameters = {
  export_format: ExportFormat;
  filter: TraceFilter;
  group_by?: GroupBy | undefined;
  /** The time zone whose days group_by=day uses. */
  zone: string;
  include_feedback: boolean;
  /** Set where the request had `include`. */
  include?: Subject[] | undefined;
  max_token_count?: number | undefined;
  /** For linked. */
  max_depth?: number | undefined;
  limit: number;
  /** For diff: the seq of the earlier point. */
  from_seq?: number | undefined;
};

/** A request for an export: its parameters, the seq it is true for, the newest seq, and its checkpoint where it has one. */
export type Request = {
  parameters: Parameters;
  at: number;
  head: number;
  checkpoint?: string | undefined;
  generated_at?: Instant | undefined;
};

type StoredCheckpoint = { tag: string; seq: number; created_at: Instant; parameters: Parameters };

/** Uses the index checkpoints_pkey. */
export const findCheckpoint = async (db: Db, user_id: string, tag: string): Promise<StoredCheckpoint | undefined> =>
  (await db
    .selectFrom('checkpoints')
    .select(['tag', 'seq', 'created_at', 'parameters'])
    .where('user_id', '=', user_id)
    .where('tag', '=', tag)
    .executeTakeFirst()) as StoredCheckpoint | undefined;

/** Joins to checkpoints `c` who made them. Uses the ledger's unique key (user_id, subject, subject_uid, version). */
const madeBy = (user_id: string) => sql`cross join lateral (
  select l.actor from ledger l where l.user_id = ${user_id} and l.subject = 'checkpoint' and l.subject_uid = c.tag
  order by l.version desc limit 1) made`;

/** A page of checkpoints, sorted by tag. */
export const listCheckpoints = async (
  db: Db,
  user_id: string,
  after: string | undefined,
  limit: number,
): Promise<Checkpoint[]> => {
  const { rows } = await sql<Omit<Checkpoint, 'actor'> & { actor: string }>`
    select c.tag, c.seq, c.created_at, made.actor, c.parameters
    from (select * from checkpoints where user_id = ${user_id} and tag > ${after ?? ''} order by tag limit ${limit}) c ${madeBy(user_id)}
    order by c.tag`.execute(db);
  const actorOf = await readActors(
    db,
    user_id,
    rows.map((row) => row.actor),
  );
  return rows.map((row) => ({ ...row, actor: actorOf(row.actor) }));
};

/** How many checkpoints a user has. Uses the index checkpoints_pkey. */
export const countCheckpoints = (db: Db, user_id: string): Promise<number | null> =>
  countRows(db, sql`checkpoints where user_id = ${user_id}`);

/** A user has at most this many. Agents may use a share of them (domain/access/quota.ts). */
export const MAX_CHECKPOINTS = 10_000;

/**
 * Refuses a checkpoint beyond the limits. The caller holds the user's lock. Who made the others matters for agents only. Uses
 * the index checkpoints_pkey.
 * @throws 409 too_many_checkpoints
 */
const refuseTooMany = async (tx: Db, caller: Caller, most: number): Promise<void> => {
  const { user_id, actor, origin } = caller;
  const own = sql`count(*) filter (where made.actor = ${actor})`;
  const { rows } = await sql<Held>`
    select count(*) as all, ${origin === 'agent' ? own : sql`0`} as own
    from (select user_id, tag from checkpoints where user_id = ${user_id}) c ${origin === 'agent' ? madeBy(user_id) : sql``}`.execute(
    tx,
  );
  const held = rows[0] ?? { all: 0, own: 0 };
  if (isUsedUp(caller, most, held))
    throw problem(
      'too_many_checkpoints',
      `This user has ${held.all} checkpoints, ${held.own} of them of this credential. Delete some with DELETE /memport/checkpoints, or name the point by its seq (from, as_of).`,
    );
};

/** The next version of a tag. The versions of a tag continue after it was deleted. Uses the ledger's unique key. */
const nextVersion = async (tx: Db, user_id: string, tag: string): Promise<number> =>
  ((await versionsOf(tx, user_id, 'checkpoint', tag, { limit: 1 })).items[0]?.version ?? 0) + 1;

/** Stores a request under a tag, as an entry of the ledger. @throws 409 tag_taken, too_many_checkpoints */
export const keepCheckpoint = async (
  ledger: Ledger,
  caller: Caller,
  tag: string,
  request: Request,
  created_at: Instant,
  most: number,
): Promise<Request> => {
  const kept: StoredCheckpoint = { tag, seq: request.at, created_at, parameters: request.parameters };
  const parameters = JSON.stringify(kept.parameters);
  try {
    await ledger.write(caller, async (writer) => {
      await refuseTooMany(writer.tx, caller, most);
      await writer.tx
        .insertInto('checkpoints')
        .values({ ...kept, user_id: caller.user_id, parameters })
        .execute();
      const version = await nextVersion(writer.tx, caller.user_id, tag);
      const payload = { ...kept, parameters: JSON.parse(parameters) as object };
      writer.record({
        kind: 'checkpoint.created',
        subject: 'checkpoint',
        uid: tag,
        version,
        payload: () => payload,
      });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw problem(
      'tag_taken',
      `A checkpoint with the tag ${tag} already exists. Choose another tag, or repeat that export with from_checkpoint=${tag}.`,
    );
  }
  return { ...request, checkpoint: tag, generated_at: created_at };
};

/** The checkpoint, and the version of its tag. @throws 404, 403 where an agent names one of others */
const loadOwn = async (writer: Writer, caller: Caller, tag: string) => {
  const kept = await findCheckpoint(writer.tx, caller.user_id, tag);
  if (!kept) throw notFound('checkpoint', tag);
  const [last] = (await versionsOf(writer.tx, caller.user_id, 'checkpoint', tag, { limit: 1 })).items;
  if (caller.origin === 'agent' && last?.actor !== caller.actor)
    throw problem(
      'not_yours_to_edit',
      `The checkpoint ${tag} was made with another credential. Only that credential or a person can change it.`,
    );
  return { kept, version: (last?.version ?? 0) + 1 };
};

/** Moves a checkpoint to another seq, as a new version of its tag. @throws 403, 404, 422 */
export const moveCheckpoint = (
  ledger: Ledger,
  caller: Caller,
  tag: string,
  { seq, created_at }: { seq: number; created_at: Instant },
): Promise<StoredCheckpoint> =>
  ledger.write(caller, async (writer) => {
    const { kept, version } = await loadOwn(writer, caller, tag);
    if ((kept.parameters.from_seq ?? 0) > seq)
      throw invalidAt('/as_of', 'invalid_range', 'must not be before the earlier point of the diff');
    const moved = { ...kept, seq, created_at };
    await writer.tx
      .updateTable('checkpoints')
      .set({ seq, created_at })
      .where('user_id', '=', caller.user_id)
      .where('tag', '=', tag)
      .execute();
    writer.record({ kind: 'checkpoint.updated', subject: 'checkpoint', uid: tag, version, payload: () => moved });
    return moved;
  });

/** Deletes a checkpoint. The versions it referred to remain in the ledger. @throws 404, 403 where an agent names one of others */
export const deleteCheckpoint = (
  ledger: Ledger,
  caller: Caller,
  tag: string,
): Promise<{ tag: string; removed: true }> =>
  ledger.write(caller, async (writer) => {
    const { kept, version } = await loadOwn(writer, caller, tag);
    await writer.tx.deleteFrom('checkpoints').where('user_id', '=', caller.user_id).where('tag', '=', tag).execute();
    const payload = { ...kept, parameters: { ...kept.parameters } };
    writer.record({ kind: 'checkpoint.removed', subject: 'checkpoint', uid: tag, version, payload: () => payload });
    return { tag, removed: true };
  });
