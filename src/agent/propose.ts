/** A proposal's way into the queue: duration, place in time, slots and limits; refusals are recorded with what would be free. */
import { randomUUIDv7 } from 'node:crypto';
import { sql } from 'kysely';
import type { CalendarService } from '../calendar/service.ts';
import type { Clock } from '../clock.ts';
import type { Db } from '../db/client.ts';
import { checkLimits, countingWindow, type CountedPlan } from '../domain/limits.ts';
import type { ActionType } from '../domain/plan.ts';
import { checkSlot, findSlots, whyNone, type SlotWeight } from '../domain/slots.ts';
import { mergeSpans, toInterval, toSpan } from '../domain/spans.ts';
import { durationFor, tempoWindows, type TempoProfile } from '../domain/tempo.ts';
import { addMinutes, millis, type Instant, type Interval } from '../domain/time.ts';
import { newTrace, type PlanDoc, type TraceDoc, type Unstamped } from '../domain/trace.ts';
import type { Writer } from '../ledger/ledger.ts';
import type { TraceStore } from '../ledger/traces.ts';
import type { Settings } from '../user/schema.ts';
import { estimate, type Moves } from './moves.ts';

/** What somebody wants done, before it is placed and judged. */
export type Proposal = {
  uid?: string | undefined;
  action_type: ActionType;
  title: string;
  content: string;
  scheduled_for: Instant | null;
  duration_minutes: number | null;
  target_event_uid: string | null;
  arguments: Record<string, unknown>;
  reasoning: string;
  /** Where to look for a free slot; default the next two weeks. */
  between?: Interval | undefined;
  part_of_day?: 'morning' | 'afternoon' | 'evening' | 'night' | undefined;
  /** The other fields of its trace. */
  trace?: Partial<TraceDoc>;
  /** Among several of one request, higher is placed and counted first; default 0. */
  priority?: number | undefined;
  /** Whose proposal it stays when code proposes it again; default the writer's. */
  of?: Pick<PlanDoc, 'origin' | 'proposed_by'>;
};

export type Situation = {
  profile: TempoProfile;
  settings: Settings;
  weight?: (proposal: Proposal) => SlotWeight | undefined;
};

/** Busy time, with the event it is of; '' for what is taken otherwise. */
type Busy = Interval & { uid: string };
type Verdict = { code: string; detail: string; alternatives?: { start: Instant; end: Instant }[] };
type Placed = { start: Instant | null; minutes: number | null; reasons: string[]; verdict: Verdict | null };

const HORIZON_MINUTES = 14 * 24 * 60;
const ALTERNATIVES = 3;
const EVERY_DAY = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const NIGHT = { after: '20:00', before: '24:00' };

/** Slots concern what takes room in the calendar. */
const takesRoom = (p: Pick<Proposal, 'action_type' | 'arguments'>): boolean =>
  (p.action_type === 'schedule' || p.action_type === 'reschedule') &&
  p.arguments['cancel'] !== true &&
  p.arguments['all_day'] !== true;

