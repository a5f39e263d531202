/** POST /agent/execute: a task's approved plans carried out by hand, simulated, or told again. */
import type { Clock } from '../clock.ts';
import type { Caller } from '../domain/caller.ts';
import type { Instant } from '../domain/time.ts';
import type { PlanDoc } from '../domain/trace.ts';
import { notFound, problem } from '../errors.ts';
import type { Ledger, Writer } from '../ledger/ledger.ts';
import type { Execution, Outcome } from './execute.ts';
import { executionRecords, plansOfTask } from './queries.ts';
import { waitsForItsTime } from './rules.ts';
import type { ExecutionLog } from './schema.ts';

export const createRunning = ({ ledger, clock, execution }: { ledger: Ledger; clock: Clock; execution: Execution }) => {
  const logOf = (outcome: Outcome) => ({
    uid: outcome.plan.uid,
    action_type: outcome.plan.action_type,
    from: 'approved' as const,
    to: outcome.plan.status,
    effects: outcome.effects,
    at: outcome.at,
  });

  /** What was done before, told from the record of the transition. */
  const replay = async (writer: Writer, task_id: string, done: PlanDoc[]): Promise<ExecutionLog> => {
    const records = await executionRecords(writer.tx, writer.author.user_id, done);
    const log = done.map((plan) => ({
      uid: plan.uid,
      action_type: plan.action_type,
      from: 'approved' as const,
      to: plan.status,
      effects: records.get(plan.uid)?.effects ?? [],
      at: plan.executed_at as Instant,
    }));
    return { task_id, simulated: false, replayed: true, log, traces: [], events: [] };
  };

  const execute = (
    caller: Caller,
    { task_id, uid, simulate }: { task_id: string; uid?: string | undefined; simulate: boolean },
  ): Promise<ExecutionLog> =>
    ledger.write(
      caller,
      async (writer) => {
        const plans = await plansOfTask(writer.tx, caller.user_id, task_id, uid);
        if (!plans.length) throw uid === undefined ? notFound('task', task_id) : notFound('plan', uid);
        const approved = plans.filter((p) => p.status === 'approved' && p.origin !== 'import');
        const executed = plans.filter((p) => p.status === 'executed');
        if (!approved.length && executed.length)
          return { ...(await replay(writer, task_id, executed)), simulated: simulate };
        if (!approved.length)
          throw problem(
            'not_approved',
            `No plan of task ${task_id} is approved (${plans.map((p) => p.status).join(', ')}): a person has to approve first.`,
            { plans: plans.map((p) => ({ uid: p.uid, status: p.status })) },
          );
        const answer: ExecutionLog = { task_id, simulated: simulate, log: [], traces: [], events: [] };
        for (const plan of approved) {
          if (waitsForItsTime(plan, clock.now()) && !simulate) {
            const detail = `Not before ${plan.scheduled_for}.`;
            answer.log.push({
              uid: plan.uid,
              action_type: plan.action_type,
              from: 'approved',
              to: 'approved',
              effects: [],
              at: clock.now(),
              problem: { status: 409, code: 'not_due', detail },
            });
            continue;
          }
          const outcome = await execution.execute(writer, plan);
          answer.log.push(logOf(outcome));
          answer.traces.push(...outcome.traces);
          answer.events.push(...(outcome.events as ExecutionLog['events']));
        }
        return answer;
      },
      { simulate },
    );

  return { execute };
};
