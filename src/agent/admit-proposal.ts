/**
 * Admits proposals to the queue: places each, checks it against the limits, and records it. A refused one is recorded too, with
 * free times.
 */
import { randomUUIDv7 } from 'node:crypto';
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import { createYielder } from '../common/yielding.ts';
import type { Db } from '../db/database.ts';
import { countingWindow, createLimitCounts, hasLimits, type LimitCounts } from '../domain/plan/limits.ts';
import { neededTime } from '../domain/plan/plan-time.ts';
import { takesTime } from '../domain/plan/plan.ts';
import { mergeSpans, toInterval, toSpan } from '../domain/time/spans.ts';
import { addMinutes, instantOf, millis, type Instant, type Interval } from '../domain/time/time.ts';
import { newTrace, type PlanDoc, type Unstamped } from '../domain/record/trace.ts';
import type { Writer } from '../ledger/ledger-writer.ts';
import { requireComplete } from '../ledger/transition-problems.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import { estimate, type Moves } from './record-transition.ts';
import { countedIn, countedTimes, tagsOf } from './counted-plans.ts';
import { createPlacement } from './placement.ts';
import {
  CHECKED_DAYS,
  checkedWindow,
  countedOccurrences,
  endOf,
  firstOf,
  occurrencesOf,
  repeatingOf,
} from './plan-series.ts';
import { swapsIn } from './swap.ts';
import {
  HORIZON_MINUTES,
  inSentences,
  isKeptInTempo,
  needsSlot,
  settleDay,
  type Placed,
  type Proposal,
  type Situation,
  type Verdict,
} from './proposal.ts';

/** Busy time with the uid of its event, or '' where it has none. */
type Busy = Interval & { uid: string };

/** The plan to record for a proposal, and the reason to refuse it if there is one. */
type Judged = { verdict: Verdict | null; doc: Unstamped<PlanDoc> };

/** Refuses the other half of a swap too. */
const half = ({ code, detail }: Verdict): Verdict => ({
  code,
  detail: `the plan with which it exchanges places is not possible: ${detail}`,
});

/** The time that a plan takes, of a series in the days that are checked. */
const hoursWanted = (plan: Unstamped<PlanDoc>, now: Instant): Interval[] => {
  const series = repeatingOf(plan);
  const once = neededTime(plan);
  if (!series || !takesTime(plan)) return once ? [once] : [];
  const window = checkedWindow(series, now);
  return [...occurrencesOf(series, window)].map(({ start, end }) => toInterval([start, end]));
};

