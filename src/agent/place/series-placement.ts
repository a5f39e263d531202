/**
 * Places a proposal that repeats: checks every occurrence of the next 90 days, leaves out those whose time is taken, or chooses a
 * start for which the fewest are taken.
 */
import type { Clock } from '../../common/clock.ts';
import { takesTime } from '../../domain/plan/plan.ts';
import { checkSlot, whyNone } from '../../domain/plan/slots.ts';
import { lengthFor } from '../../domain/plan/tempo.ts';
import { mergeSpans, toSpan, type Span } from '../../domain/time/spans.ts';
import {
  addMinutes,
  dayBounds,
  instantOf,
  localDate,
  localStart,
  millis,
  type Instant,
  type Interval,
} from '../../domain/time/time.ts';
import {
  HORIZON_MINUTES,
  windowOf,
  subjectOf,
  type FreeSlots,
  type Placed,
  type PlaceOptions,
  type Proposal,
  type Situation,
  type Verdict,
} from '../propose/proposal.ts';
import {
  CHECKED_DAYS,
  checkedWindow,
  matchesStart,
  occurrencesOf,
  ruleFault,
  takenOf,
  type Repeating,
} from './plan-series.ts';
import { tempoFault } from './tempo-check.ts';

/** At most eight slots, or the slots with 2,000 occurrences, are compared to find the one with the fewest conflicts. */
const MOST_SLOTS = 8;
const MOST_COMPARED = 2_000;
const ALTERNATIVES = 3;
/** A rule may match its first day only next year. */
const FURTHEST_DAYS = 366;
const MOST_LISTED = 20;

type Assessed = { start: Instant; occurrences: number; taken: Instant[] };

/** `2026-12-07 09:00, 2026-12-14 09:00 and 3 more`. */
export const listTimes = (times: readonly Instant[], zone: string): string => {
  const shown = times.slice(0, MOST_LISTED).map((at) => localStart(at, zone).slice(0, 16).replace('T', ' '));
  const more = times.length > MOST_LISTED ? ` and ${times.length - MOST_LISTED} more` : '';
  return `${shown.join(', ')}${more}`;
};

/** The sentence of the reasoning about occurrences that are left out. */
export const leftOut = (taken: readonly Instant[], zone: string): string[] =>
  taken.length ? [`the time is taken at ${listTimes(taken, zone)} (${zone}), so the series leaves that out`] : [];

const seriesFrom = (p: Proposal, start: Instant, minutes: number | null, zone: string): Repeating => ({
  action_type: p.action_type,
  arguments: p.arguments,
  scheduled_for: start,
  duration_minutes: minutes,
  rrule: p.rrule as string,
  exdates: p.exdates ?? [],
  timezone: p.timezone ?? zone,
});

/** Which of the occurrences that are checked are taken. */
export const takenFault = (
  { occurrences, taken }: Pick<Assessed, 'occurrences' | 'taken'>,
  zone: string,
): Verdict | null => {
  if (!taken.length) return null;
  const which = `${taken.length} of ${occurrences} occurrences in the ${CHECKED_DAYS} days`;
  return { code: 'slot:blocked', detail: `the time of ${which} is taken: ${listTimes(taken, zone)} (${zone})` };
};

const verdictOn = (assessed: Assessed, p: Proposal, zone: string): Verdict | null =>
  p.on_conflict === 'refuse' || assessed.taken.length === assessed.occurrences ? takenFault(assessed, zone) : null;

/** Where to look for the first occurrence, and the days in it to which the rule does not apply. */
const openDays = (p: Proposal, window: Interval, zone: string): { window: Interval; closed: Interval[] } => {
  const closed: Interval[] = [];
  let isOpen = false;
  let end = millis(window.end);
  let day = Temporal.PlainDate.from(localDate(window.start, zone));
  for (let i = 0; i < FURTHEST_DAYS; i += 1, day = day.add({ days: 1 })) {
    const bounds = dayBounds(day.toString(), zone);
    if (millis(bounds.start) >= end) {
      // A window that the request names is not widened.
      if (isOpen || p.between) break;
      end = millis(bounds.end);
    }
    const noon = instantOf(millis(bounds.start) + 12 * 3_600_000);
    if (matchesStart(seriesFrom(p, noon, null, zone))) isOpen = true;
    else closed.push(bounds);
  }
  return { window: { start: window.start, end: instantOf(end) }, closed };
};

