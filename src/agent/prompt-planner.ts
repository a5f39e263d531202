/** Plans a prompt: makes proposals, or corrections of pending proposals, of what was understood. */
import type { Caller } from '../domain/access/caller.ts';
import type { Intent } from '../domain/intent/types.ts';
import { cancels } from '../domain/plan/plan.ts';
import { readArguments } from '../domain/plan/plan-arguments.ts';
import { addMinutes, millis, readTime, type Instant, type Interval } from '../domain/time/time.ts';
import { newTrace, type PlanDoc } from '../domain/record/trace.ts';
import { Problem, problem, type ProblemCode } from '../common/problem.ts';
import type { Ledger, Writer } from '../ledger/ledger.ts';
import { requireMove, requireUnchanged } from '../ledger/transition-problems.ts';
import { findTraces } from '../ledger/trace-store.ts';
import { createInterpret, type InterpretDeps, type PlanOptions } from './interpret-prompt.ts';
import { estimate, type Moves } from './record-transition.ts';
import type { ProposalAdmission } from './admit-proposal.ts';
import type { ApprovalRules } from './approval-rules.ts';
import { inSentences, isKeptInTempo, type Proposal, type Situation } from './placement.ts';
import { loadPlan } from './queries.ts';
import type { PlanContext } from './schemas.ts';
import type { AgentService } from './service.ts';

export type PlannerDeps = InterpretDeps & {
  ledger: Ledger;
  agent: AgentService;
  admission: ProposalAdmission;
  rules: ApprovalRules;
  moves: Moves;
};

export type Planned = {
  reply: string;
  /** How the prompt was understood, for the front end to show. */
  commands: Intent[];
  plans: PlanDoc[];
  planner: { mode: 'built-in' | 'model'; model: string | null };
  warnings: string[];
};

