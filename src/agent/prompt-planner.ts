/** Plans a prompt: makes proposals, or corrections of pending proposals, of what was understood. */
import type { Caller } from '../domain/access/caller.ts';
import type { Intent, Question } from '../domain/intent/types.ts';
import { readArguments, type PlanArguments } from '../domain/plan/plan-arguments.ts';
import { lapsesAt } from '../domain/plan/plan-time.ts';
import { addMinutes, millis, readTime, type Instant, type Interval } from '../domain/time/time.ts';
import { newTrace, type PlanDoc } from '../domain/record/trace.ts';
import { problem, type Problem } from '../common/problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { requireMove, requireUnchanged } from '../ledger/transition-problems.ts';
import { findTraces } from '../ledger/trace-store.ts';
import { createInterpret, type InterpretDeps, type PlanOptions } from './interpret-prompt.ts';
import { estimate, type Moves } from './record-transition.ts';
import type { ProposalAdmission } from './admit-proposal.ts';
import { requireNotPinned, type ApprovalRules } from './approval-rules.ts';
import { inSentences, isKeptInTempo, type Proposal, type Situation } from './proposal.ts';
import { partnerOf, refuseAlone } from './swap.ts';
import { CHECKED_DAYS } from './plan-series.ts';
import { editedRepetition, repetitionFields, ruleFrom } from './plan-repetition.ts';
import { loadPlan } from './queries.ts';
import { explainable, inWords, listPlans, nothingMade } from './planner-reply.ts';
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
  /** What is asked beside. The reply does not answer it. */
  questions: Question[];
  /** The readings between which the reply asks; the label, sent as the next prompt, chooses. */
  choices: { label: string; commands: Intent[] }[];
  planner: { mode: 'built-in' | 'model'; model: string | null };
  warnings: string[];
};

/** The plans that were made of intents, and the corrections that are not possible. */
type Recorded = { plans: PlanDoc[]; made: Intent[]; refused: { title?: string; problem: Problem }[] };

