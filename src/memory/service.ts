/**
 * Pushes, lists, edits and removes traces, and lists their versions. Pushed plans are proposals, which the planner checks
 * (planHooks).
 */
import { randomUUIDv7 } from 'node:crypto';
import type { PlanHooks } from '../agent/plan-hooks.ts';
import type { Clock } from '../common/clock.ts';
import { forPage, type Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { jsonPatch } from '../domain/record/json-patch.ts';
import { planInput } from '../domain/plan/plan-fields.ts';
import { foreignArguments } from '../domain/plan/plan-arguments.ts';
import { isPlan, newTrace, type TraceDoc, type Unstamped } from '../domain/record/trace.ts';
import { readTime, type Instant } from '../domain/time/time.ts';
import { invalid, notFound, problem, checkSeenVersion, type Fault, type SeenVersions } from '../common/problem.ts';
import { mapYielding } from '../common/yielding.ts';
import { readActors } from '../ledger/actors.ts';
import type { GroupWork, Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { countVersions, resolveAsOf, versionsOf, type Asker } from '../ledger/read-ledger.ts';
import type { Sensitive } from '../ledger/sensitive-values.ts';
import { findTrace, firstVersions, type TraceStore } from '../ledger/trace-store.ts';
import { countTraces, selectNow, selectTraces, type TraceFilter } from './queries.ts';
import type { HistoryEntry, PullQuery, Saved, TraceIn, TraceUpdates } from './schemas.ts';

export type MemoryDeps = {
  db: Db;
  reads: Db;
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  sensitive: Sensitive;
  planHooks: PlanHooks;
};

/** A trace as it was sent, and the trace to store. The planner builds plans, so a plan has none here. */
type Pushed = { uid: string; input: TraceIn; trace: Unstamped | undefined };

/** One request to push. */
type Push = { caller: Caller; order: Pushed[] };

/** The usual size of a trace's document without its content, in characters. */
const SIZE_WITHOUT_CONTENT = 500;

const PLAN_ONLY = [...Object.keys(planInput), 'status'] as (keyof typeof planInput | 'status')[];

/** The members that have a value. Absent ones keep their defaults. */
const given = <T extends object>(input: T, drop: readonly string[]): Partial<T> =>
  Object.fromEntries(
    Object.entries(input).filter(([key, value]) => value !== undefined && !drop.includes(key)),
  ) as Partial<T>;

export const createMemoryService = ({ db, reads, ledger, clock, traces, sensitive, planHooks }: MemoryDeps) => {
  const time = (text: string, caller: Caller, zone: string | undefined): Instant =>
    readTime(text, zone ?? caller.zone) as Instant;

  const draft = (caller: Caller, uid: string, input: TraceIn): Unstamped =>
    newTrace({
      ...given(input, ['timezone', ...PLAN_ONLY]),
      uid,
      user_id: caller.user_id,
      type: input.type,
      content: input.content,
      timestamp: input.timestamp === undefined ? clock.now() : time(input.timestamp, caller, input.timezone),
      origin: caller.origin,
    } as Parameters<typeof newTrace>[0]);

  /** Reports faults that concern several fields. */
  const check = (caller: Caller, list: TraceIn[]): void => {
    const faults: Fault[] = [];
    list.forEach((input, i) => {
      if (input.user_id !== undefined && input.user_id !== 'me' && input.user_id !== caller.user_id)
        throw problem('other_user', `traces/${i}/user_id names another user. Leave it out.`);
      if (input.type === 'agent_plan') {
        if (input.action_type === undefined)
          faults.push({
            path: `/traces/${i}/action_type`,
            code: 'required',
            message: 'is required for a trace of type agent_plan',
          });
        else
          for (const { field, message } of foreignArguments(input.action_type, input.arguments))
            faults.push({ path: `/traces/${i}/arguments/${field}`, code: 'custom', message });
        if (!caller.scopes.has('plan:propose'))
          throw problem(
            'insufficient_scope',
            'A trace of type agent_plan is a proposal, so the credential needs plan:propose.',
            { missing: ['plan:propose'] },
          );
      } else
        for (const field of PLAN_ONLY)
          if (input[field] !== undefined)
            faults.push({
              path: `/traces/${i}/${field}`,
              code: 'unknown_field',
              message: 'is allowed for traces of type agent_plan only',
            });
    });
    if (faults.length) throw invalid(faults);
  };

  /**
   * The first versions of traces that already have the uids of the request (one query).
   * @throws 409 where the content differs
   */
  const findRepeated = async (
    writer: Writer,
    caller: Caller,
    list: readonly Pushed[],
  ): Promise<Map<string, TraceDoc>> => {
    const chosen = list.flatMap(({ input }) => input.uid ?? []);
    const found = await firstVersions(writer.tx, caller.user_id, chosen);
    const taken = list.filter(({ uid, input, trace }) => {
      const first = found.get(uid);
      if (!first) return false;
      const repeats = isPlan(first)
        ? planHooks.isSameProposal(caller, first, input)
        : trace !== undefined && sameBody(first, trace, input);
      return !repeats;
    });
    if (taken.length) throw uidTaken(taken.map(({ uid }) => uid));
    return found;
  };

  const uidTaken = (uids: string[]) =>
    problem(
      'uid_taken',
      `These uids already exist with other content, or their traces were removed: ${uids.join(', ')}. Use PATCH /memory/edit to change a trace.`,
      { uids },
    );

  /**
   * Saves the traces of a request, or of several by one credential, as they were sent.
   * @returns the traces by uid, also those that an earlier request saved
   */
  const save = async (writer: Writer, caller: Caller, order: readonly Pushed[]): Promise<Map<string, TraceDoc>> => {
    const saved = await findRepeated(writer, caller, order);
    const inBatch = new Map<string, TraceIn>();
    const proposal_id = randomUUIDv7();
    const fresh: Unstamped[] = [];
    const plans: { uid: string; input: TraceIn; at: string }[] = [];
    // Plans and other traces are written in runs, so that seq is in the order of the request.
    const insertFresh = async () => {
      const entries = fresh.splice(0).map((trace) => ({ trace }));
      const docs = plans.length
        ? await planHooks.proposeTraces(writer, caller, plans.splice(0), proposal_id)
        : await traces.insert(writer, entries);
      for (const doc of docs) saved.set(doc.uid, doc);
    };
    for (const [i, { input, uid, trace }] of order.entries()) {
      const twin = inBatch.get(uid);
      if (twin && canonicalJson(twin) !== canonicalJson(input)) throw uidTaken([uid]);
      inBatch.set(uid, input);
      if (twin || saved.has(uid)) continue;
      if (trace ? plans.length : fresh.length) await insertFresh();
      if (trace) fresh.push(trace);
      else plans.push({ uid, input, at: `/traces/${i}` });
    }
    await insertFresh();
    return saved;
  };

  const answerOf = (saved: Map<string, TraceDoc>, order: readonly Pushed[]): Saved[] =>
    order.map(({ uid }) => {
      const { timestamp, version, seq } = saved.get(uid) as TraceDoc;
      return { uid, timestamp, version, seq };
    });

  const saveTogether: GroupWork<Push, Saved[]> = async (writer, pushes) => {
    const all = pushes.flatMap(({ order }) => order);
    const saved = await save(writer, (pushes[0] as Push).caller, all);
    return pushes.map(({ order }) => {
      const value = answerOf(saved, order);
      const seq = Math.max(...value.map((one) => one.seq));
      return { value, seq: seq > writer.before ? seq : null };
    });
  };

  const push = async (caller: Caller, list: TraceIn[]): Promise<Saved[]> => {
    check(caller, list);
    // These are built before the write takes the user's lock, so that others do not wait for it.
    const order = await mapYielding(list, (input): Pushed => {
      const uid = input.uid ?? randomUUIDv7();
      return { uid, input, trace: input.type === 'agent_plan' ? undefined : draft(caller, uid, input) };
    });
    const size = order.reduce((sum, { trace }) => sum + SIZE_WITHOUT_CONTENT + (trace?.content.length ?? 0), 0);
    // A proposal counts what is proposed already, so it is a write by itself.
    return order.every(({ trace }) => trace)
      ? ledger.writeTogether(caller, saveTogether, { caller, order }, size)
      : ledger.write(caller, async (writer) => answerOf(await save(writer, caller, order), order));
  };

  /** Does `work` on a trace that exists and may be changed. @throws 404, 409 */
  const change = <T>(
    caller: Caller,
    uid: string,
    expected: SeenVersions | undefined,
    work: (writer: Writer, from: TraceDoc) => Promise<T>,
  ): Promise<T> =>
    ledger.readAndWrite(
      caller,
      (tx) => findTrace(tx, caller.user_id, uid),
      (writer, found) => {
        const from = checkChangeable(uid, found);
        checkSeenVersion('trace', uid, expected, from.version);
        return work(writer, from);
      },
    );

  const checkChangeable = (uid: string, doc: TraceDoc | null): TraceDoc => {
    if (!doc) throw notFound('trace', uid);
    if (doc.transition)
      throw problem(
        'immutable_trace',
        `The trace ${uid} records a transition of plan ${doc.transition.plan_uid} and cannot be changed.`,
      );
    return doc;
  };

  const edit = async (caller: Caller, uid: string, updates: TraceUpdates, expected?: SeenVersions): Promise<TraceDoc> =>
    change(caller, uid, expected, async (writer, from) => {
      await sensitive.refuseHiddenChanges(writer.tx, caller, from, updates);
      if (!Object.keys(given(updates, ['timezone'])).length) return from; // Nothing changes, so there is no new version.
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
      const to: TraceDoc = { ...from, ...newTrace({ ...from, ...changes, timestamp }) };
      const [doc] = await traces.update(writer, [{ from, to }]);
      return doc as TraceDoc;
    });

  const remove = async (
    caller: Caller,
    uid: string,
    expected?: SeenVersions,
  ): Promise<{ uid: string; removed: true; version: number }> =>
    change(caller, uid, expected, async (writer, from) => {
      if (isPlan(from))
        throw problem(
          'immutable_trace',
          'Plans are part of the trace log and cannot be removed. Withdraw or reject a proposal; reject an approved plan to cancel it.',
        );
      const doc = await traces.remove(writer, from);
      return { uid, removed: true, version: doc.version };
    });

  const askerOf = ({ user_id, zone }: Caller): Asker => ({ user_id, zone, now: clock.now() });

  const filterOf = (caller: Caller, query: Partial<PullQuery>): TraceFilter => ({
    ...query,
    start: query.start_time === undefined ? undefined : (readTime(query.start_time, caller.zone, 'start') as Instant),
    end: query.end_time === undefined ? undefined : (readTime(query.end_time, caller.zone, 'end') as Instant),
  });

  /** A page, and the seq it is true for. All pages have the seq of the first one, so that later writes do not shift them. */
  const pull = async (
    caller: Caller,
    query: PullQuery,
    position: { at: number; after: [Instant, string] | undefined } | undefined,
  ): Promise<{ items: TraceDoc[]; at: number; more: boolean }> => {
    const from = forPage({ db, reads }, query.limit);
    const asked = position?.at ?? (await resolveAsOf(reads, askerOf(caller), query.as_of));
    const sort = { order: query.order, after: position?.after, limit: query.limit + 1 };
    const filter = filterOf(caller, await asShown(caller, query));
    const { head, ...page } =
      asked === undefined
        ? await selectNow(from, caller.user_id, filter, sort)
        : { ...(await selectTraces(from, caller.user_id, filter, sort, asked)), head: asked };
    return { ...page, at: head };
  };

  /** A reader who is not shown a tag does not find traces by it. */
  const asShown = async (caller: Caller, query: PullQuery): Promise<PullQuery> =>
    query.tag === undefined ? query : { ...query, tag: await sensitive.present(caller, query.tag) };

  /** How many traces a pull has on all pages, as of a seq. */
  const count = async (caller: Caller, query: PullQuery, at: number): Promise<number | null> =>
    countTraces(db, caller.user_id, filterOf(caller, await asShown(caller, query)), at);

  const history = async (
    caller: Caller,
    uid: string,
    { as_of, below, limit }: { as_of?: string | undefined; below?: number | undefined; limit: number },
  ): Promise<{ items: HistoryEntry[]; more: boolean; count: () => Promise<number | null> }> => {
    const until = await resolveAsOf(reads, askerOf(caller), as_of);
    const from = forPage({ db, reads }, limit);
    // The page needs one more version, to compute what its last entry changed.
    const asked = { until, below, limit: limit + 1 };
    const { items: versions, more } = await versionsOf<TraceDoc>(from, caller.user_id, 'trace', uid, asked);
    if (!versions.length && below === undefined) throw notFound('trace', uid);
    // The patch compares texts as the caller may see them, so that it reveals no sensitive value.
    const show = await sensitive.viewOfVersions(caller);
    const shown = versions.map((entry) => show(entry.payload));
    const listed = more ? versions.length - 1 : limit;
    const actorOf = await readActors(
      from,
      caller.user_id,
      versions.map((entry) => entry.actor),
    );
    const items = versions.slice(0, listed).map((entry, i) => ({
      version: entry.version,
      seq: entry.seq,
      recorded_at: entry.recorded_at,
      actor: actorOf(entry.actor),
      action: entry.kind.slice(entry.kind.indexOf('.') + 1),
      changes: shown[i + 1] ? jsonPatch(shown[i + 1], shown[i]) : [],
      trace: shown[i] as TraceDoc,
    }));
    const count = () => countVersions(db, caller.user_id, 'trace', uid, until);
    return { items, more: versions.length > items.length, count };
  };

  return { push, pull, count, edit, remove, history, filterOf };
};

/** Whether a push repeats the one that made `first`. The timestamp counts only where it was given. */
const sameBody = (first: TraceDoc, again: Unstamped, input: TraceIn): boolean => {
  const { version: _v, recorded_at: _r, updated_at: _u, seq: _s, sensitive: _n, recorded_by: _b, ...stored } = first;
  const ignore = { origin: null, ...(input.timestamp === undefined ? { timestamp: null } : {}) };
  return canonicalJson({ ...stored, ...ignore }) === canonicalJson({ ...again, ...ignore });
};

export type MemoryService = ReturnType<typeof createMemoryService>;
