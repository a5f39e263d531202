/** The checks of every decision on a plan: its version, free time in the calendar, the user's limits, and its time. */
import type { CalendarService } from '../../calendar/service.ts';
import { slotTaken } from '../../calendar/slot-taken.ts';
import type { Clock } from '../../common/clock.ts';
import type { Caller } from '../../domain/access/caller.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import { hasSeen, isRecord, revisionOf } from '../../domain/plan/plan-transitions.ts';
import { cancels, changesFollowing, keepsTime, TIMED_TYPES } from '../../domain/plan/plan.ts';
import { LONGEST_TITLE } from '../../domain/plan/plan-fields.ts';
import { isMoved, neededTime } from '../../domain/plan/plan-time.ts';
import type { Span } from '../../domain/time/spans.ts';
import { instantOf, millis, readTime, type Instant } from '../../domain/time/time.ts';
import { cutBefore } from '../../domain/record/cutting.ts';
import { asContent, withContent, type PlanDoc } from '../../domain/record/trace.ts';
import { invalid, problem, stale, type SeenVersions } from '../../common/problem.ts';
import { runYielding, type StepBudget } from '../../common/yielding.ts';
import type { Sensitive } from '../../ledger/sensitive-values.ts';
import type { Writer } from '../../ledger/ledger-writer.ts';
import { countedBeside, countingFor } from '../place/counted-plans.ts';
import { changesOf, meantBy } from './calendar-effects.ts';
import { COUNTED, firstOf, occurrencesOf, repeatingOf, TEN_YEARS_MS, type Repeating } from '../place/plan-series.ts';
import { isKeptInTempo, reasoningWith, type Situation } from '../propose/proposal.ts';
import { targetFaults } from '../place/reschedule-targets.ts';
import { leftOut, listTimes } from '../place/series-placement.ts';
import { tempoFault } from '../place/tempo-check.ts';

/** Reads a time in the given zone or the user's. The schema has checked that it is a time. */
export const timeOf = (text: string | null | undefined, caller: Caller, zone?: string): Instant | null =>
  text == null ? null : readTime(text, zone ?? caller.zone);

/** Whether only the time keeps a plan from being executed. That concerns what changes no event. */
export const waitsForItsTime = (plan: PlanDoc, now: Instant): boolean =>
  TIMED_TYPES.includes(plan.action_type) && plan.scheduled_for !== null && millis(plan.scheduled_for) > millis(now);

/**
 * Checks that what is decided on has not changed since a version that the caller has read. Feedback and tags make versions too
 * and do not count.
 * @throws 412
 */
export const checkSeen = (plan: PlanDoc, seen: SeenVersions | undefined): void => {
  if (seen === undefined) return;
  const versions = [seen].flat().filter((version) => /^\d+$/.test(String(version)));
  if (!versions.some((version) => hasSeen(plan, Number(version)))) throw stale('plan', plan.uid, seen, plan.version);
};

/**
 * Checks that the caller has read a plan which was changed after it was proposed.
 * @param named the plan that the caller named, where this one is decided on with it and needs a version of its own
 * @throws 412, 428
 */
export const requireSeen = (plan: PlanDoc, seen: SeenVersions | undefined, named?: PlanDoc): void => {
  checkSeen(plan, seen);
  if (seen !== undefined || revisionOf(plan) <= 1) return;
  const { uid, version } = plan;
  const detail = named
    ? `Plan ${named.uid} exchanges places with plan ${uid}, which was changed after it was proposed. Read that one too (GET /agent/plan?uid=${uid}), then send its version ${version} in expected_versions; where you send uids, name both plans in uids.`
    : `Plan ${uid} was changed after it was proposed. Read it (GET /agent/plan?uid=${uid}), then approve it with its version ${version} in expected_version, expected_versions or If-Match.`;
  throw problem('precondition_required', detail, { uid, version, revision: revisionOf(plan) });
};

/** A problem names at most this many occurrences. */
const MOST_NAMED = 20;
const MOST_OCCURRENCES: StepBudget = {
  steps: 100_000,
  refusal: () =>
    problem('too_many_occurrences', 'The series has more than 100000 occurrences in ten years. End it sooner.'),
};