export const createProposing = (deps: {
  clock: Clock;
  traces: TraceStore;
  calendar: CalendarService;
  moves: Moves;
}) => {
  const { clock, traces, calendar, moves } = deps;

  /** Agents' plans that count against limits around the given instants. Rides on traces_plans. */
  const counted = async (db: Db, user_id: string, window: Interval, only?: 'decided'): Promise<CountedPlan[]> => {
    const statuses = only ? ['approved', 'executed'] : ['proposed', 'approved', 'executed'];
    const { rows } = await sql<{
      uid: string;
      action_type: ActionType;
      tempo_tag: string | null;
      tags: string[];
      at: Instant;
    }>`
      select uid, action_type, tempo_tag, tags, coalesce(scheduled_for, "timestamp") as at from traces
      where user_id = ${user_id} and type = 'agent_plan' and origin = 'agent' and status = any(${statuses})
        and coalesce(scheduled_for, "timestamp") >= ${window.start} and coalesce(scheduled_for, "timestamp") < ${window.end}`.execute(
      db,
    );
    return rows.map((r) => ({ uid: r.uid, action_type: r.action_type, tags: tagsOf(r), at: r.at }));
  };

  /** Hours in which it belongs: its tag's or task's, narrowed to what was asked ('in the evening', 'after 15:00'). */
  const hoursFor = (p: Proposal, profile: TempoProfile, window: Interval): Interval[] => {
    const subject = { tempo_tag: p.trace?.tempo_tag, task_id: p.trace?.task_id };
    const { after, before } = p.part_of_day === 'night' ? NIGHT : (p.arguments as { after?: string; before?: string });
    if (after !== undefined || before !== undefined) {
      const asked = { name: 'asked', days: [...EVERY_DAY], start: after ?? '00:00', end: before ?? '24:00' };
      return tempoWindows({ ...profile, time_ranges: [asked], tag_mappings: {}, task_overrides: {} }, {}, window);
    }
    return p.part_of_day
      ? tempoWindows(profile, { tempo_tag: `@${p.part_of_day}` }, window)
      : tempoWindows(profile, subject, window);
  };

  const free = (
    p: Proposal,
    minutes: number,
    window: Interval,
    busy: Interval[],
    { profile, settings, weight }: Situation,
    limit: number,
    at?: Instant,
  ) => {
    const windows = hoursFor(p, profile, window);
    // What was asked for in words outranks the usual hours; the usual hours outrank nothing at all.
    const wider = settings.limits.only_in_tempo ? undefined : p.between ? [window] : tempoWindows(profile, {}, window);
    return findSlots({
      window,
      duration_minutes: minutes,
      busy,
      windows,
      wider,
      now: clock.now(),
      zone: profile.timezone,
      preferred: at ? { at } : undefined,
      weight: weight?.(p),
      limit,
    });
  };

  /**
   * Where and how long; for an explicit time whether it may be. `claimed` is what others of the same request were given: a
   * search goes around it, an explicit time competes for it.
   */
  const place = (p: Proposal, busy: Interval[], situation: Situation, claimed: Interval[] = []): Placed => {
    const { profile, settings } = situation;
    const now = clock.now();
    if (!takesRoom(p)) {
      const past = p.scheduled_for !== null && millis(p.scheduled_for) < millis(now);
      const verdict = past ? { code: 'slot:past', detail: `${p.scheduled_for} is in the past` } : null;
      return { start: p.scheduled_for, minutes: p.duration_minutes, reasons: [], verdict };
    }
    const subject = { tempo_tag: p.trace?.tempo_tag, task_id: p.trace?.task_id };
    const { minutes, reason } = durationFor(profile, {
      ...subject,
      action_type: p.action_type,
      asked: p.duration_minutes,
    });
    const window = p.between ?? { start: now, end: addMinutes(now, HORIZON_MINUTES) };
    if (p.scheduled_for === null) {
      const { slots, rejected } = free(p, minutes, window, [...busy, ...claimed], situation, 1);
      const best = slots[0];
      if (best) return { start: best.start, minutes, reasons: [reason, ...best.reasons], verdict: null };
      const later = free(
        { ...p, between: undefined },
        minutes,
        { start: window.start, end: addMinutes(window.end, HORIZON_MINUTES) },
        busy,
        situation,
        ALTERNATIVES,
      );
      return {
        start: null,
        minutes,
        reasons: [reason],
        verdict: { ...whyNone(rejected, minutes), alternatives: intervals(later.slots) },
      };
    }
    const asked = { start: p.scheduled_for, end: addMinutes(p.scheduled_for, minutes) };
    const windows = tempoWindows(profile, subject, asked);
    const fault = checkSlot({
      ...asked,
      busy,
      now,
      zone: profile.timezone,
      windows,
      only_in_tempo: settings.limits.only_in_tempo,
    });
    if (!fault) return { start: asked.start, minutes, reasons: [reason], verdict: null };
    const from = millis(asked.start) < millis(now) ? now : asked.start;
    const others = free(
      { ...p, between: undefined },
      minutes,
      { start: from, end: addMinutes(from, HORIZON_MINUTES) },
      busy,
      situation,
      ALTERNATIVES,
      from,
    );
    return {
      start: asked.start,
      minutes,
      reasons: [reason],
      verdict: { ...fault, alternatives: intervals(others.slots) },
    };
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
    reasoning: [p.reasoning, ...placed.reasons.map((r) => `${r.charAt(0).toUpperCase()}${r.slice(1)}.`)]
      .filter(Boolean)
      .join(' '),
    temporal_estimate: estimate(placed.start, placed.minutes),
    decision: null,
    expires_at: placed.start,
    executed_at: null,
    proposed_by: p.of?.proposed_by ?? writer.author.actor,
    attempts: 0,
    last_error: null,
  });

  /** Limits bind agents' proposals only, by the day or week the plan is for. */
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

  /** Busy time wherever one of the proposals may look: near its own time, or where it searches; never the years between. */
  const busyAround = async (db: Db, user_id: string, proposals: Proposal[]): Promise<Busy[]> => {
    const now = clock.now();
    const windows = proposals.filter(takesRoom).flatMap((p) => {
      const start =
        p.scheduled_for && millis(p.scheduled_for) > millis(now) ? p.scheduled_for : (p.between?.start ?? now);
      const end = p.between && !p.scheduled_for ? p.between.end : start;
      return [
        { start: now, end: addMinutes(now, 2 * HORIZON_MINUTES) },
        { start, end: addMinutes(end, 2 * HORIZON_MINUTES) },
      ];
    });
    const busy: Busy[] = [];
    for (const window of mergeSpans(windows.map(toSpan)).map(toInterval))
      busy.push(...(await calendar.within.busy(db, user_id, window)));
    return busy;
  };

  /**
   * Records proposals, each judged with the ones placed before it in mind: refused ones become rejected by `policy`.
   * Busy time and counted plans are read once for all of them. `alsoBusy` is time the caller knows to be taken.
   */
  const propose = async (
    writer: Writer,
    proposals: Proposal[],
    situation: Situation,
    alsoBusy: Interval[] = [],
  ): Promise<PlanDoc[]> => {
    const { user_id } = writer.author;
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
    const judge = (p: Proposal) => {
      const busy = taken.filter((b) => b.uid === '' || b.uid !== p.target_event_uid); // an event may move over itself
      const placed = place(p, busy, situation, claimed);
      const at = placed.start ?? now;
      const verdict = placed.verdict ?? limitVerdict(writer, p, at, plans, situation);
      const uid = p.uid ?? randomUUIDv7();
      if (!verdict) {
        plans.push({
          uid,
          action_type: p.action_type,
          tags: tagsOf({ tempo_tag: p.trace?.tempo_tag ?? null, tags: p.trace?.tags ?? [] }),
          at,
        });
        if (takesRoom(p) && placed.start && placed.minutes)
          claimed.push({ start: placed.start, end: addMinutes(placed.start, placed.minutes) });
      }
      return { verdict, doc: draft(writer, p, placed, uid) };
    };
    // Higher priority chooses first; among equals the order of the request. The answer keeps that order.
    const byPriority = proposals.toSorted((a, b) => (b.priority ?? 0) - (a.priority ?? 0));
    const judged = new Map(byPriority.map((p) => [p, judge(p)]));
    const drafts = proposals.map((p) => judged.get(p) as ReturnType<typeof judge>);
    const recorded = (await traces.insert(
      writer,
      drafts.map(({ doc }) => ({ trace: doc, kind: 'plan.proposed' })),
    )) as PlanDoc[];
    const result: PlanDoc[] = [];
    for (const [i, plan] of recorded.entries()) {
      const verdict = drafts[i]?.verdict;
      if (!verdict) result.push(plan);
      else
        result.push(
          await moves.make(writer, plan, 'refuse', {
            by: 'policy',
            code: verdict.code,
            note: verdict.detail,
            ...(verdict.alternatives ? { alternatives: verdict.alternatives } : {}),
          }),
        );
    }
    return result;
  };

  return { propose, place, counted, takesRoom };
};

const intervals = (slots: Interval[]): Interval[] => slots.map(({ start, end }) => ({ start, end }));

export const tagsOf = ({ tempo_tag, tags }: { tempo_tag: string | null; tags: string[] }): string[] =>
  tempo_tag ? [tempo_tag, ...tags] : tags;

export type Proposing = ReturnType<typeof createProposing>;