export const createPlanner = (deps: PlannerDeps) => {
  const { db, ledger, clock, calendar, agent, admission, rules, moves, model, situationOf } = deps;

  const interpret = createInterpret(deps);

  const toProposal = (
    caller: Caller,
    intent: Intent,
    links: string[],
    target?: { duration_minutes: number },
  ): Proposal => ({
    action_type: intent.action_type,
    title: intent.title,
    content: intent.content,
    scheduled_for: intent.scheduled_for ?? null,
    duration_minutes:
      intent.duration_minutes ??
      (target && intent.duration_delta_minutes
        ? Math.max(5, target.duration_minutes + intent.duration_delta_minutes)
        : null),
    target_event_uid: intent.target_event_uid ?? null,
    arguments: readArguments(intent),
    reasoning: intent.reasoning,
    between: intent.between,
    part_of_day: intent.part_of_day,
    avoid: intent.avoid,
    trace: {
      task_id: intent.task_id ?? null,
      tempo_tag: intent.tempo_tag ?? null,
      tags: intent.tags,
      linked_trace_ids: links,
    },
  });

  /** The proposal that a correction makes of a pending one, before it is placed. */
  const corrected = (caller: Caller, plan: PlanDoc, intent: Intent): Proposal => {
    const elsewhere = intent.between !== undefined && intent.scheduled_for === undefined;
    const { cancel, ...args } = { ...readArguments(plan), ...intent.arguments };
    // A cancellation that gets a new time becomes a move again.
    const isMoved = elsewhere || intent.scheduled_for !== undefined;
    return {
      ...toProposal(caller, intent, []),
      action_type: plan.action_type,
      scheduled_for: intent.scheduled_for ?? (elsewhere ? null : plan.scheduled_for),
      duration_minutes:
        intent.duration_minutes ??
        (intent.duration_delta_minutes && plan.duration_minutes
          ? Math.max(5, plan.duration_minutes + intent.duration_delta_minutes)
          : plan.duration_minutes),
      target_event_uid: plan.target_event_uid,
      arguments: cancel === undefined || isMoved ? args : { ...args, cancel },
      trace: { task_id: plan.task_id, tempo_tag: intent.tempo_tag ?? plan.tempo_tag },
    };
  };

  /**
   * Corrects a pending proposal: moves it, changes its length, or withdraws it. The plan must still be at the version that was
   * `read`.
   */
  const correct = async (
    writer: Writer,
    caller: Caller,
    intent: Intent,
    read: Map<string, number>,
    situation: Situation,
  ): Promise<PlanDoc> => {
    const plan = await loadPlan(writer.tx, caller.user_id, intent.target_plan_uid as string);
    const move = intent.arguments.cancel ? 'withdraw' : 'revise';
    requireMove(writer.author, plan, move);
    requireUnchanged(plan, read.get(plan.uid) ?? 0);
    if (move === 'withdraw') return moves.make(writer, plan, move, { code: 'withdrawn', note: intent.reasoning });
    const wish = corrected(caller, plan, intent);
    const end = intent.between?.end ?? addMinutes(wish.scheduled_for ?? clock.now(), 28 * 1440);
    const busy = await calendar.inTransaction.busy(
      writer.tx,
      caller.user_id,
      { start: clock.now(), end },
      { except: plan.target_event_uid ? [plan.target_event_uid] : [], apart: [] },
    );
    const keptInTempo = isKeptInTempo(situation, caller.origin);
    const placed = admission.place(wish, busy, situation, { keptInTempo });
    if (placed.verdict)
      throw problem('slot_taken', `The plan cannot be changed like this: ${placed.verdict.detail}.`, {
        alternatives: placed.verdict.alternatives ?? [],
      });
    const changes: Partial<PlanDoc> = {
      scheduled_for: placed.start,
      duration_minutes: placed.minutes,
      temporal_estimate: estimate(placed.start, placed.minutes),
      expires_at: placed.start,
      arguments: wish.arguments,
      // The text of a move names the time, which has changed.
      ...(plan.action_type === 'reschedule' ? withContent(plan, intent.content) : {}),
      task_id: intent.task_id ?? plan.task_id,
      tempo_tag: wish.trace?.tempo_tag ?? null,
      reasoning: [intent.reasoning, ...inSentences(placed.reasons)].join(' '),
    };
    const said = await rules.describeAction(writer, plan, { ...plan, ...changes });
    if (caller.origin === 'agent') await rules.checkAgentsChange(writer, { ...plan, ...changes }, situation);
    return moves.change(writer, plan, move, { changes: { ...changes, ...said } });
  };

  /** Traces of the caller's context that exist. The proposals link to them. */
  const knownTraces = async (caller: Caller, context: PlanContext | undefined): Promise<string[]> => {
    const named = (context?.memory ?? []).flatMap((m) =>
      typeof m === 'string' ? m : typeof m['uid'] === 'string' ? m['uid'] : [],
    );
    return (await findTraces(db, caller.user_id, named)).map((t) => t.uid);
  };

  /** Records what was understood in one transaction, in the order of the prompt, or only simulates it. */
  const record = (
    caller: Caller,
    { intents, read }: { intents: Intent[]; read: Map<string, number> },
    links: string[],
    busy: Interval[],
    simulate: boolean,
  ): Promise<PlanDoc[]> =>
    ledger.write(
      caller,
      async (writer) => {
        const situation = await situationOf(writer.tx, caller.user_id);
        const targets = await calendar.inTransaction.find(
          writer.tx,
          caller.user_id,
          intents.flatMap((i) => i.target_event_uid ?? []),
        );
        const fresh = intents.filter((i) => i.target_plan_uid === undefined);
        const plans = await agent.propose(
          writer,
          fresh.map((i) =>
            toProposal(
              caller,
              i,
              links,
              targets.find((e) => e.uid === i.target_event_uid),
            ),
          ),
          busy,
        );
        const answer: PlanDoc[] = [];
        for (const intent of intents) {
          if (intent.target_plan_uid === undefined) {
            answer.push(plans.shift() as PlanDoc);
            continue;
          }
          const next = await correct(writer, caller, intent, read, situation);
          await writer.flush(); // Another correction of the same plan in this prompt continues from here.
          read.set(next.uid, next.version);
          answer.push(next);
        }
        return answer;
      },
      { simulate },
    );

  /** Adds a line for each plan to the reply. */
  const listPlans = (reply: string, plans: PlanDoc[], zone: string): string => {
    const lines = plans.map((p) => {
      if (cancels(p) && p.status === 'proposed') return `• cancel ${p.title}`;
      const when = p.scheduled_for ? ` ${spokenTime(p.scheduled_for, zone)}` : '';
      return p.status === 'rejected'
        ? `• ${p.title}${when}: not possible, ${p.decision?.note ?? p.decision?.code}`
        : `• ${p.title}${when}${p.duration_minutes ? `, ${p.duration_minutes} minutes` : ''}`;
    });
    return lines.length ? `${reply}\n${lines.join('\n')}` : reply;
  };

  /**
   * Plans a prompt. With `simulate` nothing is stored.
   * @param links traces that the proposals should link to, such as the recorded prompt
   */
  const plan = async (caller: Caller, prompt: string, options: PlanOptions): Promise<Planned> => {
    const { context, links = [], simulate = false, explained = false } = options;
    const { intents, read, reply, warnings, planner } = await interpret(caller, prompt, options);
    const grounds = [...links, ...(await knownTraces(caller, context))];
    const busy = busyIn(context, caller.zone);
    const recorded = intents.length ? record(caller, { intents, read }, grounds, busy, simulate) : [];
    const plans = await (explained ? Promise.resolve(recorded).catch(explainable) : recorded);
    if (plans instanceof Problem)
      return { reply: inWords(plans, caller.zone), commands: [], plans: [], planner, warnings };
    return { reply: listPlans(reply, plans, caller.zone), commands: intents, plans, planner, warnings };
  };

  return { plan, mode: { mode: model ? ('model' as const) : ('built-in' as const), model: model?.model ?? null } };
};