/** The times of a series in ten years, as far as the calendar checks series. */
function* spansOf(series: Repeating): Generator<undefined, Span[]> {
  const from = millis(series.scheduled_for);
  const times: Span[] = [];
  for (const { start, end } of occurrencesOf(series, [from, from + TEN_YEARS_MS])) {
    yield;
    times.push([start, end]);
  }
  return times;
}

/** @throws 403 where a person has chosen the time of a plan, or where an agent would say so */
export const requireNotPinned = ({ uid, pinned }: PlanDoc, wanted?: boolean): void => {
  if (pinned || wanted !== undefined)
    throw problem(
      'time_pinned',
      `A person chooses the time of plan ${uid}. Propose another plan, or ask the person to move this one.`,
    );
};

/** A person who moves a plan has chosen its time. An agent that moves it has not. */
export const pinnedBy = ({ origin }: Pick<Caller, 'origin'>, plan: PlanDoc, to: PlanDoc): { pinned?: true } =>
  origin === 'user' && isMoved(plan, to) ? { pinned: true } : {};

type ApprovalRulesDeps = { clock: Clock; calendar: CalendarService; sensitive: Sensitive };

export const createApprovalRules = ({ clock, calendar, sensitive }: ApprovalRulesDeps) => {
  /**
   * Checks ten years of a series. Occurrences whose time is taken are left out, unless the plan asks to be refused then.
   * @returns the changes of the plan
   * @throws 409 slot_taken
   */
  const requireFreeSeries = async (writer: Writer, plan: PlanDoc, series: Repeating): Promise<Partial<PlanDoc>> => {
    const times = await runYielding(spansOf(series), MOST_OCCURRENCES);
    const taken = (await calendar.inTransaction.takenStarts(writer.tx, plan.user_id, times)).map(instantOf);
    if (!taken.length) return {};
    if (plan.on_conflict === 'refuse' || taken.length === times.length)
      throw problem(
        'slot_taken',
        `The time of ${taken.length} of ${times.length} occurrences is taken: ${listTimes(taken, series.timezone)} (${series.timezone}). Approve the plan at another time, or without these occurrences, or reject it.`,
        { taken: taken.slice(0, MOST_NAMED) },
      );
    const exdates = [...new Set([...series.exdates, ...taken])].sort();
    const reasoning = reasoningWith(plan.reasoning, leftOut(taken, series.timezone));
    const expires = plan.status === 'proposed' ? { expires_at: firstOf({ ...series, exdates }) } : {};
    return { exdates, reasoning, ...expires };
  };

  /**
   * Checks that the time of a plan is free, except for its own target.
   * @returns the changes of a plan that repeats, which leaves out what is taken
   * @throws 409 slot_taken
   */
  const requireFreeTime = async (writer: Writer, plan: PlanDoc): Promise<Partial<PlanDoc>> => {
    const wanted = neededTime(plan);
    if (!wanted) return {};
    const series = repeatingOf(plan);
    if (series) return requireFreeSeries(writer, plan, series);
    if (changesFollowing(plan) && plan.target_event_uid) {
      await calendar.inTransaction.checkChange(writer, plan.target_event_uid, changesOf(plan), meantBy(plan));
      return {};
    }
    const busy = await calendar.inTransaction.busyDuring(writer.tx, plan.user_id, wanted, plan.target_event_uid);
    if (busy.length) throw slotTaken(writer.author, wanted, busy, 'Approve the plan at another time, or reject it.');
    return {};
  };

  const overLimit = (code: string, detail: string) =>
    problem('limit_reached', `The limits allow ${detail}. Reject the plan, move it, or raise the limit.`, {
      limit: code,
    });

  /**
   * Checks that the limits allow an agent's plan beside the `decided` ones (for an approval) or beside all that count (for a
   * change by the agent).
   * @throws 409 limit_reached
   */
  const checkBudget = async (writer: Writer, plan: PlanDoc, situation: Situation, only?: 'decided'): Promise<void> => {
    const of = countingFor(plan.origin, situation);
    if (!of) return;
    const { one, counts } = await countedBeside(writer.tx, plan, of, only);
    const verdict = counts.check(one, only);
    if (verdict) throw overLimit(verdict.code, verdict.detail);
  };

  /** When the occurrence and all later ones are that a plan moves; undefined where it moves none. */
  const timesOfFollowing = async ({ tx }: Writer, plan: PlanDoc): Promise<readonly Span[] | undefined> => {
    if (!changesFollowing(plan) || !neededTime(plan) || !plan.target_event_uid) return undefined;
    const [series] = await calendar.inTransaction.find(tx, plan.user_id, [plan.target_event_uid]);
    // An edit of the arguments may leave the occurrence out.
    const first = series && calendar.inTransaction.occurrenceOf(series, readArguments(plan).recurrence_id);
    if (!series || !first?.recurrence_id) return undefined;
    return calendar.inTransaction.followingTimes(series, first.recurrence_id, changesOf(plan), COUNTED).times;
  };

  /** Requires that what an edit names in its arguments can be changed. An event that is gone is refused at the approval. @throws 422 */
  const requireOccurrence = async ({ tx }: Writer, plan: PlanDoc): Promise<void> => {
    if (plan.action_type !== 'reschedule' || !plan.target_event_uid) return;
    const [event] = await calendar.inTransaction.find(tx, plan.user_id, [plan.target_event_uid]);
    if (!event) return;
    const { recurrence_id, scope } = readArguments(plan);
    const meant = calendar.inTransaction.occurrenceOf(event, recurrence_id, scope);
    const faults = targetFaults({ ...plan, at: '/updates' }, event, meant);
    if (faults.length) throw invalid(faults);
  };

  /** Checks a change that an agent makes to its pending proposal as if it were a new proposal. @throws 409 */
  const checkAgentsChange = async (writer: Writer, plan: PlanDoc, situation: Situation): Promise<void> => {
    await checkBudget(writer, plan, situation);
    if (!isKeptInTempo(situation, 'agent')) return;
    const fault = tempoFault(plan, situation.profile, clock.now(), await timesOfFollowing(writer, plan));
    if (fault) throw overLimit(fault.code, fault.detail);
  };

  /**
   * When an approved plan is due: a change of the calendar at once, a reflection or log at its time. Never with `manual`
   * execution, and never an imported record.
   */
  const dueAt = (plan: PlanDoc, { settings }: Situation): Instant | null => {
    if (settings.execution === 'manual' || isRecord(plan)) return null;
    const now = clock.now();
    return waitsForItsTime(plan, now) ? plan.scheduled_for : now;
  };

  /**
   * Writes title and content again where a move becomes a cancellation or the reverse, or one occurrence becomes all later ones or
   * the reverse, since “Move” in the title of a cancellation would deceive whoever approves it. `own` is the text of a person and
   * stays.
   */
  const describeAction = async (
    writer: Writer,
    from: PlanDoc,
    to: PlanDoc,
    own: { title?: string | undefined; content?: string | undefined } = {},
  ): Promise<Partial<PlanDoc>> => {
    const isSame = cancels(from) === cancels(to) && changesFollowing(from) === changesFollowing(to);
    if (isSame || !to.target_event_uid) return {};
    const [event] = await calendar.inTransaction.find(writer.tx, to.user_id, [to.target_event_uid]);
    const which = changesFollowing(to) ? ' and all later ones' : '';
    const verb = cancels(to) ? 'Cancel' : keepsTime(to) ? 'Change' : 'Move';
    const made = asContent(`${verb} “${event?.title ?? to.target_event_uid}”${which}`);
    const isLong = made.length > LONGEST_TITLE;
    const title = isLong ? cutBefore(made, LONGEST_TITLE, await sensitive.hiddenIn(writer.author, writer.tx)) : made;
    return { title: own.title ?? title, ...withContent(own.content ?? made) };
  };

  return { requireFreeTime, requireOccurrence, checkBudget, checkAgentsChange, dueAt, describeAction };
};

export type ApprovalRules = ReturnType<typeof createApprovalRules>;
