/**
 * Places a proposal in time: chooses its length and a free slot in its hours, or says why the time that it names is not
 * possible.
 */
import type { Clock } from '../../common/clock.ts';
import { readArguments } from '../../domain/plan/plan-arguments.ts';
import { checkSlot, findSlots, whyNone, type SlotAnswer } from '../../domain/plan/slots.ts';
import { minutesName } from '../../domain/time/say.ts';
import { intersectSpans, mergeSpans, toInterval, toSpan, type Span } from '../../domain/time/spans.ts';
import { lengthFor, tempoWindows, type TempoProfile } from '../../domain/plan/tempo.ts';
import { addMinutes, instantOf, millis, zoned, type Instant, type Interval } from '../../domain/time/time.ts';
import {
  HORIZON_MINUTES,
  needsSlot,
  subjectOf,
  windowOf,
  type FreeSlots,
  type Placed,
  type PlaceOptions,
  type Proposal,
  type Situation,
  type Verdict,
} from '../propose/proposal.ts';
import { CHECKED, COUNTED, takenOf } from './plan-series.ts';
import { createSeriesPlacement, takenFault } from './series-placement.ts';
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

/** How far other times may be from the time of day that was asked for, in minutes. */
const NEAR = 180;

/** The proposal for about the time of day that it names, where its usual hours do not have that: for a dinner in the evening. */
const nearby = (p: Proposal, minutes: number, at: Instant, profile: TempoProfile): Proposal => {
  const asked = { start: at, end: addMinutes(at, minutes) };
  if (hoursFor(p, profile, asked).some(({ start, end }) => start === asked.start && end === asked.end)) return p;
  const { hour, minute } = zoned(at, profile.timezone);
  const from = hour * 60 + minute;
  const after = minutesName(Math.max(0, from - NEAR));
  const before = minutesName(Math.min(24 * 60, from + minutes + NEAR));
  return { ...p, part_of_day: undefined, arguments: { ...p.arguments, after, before } };
};

/** Of what takes no time on the calendar only the time is checked. */
const withoutSlot = (p: Proposal, { profile }: Situation, { keptInTempo }: PlaceOptions, now: Instant): Placed => {
  const past = p.scheduled_for !== null && millis(p.scheduled_for) < millis(now);
  const outside = keptInTempo ? tempoFault({ ...p, ...subjectOf(p) }, profile, now) : null;
  const verdict = past ? { code: 'slot:past', detail: `${p.scheduled_for} is in the past` } : outside;
  return { start: p.scheduled_for, minutes: p.duration_minutes, reasons: [], verdict };
};

/** At most this many starts of a series are tried in each search, since each is compared with the calendar of 90 days. */
const MOST_SLOTS = 4;

/** What a search keeps to, and the instant near which it prefers times. */
type Around = { busy: readonly Span[]; situation: Situation; keptInTempo: boolean; at?: Instant };

const LATER_TAKEN = {
  code: 'slot:blocked',
  detail: 'at each free time of the first occurrence, that of a later one is taken',
};

/** Returns why later occurrences of a series cannot move with the first one; null where the proposal moves none. */
const laterFaults = (
  p: Proposal,
  minutes: number,
  { busy, situation: { profile }, keptInTempo }: Around,
  now: Instant,
): ((start: Instant) => Pick<Verdict, 'code' | 'detail'> | null) => {
  const { following } = p;
  if (!following) return () => null;
  const merged = mergeSpans(busy);
  const wanted = { ...p, ...subjectOf(p), duration_minutes: minutes };
  return (start) => {
    const { times, fault } = following(start, minutes, CHECKED);
    if (fault !== null) return { code: 'slot:blocked', detail: `the new start ${fault}` };
    const occurrences = times.map(([from, to]) => ({ start: from, end: to }));
    const taken = takenOf(occurrences, merged).map(instantOf);
    return (
      takenFault({ occurrences: times.length, taken }, profile.timezone) ??
      (keptInTempo ? tempoFault(wanted, profile, now, following(start, minutes, COUNTED).times) : null)
    );
  };
};