export const createProposalAdmission = (deps: {
  clock: Clock;
  traces: TraceStore;
  calendar: CalendarService;
  moves: Moves;
}) => {
  const { clock, traces, calendar, moves } = deps;
  const place = createPlacement(deps);

  const draft = (writer: Writer, p: Proposal, placed: Placed, uid: string): Unstamped<PlanDoc> => {
    const doc = draftOnce(writer, p, placed, uid);
    const series = repeatingOf(doc);
    return series ? { ...doc, expires_at: firstOf(series), repeats_until: endOf(series) } : doc;
  };

  const draftOnce = (writer: Writer, p: Proposal, placed: Placed, uid: string): Unstamped<PlanDoc> => ({
    ...newTrace({
      timestamp: clock.now(),
      ...p.trace,
      uid,
      user_id: writer.author.user_id,
      type: 'agent_plan',
      origin: p.of?.origin ?? writer.author.origin,
      content: p.content,
    }),
    type: 'agent_plan',
    title: p.title,
    action_type: p.action_type,
    status: 'proposed',
    scheduled_for: placed.start,
    duration_minutes: placed.minutes,
    rrule: p.rrule ?? null,
    exdates: placed.exdates ?? [...(p.exdates ?? [])],
    on_conflict: p.on_conflict ?? 'skip',
    timezone: p.rrule == null ? null : (p.timezone ?? null),
    repeats_until: null,
    proposal_id: null,
    swaps_with: null,
    pinned: false,
    target_event_uid: p.target_event_uid,
    arguments: p.arguments,
    reasoning: [p.reasoning, ...inSentences(placed.reasons)].filter(Boolean).join(' '),
    temporal_estimate: estimate(placed.start, placed.minutes),
    decision: null,
    expires_at: placed.start ?? p.lapses_at ?? null,
    executed_at: null,
    proposed_by: p.of?.proposed_by ?? writer.author.actor,
    attempts: 0,
    last_error: null,
    revision: 1,
  });

  /** Busy time near the times of the proposals and where they search for a slot, without the years between. */
  const busyAround = async (db: Db, user_id: string, proposals: Proposal[]): Promise<Busy[]> => {
    const now = clock.now();
    const windows = proposals.filter(needsSlot).flatMap((p) => {
      const ahead = p.rrule == null ? 0 : CHECKED_DAYS * 24 * 60;
      const start =
        p.scheduled_for && millis(p.scheduled_for) > millis(now) ? p.scheduled_for : (p.between?.start ?? now);
      const end = p.between && !p.scheduled_for ? p.between.end : start;
      return [
        { start: now, end: addMinutes(now, 2 * HORIZON_MINUTES) },
        { start, end: addMinutes(end, ahead + 2 * HORIZON_MINUTES) },
      ];
    });
    // An event may overlap its own old time, so the busy time of target events is listed by event.
    const apart = proposals.flatMap((p) => p.target_event_uid ?? []);
    let busy: Busy[] = [];
    for (const window of mergeSpans(windows.map(toSpan)).map(toInterval))
      busy = busy.concat(await calendar.inTransaction.busy(db, user_id, window, { apart }));
    return busy;
  };

  /** Records the proposals in their order. One with a verdict is recorded and refused by `policy`. */
  const record = async (writer: Writer, judged: Judged[]): Promise<PlanDoc[]> => {
    for (const [i, { verdict, doc }] of judged.entries()) if (!verdict) requireComplete(doc, `/actions/${i}`);
    const entries = judged.map(({ doc }) => ({ trace: doc, kind: 'plan.proposed' }));
    const recorded = (await traces.insert(writer, entries)) as PlanDoc[];
    const result: PlanDoc[] = [];
    for (const [i, plan] of recorded.entries()) {
      const verdict = judged[i]?.verdict;
      if (!verdict) {
        result.push(plan);
        continue;
      }
      const { code, detail: note, alternatives } = verdict;
      const reasons = { by: 'policy', code, note, ...(alternatives ? { alternatives } : {}) };
      result.push(await moves.make(writer, plan, 'refuse', reasons));
    }
    return result;
  };

  /**
   * Counts the plans beside which limits are checked, up to the last occurrence that a proposal may have. Nothing is read where
   * no limit is set or a person proposes: limits concern proposals of agents only.
   */
  const countedBeside = async (
    writer: Writer,
    proposals: Proposal[],
    { profile, settings }: Situation,
  ): Promise<LimitCounts | null> => {
    if (writer.author.origin !== 'agent' || !hasLimits(settings.limits)) return null;
    const now = clock.now();
    const zone = profile.timezone;
    const lasts = proposals.flatMap((p) => {
      const at = p.scheduled_for ?? p.between?.end;
      const series = repeatingOf({ ...p, scheduled_for: at ?? now });
      const end = series ? countedOccurrences(series).at(-1)?.[1] : undefined;
      return [at ?? [], end === undefined ? [] : addMinutes(instantOf(end), HORIZON_MINUTES)].flat();
    });
    const last = lasts.reduce((at, one) => (millis(one) > millis(at) ? one : at), addMinutes(now, 2 * HORIZON_MINUTES));
    const window = { start: countingWindow(now, zone).start, end: countingWindow(last, zone).end };
    return createLimitCounts(settings.limits, zone, await countedIn(writer.tx, writer.author.user_id, window));
  };

  /**
   * Records the proposals of one request. Each is placed with regard to those before it; refused ones become rejected by
   * `policy`. Busy time and counted plans are read once for all. `alsoBusy` is busy time that the caller knows.
   */
  const propose = async (
    writer: Writer,
    wishes: Proposal[],
    situation: Situation,
    { alsoBusy = [], proposal_id = randomUUIDv7() }: { alsoBusy?: Interval[]; proposal_id?: string } = {},
  ): Promise<PlanDoc[]> => {
    const { user_id } = writer.author;
    const zone = situation.profile.timezone;
    const proposals = wishes.map(settleDay).map((p): Proposal => ({ ...p, timezone: p.timezone ?? zone }));
    const now = clock.now();
    const taken = [
      ...alsoBusy.map((span) => ({ ...span, uid: '' })),
      ...(await busyAround(writer.tx, user_id, proposals)),
    ];
    const counts = await countedBeside(writer, proposals, situation);
    const claimed: Interval[] = [];
    const swaps = swapsIn(proposals);
    /** The times that earlier proposals of this request leave. */
    const freed = new Set<string>();
    // In their order, by which approvals of a whole proposal go
    const fresh = proposals.map(() => randomUUIDv7()).toSorted();
    const uids = new Map(proposals.map((p, i) => [p, p.uid ?? fresh[i]!]));
    const judge = (p: Proposal): Judged => {
      const partner = swaps.get(p);
      const isLeft = (b: Busy): boolean => b.uid === partner?.target_event_uid && b.start === partner.from?.start;
      // An event may overlap its own old time, and the time that another one leaves in exchange.
      const busy = taken.filter(
        (b) => b.uid === '' || (b.uid !== p.target_event_uid && !isLeft(b) && !freed.has(`${b.uid} ${b.start}`)),
      );
      const keptInTempo = isKeptInTempo(situation, p.of?.origin ?? writer.author.origin);
      const placed = place(p, busy, situation, { keptInTempo, claimed });
      const uid = uids.get(p) as string;
      const swaps_with = partner ? (uids.get(partner) as string) : null;
      const doc = { ...draft(writer, p, placed, uid), proposal_id, swaps_with };
      const times = counts ? countedTimes({ ...doc, recorded_at: now }) : [];
      const one = { uid, action_type: p.action_type, tags: tagsOf(doc), times };
      const verdict = placed.verdict ?? counts?.check(one) ?? null;
      if (!verdict) {
        counts?.add(one);
        claimed.push(...hoursWanted(doc, now));
        if (p.action_type === 'reschedule' && p.from) freed.add(`${p.target_event_uid} ${p.from.start}`);
      }
      return { verdict, doc };
    };
    // A higher priority gets its slot first; equal ones keep the order of the request, as does the answer.
    const byPriority = proposals.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
    const judged = new Map<Proposal, Judged>();
    const yieldToOthers = createYielder();
    for (const p of byPriority) {
      await yieldToOthers();
      judged.set(p, judge(p));
    }
    const drafts = proposals.map((p): Judged => {
      const { verdict, doc } = judged.get(p) as Judged;
      const partner = swaps.get(p);
      const other = partner && judged.get(partner)?.verdict;
      return { verdict: verdict ?? (other ? half(other) : null), doc };
    });
    return record(writer, drafts);
  };

  return { propose, place };
};

export type ProposalAdmission = ReturnType<typeof createProposalAdmission>;
