/**
 * Admits proposals to the queue: places each, checks it against the limits, and records it. A refused one is recorded too, with
 * free times.
 */
import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../common/clock.ts';
import type { Db } from '../db/database.ts';
import { checkLimits, countingWindow, type CountedPlan } from '../domain/plan/limits.ts';
import { takesTime, type ActionType } from '../domain/plan/plan.ts';
import { countsAt } from '../domain/plan/plan-time.ts';
import { mergeSpans, toInterval, toSpan } from '../domain/time/spans.ts';
import { addMinutes, millis, type Instant, type Interval } from '../domain/time/time.ts';
import { newTrace, type PlanDoc, type Unstamped } from '../domain/record/trace.ts';
import type { Writer } from '../ledger/ledger.ts';
import { requireComplete } from '../ledger/transition-problems.ts';
import type { TraceStore } from '../ledger/trace-store.ts';
import { estimate, type Moves } from './record-transition.ts';
import {
  createPlacement,
  HORIZON_MINUTES,
  inSentences,
  isKeptInTempo,
  settleDay,
  type Placed,
  type Proposal,
  type Situation,
  type Verdict,
} from './placement.ts';

/** Busy time with the uid of its event, or '' where it has none. */
type Busy = Interval & { uid: string };

/** The plan to record for a proposal, and the reason to refuse it if there is one. */
type Judged = { verdict: Verdict | null; doc: Unstamped<PlanDoc> };

export const createProposalAdmission = (deps: {
  clock: Clock;
  traces: TraceStore;
  calendar: CalendarService;
  moves: Moves;
}) => {
  const { clock, traces, calendar, moves } = deps;
  const place = createPlacement(deps);

  /** Agents' plans that count against limits in a window. Uses the index traces_counted. */
  const counted = async (
    db: Db,
    user_id: string,
    window: Interval,
    only?: 'decided',
  ): Promise<(CountedPlan & { uid: string })[]> => {
    const statuses = only ? ['approved', 'executed'] : ['proposed', 'approved', 'executed'];
    const { rows } = await sql<{
      uid: string;
      action_type: ActionType;
      tempo_tag: string | null;
      tags: string[];
      at: Instant;
    }>`
      select uid, action_type, tempo_tag, tags, counts_at as at from traces
      where user_id = ${user_id} and counts_at >= ${window.start} and counts_at < ${window.end} and status = any(${statuses})`.execute(
      db,
    );
    return rows.map((r) => ({ uid: r.uid, action_type: r.action_type, tags: tagsOf(r), at: r.at }));
  };

  const draft = (writer: Writer, p: Proposal, placed: Placed, uid: string): Unstamped<PlanDoc> => ({
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

  /** Checks the limits, which concern proposals of agents only, for the day or week of the plan. */
  const limitVerdict = (
    writer: Writer,
    p: Proposal,
    at: Instant,
    plans: CountedPlan[],
    { profile, settings }: Situation,
  ): Verdict | null => {
    if (writer.author.origin !== 'agent') return null;
    return checkLimits(
      settings.limits,
      {
        action_type: p.action_type,
        tags: tagsOf({ tempo_tag: p.trace?.tempo_tag ?? null, tags: p.trace?.tags ?? [] }),
        at,
      },
      plans,
      profile.timezone,
    );
  };

  /** Busy time near the times of the proposals and where they search for a slot, without the years between. */
  const busyAround = async (db: Db, user_id: string, proposals: Proposal[]): Promise<Busy[]> => {
    const now = clock.now();
    const windows = proposals.filter(takesTime).flatMap((p) => {
      const start =
        p.scheduled_for && millis(p.scheduled_for) > millis(now) ? p.scheduled_for : (p.between?.start ?? now);
      const end = p.between && !p.scheduled_for ? p.between.end : start;
      return [
        { start: now, end: addMinutes(now, 2 * HORIZON_MINUTES) },
        { start, end: addMinutes(end, 2 * HORIZON_MINUTES) },
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
   * Records proposals. Each is placed with regard to those before it; refused ones become rejected by `policy`. Busy time and
   * counted plans are read once for all. `alsoBusy` is busy time that the caller knows.
   */
  const propose = async (
    writer: Writer,
    wishes: Proposal[],
    situation: Situation,
    alsoBusy: Interval[] = [],
  ): Promise<PlanDoc[]> => {
    const { user_id } = writer.author;
    const proposals = wishes.map(settleDay);
    const now = clock.now();
    const taken = [
      ...alsoBusy.map((span) => ({ ...span, uid: '' })),
      ...(await busyAround(writer.tx, user_id, proposals)),
    ];
    const last = proposals
      .flatMap((p) => p.scheduled_for ?? p.between?.end ?? [])
      .reduce((at, one) => (millis(one) > millis(at) ? one : at), addMinutes(now, 2 * HORIZON_MINUTES));
    const week = countingWindow(now, situation.profile.timezone);
    const plans =
      writer.author.origin === 'agent'
        ? await counted(writer.tx, user_id, {
            start: week.start,
            end: countingWindow(last, situation.profile.timezone).end,
          })
        : [];

    const claimed: Interval[] = [];
    const judge = (p: Proposal): Judged => {
      // An event may overlap its own old time.
      const busy = taken.filter((b) => b.uid === '' || b.uid !== p.target_event_uid);
      const keptInTempo = isKeptInTempo(situation, p.of?.origin ?? writer.author.origin);
      const placed = place(p, busy, situation, { keptInTempo, claimed });
      const at = countsAt({ ...p, scheduled_for: placed.start, recorded_at: now });
      const verdict = placed.verdict ?? limitVerdict(writer, p, at, plans, situation);
      const uid = p.uid ?? randomUUIDv7();
      if (!verdict) {
        plans.push({
          uid,
          action_type: p.action_type,
          tags: tagsOf({ tempo_tag: p.trace?.tempo_tag ?? null, tags: p.trace?.tags ?? [] }),
          at,
        });
        if (takesTime(p) && placed.start && placed.minutes)
          claimed.push({ start: placed.start, end: addMinutes(placed.start, placed.minutes) });
      }
      return { verdict, doc: draft(writer, p, placed, uid) };
    };
    // A higher priority gets its slot first; equal ones keep the order of the request, as does the answer.
    const byPriority = proposals.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
    const judged = new Map(byPriority.map((p) => [p, judge(p)]));
    const drafts = proposals.map((p) => judged.get(p) as Judged);
    return record(writer, drafts);
  };

  return { propose, place, counted };
};

export const tagsOf = ({ tempo_tag, tags }: { tempo_tag: string | null; tags: string[] }): string[] =>
  tempo_tag ? [tempo_tag, ...tags] : tags;

export type ProposalAdmission = ReturnType<typeof createProposalAdmission>;
