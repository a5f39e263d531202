/**
 * Admits proposals to the queue: places each, checks it against the limits, and records it. A refused one is recorded too, with
 * free times.
 */
import { randomUUIDv7 } from 'node:crypto';
import type { CalendarService } from '../../calendar/service.ts';
import type { Clock } from '../../common/clock.ts';
import { createYielder } from '../../common/yielding.ts';
import { neededTime } from '../../domain/plan/plan-time.ts';
import { takesTime } from '../../domain/plan/plan.ts';
import { mergeSpans, toSpan, type Span } from '../../domain/time/spans.ts';
import type { Instant, Interval } from '../../domain/time/time.ts';
import type { PlanDoc, Unstamped } from '../../domain/record/trace.ts';
import type { Reading, Writer } from '../../ledger/ledger-writer.ts';
import { requireComplete } from '../../ledger/transition-problems.ts';
import type { TraceStore } from '../../ledger/trace-store.ts';
import type { Moves } from '../decide/record-transition.ts';
import { countedTimes, tagsOf } from '../place/counted-plans.ts';
import { createPlacement } from '../place/placement.ts';
import { CHECKED, checkedWindow, occurrencesOf, repeatingOf } from '../place/plan-series.ts';
import { swapsIn } from '../decide/swap.ts';
import { isKeptInTempo, settleDay, type Proposal, type Situation, type Verdict } from './proposal.ts';
import { createDraft } from './draft.ts';
import { createBeside, type Busy } from './beside.ts';

/** The plan to record for a proposal, and the reason to refuse it if there is one. */
export type Judged = { verdict: Verdict | null; doc: Unstamped<PlanDoc> };

/** `alsoBusy` is busy time that the caller knows. */
export type RequestOptions = { alsoBusy?: Interval[]; proposal_id?: string };

/** Refuses the other half of a swap too. */
const half = ({ code, detail }: Verdict): Verdict => ({
  code,
  detail: `the plan with which it exchanges places is not possible: ${detail}`,
});

/** The time that a plan takes, of a series in the days that are checked. */
const hoursWanted = (plan: Unstamped<PlanDoc>, { following }: Proposal, now: Instant): Span[] => {
  const series = repeatingOf(plan);
  const once = neededTime(plan);
  if (following && once) return following(once.start, plan.duration_minutes as number, CHECKED).times;
  if (!series || !takesTime(plan)) return once ? [toSpan(once)] : [];
  return Array.from(occurrencesOf(series, checkedWindow(series, now)), ({ start, end }): Span => [start, end]);
};

export const createProposalAdmission = (deps: {
  clock: Clock;
  traces: TraceStore;
  calendar: CalendarService;
  moves: Moves;
}) => {
  const { clock, traces, calendar, moves } = deps;
  const place = createPlacement(deps);

  const { draft } = createDraft({ clock });
  const { busyAround, wantedAround, countedBeside } = createBeside({ clock, calendar });

  /** Records the proposals in their order. One with a verdict is recorded and refused by `policy`. */
  const record = async (writer: Writer, judged: readonly Judged[]): Promise<PlanDoc[]> => {
    for (const [i, { verdict, doc }] of judged.entries()) if (!verdict) requireComplete(doc, `/actions/${i}`);
    const entries = judged.map(({ doc }) => ({ trace: doc, kind: 'plan.proposed' }));
    const recorded = (await traces.insert(writer, entries)) as PlanDoc[];
    const refusals = recorded.flatMap((plan, i) => {
      const verdict = judged[i]?.verdict;
      if (!verdict) return [];
      const { code, detail: note, alternatives } = verdict;
      return [
        {
          plan,
          name: 'refuse' as const,
          details: { by: 'policy', code, note, ...(alternatives ? { alternatives } : {}) },
        },
      ];
    });
    const refused = new Map((await moves.makeAll(writer, refusals)).map((plan) => [plan.uid, plan]));
    return recorded.map((plan) => refused.get(plan.uid) ?? plan);
  };

  /**
   * Judges the proposals of one request. Each is placed with regard to those before it. Busy time and counted plans are read once
   * for all.
   */
  const judgeAll = async (
    reading: Reading,
    wishes: Proposal[],
    situation: Situation,
    { alsoBusy = [], proposal_id = randomUUIDv7() }: RequestOptions = {},
  ): Promise<Judged[]> => {
    const { user_id } = reading.author;
    const zone = situation.profile.timezone;
    const proposals = wishes.map(settleDay).map((p): Proposal => ({ ...p, timezone: p.timezone ?? zone }));
    const now = clock.now();
    const around = await busyAround(reading.tx, user_id, proposals);
    const ofTargets = around.filter(({ uid }) => uid !== '');
    // As numbers, because each proposal would parse the times of all events again.
    const others = mergeSpans([...alsoBusy, ...around.filter(({ uid }) => uid === '')].map(toSpan));
    const wanted = await wantedAround(reading.tx, user_id, proposals);
    const counts = await countedBeside(reading, proposals, situation);
    let claimed: Span[] = [];
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
      const stays = ofTargets.filter(
        (b) => b.uid !== p.target_event_uid && !isLeft(b) && !freed.has(`${b.uid} ${b.start}`),
      );
      const busy = [...others, ...stays.map(toSpan)];
      const keptInTempo = isKeptInTempo(situation, p.of?.origin ?? reading.author.origin);
      const placed = place(p, busy, situation, { keptInTempo, claimed, wanted });
      const uid = uids.get(p) as string;
      const swaps_with = partner ? (uids.get(partner) as string) : null;
      const doc = { ...draft(reading.author, p, placed, uid), proposal_id, swaps_with };
      const times = counts ? countedTimes({ ...doc, recorded_at: now }) : [];
      const one = { uid, action_type: p.action_type, tags: tagsOf(doc), times, waits: true };
      const verdict = placed.verdict ?? counts?.check(one) ?? null;
      if (!verdict) {
        counts?.add(one);
        claimed = mergeSpans([...claimed, ...hoursWanted(doc, p, now)]);
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
    return proposals.map((p): Judged => {
      const { verdict, doc } = judged.get(p) as Judged;
      const partner = swaps.get(p);
      const other = partner && judged.get(partner)?.verdict;
      return { verdict: verdict ?? (other ? half(other) : null), doc };
    });
  };

  /** Proposes again what the service has displaced or undone. */
  const propose = async (writer: Writer, wishes: Proposal[], situation: Situation): Promise<PlanDoc[]> =>
    record(writer, await judgeAll(writer, wishes, situation));

  return { judgeAll, record, propose, place };
};

export type ProposalAdmission = ReturnType<typeof createProposalAdmission>;
