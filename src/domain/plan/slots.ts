/**
 * Searches free time for proposals: which slots are possible, which are best and why, and why the rest of the window is not
 * usable.
 */
import { intersectSpans, mergeSpans, subtractSpans, toInterval, toSpan } from '../time/spans.ts';
import type { Span } from '../time/spans.ts';
import { dayBounds, instantOf, localDate, localStart, millis, minutesBetween } from '../time/time.ts';
import type { Instant, Interval } from '../time/time.ts';

const MINUTE = 60_000;
const DEFAULT_STEP = 15;

export type SlotCode = 'slot:blocked' | 'slot:outside_tempo' | 'slot:past' | 'slot:too_short';
/** A part of the window that is not usable, and the first filter that excluded it. */
export type RefusedPiece = { span: Span; code: SlotCode };

/**
 * Scores are compared lexicographically, and less is better: [0 inside the tempo hours | 1 only in the wider ones, minutes from
 * the preferred time, minus the learned bonus, local days after the first possible one, fragmentation 0 to 2 (of the gap inside
 * the preferred range), 1 where the start is not on a quarter hour, start].
 */
export type SlotScore = readonly number[];
export type Slot = Interval & { duration_minutes: number; score: SlotScore; reasons: string[] };

const spanOf = (one: Interval | Span): Span => ('start' in one ? toSpan(one) : one);

/** Rates a start by experience: a larger bonus is better, 0 is neutral. See tempo-learning.ts. */
export type SlotWeight = (start: Instant) => { bonus: number; reason: string | null };

export type SlotWish = {
  duration_minutes: number;
  /** The tempo hours of the work. No slot is offered outside of these and of `wider`. */
  windows: readonly Interval[];
  /** Further hours, ranked after all of `windows`. */
  wider?: readonly Interval[] | undefined;
  /** One time, or a range that may be open on either side. */
  preferred?: { at?: Instant; start?: Instant; end?: Instant } | undefined;
  weight?: SlotWeight | undefined;
};

export type SlotSituation = {
  window: Interval;
  /** In any order, overlapping or not. */
  busy: readonly (Interval | Span)[];
  now: Instant;
  /** No slot starts earlier than this after now. */
  notice_minutes?: number;
  /** This time is kept free before and after each busy interval. */
  buffer_minutes?: number;
  /** The zone of local days and of the texts of reasons; UTC by default. */
  zone?: string;
  /** The minutes between round starts, which are offered beside the exact ones. */
  step?: number;
};

export type SlotRequest = SlotSituation & SlotWish & { limit: number };
export type SlotAnswer = { slots: Slot[]; refused: readonly RefusedPiece[] };

/** A situation in milliseconds, so that several proposals share one read of the calendar. */
type SearchSpace = {
  window: Span;
  earliest: number;
  busy: readonly Span[];
  days: readonly number[];
  step: number;
  zone: string;
};

const readSearchSpace = (situation: SlotSituation): SearchSpace => {
  const { now, notice_minutes = 0, buffer_minutes = 0, zone = 'UTC', step = DEFAULT_STEP } = situation;
  const window = toSpan(situation.window);
  const buffer = buffer_minutes * MINUTE;
  // Busy spans stay numbers, as the database gives them: formatting and parsing 10,000 of them would take 14 ms.
  const busy = situation.busy.map(spanOf).map(([from, to]): Span => [from - buffer, to + buffer]);
  // Calendars have whole minutes, so the milliseconds of "now" are rounded up.
  const soonest = Math.ceil((millis(now) + notice_minutes * MINUTE) / MINUTE) * MINUTE;
  const earliest = Math.min(Math.max(window[0], soonest), window[1]);
  return {
    window,
    earliest,
    busy: mergeSpans(busy),
    days: daysAfter(earliest, window[1], zone),
    step: step * MINUTE,
    zone,
  };
};

/** Lists the first instants of the local days after that of `from`, up to `to`. */
const daysAfter = (from: number, to: number, zone: string): number[] => {
  const days: number[] = [];
  let next = millis(dayBounds(localDate(instantOf(from), zone), zone).end);
  for (; next < to; next = millis(dayBounds(localDate(instantOf(next), zone), zone).end)) days.push(next);
  return days;
};

type Candidate = { start: number; piece: Span; outside: 0 | 1 };

const freeIn = (space: SearchSpace, hours: readonly Span[]): Span[] =>
  subtractSpans(intersectSpans(hours, mergeSpans([[space.earliest, space.window[1]]])), space.busy);

/** The free stretches in these hours, in order of time. It takes O((b + h) log (b + h)) for b busy blocks and h hours. */
export const freeStretches = (situation: SlotSituation, hours: readonly Interval[]): Span[] =>
  freeIn(readSearchSpace(situation), mergeSpans(hours.map(toSpan)));

