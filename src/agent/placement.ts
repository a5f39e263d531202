/**
 * Places a proposal in time: chooses its length and a free slot in its hours, or says why the time that it names is not
 * possible.
 */
import type { Clock } from '../common/clock.ts';
import { takesTime, type PlanAction, type ActionType } from '../domain/plan/plan.ts';
import { readArguments, type PlanArguments } from '../domain/plan/plan-arguments.ts';
import { hoursOf } from '../domain/plan/plan-time.ts';
import { checkSlot, findSlots, whyNone, type SlotFault, type SlotWeight } from '../domain/plan/slots.ts';
import { intersectSpans, mergeSpans, toInterval, toSpan } from '../domain/time/spans.ts';
import { durationFor, tempoWindows, type TempoProfile } from '../domain/plan/tempo.ts';
import { addMinutes, millis, type Instant, type Interval } from '../domain/time/time.ts';
import type { PlanDoc, TraceDoc } from '../domain/record/trace.ts';
import type { Settings } from '../user/schemas.ts';

/** An action that somebody wants, before it is placed and checked. */
export type Proposal = {
  uid?: string | undefined;
  action_type: ActionType;
  title: string;
  content: string;
  scheduled_for: Instant | null;
  duration_minutes: number | null;
  target_event_uid: string | null;
  arguments: PlanArguments;
  reasoning: string;
  /** Where to search for a free slot. The default is the next two weeks. */
  between?: Interval | undefined;
  /** Times within it that are left out. */
  avoid?: Interval[] | undefined;
  part_of_day?: 'morning' | 'afternoon' | 'evening' | 'night' | undefined;
  /** When it expires without a decision, if it has no time of its own: a cancellation expires at the end of the event that it cancels. */
  lapses_at?: Instant | null | undefined;
  /** The other fields of its trace. */
  trace?: Partial<TraceDoc>;
  /** Of several in one request, the one with the higher priority is placed and counted first. The default is 0. */
  priority?: number | undefined;
  /** The proposer, where the service proposes a plan again. The default is the writer. */
  of?: Pick<PlanDoc, 'origin' | 'proposed_by'>;
};

export type Situation = {
  profile: TempoProfile;
  settings: Settings;
  weight?: (proposal: Proposal) => SlotWeight | undefined;
};

export type Verdict = { code: string; detail: string; alternatives?: { start: Instant; end: Instant }[] };
/** Writes reasons as sentences for a plan's reasoning. */
export const inSentences = (reasons: string[]): string[] =>
  reasons.map((reason) => `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`);

export type Placed = { start: Instant | null; minutes: number | null; reasons: string[]; verdict: Verdict | null };

export const HORIZON_MINUTES = 14 * 24 * 60;
const ALTERNATIVES = 3;
const EVERY_DAY = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const NIGHT = { after: '20:00', before: '24:00' };

/** Only a proposal with a time can last the whole day. One without a time is placed like any other. */
export const settleDay = (p: Proposal): Proposal => {
  const { all_day, ...rest } = p.arguments;
  return all_day && p.scheduled_for === null ? { ...p, arguments: rest } : p;
};

/** Whether the plan must be in the tempo hours: the limit `only_in_tempo` applies to agents' plans only. */
export const isKeptInTempo = ({ settings }: Situation, origin: string): boolean =>
  settings.limits.only_in_tempo && origin === 'agent';

type Subject = { tempo_tag?: string | null | undefined; task_id?: string | null | undefined };

/** Says why the hours of an agent's plan are outside the tempo hours; null where they are not. */
export const tempoFault = (
  plan: PlanAction & Subject & { scheduled_for: Instant | null; duration_minutes: number | null },
  profile: TempoProfile,
  now: Instant,
): SlotFault | null => {
  const zone = profile.timezone;
  const hours = hoursOf(plan, zone);
  if (!hours) return null;
  const windows = tempoWindows(profile, plan, hours, { strict: true });
  // This does not check whether the time is over, since an all-day event of today has begun.
  return checkSlot({
    ...hours,
    busy: [],
    windows,
    now: hours.start < now ? hours.start : now,
    zone,
    only_in_tempo: true,
  });
};

