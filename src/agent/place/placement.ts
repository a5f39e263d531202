/**
 * Places a proposal in time: chooses its length and a free slot in its hours, or says why the time that it names is not
 * possible.
 */
import type { Clock } from '../../common/clock.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import { checkSlot, findSlots, whyNone } from '../../domain/plan/slots.ts';
import { intersectSpans, mergeSpans, toInterval, toSpan, type Span } from '../../domain/time/spans.ts';
import { durationFor, tempoWindows, type TempoProfile } from '../../domain/plan/tempo.ts';
import { addMinutes, millis, type Interval } from '../../domain/time/time.ts';
import {
  HORIZON_MINUTES,
  needsSlot,
  subjectOf,
  type FreeSlots,
  type Placed,
  type PlaceOptions,
  type Proposal,
  type Situation,
} from '../propose/proposal.ts';
import { createSeriesPlacement } from './series-placement.ts';
import { tempoFault } from './tempo-check.ts';

const ALTERNATIVES = 3;
const EVERY_DAY = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'] as const;
/** Where only the end is named, and it is not early itself. */
const USUAL_START = '08:00';
const EARLY_END = '09:00';
const NIGHT = { after: '20:00', before: '24:00' };

const startBefore = (end = '00:00'): string => (end > EARLY_END ? USUAL_START : '00:00');

/** The hours for a proposal: those of its tag or task, or those that the prompt names (“in the evening”, “after 15:00”). */
const hoursFor = (p: Proposal, profile: TempoProfile, window: Interval): Interval[] => {
  const { after, before } = p.part_of_day === 'night' ? NIGHT : readArguments(p);
  if (after !== undefined || before !== undefined) {
    const asked = {
      name: 'asked',
      days: [...EVERY_DAY],
      start: after ?? startBefore(before),
      end: before ?? '24:00',
    };
    return tempoWindows({ ...profile, time_ranges: [asked], tag_mappings: {}, task_overrides: {} }, {}, window);
  }
  return p.part_of_day
    ? tempoWindows(profile, { tempo_tag: `@${p.part_of_day}` }, window)
    : tempoWindows(profile, subjectOf(p), window);
};

export const createPlacement = ({ clock }: { clock: Clock }) => {
  const free: FreeSlots = (p, minutes, window, busy, { profile, weight }, keptInTempo, limit, at) => {
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

  const placeOnce = (
    p: Proposal,
    busy: readonly Span[],
    situation: Situation,
    { keptInTempo, claimed = [], wanted: ofOthers = [] }: PlaceOptions,
  ): Placed => {
    const { profile } = situation;
    const now = clock.now();
    const subject = subjectOf(p);
    if (!needsSlot(p)) {
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
      const taken = [...busy, ...claimed, ...(p.avoid ?? []).map(toSpan)];
      const unwanted = ofOthers.length
        ? free(p, minutes, window, [...taken, ...ofOthers], situation, keptInTempo, 1).slots[0]
        : undefined;
      const { slots, refused } = unwanted
        ? { slots: [unwanted], refused: [] }
        : free(p, minutes, window, taken, situation, keptInTempo, 1);
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

  const placeSeries = createSeriesPlacement({ clock, free });

  /** Chooses start and length, or checks a time that the proposal names. */
  return (p: Proposal, busy: readonly Span[], situation: Situation, options: PlaceOptions): Placed =>
    p.rrule == null ? placeOnce(p, busy, situation, options) : placeSeries(p, busy, situation, options);
};

const common = (a: Interval[], b: Interval[]): Interval[] =>
  intersectSpans(mergeSpans(a.map(toSpan)), mergeSpans(b.map(toSpan))).map(toInterval);

const intervals = (slots: Interval[]): Interval[] => slots.map(({ start, end }) => ({ start, end }));