/** The problems that can prevent a request of a person. The reply explains them, because they are not faults of the client. */
const EXPLAINABLE: ReadonlySet<ProblemCode> = new Set([
  'slot_taken',
  'limit_reached',
  'too_many_pending',
  'too_many_occurrences',
]);

/** @throws what can't be explained in a reply */
const explainable = (error: unknown): Problem => {
  if (error instanceof Problem && EXPLAINABLE.has(error.code)) return error;
  throw error;
};

/** Why nothing was proposed, and the free times where the problem names some. */
const inWords = ({ message, options }: Problem, zone: string): string => {
  const alternatives = (options.extra?.['alternatives'] ?? []) as Interval[];
  const times = alternatives.map(({ start }) => spokenTime(start, zone)).join('; ');
  return `I changed and proposed nothing. ${message}${times ? ` It would be free at: ${times}.` : ''}`;
};

const withContent = (plan: PlanDoc, content: string): Partial<PlanDoc> => ({
  content,
  summary: newTrace({ ...plan, content }).summary,
});

/** Busy time that the caller knows, such as another calendar in the front end: objects with a start and an end or a length. */
const busyIn = (context: PlanContext | undefined, zone: string): Interval[] =>
  [...(context?.calendar ?? []), ...(context?.schedule ?? [])].flatMap((entry) => {
    if (typeof entry === 'string' || entry['busy'] === false) return [];
    const read = (value: unknown): Instant | null => (typeof value === 'string' ? readTime(value, zone) : null);
    const start = read(entry['scheduled_for'] ?? entry['start']);
    const minutes = entry['duration_minutes'];
    const end =
      read(entry['end']) ??
      (start && typeof minutes === 'number' && minutes > 0 && minutes < 1e6 ? addMinutes(start, minutes) : null);
    return start && end && millis(end) > millis(start) ? [{ start, end }] : [];
  });

const spokenTime = (at: Instant, zone: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: zone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
  }).format(new Date(at));

export type Planner = ReturnType<typeof createPlanner>;
