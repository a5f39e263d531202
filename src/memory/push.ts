/** Pushes traces. Pushed plans are proposals, which the planner checks (planHooks). The same uid again gives the same answer. */
import { randomUUIDv7 } from 'node:crypto';
import type { MemoryPlanPort, ProposingIn, PushedPlan } from './plan-port.ts';
import type { Clock } from '../common/clock.ts';
import { mayRepeat, type Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { planInput } from '../domain/plan/plan-fields.ts';
import { foreignArguments } from '../domain/plan/plan-arguments.ts';
import { isPlan, newTrace, type TraceDoc, type Unstamped } from '../domain/record/trace.ts';
import { readTime, type Instant } from '../domain/time/time.ts';
import { invalid, problem, type Fault } from '../common/problem.ts';
import { mapYielding } from '../common/yielding.ts';
import type { GroupWork, Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { firstVersions, type TraceStore } from '../ledger/trace-store.ts';
import type { Saved, TraceIn } from './schemas.ts';

export type PushDeps = { clock: Clock; planHooks: MemoryPlanPort; traces: TraceStore; ledger: Ledger };

/** A trace as it was sent, and the trace to store. The planner builds plans, so a plan has none here. */
type Pushed = { uid: string; input: TraceIn; trace: Unstamped | undefined };

/** One request to push. */
type Push = { caller: Caller; order: Pushed[] };

/** The usual size of a trace's document without its content, in characters. */
const SIZE_WITHOUT_CONTENT = 500;

export const PLAN_ONLY = [...Object.keys(planInput), 'status'] as (keyof typeof planInput | 'status')[];

/** The members that have a value. Absent ones keep their defaults. */
export const given = <T extends object>(input: T, drop: readonly string[]): Partial<T> =>
  Object.fromEntries(
    Object.entries(input).filter(([key, value]) => value !== undefined && !drop.includes(key)),
  ) as Partial<T>;

export const time = (text: string, caller: Caller, zone: string | undefined): Instant =>
  readTime(text, zone ?? caller.zone) as Instant;

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

const uidTaken = (uids: string[]) =>
  problem(
    'uid_taken',
    `These uids already exist with other content or from another credential, or their traces were removed: ${uids.join(', ')}. Choose other uids, or use PATCH /memory/edit to change a trace.`,
    { uids },
  );

const answerOf = (saved: Map<string, TraceDoc>, order: readonly Pushed[]): Saved[] =>
  order.map(({ uid }) => {
    const { timestamp, version, seq } = saved.get(uid) as TraceDoc;
    return { uid, timestamp, version, seq };
  });

/** Whether a push repeats the one that made `first`. The timestamp counts only where it was given. */
const sameBody = (first: TraceDoc, again: Unstamped, input: TraceIn): boolean => {
  const { version: _v, recorded_at: _r, updated_at: _u, seq: _s, sensitive: _n, recorded_by: _b, ...stored } = first;
  const ignore = { origin: null, ...(input.timestamp === undefined ? { timestamp: null } : {}) };
  return canonicalJson({ ...stored, ...ignore }) === canonicalJson({ ...again, ...ignore });
};

/** The plans of a request, each uid once. */
const plansOf = (order: readonly Pushed[]): PushedPlan[] => [
  ...new Map(
    order.flatMap(({ uid, input, trace }, i) => (trace ? [] : [[uid, { uid, input, at: `/traces/${i}` }]])),
  ).values(),
];

export const createPush = ({ clock, planHooks, traces, ledger }: PushDeps) => {
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

  /**
   * The first versions of traces that already have the uids of the request.
   * @throws 409 where the content differs
   */
  const findRepeated = async (
    writer: Writer,
    caller: Caller,
    list: readonly Pushed[],
  ): Promise<Map<string, TraceDoc>> => {
    const asked = Map.groupBy(
      list.filter(({ input }) => input.uid !== undefined),
      ({ uid }) => uid,
    );
    const same = new Map<string, TraceDoc>();
    const others = new Set<string>();
    for await (const { doc, actor } of firstVersions(writer.tx, caller.user_id, [...asked.keys()])) {
      const repeats = ({ input, trace }: Pushed): boolean =>
        isPlan(doc) ? planHooks.isSameProposal(caller, doc, input) : trace !== undefined && sameBody(doc, trace, input);
      if (mayRepeat(caller, actor) && asked.get(doc.uid)?.every(repeats)) same.set(doc.uid, doc);
      else others.add(doc.uid);
    }
    if (others.size) throw uidTaken([...asked.keys()].filter((uid) => others.has(uid)));
    return same;
  };

  /**
   * Saves the traces of a request, or of several by one credential, as they were sent.
   * @returns the traces by uid, also those that an earlier request saved
   */
  const save = async (
    writer: Writer,
    caller: Caller,
    order: readonly Pushed[],
    proposing?: ProposingIn,
  ): Promise<Map<string, TraceDoc>> => {
    const saved = await findRepeated(writer, caller, order);
    const propose = await proposing?.(writer, new Set(saved.keys()));
    const inBatch = new Map<string, TraceIn>();
    const fresh: Unstamped[] = [];
    const plans: string[] = [];
    // Plans and other traces are written in runs, so that seq is in the order of the request.
    const insertFresh = async () => {
      const entries = fresh.splice(0).map((trace) => ({ trace }));
      const docs = propose && plans.length ? await propose(plans.splice(0)) : await traces.insert(writer, entries);
      for (const doc of docs) saved.set(doc.uid, doc);
    };
    for (const { input, uid, trace } of order) {
      const twin = inBatch.get(uid);
      if (twin && canonicalJson(twin) !== canonicalJson(input)) throw uidTaken([uid]);
      inBatch.set(uid, input);
      if (twin || saved.has(uid)) continue;
      if (trace ? plans.length : fresh.length) await insertFresh();
      if (trace) fresh.push(trace);
      else plans.push(uid);
    }
    await insertFresh();
    return saved;
  };

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
    if (order.every(({ trace }) => trace)) return ledger.writeTogether(caller, saveTogether, { caller, order }, size);
    // A proposal counts what is proposed already, so it is a write by itself.
    const proposing = await planHooks.proposingTraces(caller, plansOf(order), randomUUIDv7());
    return ledger.write(caller, async (writer) => answerOf(await save(writer, caller, order, proposing), order));
  };

  return { push };
};