export const createSeriesPlacement = ({ clock, free }: { clock: Clock; free: FreeSlots }) => {
  const assess = (series: Repeating, busy: readonly Span[]): Assessed => {
    const occurrences = [...occurrencesOf(series, checkedWindow(series, clock.now()))];
    const taken = takesTime(series) ? takenOf(occurrences, busy).map(instantOf) : [];
    return { start: series.scheduled_for, occurrences: occurrences.length, taken };
  };

  /** Slots for the first occurrence, with what is taken of each series: the best first, those without conflicts before others. */
  const candidates = (
    p: Proposal,
    minutes: number,
    asked: Interval,
    busy: readonly Span[],
    situation: Situation,
    { keptInTempo }: PlaceOptions,
    at?: Instant,
  ) => {
    const zone = situation.profile.timezone;
    const { window, closed } = openDays(p, asked, zone);
    const found = free(p, minutes, window, [...busy, ...closed.map(toSpan)], situation, keptInTempo, MOST_SLOTS, at);
    const spans = mergeSpans(busy);
    const compared: (Assessed & { reasons: string[] })[] = [];
    let examined = 0;
    for (const slot of found.slots) {
      const series = seriesFrom(p, slot.start, minutes, zone);
      if (ruleFault(series) !== null) continue; // The rule may end before the slot.
      const assessed = assess(series, spans);
      compared.push({ ...assessed, reasons: slot.reasons });
      examined += assessed.occurrences;
      if (!assessed.taken.length || examined > MOST_COMPARED) break;
    }
    return { compared: compared.toSorted((a, b) => a.taken.length - b.taken.length), found };
  };

  /** Other starts, without conflicts. */
  const alternatives = (
    p: Proposal,
    minutes: number,
    from: Instant,
    busy: readonly Span[],
    situation: Situation,
    options: PlaceOptions,
  ) => {
    const window = { start: from, end: addMinutes(from, HORIZON_MINUTES) };
    const { compared } = candidates({ ...p, between: undefined }, minutes, window, busy, situation, options, from);
    return compared
      .filter(({ taken }) => !taken.length)
      .slice(0, ALTERNATIVES)
      .map(({ start }) => ({ start, end: addMinutes(start, minutes) }));
  };

  const placeAt = (
    p: Proposal,
    minutes: number,
    busy: readonly Span[],
    situation: Situation,
    options: PlaceOptions,
  ): Omit<Placed, 'minutes'> => {
    const { profile } = situation;
    const start = p.scheduled_for as Instant;
    const zone = p.timezone ?? profile.timezone;
    const series = seriesFrom(p, start, minutes, zone);
    const assessed = assess(series, mergeSpans(busy));
    const exdates = [...new Set([...series.exdates, ...assessed.taken])].sort();
    const past = checkSlot({
      start,
      end: addMinutes(start, minutes),
      busy: [],
      now: clock.now(),
      zone,
      windows: [],
      only_in_tempo: false,
    });
    const blocked = past ?? verdictOn(assessed, p, zone);
    const inTempo = { ...series, ...subjectOf(p), exdates };
    const verdict = blocked ?? (options.keptInTempo ? tempoFault(inTempo, profile, clock.now()) : null);
    if (!verdict) return { start, exdates, reasons: leftOut(assessed.taken, zone), verdict: null };
    const from = start < clock.now() ? clock.now() : start;
    const others = takesTime(p) ? alternatives(p, minutes, from, busy, situation, options) : [];
    return { start, exdates: [...series.exdates], reasons: [], verdict: { ...verdict, alternatives: others } };
  };

  return (p: Proposal, busy: readonly Span[], situation: Situation, options: PlaceOptions): Placed => {
    const { profile } = situation;
    const asked = { ...subjectOf(p), action_type: p.action_type, asked: p.duration_minutes };
    const { minutes, reasons: ofLength } = lengthFor(profile, asked);
    if (p.scheduled_for !== null) {
      const placed = placeAt(p, minutes, busy, situation, options);
      const own = takesTime(p) ? minutes : p.duration_minutes;
      return { ...placed, minutes: own, reasons: [...ofLength, ...placed.reasons] };
    }
    const window = windowOf(p, clock.now());
    const alsoTaken = [...busy, ...(options.claimed ?? []), ...(p.avoid ?? []).map(toSpan)];
    const { compared, found } = candidates(p, minutes, window, alsoTaken, situation, options);
    const best = compared[0];
    if (!best) {
      const verdict = whyNone(found.refused, minutes);
      return { start: null, minutes, reasons: ofLength, verdict: { ...verdict, alternatives: [] } };
    }
    const { start, reasons } = best;
    const placed = placeAt({ ...p, scheduled_for: start }, minutes, alsoTaken, situation, options);
    return { ...placed, minutes, reasons: [...ofLength, ...reasons, ...placed.reasons] };
  };
};