/** Returns the preferred range in milliseconds. A single time is the range of a slot that starts then. */
const preferredSpan = ({ preferred, duration_minutes }: SlotWish): Span | null => {
  if (!preferred) return null;
  const { at, start = at, end } = preferred;
  const from = start === undefined ? -Infinity : millis(start);
  if (at !== undefined) return [millis(at), millis(at) + duration_minutes * MINUTE];
  return [from, end === undefined ? Infinity : toSpan({ start: end, end })[1]];
};

/**
 * Returns the starts in a piece that are worth ranking. Its two ends and those of the preferred range always include the best
 * start (the brute-force test proves it); the round starts between them are easier to read.
 */
const startsIn = ([from, to]: Span, length: number, step: number, wished: Span | null): Set<number> => {
  const last = to - length;
  if (last < from) return new Set();
  const starts = new Set([from, last]);
  for (const start of wished ? [wished[0], wished[1] - length] : [])
    if (start > from && start < last) starts.add(start);
  for (let start = Math.ceil(from / step) * step; start < last; start += step) starts.add(start);
  return starts;
};

const candidatesIn = (
  space: SearchSpace,
  wish: SlotWish,
  tempo: readonly Span[],
  all: readonly Span[],
): Candidate[] => {
  const length = wish.duration_minutes * MINUTE;
  const wished = preferredSpan(wish);
  const found = new Map<number, Candidate>();
  for (const [outside, pieces] of [
    [0, tempo],
    [1, all],
  ] as const)
    for (const piece of pieces)
      for (const start of startsIn(piece, length, space.step, wished))
        if (!found.has(start)) found.set(start, { start, piece, outside });
  return [...found.values()].sort((a, b) => a.start - b.start);
};

/** Returns 0 where no usable time of the gap remains, 1 where the rest stays in one piece, 2 where the slot cuts it in two. */
const fragmentation = (start: number, length: number, [from, to]: Span, step: number): 0 | 1 | 2 => {
  if (to - from - length < step) return 0;
  return start - from < step || start + length === to ? 1 : 2;
};

type Ranked = { start: number; score: SlotScore; learned: string | null; piece: Span };

const rank = (space: SearchSpace, wish: SlotWish, candidates: readonly Candidate[]): Ranked[] => {
  const length = wish.duration_minutes * MINUTE;
  const wished = preferredSpan(wish);
  let day = 0;
  const ranked = candidates.map(({ start, piece, outside }): Ranked => {
    while ((space.days[day] ?? Infinity) <= start) day += 1;
    const distance = wished ? (Math.max(0, wished[0] - start) + Math.max(0, start + length - wished[1])) / MINUTE : 0;
    const learned = wish.weight?.(instantOf(start));
    // The preferred range limits the gap: "after four" means soon after four, not the end of a free evening.
    const gap: Span = wished && distance === 0 ? [Math.max(piece[0], wished[0]), Math.min(piece[1], wished[1])] : piece;
    const ragged = start % space.step === 0 ? 0 : 1;
    const pieces = fragmentation(start, length, gap, space.step);
    const score = [outside, distance, 0 - (learned?.bonus ?? 0), day, pieces, ragged, start];
    return { start, score, learned: learned?.reason ?? null, piece };
  });
  return ranked.sort((a, b) => compareScores(a.score, b.score));
};

