/** Corrects a pending proposal as a prompt asks: moves it, changes its length or texts, or withdraws it. */
import type { CalendarService } from '../../calendar/service.ts';
import type { Clock } from '../../common/clock.ts';
import { invalidAt, problem } from '../../common/problem.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { settingsTexts } from '../../domain/planner/intents/settings-text.ts';
import type { Intent } from '../../domain/planner/intents/types.ts';
import { readArguments, type PlanArguments } from '../../domain/plan/plan-arguments.ts';
import { isAllDay } from '../../domain/plan/plan.ts';
import { isMoved, lapsesAt } from '../../domain/plan/plan-time.ts';
import { contentWith } from '../../domain/plan/own-text.ts';
import { canonicalJson } from '../../domain/record/canonical-json.ts';
import { joinedPatch } from '../../domain/record/merge-patch.ts';
import { withContent, type PlanDoc } from '../../domain/record/trace.ts';
import { toSpan } from '../../domain/time/spans.ts';
import { addMinutes, dayBounds, type Instant, localDate } from '../../domain/time/time.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { requireMove, requireUnchanged } from '../../ledger/transition-problems.ts';
import { pinnedBy, requireNotPinned, type ApprovalRules } from '../decide/approval-rules.ts';
import { estimate, type Moves } from '../decide/record-transition.ts';
import { checkProposedSettings } from '../decide/settings.ts';
import { partnerOf, refuseAlone } from '../decide/swap.ts';
import { editedRepetition, repetitionFields, ruleFrom } from '../place/plan-repetition.ts';
import { CHECKED_DAYS } from '../place/plan-series.ts';
import type { ProposalAdmission } from '../propose/admit.ts';
import { isKeptInTempo, reasoningWith, type Placed, type Proposal, type Situation } from '../propose/proposal.ts';
import { loadPlan } from '../queries.ts';

export type CorrectionDeps = {
  clock: Clock;
  calendar: CalendarService;
  admission: ProposalAdmission;
  rules: ApprovalRules;
  moves: Moves;
};

const SHORTEST_MINUTES = 5;
/** A trace has at most this many tags. */
const MOST_TAGS = 100;
/** A plan without another time is placed in this time. */
const SEARCH_DAYS = 28;