export const createPlanner = (deps: PlannerDeps) => {
  const { db, ledger, clock, calendar, agent, admission, rules, moves, model, situationOf } = deps;

  const interpret = createInterpret(deps);
  const mode = { mode: model ? ('model' as const) : ('built-in' as const), model: model?.model ?? null };

  const toProposal = (caller: Caller, intent: Intent, links: string[]): Proposal => ({
    action_type: intent.action_type,
    title: intent.title,
    content: intent.content,
    scheduled_for: intent.scheduled_for ?? null,
    duration_minutes: intent.duration_minutes ?? null,
    duration_delta_minutes: intent.duration_delta_minutes,
    rrule: intent.rrule ?? null,
    exdates: intent.exdates ?? [],
    timezone: caller.zone,
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
    const { cancel, ...args } = { ...readArguments(plan), ...argumentsFor(plan, intent) };
    // A cancellation that gets a new time becomes a move again.
    const isMoved = elsewhere || intent.scheduled_for !== undefined;
    const scheduled_for = intent.scheduled_for ?? (elsewhere ? null : plan.scheduled_for);
    const duration_minutes =
      intent.duration_minutes ??
      (intent.duration_delta_minutes && plan.duration_minutes
        ? Math.max(5, plan.duration_minutes + intent.duration_delta_minutes)
        : plan.duration_minutes);
    const edited = { scheduled_for, duration_minutes, arguments: plan.arguments };
    const rrule = intent.rrule ?? (plan.rrule && ruleFrom(plan.rrule, scheduled_for, plan.timezone ?? caller.zone));
    const { exdates } = intent;
    const repetition = editedRepetition(caller, plan, edited, { rrule, exdates }, '');
    return {
      ...toProposal(caller, intent, []),
      action_type: plan.action_type,
      scheduled_for,
      duration_minutes,
      rrule: repetition.rrule ?? null,
      exdates: repetition.exdates ?? [],
      on_conflict: plan.on_conflict,
      timezone: repetition.timezone ?? caller.zone,
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
    if (move === 'withdraw') {
      const partner = await partnerOf(writer.tx, plan);
      const details = { code: 'withdrawn', note: intent.reasoning };
      if (partner?.status === 'proposed') await moves.make(writer, partner, move, details);
      return moves.make(writer, plan, move, details);
    }
    const wish = corrected(caller, plan, intent);
    // The planner chooses no other time for a plan whose time a person has chosen. The person may name one.
    const isMoved = wish.scheduled_for !== plan.scheduled_for || wish.duration_minutes !== plan.duration_minutes;
    if (isMoved && (caller.origin === 'agent' || wish.scheduled_for === null)) requireNotPinned(plan);
    const ahead = wish.rrule == null ? 0 : CHECKED_DAYS;
    const end = addMinutes(intent.between?.end ?? wish.scheduled_for ?? clock.now(), (28 + ahead) * 1440);
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
      expires_at: lapsesAt({ ...plan, ...wish, scheduled_for: placed.start }),
      ...repetitionFields({ ...wish, scheduled_for: placed.start, exdates: placed.exdates ?? [] }),
      arguments: wish.arguments,
      // The text of a move names the time, which has changed.
      ...(plan.action_type === 'reschedule' ? withContent(plan, intent.content) : ownTexts(plan, intent)),
      task_id: intent.task_id ?? plan.task_id,
      tempo_tag: wish.trace?.tempo_tag ?? null,
      reasoning: [intent.reasoning, ...inSentences(placed.reasons)].join(' '),
    };
    refuseAlone(plan, { ...plan, ...changes });
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

  /**
   * Records what was understood in one transaction, in the order of the prompt, or only simulates it. Where refusals are
   * explained, a correction that is not possible does not keep the others from being made.
   */
  const record = (
    caller: Caller,
    { intents, read }: { intents: Intent[]; read: Map<string, number> },
    { links, busy, simulate, explained }: { links: string[]; busy: Interval[]; simulate: boolean; explained: boolean },
  ): Promise<Recorded> =>
    ledger.write(
      caller,
      async (writer) => {
        const situation = await situationOf(writer.tx, caller.user_id);
        const fresh = intents.filter((i) => i.target_plan_uid === undefined);
        const wishes = fresh.map((intent) => toProposal(caller, intent, links));
        const plans = await agent.propose(writer, wishes, { alsoBusy: busy });
        const answer: Recorded = { plans: [], made: [], refused: [] };
        for (const intent of intents) {
          if (intent.target_plan_uid === undefined) {
            answer.plans.push(plans.shift() as PlanDoc);
            answer.made.push(intent);
            continue;
          }
          try {
            const next = await writer.attempt(() => correct(writer, caller, intent, read, situation));
            await writer.flush(); // Another correction of the same plan in this prompt continues from here.
            read.set(next.uid, next.version);
            answer.plans.push(next);
            answer.made.push(intent);
          } catch (error) {
            if (!explained) throw error;
            answer.refused.push({ title: intent.title, problem: explainable(error) });
          }
        }
        return answer;
      },
      { simulate },
    );

  /**
   * Plans a prompt. With `simulate` nothing is stored.
   * @param links traces that the proposals should link to, such as the recorded prompt
   */
  const plan = async (caller: Caller, prompt: string, options: PlanOptions): Promise<Planned> => {
    const { explained = false } = options;
    if (!explained) return planOrThrow(caller, prompt, options);
    try {
      return await planOrThrow(caller, prompt, options);
    } catch (error) {
      const reply = nothingMade([inWords(explainable(error), caller.zone)]);
      return { reply, commands: [], plans: [], questions: [], choices: [], planner: mode, warnings: [] };
    }
  };

  const planOrThrow = async (caller: Caller, prompt: string, options: PlanOptions): Promise<Planned> => {
    const { context, links: own = [], simulate = false, explained = false } = options;
    const { intents, questions, choices, read, reply, warnings, planner } = await interpret(caller, prompt, options);
    const links = [...own, ...(await knownTraces(caller, context))];
    const busy = busyIn(context, caller.zone);
    const { plans, made, refused } = intents.length
      ? await record(caller, { intents, read }, { links, busy, simulate, explained }).catch((error): Recorded => {
          if (!explained) throw error;
          return { plans: [], made: [], refused: [{ problem: explainable(error) }] };
        })
      : { plans: [], made: [], refused: [] };
    const reasons = refused.map(({ title, problem }) => inWords(problem, caller.zone, title));
    const said = refused.length ? '' : reply;
    const whole = plans.length || !refused.length ? listPlans(said, plans, caller.zone) : nothingMade([]);
    const offered = choices.map(({ label, intents: commands }) => ({ label, commands }));
    const lines = offered.map(({ label }, n) => `${n + 1}. ${label}`);
    return {
      reply: [whole, ...reasons, ...lines].join('\n').trim(),
      ...{ commands: made, plans, questions, choices: offered, planner, warnings },
    };
  };

  return { plan, mode };
};

/** The arguments that a correction gives a plan. New texts of a plan that makes something are the plan's own. */
const argumentsFor = (
  { action_type }: PlanDoc,
  { arguments: { title, description, ...rest } }: Intent,
): PlanArguments => (action_type === 'reschedule' ? { ...rest, ...defined({ title, description }) } : rest);

const ownTexts = (plan: PlanDoc, { arguments: { title, description } }: Intent): Partial<PlanDoc> => {
  const isOnlyTitle = plan.content === plan.title || plan.content === `${plan.title}.`;
  const content = description ?? (isOnlyTitle ? title : undefined);
  return { ...defined({ title }), ...(content === undefined ? {} : withContent(plan, content)) };
};

const defined = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
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

export type Planner = ReturnType<typeof createPlanner>;
