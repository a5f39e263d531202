/** Makes traces what they were before some of their versions, in the write that takes those back. */
import { sql, type RawBuilder } from 'kysely';
import { problem, type Problem } from '../../common/problem.ts';
import type { Db } from '../../db/database.ts';
import { oneByOne, only } from '../../db/rows-by-key.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import type { TraceDoc } from '../../domain/record/trace.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { TraceChange, TraceStore } from '../../ledger/trace-store.ts';
import type { Caused } from './caused.ts';

/** A trace before a change, as the change left it, and as it is now. Before its first version there is none. */
export type AroundChange = { uid: string; before: TraceDoc | null; made: TraceDoc; now: TraceDoc };

/** `isTouched`: somebody else made a version since the first one of the actor, and the trace is not again as the actor left it. */
export type OwnChange = AroundChange & { isTouched: boolean };

/** What a trace says, without what every write renews. */
const RENEWED = ['version', 'seq', 'updated_at'];

/** The number of traces that are compared with what they were, of those that the actor changed last, and of the others. */
const COMPARED = 1000;

/**
 * The notes and observations of memory that an actor changed then, and that are not as before again, the last changed first. Plans have
 * moves, and the records of plans and events are history. It reads the entries of the user since then. Uses the index ledger_pkey and
 * the unique key of the ledger.
 * @param limit how many of those that somebody else changed too, and how many of the others
 */
export const tracesChangedBy = async (
  db: Db,
  { user_id, actor, after, until }: Caused,
  limit: number,
): Promise<OwnChange[]> => {
  const versions = (columns: string, condition: RawBuilder<unknown>) => sql`
    (select ${sql.raw(columns)} from ledger where user_id = ${user_id} and subject = 'trace' and subject_uid = own.uid ${condition})`;
  const newest = sql`order by version desc limit 1`;
  const state = (name: string) => sql`(${sql.ref(name)} - ${RENEWED}::text[])`;
  const around = sql`
    select ${versions('payload', sql`and ${only('version', sql`own.first - 1`)}`)} as before,
      ${versions('payload', sql`and ${only('version', sql`own.last`)}`)} as made, ${versions('payload', newest)} as now`;
  const { rows } = await sql<OwnChange>`
    with own as (
      select uid, min(version) as first, count(*) as count, max(version) as last, max(seq) as seq
      from (
        select subject_uid as uid, version, seq from ledger
        where user_id = ${user_id} and seq > ${after} and actor = ${actor} and subject = 'trace'
          and kind in ('trace.created', 'trace.updated', 'trace.removed')
          and payload->>'type' not in ('agent_plan', 'calendar_event') and coalesce(payload->'transition', 'null') = 'null'
        order by seq) as entries
      group by uid
    ), headed as (
      select own.*, row_number() over (partition by h.actor = ${actor} order by own.seq desc) as place
      from own cross join ${oneByOne(versions('actor, kind, seq', newest), 'h')}
      where h.seq <= ${until} and (own.first > 1 or h.kind <> 'trace.removed')
    )
    select uid, before, made, now, "isTouched" from (
      select own.uid, own.seq, d.before, d.made, d.now, t."isTouched",
        row_number() over (partition by t."isTouched" order by own.seq desc) as place
      from headed own
      cross join ${oneByOne(around, 'd')}
      cross join lateral (select own.count <> own.last - own.first + 1 or ${state('d.now')} <> ${state('d.made')} as "isTouched") t
      where own.place <= ${COMPARED} and case when d.before is null or d.before->'removed' is not null then d.now->'removed' is null
        else ${state('d.now')} <> ${state('d.before')} end
    ) found where place <= ${limit} order by seq desc`.execute(db);
  return rows;
};

const stateOf = (trace: TraceDoc): string =>
  canonicalJson(Object.fromEntries(Object.entries(trace).filter(([name]) => !RENEWED.includes(name))));

/** Whether a trace is as the change left it: nobody changed it since, or that was taken back. */
export const isAsMade = ({ made, now }: Pick<AroundChange, 'made' | 'now'>): boolean => stateOf(now) === stateOf(made);

/** Whether the change is taken back already. */
const isAsBefore = ({ before, now }: AroundChange): boolean =>
  before && !before.removed ? stateOf(now) === stateOf(before) : now.removed === true;

export const changedByOthers = ({ uid }: AroundChange): Problem =>
  problem('changed_since', `The trace ${uid} was changed by somebody else since, so it stays as it is.`, { uid });

export const createTracesTakenBack =
  ({ traces }: { traces: TraceStore }) =>
  /** @returns the traces as they are again; those that did not exist before are removed */
  async (writer: Writer, list: readonly AroundChange[]): Promise<TraceDoc[]> => {
    const removed: TraceDoc[] = [];
    const restored: TraceChange[] = [];
    for (const { before, now } of list.filter((one) => !isAsBefore(one)))
      if (before && !before.removed) restored.push({ from: now, to: before });
      else removed.push(now);
    return [...traces.remove(writer, removed), ...(await traces.update(writer, restored))];
  };
