/**
 * Takes back all that one agent caused since a moment, in one write (docs/decisions.md, What an agent caused can be taken back). What
 * cannot be taken back stays, with the reason.
 */
import type { EventResource } from '../../calendar/schemas.ts';
import type { Clock } from '../../common/clock.ts';
import { invalidAt, notFound, Problem } from '../../common/problem.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { UNDONE } from '../../domain/plan/plan.ts';
import type { PlanDoc, TraceDoc } from '../../domain/record/trace.ts';
import { timeFault } from '../../domain/time/time.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { seqAtTime } from '../../ledger/read-ledger.ts';
import type { TraceStore } from '../../ledger/trace-store.ts';
import type { Moves } from '../decide/record-transition.ts';
import { executionRecords, findPlans } from '../queries.ts';
import { isAgent, plansCausedBy } from './caused.ts';
import type { Compensation } from './compensation.ts';
import { changedByOthers, createTracesTakenBack, tracesChangedBy } from './traces.ts';

export type AgentTakenBackDeps = {
  ledger: Ledger;
  clock: Clock;
  traces: TraceStore;
  compensate: Compensation;
  moves: Moves;
};

/** What one request takes back at most, the newest first. An undo of it reads 2,000 entries of the ledger. */
const MOST = { waiting: 400, executed: 100, traces: 200 };

export type Left = { doc: PlanDoc | TraceDoc; problem: Problem };

export type AgentTakenBack = {
  /** The ledger number by which this is taken back; null where nothing changed. */
  seq: number | null;
  /** The newest entry of the ledger before. */
  as_of: number;
  taken_back: (PlanDoc | TraceDoc)[];
  left: Left[];
  events: EventResource[];
  /** Whether there is more than one request takes back. */
  more: boolean;
};

/** The answer of a write that took back or restored. */
export const answerOf = (
  writer: Writer,
  simulate: boolean,
  done: Omit<AgentTakenBack, 'seq' | 'as_of' | 'left' | 'more'> & Partial<AgentTakenBack>,
): AgentTakenBack => {
  const written = simulate ? 0 : writer.entries();
  return { left: [], more: false, ...done, as_of: writer.before, seq: written ? writer.before + written : null };
};

export type TakeBackOptions = {
  agent: string;
  since: string;
  until?: number | undefined;
  note?: string | null | undefined;
  simulate?: boolean;
};

const isExecuted = ({ status }: PlanDoc): boolean => status === 'executed';

type Annulled = { done: PlanDoc[]; left: Left[]; events: EventResource[] };

export const createAgentTakenBack = ({ ledger, clock, traces, compensate, moves }: AgentTakenBackDeps) => {
  const takeTracesBack = createTracesTakenBack({ traces });

  /** Plans that are taken back together: those of a swap, and otherwise one. The last execution comes first. */
  const groupsOf = async ({ tx, author }: Writer, plans: readonly PlanDoc[]): Promise<PlanDoc[][]> => {
    const records = await executionRecords(tx, author.user_id, [...plans]);
    const at = ({ uid }: PlanDoc): number => records.get(uid)?.seq ?? 0;
    const partners = await findPlans(
      tx,
      author.user_id,
      plans.flatMap(({ swaps_with }) => swaps_with ?? []),
    );
    const executed = new Map([...partners, ...plans].filter(isExecuted).map((plan) => [plan.uid, plan]));
    const grouped = new Set<string>();
    return plans
      .toSorted((a, b) => at(b) - at(a))
      .flatMap((plan) => {
        if (grouped.has(plan.uid)) return [];
        const partner = executed.get(plan.swaps_with ?? '');
        const group = partner ? [plan, partner] : [plan];
        for (const { uid } of group) grouped.add(uid);
        return [group];
      });
  };

  /**
   * Undoes what plans made, all together where that is possible, and otherwise in halves down to the plans that stay. The last one comes
   * first, because a later plan may have changed what an earlier one made.
   */
  const annul = async (writer: Writer, groups: readonly PlanDoc[][], note: string | null): Promise<Annulled> => {
    if (!groups.length) return { done: [], left: [], events: [] };
    const plans = groups.flat();
    try {
      return await writer.attempt(async () => {
        const events = await compensate(writer, plans, 'keep');
        const steps = plans.map((plan) => ({ plan, name: 'annul', details: { code: UNDONE, note } }) as const);
        return { done: await moves.makeAll(writer, steps), left: [], events };
      });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (groups.length === 1) return { done: [], left: plans.map((doc) => ({ doc, problem: error })), events: [] };
    }
    const half = groups.length >> 1;
    const last = await annul(writer, groups.slice(0, half), note);
    const first = await annul(writer, groups.slice(half), note);
    return {
      done: [...last.done, ...first.done],
      left: [...last.left, ...first.left],
      // An event that both changed is as the second left it.
      events: [...new Map([...last.events, ...first.events].map((event) => [event.uid, event])).values()],
    };
  };

  const endWaiting = (writer: Writer, plans: readonly PlanDoc[], note: string | null): Promise<PlanDoc[]> =>
    moves.makeAll(
      writer,
      plans.map((plan) => ({
        plan,
        name: plan.status === 'approved' ? 'cancel' : 'withdraw',
        details: { code: UNDONE, note },
      })),
    );

  /** @throws 422 where it is neither a time nor a ledger number */
  const seqOf = async (writer: Writer, { zone }: Caller, since: string): Promise<number> => {
    if (/^\d{1,15}$/.test(since)) return Number(since) - 1;
    const asker = { user_id: writer.author.user_id, zone, now: clock.now() };
    const seq = await seqAtTime(writer.tx, asker, since, 'start');
    if (seq === undefined)
      throw invalidAt('/since', 'invalid_time', `${timeFault(since)}; send a time or a ledger seq`);
    return seq;
  };

  /**
   * @param since a time or a ledger seq
   * @param until what was changed after this ledger seq stays
   * @throws 404, 422
   */
  const takeBackAgent = (
    caller: Caller,
    { agent, since, until, note = null, simulate = false }: TakeBackOptions,
  ): Promise<AgentTakenBack> =>
    ledger.write(
      caller,
      async (writer): Promise<AgentTakenBack> => {
        const { user_id } = caller;
        const of = {
          user_id,
          actor: `agent:${agent}`,
          after: await seqOf(writer, caller, since),
          until: until ?? writer.before,
        };
        if (!(await isAgent(writer.tx, user_id, agent))) throw notFound('key', agent);
        const executed = await plansCausedBy(writer.tx, of, ['executed'], MOST.executed + 1);
        const waiting = await plansCausedBy(writer.tx, of, ['proposed', 'approved'], MOST.waiting + 1);
        const changed = await tracesChangedBy(writer.tx, of, MOST.traces + 1);
        const own = changed.filter(({ isTouched }) => !isTouched);
        const touched = changed.filter(({ isTouched }) => isTouched).slice(0, MOST.traces);
        const more = executed.length > MOST.executed || waiting.length > MOST.waiting || own.length > MOST.traces;

        const annulled = await annul(writer, await groupsOf(writer, executed.slice(0, MOST.executed)), note);
        const ended = await endWaiting(writer, waiting.slice(0, MOST.waiting), note);
        const restored = await takeTracesBack(writer, own.slice(0, MOST.traces));
        return answerOf(writer, simulate, {
          taken_back: [...annulled.done, ...ended, ...restored],
          left: [...annulled.left, ...touched.map((one) => ({ doc: one.now, problem: changedByOthers(one) }))],
          events: annulled.events,
          more,
        });
      },
      { simulate },
    );

  return { takeBackAgent };
};