/** The proposal that an intent makes. @param links the traces that it comes from */
export const toProposal = (caller: Caller, intent: Intent, links: string[]): Proposal => ({
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

/** The arguments that a correction gives a plan. New texts of a plan that makes something are the plan's own. */
const argumentsFor = (
  { action_type }: PlanDoc,
  { arguments: { title, description, ...rest } }: Intent,
): PlanArguments => (action_type === 'reschedule' ? { ...rest, ...defined({ title, description }) } : rest);

/** `budget: null` names no member, so it could not be followed by one. */
const withBudget = (limits: NonNullable<PlanArguments['limits']>): NonNullable<PlanArguments['limits']> =>
  limits.budget === null ? { ...limits, budget: { per_day: null, per_week: null } } : limits;

/** @throws 422 where one patch cannot say both */
const bothPatches = <T>(before: T | undefined, given: T | undefined): T | undefined => {
  const both = given === undefined ? before : joinedPatch(before, given);
  if (both === undefined && given !== undefined)
    throw invalidAt(
      '/prompt',
      'unclear',
      'changes a part of what the proposal resets as a whole; take the proposal back, and say the rule as it should be',
    );
  return both as T | undefined;
};

/** The arguments of a plan with those of its correction. Of a change of the settings both patches hold, and the later one counts. */
const joined = (before: PlanArguments, given: PlanArguments): PlanArguments => {
  const limits = bothPatches(before.limits && withBudget(before.limits), given.limits);
  const tempo = bothPatches(before.tempo, given.tempo);
  return { ...before, ...given, ...(limits && { limits }), ...(tempo && { tempo }) };
};

const ownTexts = (plan: PlanDoc, { arguments: { title, description } }: Intent): Partial<PlanDoc> => {
  const content = description ?? contentWith(plan, title ?? plan.title);
  return { ...defined({ title }), ...(content === undefined ? {} : withContent(content)) };
};

/** What a changed plan of settings sets now, since its words were those of the plan before. */
const textsOfSettings = (plan: PlanDoc, { arguments: given }: Proposal): Partial<PlanDoc> => {
  const isSame = canonicalJson(plan.arguments) === canonicalJson(given);
  const next = isSame ? undefined : settingsTexts({ action_type: plan.action_type, arguments: given });
  return next ? { title: next.title, ...withContent(next.content) } : {};
};

const defined = <T extends object>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

/** Whether a correction gives an hour to a plan of whole days. */
const getsHour = (plan: PlanDoc, { scheduled_for: at, arguments: given }: Intent, zone: string): boolean =>
  isAllDay(plan) && !given.all_day && at !== undefined && dayBounds(localDate(at, zone), zone).start !== at;

type CorrectedTime = { scheduled_for: Instant | null; duration_minutes: number | null; isMoved: boolean };

/** The time that a correction gives a plan. `scheduled_for` is null where a free time has to be found. */
const timeOf = (plan: PlanDoc, intent: Intent, zone: string): CorrectedTime => {
  const elsewhere = intent.between !== undefined && intent.scheduled_for === undefined;
  const delta = intent.duration_delta_minutes;
  const changed = delta && plan.duration_minutes ? Math.max(SHORTEST_MINUTES, plan.duration_minutes + delta) : null;
  return {
    scheduled_for: intent.scheduled_for ?? (elsewhere ? null : plan.scheduled_for),
    duration_minutes:
      intent.duration_minutes ??
      changed ??
      (intent.replaces || getsHour(plan, intent, zone) ? null : plan.duration_minutes),
    isMoved: elsewhere || intent.scheduled_for !== undefined,
  };
};

/** The arguments that a plan keeps: whole days that get an hour are none any more. */
const keptArguments = (plan: PlanDoc, intent: Intent, zone: string): PlanArguments => {
  const { all_day, ...rest } = readArguments(plan);
  return all_day && !getsHour(plan, intent, zone) ? { ...rest, all_day } : rest;
};

/** The proposal that a correction makes of a pending one, before it is placed. */
const corrected = (caller: Caller, plan: PlanDoc, intent: Intent): Proposal => {
  // A plan that happens once has no zone of its own, and its days are those of the person.
  const zone = plan.timezone ?? caller.zone;
  const { scheduled_for, duration_minutes, isMoved } = timeOf(plan, intent, zone);
  // A cancellation that gets a new time becomes a move again.
  const { cancel, ...args } = joined(
    intent.replaces ? {} : keptArguments(plan, intent, zone),
    argumentsFor(plan, intent),
  );
  const edited = { scheduled_for, duration_minutes, arguments: plan.arguments };
  const kept = intent.replaces ? null : plan.rrule;
  const rrule = intent.rrule ?? (kept && ruleFrom(kept, scheduled_for, zone));
  // Where only more days are left out, those that were left out before stay so.
  const left = intent.rrule === plan.rrule ? (plan.exdates ?? []) : [];
  const exdates = intent.exdates && [...left, ...intent.exdates];
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

/** The plan with the times that are asked for: start and length, and of a series its rule, the days left out and the zone. */
const withTimesOf = (
  plan: PlanDoc,
  { scheduled_for, duration_minutes, rrule, exdates, timezone }: Proposal,
): PlanDoc => ({
  ...{ ...plan, scheduled_for, duration_minutes },
  ...(rrule == null ? {} : { rrule, exdates: [...(exdates ?? [])], timezone: timezone ?? null }),
});

/** What a correction that was placed changes in its plan. */
const changesOf = (plan: PlanDoc, intent: Intent, wish: Proposal, placed: Placed): Partial<PlanDoc> => ({
  scheduled_for: placed.start,
  duration_minutes: placed.minutes,
  temporal_estimate: estimate(placed.start, placed.minutes),
  expires_at: lapsesAt({ ...plan, ...wish, scheduled_for: placed.start }),
  ...repetitionFields({ ...wish, scheduled_for: placed.start, exdates: placed.exdates ?? [] }),
  arguments: wish.arguments,
  // The text of a move names the time, which has changed.
  ...(plan.action_type === 'reschedule' ? withContent(intent.content) : ownTexts(plan, intent)),
  ...textsOfSettings(plan, wish),
  task_id: intent.task_id ?? plan.task_id,
  tags: [...new Set([...plan.tags, ...intent.tags])].slice(0, MOST_TAGS),
  tempo_tag: wish.trace?.tempo_tag ?? null,
  reasoning: reasoningWith(intent.reasoning, placed.reasons),
});

/** The occurrences of a series that were left out because their time is taken: those that the wish does not leave out itself. */
export const takenIn = (
  exdates: readonly Instant[],
  { exdates: asked = [] }: { exdates?: readonly Instant[] | undefined },
): Instant[] => exdates.filter((at) => !asked.includes(at));

/** The plan after a correction, and the occurrences of it whose time is taken. */
type Corrected = { plan: PlanDoc; taken: Instant[] };

/** A change of the settings has no time or length to correct, only other settings. @throws 422 */
const refuseTimeOfSettings = ({ action_type, title }: PlanDoc, { arguments: { limits, tempo } }: Intent): void => {
  if (action_type === 'configure' && !limits && !tempo)
    throw invalidAt(
      '',
      'invalid',
      `a change of settings has no time or length, and “${title}” is one; take it back, and say the rule as it should be`,
    );
};

export const createCorrection = ({ clock, calendar, admission, rules, moves }: CorrectionDeps) => {
  /** Withdraws a plan, and the one with which it exchanges places. */
  const withdraw = async (writer: Writer, plan: PlanDoc, note: string): Promise<Corrected> => {
    const partner = await partnerOf(writer.tx, plan);
    const details = { code: 'withdrawn', note };
    if (partner?.status === 'proposed') await moves.make(writer, partner, 'withdraw', details);
    return { plan: await moves.make(writer, plan, 'withdraw', details), taken: [] };
  };

  /** Chooses or checks the time of a corrected plan. @throws 409 slot_taken */
  const place = async (
    writer: Writer,
    { user_id, origin }: Caller,
    wish: Proposal,
    situation: Situation,
  ): Promise<Placed> => {
    const ahead = wish.rrule == null ? 0 : CHECKED_DAYS;
    const end = addMinutes(wish.between?.end ?? wish.scheduled_for ?? clock.now(), (SEARCH_DAYS + ahead) * 1440);
    const except = wish.target_event_uid ? [wish.target_event_uid] : [];
    const window = { start: clock.now(), end };
    const busy = await calendar.inTransaction.busy(writer.tx, user_id, window, { except, apart: [] });
    const placed = admission.place(wish, busy.map(toSpan), situation, {
      keptInTempo: isKeptInTempo(situation, origin),
    });
    if (placed.verdict)
      throw problem('slot_taken', `The plan cannot be changed like this: ${placed.verdict.detail}.`, {
        alternatives: placed.verdict.alternatives ?? [],
        ...(wish.scheduled_for !== null && { reason: placed.verdict.code }),
      });
    return placed;
  };

  /**
   * Corrects a pending proposal: moves it, changes its length, or withdraws it. The plan must still be at the version that was
   * `read`.
   */
  return async (
    writer: Writer,
    caller: Caller,
    intent: Intent,
    read: Map<string, number>,
    situation: Situation,
  ): Promise<Corrected> => {
    const plan = await loadPlan(writer.tx, caller.user_id, intent.target_plan_uid as string);
    const move = intent.arguments.cancel ? 'withdraw' : 'revise';
    requireMove(writer.author, plan, move);
    requireUnchanged(plan, read.get(plan.uid) ?? 0);
    if (move === 'withdraw') return withdraw(writer, plan, intent.reasoning);
    refuseTimeOfSettings(plan, intent);
    const wish = corrected(caller, plan, intent);
    const asked = withTimesOf(plan, wish);
    // An agent moves no plan whose time a person has chosen. The person may ask for any other.
    if (caller.origin === 'agent' && isMoved(plan, asked)) requireNotPinned(plan);
    await checkProposedSettings(writer, [wish]);
    const placed = await place(writer, caller, wish, situation);
    const changes = changesOf(plan, intent, wish, placed);
    // The planner has chosen the time where the person named none.
    if (wish.scheduled_for !== null) Object.assign(changes, pinnedBy(caller, plan, asked));
    refuseAlone(plan, { ...plan, ...changes });
    const said = await rules.describeAction(writer, plan, { ...plan, ...changes });
    if (caller.origin === 'agent') await rules.checkAgentsChange(writer, { ...plan, ...changes }, situation);
    const next = await moves.change(writer, plan, move, { changes: { ...changes, ...said } });
    return { plan: next, taken: takenIn(placed.exdates ?? [], wish) };
  };
};
