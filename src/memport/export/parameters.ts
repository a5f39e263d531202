/**
 * Reads what an export was asked for and resolves its times and points. The same parameters and seq always give the same
 * results.
 */
import type { Db } from '../../db/database.ts';
import { readTime, type Instant } from '../../domain/time/time.ts';
import { invalid, invalidAt, notFound, type Fault } from '../../common/problem.ts';
import { headSeq, resolveAsOf, seqAtTime, type Asker } from '../../ledger/read-ledger.ts';
import { findCheckpoint, type Request } from '../checkpoints.ts';
import { CONTENT_PARAMETERS, INCLUDES, type ExportFormat, type ExportQuery, type Subject } from '../schemas.ts';

const DEFAULT_LIMIT = 1000;

/** The subjects asked for, without duplicates, in the order of the export. */
const subjectsOf = (include: string | undefined): Subject[] | undefined => {
  const asked = include?.split(',');
  return asked && Object.entries(INCLUDES).flatMap(([name, subject]) => (asked.includes(name) ? subject : []));
};

/** Reports parameters that do not fit an `include` of more than traces. */
const checkInclude = (query: ExportQuery, fault: (path: string, message: string) => void): void => {
  const subjects = subjectsOf(query.include) ?? ['trace'];
  if (query.include !== undefined && query.export_format !== 'full' && query.export_format !== 'diff')
    fault('/include', 'is allowed for full and diff exports only; summary and linked contain traces only');
  for (const name of ['group_by', 'type'] as const)
    if (query[name] !== undefined && subjects.some((subject) => subject !== 'trace'))
      fault(`/${name}`, 'is allowed for traces only; leave it out, or leave events and profile out of include');
};

type Report = (path: string, message: string) => void;

/** An export of a checkpoint takes its content from there. */
const checkFromCheckpoint = (query: ExportQuery, fault: Report): void => {
  for (const name of CONTENT_PARAMETERS)
    if (query[name] !== undefined) fault(`/${name}`, 'is part of the checkpoint; leave it out with from_checkpoint');
  if (query.checkpoint !== undefined)
    fault('/checkpoint', 'is not allowed with from_checkpoint, because that export already has a checkpoint');
};

/** Checks the parameters that one format has, and those that say the same. */
const checkContent = (query: ExportQuery, fault: Report): void => {
  const { export_format: format } = query;
  checkInclude(query, fault);
  if (query.max_token_count !== undefined && format !== 'summary')
    fault('/max_token_count', 'is allowed for summary exports only');
  for (const name of ['uid', 'max_depth'] as const)
    if (query[name] !== undefined && format !== 'linked') fault(`/${name}`, 'is allowed for linked exports only');
  for (const name of ['from', 'to'] as const)
    if (query[name] !== undefined && format !== 'diff') fault(`/${name}`, 'is allowed for diff exports only');
  for (const [point, time] of [
    ['from', 'start_time'],
    ['to', 'end_time'],
  ] as const)
    if (query[point] !== undefined && query[time] !== undefined)
      fault(`/${point}`, `means the same point as ${time}; send one of them`);
};

/** Reports faults that concern several parameters. */
const check = (query: ExportQuery): void => {
  const faults: Fault[] = [];
  const fault: Report = (path, message) => void faults.push({ path, code: 'invalid_combination', message });
  if (query.from_checkpoint === undefined) checkContent(query, fault);
  else checkFromCheckpoint(query, fault);
  if (faults.length) throw invalid(faults);
};

/** Resolves a point to a seq: a seq itself, the tag of a checkpoint, or a recorded time in whole milliseconds. */
const pointOf = async (
  db: Db,
  asker: Asker,
  point: string | undefined,
  time: string | undefined,
  edge: 'start' | 'end',
): Promise<number | undefined> => {
  if (time !== undefined) return seqAtTime(db, asker, time, edge);
  if (point === undefined || /^\d{1,15}$/.test(point)) return point === undefined ? undefined : Number(point);
  const kept = await findCheckpoint(db, asker.user_id, point);
  if (!kept) throw notFound('checkpoint', point);
  return kept.seq;
};

/**
 * Reads the query, or the checkpoint that it names.
 * @throws 404 for an unknown checkpoint, 422 for parameters that exclude each other
 */
export const readRequest = async (db: Db, asker: Asker, query: ExportQuery): Promise<Request> => {
  check(query);
  const { user_id, zone } = asker;
  const head = await headSeq(db, user_id);
  if (query.from_checkpoint !== undefined) {
    const kept = await findCheckpoint(db, user_id, query.from_checkpoint);
    if (!kept) throw notFound('checkpoint', query.from_checkpoint);
    const { parameters } = kept;
    if (query.export_format !== undefined && query.export_format !== parameters.export_format)
      throw invalidAt(
        '/export_format',
        'invalid_combination',
        `must be left out or agree with the checkpoint, which is of a ${parameters.export_format} export`,
      );
    return { parameters, at: kept.seq, head, checkpoint: kept.tag, generated_at: kept.created_at };
  }
  const isDiff = query.export_format === 'diff';
  const to = isDiff ? await pointOf(db, asker, query.to, query.end_time, 'end') : undefined;
  const at = Math.min(head, to ?? (await resolveAsOf(db, asker, query.as_of)) ?? head);
  const from_seq = isDiff
    ? Math.min(head, (await pointOf(db, asker, query.from, query.start_time, 'start')) ?? 0)
    : undefined;
  if (from_seq !== undefined && from_seq > at)
    throw invalidAt('/from', 'invalid_range', 'must not be after the later point');
  const time = (text: string | undefined, edge: 'start' | 'end') =>
    text === undefined || isDiff ? undefined : (readTime(text, zone, edge) as Instant);
  const { uid, max_depth, task_id, tempo_tag, type, tag, group_by, max_token_count } = query;
  return {
    at,
    head,
    parameters: {
      export_format: query.export_format as ExportFormat,
      filter: {
        uid,
        task_id,
        tempo_tag,
        type,
        tag,
        start: time(query.start_time, 'start'),
        end: time(query.end_time, 'end'),
      },
      group_by,
      zone,
      include: subjectsOf(query.include),
      include_feedback: query.include_feedback ?? query.export_format !== 'summary',
      max_token_count,
      max_depth,
      limit: query.limit ?? DEFAULT_LIMIT,
      from_seq,
    },
  };
};
