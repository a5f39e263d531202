/** Where a proposal goes in time: its length, a free slot within its hours, or what stands against the time it names. */
import type { Clock } from '../clock.ts';
import { takesRoom, type ActionType } from '../domain/plan.ts';
import { checkSlot, findSlots, whyNone, type SlotWeight } from '../domain/slots.ts';
import { durationFor, tempoWindows, type TempoProfile } from '../domain/tempo.ts';
import { addMinutes, millis, type Instant, type Interval } from '../domain/time.ts';
import type { PlanDoc, TraceDoc } from '../domain/trace.ts';
import type { Settings } from '../user/schema.ts';

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

export type Verdict = { code: string; detail: string; alternatives?: { start: Instant; end: Instant }[] };
export type Placed = { start: Instant | null; minutes: number | null; reasons: string[]; verdict: Verdict | null };

export const HORIZON_MINUTES = 14 * 24 * 60;
const ALTERNATIVES = 3;
const EVERY_DAY = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
const NIGHT = { after: '20:00', before: '24:00' };

/** 'after 15:00', 'before noon' as the built-in planner leaves them; an agent's arguments may hold anything under these names. */
const askedHours = ({
  after,
  before,
}: Record<string, unknown>): { after?: string | undefined; before?: string | undefined } => {
  const clock = (value: unknown): string | undefined =>
    typeof value === 'string' && /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(value) ? value : undefined;
  const hours = { after: clock(after), before: clock(before) };
  return hours.after && hours.before && hours.after >= hours.before ? {} : hours;
};

/** A whole day has to be named: without a time it is something to be placed like anything else. */
export const settleDay = (p: Proposal): Proposal => {
  const { all_day, ...rest } = p.arguments;
  return all_day === true && p.scheduled_for === null ? { ...p, arguments: rest } : p;
};

export const createPlacing = ({ clock }: { clock: Clock }) => {
  /** Hours in which it belongs: its tag's or task's, narrowed to what was asked ('in the evening', 'after 15:00'). */
  const hoursFor = (p: Proposal, profile: TempoProfile, window: Interval): Interval[] => {
    const subject = { tempo_tag: p.trace?.tempo_tag, task_id: p.trace?.task_id };
    const { after, before } = p.part_of_day === 'night' ? NIGHT : askedHours(p.arguments);
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
      const { slots, refused } = free(p, minutes, window, [...busy, ...claimed], situation, 1);
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
        verdict: { ...whyNone(refused, minutes), alternatives: intervals(later.slots) },
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

  return place;
};

const intervals = (slots: Interval[]): Interval[] => slots.map(({ start, end }) => ({ start, end }));
