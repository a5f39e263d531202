/** Serves POST /agent/execute: executes or simulates the approved plans of a task, or answers the log of an earlier execution. */
import { earliest, type Clock } from '../../common/clock.ts';
import type { Caller } from '../../domain/access/caller.ts';
import type { Status } from '../../domain/plan/plan.ts';
import { instantOf, type Instant } from '../../domain/time/time.ts';
import type { PlanDoc } from '../../domain/record/trace.ts';
import { isDatabaseAway } from '../../db/sqlstate.ts';
import { notFound, problem, type Problem } from '../../common/problem.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import type { PlanEffects } from './plan-effects.ts';
import { executionRecords, plansOfTask, somePlansOfTask, type TaskPlans } from '../queries.ts';
import { waitsForItsTime } from './approval-rules.ts';
import type { ExecutionLog } from '../schemas.ts';
import type { ProblemOf } from '../../observability/problem-per-item.ts';

/** A request executes at most this many plans. Further ones need another request. */
const MOST_PLANS = 100;

type Entry = Omit<ExecutionLog['log'][number], 'problem'> & { problem?: Problem };
/** The answer, whose problems the route converts to problem+json. */
export type Run = Omit<ExecutionLog, 'log'> & { log: Entry[] };

export type ExecuteRequestsDeps = { ledger: Ledger; clock: Clock; execution: PlanEffects; problemOf: ProblemOf };

export const createExecuteRequests = ({ ledger, clock, execution, problemOf }: ExecuteRequestsDeps) => {
  const entryOf = ({ uid, action_type, status }: PlanDoc, at: Instant, effects: Entry['effects']): Entry => ({
    uid,
    action_type,
    from: 'approved',
    to: status,
    effects,
    at,
  });

  /** The log of an earlier execution, from the records of the transitions. */
  const replay = async (writer: Writer, task_id: string, done: PlanDoc[], simulated: boolean): Promise<Run> => {
    const records = await executionRecords(writer.tx, writer.author.user_id, done);
    const log = done.map((plan) => entryOf(plan, plan.executed_at as Instant, records.get(plan.uid)?.effects ?? []));
    return { task_id, simulated, replayed: true, log, traces: [], events: [] };
  };

  const notApproved = async (writer: Writer, user_id: string, asked: TaskPlans): Promise<Problem> => {
    const plans = await somePlansOfTask(writer.tx, user_id, asked);
    if (!plans.length) return asked.uid === undefined ? notFound('task', asked.task_id) : notFound('plan', asked.uid);
    const states = [...new Set(plans.map((p) => (p.origin === 'import' ? `${p.status}, imported` : p.status)))];
    return problem(
      'not_approved',
      `No plan of task ${asked.task_id} is approved (${states.join('; ')}). A person has to approve a plan first; imported plans are records and are never executed.`,
      { plans: plans.map(({ uid, status }) => ({ uid, status })) },
    );
  };

  /**
   * Executes one plan, and with it the one with which it exchanges places. Where that fails, its effects are undone and the other
   * plans are not affected.
   */
  const runOne = async (writer: Writer, caller: Caller, plan: PlanDoc, answer: Run): Promise<void> => {
    if (answer.log.some(({ uid }) => uid === plan.uid)) return; // It was executed with another one.

    if (waitsForItsTime(plan, instantOf(earliest(clock))) && !answer.simulated) {
      const early = problem('not_due', `The plan is not executed before ${plan.scheduled_for}.`);
      answer.log.push({ ...entryOf(plan, clock.now(), []), problem: early });
      return;
    }
    try {
      for (const done of await writer.attempt(() => execution.execute(writer, plan))) {
        answer.log.push(entryOf(done.plan, done.at, done.effects));
        answer.traces.push(...done.traces);
        answer.events.push(...(done.events as ExecutionLog['events']));
      }
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      answer.log.push({ ...entryOf(plan, clock.now(), []), problem: problemOf(error, caller) });
    }
  };

  const execute = (
    caller: Caller,
    { task_id, uid, simulate }: { task_id: string; uid?: string | undefined; simulate: boolean },
  ): Promise<Run> =>
    ledger.write(
      caller,
      async (writer) => {
        const of = (status: Status, limit: number) =>
          plansOfTask(writer.tx, caller.user_id, { task_id, uid }, status, clock.now(), limit);
        const approved = await of('approved', MOST_PLANS + 1);
        if (!approved.length) {
          const executed = await of('executed', MOST_PLANS);
          if (!executed.length) throw await notApproved(writer, caller.user_id, { task_id, uid });
          return replay(writer, task_id, executed, simulate);
        }
        const more = approved.length > MOST_PLANS ? { more: true as const } : {};
        const answer: Run = { task_id, simulated: simulate, ...more, log: [], traces: [], events: [] };
        for (const plan of approved.slice(0, MOST_PLANS)) await runOne(writer, caller, plan, answer);
        return answer;
      },
      { simulate },
    );

  return { execute };
};
