/** What every decision on a plan is checked against: its version, room in the calendar, the user's limits, its time. */
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import type { Caller } from '../domain/access/caller.ts';
import { checkLimits, countingWindow } from '../domain/plan/limits.ts';
import { hasSeen, isRecord, revisionOf } from '../domain/plan/plan-transitions.ts';
import { cancels } from '../domain/plan/plan.ts';
import { countsAt, neededTime } from '../domain/plan/plan-time.ts';
import { millis, readTime, type Instant } from '../domain/time/time.ts';
import { newTrace, type PlanDoc } from '../domain/record/trace.ts';
import { problem, stale, type SeenVersions } from '../common/problem.ts';
import type { Writer } from '../ledger/ledger.ts';
import { tagsOf, type ProposalAdmission } from './admit-proposal.ts';
import { tempoFault, isKeptInTempo, type Situation } from './placement.ts';

/** A time of a request, in its own zone or the user's; the schema has made sure that it is one. */
export const timeOf = (text: string | null | undefined, caller: Caller, zone?: string): Instant | null =>
  text == null ? null : readTime(text, zone ?? caller.zone);

/** What the clock alone keeps from being carried out: reflections and logs that are meant for later. */
export const waitsForItsTime = (plan: PlanDoc, now: Instant): boolean =>
  (plan.action_type === 'reflect' || plan.action_type === 'log') &&
  plan.scheduled_for !== null &&
  millis(plan.scheduled_for) > millis(now);

/**
 * A decision binds what was seen: what is decided on may not have changed after that version. Feedback and tags make versions
 * too, and don't count. @throws 412
 */
export const checkSeen = (plan: PlanDoc, seen: SeenVersions | undefined): void => {
  if (seen === undefined) return;
  const versions = [seen].flat().filter((version) => /^\d+$/.test(String(version)));
  if (!versions.some((version) => hasSeen(plan, Number(version)))) throw stale('plan', plan.uid, seen, plan.version);
};

/** An approval of what was changed since it was proposed has to say which version it approves. @throws 412, 428 */
export const checkApproved = (plan: PlanDoc, seen: SeenVersions | undefined): void => {
  checkSeen(plan, seen);
  if (seen === undefined && revisionOf(plan) > 1)
    throw problem(
      'precondition_required',
      `Plan ${plan.uid} was changed after it was proposed. Read it (GET /agent/plan?uid=${plan.uid}), then approve it with its version ${plan.version} in expected_version, expected_versions or If-Match.`,
      { version: plan.version, revision: revisionOf(plan) },
    );
};

export const createApprovalRules = ({
  clock,
  calendar,
  admission,
}: {
  clock: Clock;
  calendar: CalendarService;
  admission: ProposalAdmission;
}) => {
  /** The time a plan wants must be free of everything busy but its own target. @throws 409 slot_taken */
  const checkTimeIsFree = async (writer: Writer, plan: PlanDoc): Promise<void> => {
    const wanted = neededTime(plan);
    if (!wanted) return;
    const busy = await calendar.inTransaction.busyDuring(writer.tx, plan.user_id, wanted, plan.target_event_uid);
    if (busy.length)
      throw problem(
        'slot_taken',
        `${wanted.start} to ${wanted.end} is taken by ${busy.map((b) => `“${b.title}”`).join(', ')}. Approve the plan with another scheduled_for in edits, or reject it.`,
        {
          busy: busy.map(({ uid, title, start, end }) => ({ uid, title, start, end })),
        },
      );
  };

  const overLimit = (code: string, detail: string) =>
    problem(
      'limit_reached',
      `The limits allow ${detail}. Reject the plan, move it, or raise the limit with PATCH /user/update.`,
      {
        limit: code,
      },
    );

  /**
   * The user's limits must have room for an agent's plan beside the others that are `decided` (for an approval) or that count
   * at all (for a change by the agent). @throws 409 limit_reached
   */
  const checkBudget = async (
    writer: Writer,
    plan: PlanDoc,
    { profile, settings }: Situation,
    only?: 'decided',
  ): Promise<void> => {
    if (plan.origin !== 'agent') return;
    const at = countsAt(plan);
    const all = await admission.counted(writer.tx, plan.user_id, countingWindow(at, profile.timezone), only);
    const plans = all.filter((other) => other.uid !== plan.uid);
    const verdict = checkLimits(
      settings.limits,
      { action_type: plan.action_type, tags: tagsOf(plan), at },
      plans,
      profile.timezone,
    );
    if (verdict) throw overLimit(verdict.code, verdict.detail);
  };

  /** What an agent makes of its pending proposal must be what it could have proposed. @throws 409 */
  const checkAgentsChange = async (writer: Writer, plan: PlanDoc, situation: Situation): Promise<void> => {
    await checkBudget(writer, plan, situation);
    const fault = isKeptInTempo(situation, 'agent') ? tempoFault(plan, situation.profile, clock.now()) : null;
    if (fault) throw overLimit(fault.code, fault.detail);
  };

  /**
   * When an approved plan is to be carried out: what takes room at once, the rest at its time; never with `manual`, and
   * never what is a record.
   */
  const dueAt = (plan: PlanDoc, { settings }: Situation): Instant | null => {
    if (settings.execution === 'manual' || isRecord(plan)) return null;
    const now = clock.now();
    return waitsForItsTime(plan, now) ? plan.scheduled_for : now;
  };

  /**
   * Title and content made anew where a changed plan moves what it cancelled, or cancels what it moved: a title that says
   * “Move” over a cancellation deceives who approves it. `own` are words of a person, which stay.
   */
  const describeAction = async (
    writer: Writer,
    from: PlanDoc,
    to: PlanDoc,
    own: { title?: string | undefined; content?: string | undefined } = {},
  ): Promise<Partial<PlanDoc>> => {
    if (cancels(from) === cancels(to) || !to.target_event_uid) return {};
    const [event] = await calendar.inTransaction.find(writer.tx, to.user_id, [to.target_event_uid]);
    const made = `${cancels(to) ? 'Cancel' : 'Move'} “${event?.title ?? to.target_event_uid}”`
      .slice(0, 500)
      .toWellFormed();
    const content = own.content ?? made;
    return { title: own.title ?? made, content, summary: newTrace({ ...to, content }).summary };
  };

  return { checkTimeIsFree, checkBudget, checkAgentsChange, dueAt, describeAction };
};

export type ApprovalRules = ReturnType<typeof createApprovalRules>;
