/** Resolves the points of exports, and makes and moves checkpoints. */
import type { Clock } from '../../common/clock.ts';
import type { Db } from '../../db/database.ts';
import type { Caller, Scope } from '../../domain/access/caller.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { problem } from '../../common/problem.ts';
import { readActors } from '../../ledger/actors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { keepCheckpoint, moveCheckpoint, type Request } from '../checkpoints.ts';
import { readRequest } from './parameters.ts';
import { headSeq, resolveAsOf, type Asker } from '../../ledger/read-ledger.ts';
import type { Checkpoint, ExportQuery, MovedCheckpoint, NewCheckpoint, Subject } from '../schemas.ts';
import type { Key } from './walks.ts';

export type PointsDeps = { clock: Clock; db: Db; ledger: Ledger; maxCheckpoints: number };

/** Where the next page continues: the seq of the export and the key of the last result. */
export type Position = { at: number; key: Key };

/** Reads the client's cursor, which is valid only for the query it continues. */
export type ReadPosition = (question: string) => Promise<Position | undefined>;

/** A subject needs one of these scopes beside export:read. */
const NEEDED: Partial<Record<Subject, [Scope, ...Scope[]]>> = {
  event: ['calendar:read'],
  // Agents hold the second one: the profile of an export has no e-mail address, and a plan needs its zone, limits and tempo.
  profile: ['user:read', 'tempo:read'],
};

const checkSubjects = (caller: Caller, include: readonly Subject[] = []): void => {
  const missing = include.flatMap((subject) => {
    const sufficient = NEEDED[subject] ?? [];
    return sufficient.some((scope) => caller.scopes.has(scope)) ? [] : sufficient.slice(0, 1);
  });
  if (missing.length)
    throw problem('insufficient_scope', `The requested include needs the scope ${missing.join(', ')} too.`, {
      missing,
    });
};

export const createPoints = ({ clock, db, ledger, maxCheckpoints }: PointsDeps) => {
  const askerOf = ({ user_id, zone }: Caller): Asker => ({ user_id, zone, now: clock.now() });

  /** Resolves the request and where it continues. All pages have the seq of the first one, where its checkpoint is made too. */
  const resolve = async (
    caller: Caller,
    query: ExportQuery,
    positionOf: ReadPosition,
  ): Promise<{ request: Request; question: string; from: Key | undefined }> => {
    const { user_id, checkpoint, cursor } = query;
    const isKept = checkpoint !== undefined && cursor !== undefined;
    const asked = await readRequest(db, askerOf(caller), isKept ? { user_id, from_checkpoint: checkpoint } : query);
    checkSubjects(caller, asked.parameters.include);
    const question = canonicalJson(JSON.parse(JSON.stringify(asked.parameters)));
    const position = await positionOf(question);
    if (!position)
      return {
        request:
          checkpoint === undefined
            ? asked
            : await keepCheckpoint(ledger, caller, checkpoint, asked, clock.now(), maxCheckpoints),
        question,
        from: undefined,
      };
    const at = asked.checkpoint === undefined ? Math.min(position.at, asked.head) : asked.at;
    return { request: { ...asked, at }, question, from: position.key };
  };

  /** Stores the parameters of an export and its seq under a tag. @throws 403, 409, 422 */
  const keep = async (caller: Caller, { tag, parameters: asked }: NewCheckpoint): Promise<Checkpoint> => {
    const request = await readRequest(db, askerOf(caller), { ...asked, user_id: caller.user_id });
    checkSubjects(caller, request.parameters.include);
    const created_at = clock.now();
    await keepCheckpoint(ledger, caller, tag, request, created_at, maxCheckpoints);
    const parameters = JSON.parse(JSON.stringify(request.parameters)) as Checkpoint['parameters'];
    const actorOf = await readActors(db, caller.user_id, [caller.actor]);
    return { tag, seq: request.at, created_at, actor: actorOf(caller.actor), parameters };
  };

  /** Moves a checkpoint to now, or to another point. @throws 403, 404, 422 */
  const move = async (caller: Caller, { tag, as_of }: MovedCheckpoint): Promise<Checkpoint> => {
    const seq = (await resolveAsOf(db, askerOf(caller), as_of)) ?? (await headSeq(db, caller.user_id));
    const moved = await moveCheckpoint(ledger, caller, tag, { seq, created_at: clock.now() });
    const actorOf = await readActors(db, caller.user_id, [caller.actor]);
    return { ...moved, actor: actorOf(caller.actor), parameters: { ...moved.parameters } };
  };

  return { askerOf, resolve, keep, move };
};