const createFree =
  (clock: Clock): FreeSlots =>
  (p, minutes, window, busy, { profile, weight }, keptInTempo, limit, at) => {
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

export const createPlacement = ({ clock }: { clock: Clock }) => {
  const free = createFree(clock);

  /** The best free times from the start of a window to two weeks after its end, whatever the proposal asked for. */
  const instead = (
    p: Proposal,
    minutes: number,
    { start, end }: Interval,
    { busy, situation, keptInTempo, at }: Around,
  ): Interval[] => {
    const window = { start, end: addMinutes(end, HORIZON_MINUTES) };
    const wish = at === undefined || keptInTempo ? p : nearby(p, minutes, at, situation.profile);
    const { slots } = free(
      { ...wish, between: undefined },
      minutes,
      window,
      busy,
      situation,
      keptInTempo,
      p.following ? MOST_SLOTS : ALTERNATIVES,
      at,
    );
    const faultAt = laterFaults(p, minutes, { busy, situation, keptInTempo }, clock.now());
    return slots
      .filter(({ start: from }) => !faultAt(from))
      .slice(0, ALTERNATIVES)
      .map((slot) => ({ start: slot.start, end: slot.end }));
  };

  /** Chooses a free time. It keeps off what waiting proposals want, as long as there is other time. */
  const search = (
    p: Proposal,
    { minutes, reasons }: ReturnType<typeof lengthFor>,
    busy: readonly Span[],
    situation: Situation,
    { keptInTempo, claimed = [], wanted = [] }: PlaceOptions,
  ): Placed => {
    const window = windowOf(p, clock.now());
    const taken = [...busy, ...claimed, ...(p.avoid ?? []).map(toSpan)];
    const among = (all: Span[]) => free(p, minutes, window, all, situation, keptInTempo, p.following ? MOST_SLOTS : 1);
    const bestOf = (all: Span[], { slots }: SlotAnswer) => {
      const faultAt = laterFaults(p, minutes, { busy: all, situation, keptInTempo }, clock.now());
      return slots.find(({ start }) => !faultAt(start));
    };
    const off = [...taken, ...wanted];
    const unwanted = wanted.length ? bestOf(off, among(off)) : undefined;
    const found = unwanted ? { slots: [unwanted], refused: [] } : among(taken);
    const best = unwanted ?? bestOf(taken, found);
    if (best) return { start: best.start, minutes, reasons: [...reasons, ...best.reasons], verdict: null };
    return {
      start: null,
      minutes,
      reasons,
      verdict: {
        ...(found.slots.length ? LATER_TAKEN : whyNone(found.refused, minutes)),
        alternatives: instead(p, minutes, window, { busy, situation, keptInTempo }),
      },
    };
  };

  /** Checks the time that a proposal names. */
  const check = (
    p: Proposal & { scheduled_for: Instant },
    { minutes, reasons }: ReturnType<typeof lengthFor>,
    busy: readonly Span[],
    situation: Situation,
    { keptInTempo }: PlaceOptions,
  ): Placed => {
    const { profile } = situation;
    const now = clock.now();
    const asked = { start: p.scheduled_for, end: addMinutes(p.scheduled_for, minutes) };
    const wanted = { ...p, ...subjectOf(p), duration_minutes: minutes };
    const fault =
      checkSlot({ ...asked, busy, now, zone: profile.timezone, windows: [], only_in_tempo: false }) ??
      (keptInTempo ? tempoFault(wanted, profile, now) : null) ??
      laterFaults(p, minutes, { busy, situation, keptInTempo }, now)(asked.start);
    if (!fault) return { start: asked.start, minutes, reasons, verdict: null };
    const from = millis(asked.start) < millis(now) ? now : asked.start;
    return {
      start: asked.start,
      minutes,
      reasons,
      verdict: {
        ...fault,
        alternatives: instead(p, minutes, { start: from, end: from }, { busy, situation, keptInTempo, at: from }),
      },
    };
  };

  const placeOnce = (p: Proposal, busy: readonly Span[], situation: Situation, options: PlaceOptions): Placed => {
    if (!needsSlot(p)) return withoutSlot(p, situation, options, clock.now());
    const asked = { ...subjectOf(p), action_type: p.action_type, asked: p.duration_minutes };
    const length = lengthFor(situation.profile, asked);
    const { scheduled_for } = p;
    return scheduled_for === null
      ? search(p, length, busy, situation, options)
      : check({ ...p, scheduled_for }, length, busy, situation, options);
  };

  const placeSeries = createSeriesPlacement({ clock, free });

  /** Chooses start and length, or checks a time that the proposal names. */
  return (p: Proposal, busy: readonly Span[], situation: Situation, options: PlaceOptions): Placed =>
    p.rrule == null ? placeOnce(p, busy, situation, options) : placeSeries(p, busy, situation, options);
};

const common = (a: Interval[], b: Interval[]): Interval[] =>
  intersectSpans(mergeSpans(a.map(toSpan)), mergeSpans(b.map(toSpan))).map(toInterval);