export const createPlacement = ({ clock }: { clock: Clock }) => {
  /** The hours for a proposal: those of its tag or task, or those that the prompt names (“in the evening”, “after 15:00”). */
  const hoursFor = (p: Proposal, profile: TempoProfile, window: Interval): Interval[] => {
    const { after, before } = p.part_of_day === 'night' ? NIGHT : readArguments(p);
    if (after !== undefined || before !== undefined) {
      const asked = { name: 'asked', days: [...EVERY_DAY], start: after ?? '00:00', end: before ?? '24:00' };
      return tempoWindows({ ...profile, time_ranges: [asked], tag_mappings: {}, task_overrides: {} }, {}, window);
    }
    return p.part_of_day
      ? tempoWindows(profile, { tempo_tag: `@${p.part_of_day}` }, window)
      : tempoWindows(profile, subjectOf(p), window);
  };

  const free = (
    p: Proposal,
    minutes: number,
    window: Interval,
    busy: Interval[],
    { profile, weight }: Situation,
    keptInTempo: boolean,
    limit: number,
    at?: Instant,
  ) => {
    const asked = hoursFor(p, profile, window);
    const windows = keptInTempo ? common(asked, tempoWindows(profile, subjectOf(p), window, { strict: true })) : asked;
    // Hours that the prompt names come before the usual hours, and these before any other time.
    const wider = keptInTempo ? undefined : p.between ? [window] : tempoWindows(profile, {}, window);
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
   * Chooses start and length, or checks a time that the proposal names. `claimed` are the slots of other proposals in the
   * request: a search avoids them, a named time competes for them. `keptInTempo`: see isKeptInTempo.
   */
  const place = (
    p: Proposal,
    busy: Interval[],
    situation: Situation,
    { keptInTempo, claimed = [] }: { keptInTempo: boolean; claimed?: Interval[] },
  ): Placed => {
    const { profile } = situation;
    const now = clock.now();
    const subject = subjectOf(p);
    if (!takesTime(p)) {
      const past = p.scheduled_for !== null && millis(p.scheduled_for) < millis(now);
      const outside = keptInTempo ? tempoFault({ ...p, ...subject }, profile, now) : null;
      const verdict = past ? { code: 'slot:past', detail: `${p.scheduled_for} is in the past` } : outside;
      return { start: p.scheduled_for, minutes: p.duration_minutes, reasons: [], verdict };
    }
    const { minutes, reason } = durationFor(profile, {
      ...subject,
      action_type: p.action_type,
      asked: p.duration_minutes,
    });
    const window = p.between ?? { start: now, end: addMinutes(now, HORIZON_MINUTES) };
    if (p.scheduled_for === null) {
      const { slots, refused } = free(
        p,
        minutes,
        window,
        [...busy, ...claimed, ...(p.avoid ?? [])],
        situation,
        keptInTempo,
        1,
      );
      const best = slots[0];
      if (best) return { start: best.start, minutes, reasons: [reason, ...best.reasons], verdict: null };
      const later = free(
        { ...p, between: undefined },
        minutes,
        { start: window.start, end: addMinutes(window.end, HORIZON_MINUTES) },
        busy,
        situation,
        keptInTempo,
        ALTERNATIVES,
      );
      return {
        start: null,
        minutes,
        reasons: [reason],
        verdict: { ...whyNone(refused, minutes), alternatives: intervals(later.slots) },
      };
    }
    const asked = { start: p.scheduled_for, end: addMinutes(p.scheduled_for, minutes) };
    const wanted = { ...p, ...subject, duration_minutes: minutes };
    const fault =
      checkSlot({ ...asked, busy, now, zone: profile.timezone, windows: [], only_in_tempo: false }) ??
      (keptInTempo ? tempoFault(wanted, profile, now) : null);
    if (!fault) return { start: asked.start, minutes, reasons: [reason], verdict: null };
    const from = millis(asked.start) < millis(now) ? now : asked.start;
    const others = free(
      { ...p, between: undefined },
      minutes,
      { start: from, end: addMinutes(from, HORIZON_MINUTES) },
      busy,
      situation,
      keptInTempo,
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

  return place;
};

const subjectOf = ({ trace }: Proposal): Subject => ({ tempo_tag: trace?.tempo_tag, task_id: trace?.task_id });

const common = (a: Interval[], b: Interval[]): Interval[] =>
  intersectSpans(mergeSpans(a.map(toSpan)), mergeSpans(b.map(toSpan))).map(toInterval);

const intervals = (slots: Interval[]): Interval[] => slots.map(({ start, end }) => ({ start, end }));