const compareScores = (a: SlotScore, b: SlotScore): number => {
  for (const [i, x] of a.entries()) {
    const difference = x - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
};

const FRAGMENTS = [
  'it leaves no free time around it',
  'it leaves the free time around it in one piece',
  'it divides the free time around it',
] as const;

const reasonsOf = ({ start, score, learned, piece }: Ranked, wish: SlotWish, step: number): string[] => {
  const [outside = 0, distance = 0, , day = 0] = score;
  const reasons = [
    outside === 0 ? 'the time is free and in its tempo hours' : 'the time is free, but outside its tempo hours',
  ];
  if (wish.preferred)
    reasons.push(
      distance === 0 ? 'it is at the preferred time' : `it is ${Math.ceil(distance)} minutes from the preferred time`,
    );
  else if (day === 0) reasons.push('it is on the first possible day');
  if (learned) reasons.push(learned);
  reasons.push(FRAGMENTS[fragmentation(start, wish.duration_minutes * MINUTE, piece, step)]);
  return reasons;
};

/** Picks the best `limit` slots that do not overlap, because starts a quarter of an hour apart are no real alternatives. */
const pick = (ranked: readonly Ranked[], wish: SlotWish, limit: number, step: number): Slot[] => {
  const length = wish.duration_minutes * MINUTE;
  const picked: Ranked[] = [];
  for (const next of ranked) {
    if (picked.length >= limit) break;
    if (picked.every(({ start }) => Math.abs(start - next.start) >= length)) picked.push(next);
  }
  return picked.map((one) => ({
    ...toInterval([one.start, one.start + length]),
    duration_minutes: wish.duration_minutes,
    score: one.score,
    reasons: reasonsOf(one, wish, step),
  }));
};

/** Lists the parts of the window, in order of time, that are not in a free piece of sufficient length. */
const refusedIn = (
  space: SearchSpace,
  wish: SlotWish,
  hours: readonly Span[],
  free: readonly Span[],
): RefusedPiece[] => {
  const open = mergeSpans([[space.earliest, space.window[1]]]);
  const allowed = intersectSpans(hours, open);
  const parts: [SlotCode, Span[]][] = [
    ['slot:past', mergeSpans([[space.window[0], space.earliest]])],
    ['slot:outside_tempo', subtractSpans(open, allowed)],
    ['slot:blocked', intersectSpans(allowed, space.busy)],
    ['slot:too_short', free.filter(([from, to]) => to - from < wish.duration_minutes * MINUTE)],
  ];
  return parts.flatMap(([code, spans]) => spans.map((span) => ({ span, code }))).sort((a, b) => a.span[0] - b.span[0]);
};

const REFUSALS: Record<SlotCode, string> = {
  'slot:past': 'it is too soon or in the past',
  'slot:outside_tempo': 'it is outside the tempo hours',
  'slot:blocked': 'it is busy, or too close to an event',
  'slot:too_short': 'it is free, but too short',
};

/** Describes a refused piece in words. */
export const refusal = ({ span, code }: RefusedPiece): Interval & { code: SlotCode; detail: string } => ({
  ...toInterval(span),
  code,
  detail: REFUSALS[code],
});

const findIn = (space: SearchSpace, wish: SlotWish, limit: number): SlotAnswer => {
  const tempo = mergeSpans(wish.windows.map(toSpan));
  const hours = wish.wider ? mergeSpans([...tempo, ...wish.wider.map(toSpan)]) : tempo;
  const free = freeIn(space, hours);
  const candidates = candidatesIn(space, wish, freeIn(space, tempo), free);
  return {
    slots: pick(rank(space, wish, candidates), wish, limit, space.step),
    // It is computed only on request: with 10,000 blocks it takes a third of the time, and is seldom needed when there are slots.
    get refused() {
      return refusedIn(space, wish, hours, free);
    },
  };
};

/**
 * Finds free slots of `duration_minutes` in the window, best first, at most `limit`, without overlaps, and every part of the
 * window that is not usable with the reason. The filters come first (past and notice, tempo hours, busy and buffer, length), then
 * SlotScore. It is exact and deterministic, and takes O((b + h) log (b + h) + c log c) for b busy blocks, h hours and c
 * candidates.
 */
export const findSlots = ({ limit, ...request }: SlotRequest): SlotAnswer =>
  findIn(readSearchSpace(request), request, limit);

/** Says in one sentence why a search found no slot, with the code for refusing a proposal. */
export const whyNone = (refused: readonly RefusedPiece[], duration_minutes: number): SlotFault => {
  const codes = new Set(refused.map(({ code }) => code));
  const has = (code: SlotCode) => codes.has(code);
  const most = refused.reduce(
    (longest, { span, code }) => (code === 'slot:too_short' ? Math.max(longest, span[1] - span[0]) : longest),
    0,
  );
  const longest = Math.floor(most / MINUTE);
  const rest = `the longest free time has ${longest} of ${duration_minutes} minutes`;
  if (has('slot:blocked')) return { code: 'slot:blocked', detail: `the calendar is busy, ${rest}` };
  if (has('slot:outside_tempo')) return { code: 'slot:outside_tempo', detail: `the tempo hours do not fit, ${rest}` };
  if (has('slot:past')) return { code: 'slot:past', detail: `the window is too soon or in the past, ${rest}` };
  return { code: 'slot:blocked', detail: `the window is too short, ${rest}` };
};

export type SlotFault = { code: Exclude<SlotCode, 'slot:too_short'>; detail: string };

/**
 * Returns why a requested time is not possible, or null. Tempo hours are checked only with `only_in_tempo`; notice and buffer are
 * not checked.
 */
export const checkSlot = (
  asked: Interval &
    Pick<SlotSituation, 'busy' | 'now' | 'zone'> & { windows: readonly Interval[]; only_in_tempo: boolean },
): SlotFault | null => {
  const { start, zone = 'UTC' } = asked;
  const span = toSpan(asked);
  const local = (at: number) => localStart(instantOf(at), zone).slice(0, 16).replace('T', ' ');
  const what = `${local(span[0])} (${Math.round(minutesBetween(start, asked.end))} minutes, ${zone})`;
  if (span[0] < millis(asked.now)) return { code: 'slot:past', detail: `${what} is in the past` };
  const block = asked.busy
    .map(spanOf)
    .filter(([from, to]) => from < span[1] && span[0] < to)
    .sort((a, b) => a[0] - b[0])[0];
  if (block)
    return { code: 'slot:blocked', detail: `${what} is taken: busy from ${local(block[0])} to ${local(block[1])}` };
  if (!asked.only_in_tempo) return null;
  const inside = mergeSpans(asked.windows.map(toSpan)).some(([from, to]) => from <= span[0] && span[1] <= to);
  return inside
    ? null
    : { code: 'slot:outside_tempo', detail: `${what} is outside the tempo hours, and only those are allowed` };
};
