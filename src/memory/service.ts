/**
 * Pushes, lists, edits and removes traces, and lists their versions. Pushed plans are proposals, which the planner checks
 * (planHooks).
 */
import type { MemoryPlanPort } from './plan-port.ts';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { valuesOf } from '../domain/record/blanking.ts';
import { isPlan, newTrace, type TraceDoc } from '../domain/record/trace.ts';
import { invalid, notFound, problem, checkSeenVersion, type SeenVersions } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { isTrusted, type Sensitive } from '../ledger/sensitive-values.ts';
import { findTrace, lastTraces, type TraceStore } from '../ledger/trace-store.ts';
import type { TraceUpdates } from './schemas.ts';
import { createPush, PLAN_ONLY, given, time } from './push.ts';
import { createPull, filterOf } from './pull.ts';

export type MemoryDeps = {
  db: Db;
  reads: Db;
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  sensitive: Sensitive;
  planHooks: MemoryPlanPort;
};

const checkChangeable = (uid: string, doc: TraceDoc | null): TraceDoc => {
  if (!doc) throw notFound('trace', uid);
  if (doc.transition)
    throw problem(
      'immutable_trace',
      `The trace ${uid} records a transition of plan ${doc.transition.plan_uid} and cannot be changed.`,
    );
  return doc;
};

/**
 * A value that ends is blanked no more, so only who is shown it, or has set it, may end it.
 * @throws 409 redacted_field
 */
const refuseToEndHidden = (caller: Caller, from: TraceDoc): void => {
  if (isTrusted(caller)) return;
  const fields = valuesOf(from).flatMap(({ name, agent }) => (agent === caller.actor ? [] : name));
  if (fields.length)
    throw problem(
      'redacted_field',
      `This credential is not shown ${fields.join(' and ')} of the trace, so it cannot remove the trace. Use a credential that has export:sensitive.`,
      { fields },
    );
};

export const createMemoryService = ({ db, reads, ledger, clock, traces, sensitive, planHooks }: MemoryDeps) => {
  const { push } = createPush({ clock, planHooks, traces, ledger });

  /**
   * The trace, or the last version of one that was removed, for who names that version: a change that knows nothing of the
   * removal does not bring the trace back.
   */
  const findChanged = async (tx: Db, { user_id }: Caller, uid: string, expected: SeenVersions | undefined) =>
    (await findTrace(tx, user_id, uid)) ??
    (expected === undefined ? null : ((await lastTraces(tx, user_id, [uid])).get(uid) ?? null));

  /** Does `work` on a trace that may be changed. @throws 404, 409 */
  const change = <T>(
    caller: Caller,
    uid: string,
    expected: SeenVersions | undefined,
    work: (writer: Writer, from: TraceDoc) => Promise<T>,
  ): Promise<T> =>
    ledger.readAndWrite(
      caller,
      (tx) => findChanged(tx, caller, uid, expected),
      (writer, found) => {
        const from = checkChangeable(uid, found);
        checkSeenVersion('trace', uid, expected, from.version);
        return work(writer, from);
      },
    );

  const edit = async (caller: Caller, uid: string, updates: TraceUpdates, expected?: SeenVersions): Promise<TraceDoc> =>
    change(caller, uid, expected, async (writer, from) => {
      await sensitive.refuseHiddenChanges(writer.tx, caller, from, updates);
      const { removed, ...kept } = from;
      // Nothing changes, so there is no new version.
      if (!Object.keys(given(updates, ['timezone'])).length && !removed) return from;
      if (isPlan(from)) return planHooks.editPlan(writer, caller, from, updates);
      const planFields = [...PLAN_ONLY, 'pinned'].filter((f) => (updates as Record<string, unknown>)[f] !== undefined);
      if (planFields.length)
        throw invalid(
          planFields.map((f) => ({
            path: `/updates/${f}`,
            code: 'unknown_field',
            message: 'is allowed for plans only',
          })),
        );
      const changes = given(updates, ['timezone', 'timestamp']) as Partial<TraceDoc>;
      const timestamp =
        updates.timestamp === undefined ? from.timestamp : time(updates.timestamp, caller, updates.timezone);
      const to: TraceDoc = { ...kept, ...newTrace({ ...kept, ...changes, timestamp }) };
      const [doc] = await traces.update(writer, [{ from, to }]);
      return doc as TraceDoc;
    });

  const remove = async (
    caller: Caller,
    uid: string,
    expected?: SeenVersions,
  ): Promise<{ uid: string; removed: true; version: number }> =>
    change(caller, uid, expected, async (writer, from) => {
      if (from.removed) throw notFound('trace', uid);
      if (isPlan(from))
        throw problem(
          'immutable_trace',
          'Plans are part of the trace log and cannot be removed. Withdraw or reject a proposal; reject an approved plan to cancel it.',
        );
      refuseToEndHidden(caller, from);
      traces.remove(writer, [from]);
      return { uid, removed: true, version: from.version + 1 };
    });

  const { pull, count, history } = createPull({ clock, db, reads, sensitive });
  return { push, pull, count, edit, remove, history, filterOf };
};

export type MemoryService = ReturnType<typeof createMemoryService>;
