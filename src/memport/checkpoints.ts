/** Checkpoints: an export's resolved parameters and seq under a tag. Since the ledger keeps everything, that is enough to repeat it. */
import type { Db } from '../db/client.ts';
import { isUniqueViolation } from '../db/errors.ts';
import type { Caller } from '../domain/caller.ts';
import type { Instant } from '../domain/time.ts';
import { problem } from '../errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { TraceFilter } from '../memory/queries.ts';
import type { Checkpoint, ExportFormat, GroupBy, Subject } from './schema.ts';

export type Parameters = {
  export_format: ExportFormat;
  filter: TraceFilter;
  group_by?: GroupBy | undefined;
  /** Whose days group_by=day means. */
  zone: string;
  include_feedback: boolean;
  /** Where it was asked for. */
  include?: Subject[] | undefined;
  max_token_count?: number | undefined;
  limit: number;
  /** diff: seq of the earlier point. */
  from_seq?: number | undefined;
};

/** An export: its parameters, the seq it is true for, the newest seq there is, and, of a checkpoint, tag and birth. */
export type Request = {
  parameters: Parameters;
  at: number;
  head: number;
  checkpoint?: string | undefined;
  generated_at?: Instant | undefined;
};

type Kept = { tag: string; seq: number; created_at: Instant; parameters: Parameters };

/** Rides on checkpoints_pkey. */
export const findCheckpoint = async (db: Db, user_id: string, tag: string): Promise<Kept | undefined> =>
  (await db
    .selectFrom('checkpoints')
    .select(['tag', 'seq', 'created_at', 'parameters'])
    .where('user_id', '=', user_id)
    .where('tag', '=', tag)
    .executeTakeFirst()) as Kept | undefined;

/** By tag. */
export const listCheckpoints = async (
  db: Db,
  user_id: string,
  after: string | undefined,
  limit: number,
): Promise<Checkpoint[]> =>
  db
    .selectFrom('checkpoints')
    .select(['tag', 'seq', 'created_at', 'parameters'])
    .where('user_id', '=', user_id)
    .where('tag', '>', after ?? '')
    .orderBy('tag')
    .limit(limit)
    .execute();

/** Of one user: they are kept for good, as is all of the ledger. */
const MAX_CHECKPOINTS = 10_000;

/** Under the user's lock; rides on checkpoints_pkey. @throws 409 too_many_checkpoints */
const refuseTooMany = async (tx: Db, user_id: string): Promise<void> => {
  const { count } = await tx
    .selectFrom('checkpoints')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', user_id)
    .executeTakeFirstOrThrow();
  if (count >= MAX_CHECKPOINTS)
    throw problem(
      'too_many_checkpoints',
      `You have ${MAX_CHECKPOINTS} checkpoints: name the point by its seq (from, as_of) instead.`,
    );
};

/** Keeps a request under a tag, as an entry of the ledger. @throws 409 tag_taken, too_many_checkpoints */
export const keepCheckpoint = async (
  ledger: Ledger,
  caller: Caller,
  tag: string,
  request: Request,
  created_at: Instant,
): Promise<Request> => {
  const kept: Kept = { tag, seq: request.at, created_at, parameters: request.parameters };
  const parameters = JSON.stringify(kept.parameters);
  try {
    await ledger.write(caller, async (writer) => {
      await refuseTooMany(writer.tx, caller.user_id);
      await writer.tx
        .insertInto('checkpoints')
        .values({ ...kept, user_id: caller.user_id, parameters })
        .execute();
      const payload = { ...kept, parameters: JSON.parse(parameters) as object };
      writer.record({
        kind: 'checkpoint.created',
        subject: 'checkpoint',
        uid: tag,
        version: 1,
        payload: () => payload,
      });
    });
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw problem(
      'tag_taken',
      `A checkpoint with the tag ${tag} exists: choose another, or repeat it with from_checkpoint=${tag}.`,
    );
  }
  return { ...request, checkpoint: tag, generated_at: created_at };
};
