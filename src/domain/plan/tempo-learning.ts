/** Learns from decisions: it counts which work was approved at which hour, and derives a small, explained bonus for slots. */
import type { SlotWeight } from './slots.ts';
import { WEEKDAYS } from './weekdays.ts';
import type { Learned, LearnedKind, Verdicts } from './tempo.ts';
import { millis, zoned } from '../time/time.ts';
import type { Instant } from '../time/time.ts';

type Placement = { start: Instant; duration_minutes: number | null };

/**
 * A plan that a person decided (not a policy, an expiry or a withdrawal). `decided` is the start that was approved, or null if
 * the plan was rejected.
 */
export type Sample = {
  action_type: string;
  tags: readonly string[];
  proposed: Placement;
  decided: Placement | null;
  /** From 1 (bad) to 5 (good); null without feedback. */
  rating: number | null;
};

/** The profile is read often, so it keeps only this many tags, those with the most decisions. */
const MAX_TAGS = 50;

const hourOf = (start: Instant, zone: string): { weekday: (typeof WEEKDAYS)[number]; hour: string } => {
  const local = zoned(start, zone);
  return { weekday: WEEKDAYS[local.dayOfWeek - 1] ?? 'MO', hour: String(local.hour).padStart(2, '0') };
};
const bucketOf = (start: Instant, zone: string): string => {
  const { weekday, hour } = hourOf(start, zone);
  return `${weekday}-${hour}`;
};

/** Sums from which means are computed at the end. */
type Tally = { approved: number; rejected: number; moved: number; ratings: number[] };
type KindTally = Tally & { hours: Map<string, Tally>; lengths: { proposed: number; decided: number }[] };

const tally = (): Tally => ({ approved: 0, rejected: 0, moved: 0, ratings: [] });

const entryOf = <V>(map: Map<string, V>, key: string, make: () => V): V => {
  const found = map.get(key) ?? make();
  map.set(key, found);
  return found;
};

const isMoved = ({ proposed, decided }: Sample): boolean =>
  decided !== null && millis(decided.start) !== millis(proposed.start);

/**
 * Moving a plan in the same hour counts neither for nor against it. Moving it to another hour counts against the old hour and for
 * the new one.
 */
const countHours = (kind: KindTally, sample: Sample, zone: string): void => {
  const { proposed, decided, rating } = sample;
  const from = bucketOf(proposed.start, zone);
  const to = decided ? bucketOf(decided.start, zone) : from;
  const kept = entryOf(kind.hours, to, tally);
  if (decided) kept.approved += 1;
  else kept.rejected += 1;
  if (to !== from) entryOf(kind.hours, from, tally).moved += 1;
  if (rating !== null) kept.ratings.push(rating);
};

const count = (kind: KindTally, sample: Sample, zone: string): void => {
  const { proposed, decided, rating } = sample;
  if (decided) kind.approved += 1;
  else kind.rejected += 1;
  if (isMoved(sample)) kind.moved += 1;
  if (rating !== null) kind.ratings.push(rating);
  if (decided && proposed.duration_minutes !== null && decided.duration_minutes !== null)
    kind.lengths.push({ proposed: proposed.duration_minutes, decided: decided.duration_minutes });
  countHours(kind, sample, zone);
};

const mean = (values: readonly number[]): number =>
  Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 100) / 100;

const verdictsOf = ({ approved, rejected, moved, ratings }: Tally): Verdicts => ({
  approved,
  rejected,
  moved,
  rated: ratings.length,
  rating: ratings.length > 0 ? mean(ratings) : null,
});

const kindOf = (kind: KindTally): LearnedKind => ({
  ...verdictsOf(kind),
  hours: Object.fromEntries(
    [...kind.hours].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([hour, counts]) => [hour, verdictsOf(counts)]),
  ),
  duration:
    kind.lengths.length > 0
      ? {
          count: kind.lengths.length,
          proposed_minutes: mean(kind.lengths.map(({ proposed }) => proposed)),
          decided_minutes: mean(kind.lengths.map(({ decided }) => decided)),
        }
      : null,
});

const decisions = ({ approved, rejected }: { approved: number; rejected: number }): number => approved + rejected;

/** Counts decided plans by tag and by action_type, in local weekdays and hours. The order of the samples does not matter. */
export const learn = (samples: readonly Sample[], zone: string): Learned => {
  const tags = new Map<string, KindTally>();
  const actions = new Map<string, KindTally>();
  const fresh = (): KindTally => ({ ...tally(), hours: new Map(), lengths: [] });
  for (const sample of samples) {
    count(entryOf(actions, sample.action_type, fresh), sample, zone);
    for (const tag of new Set(sample.tags)) count(entryOf(tags, tag, fresh), sample, zone);
  }
  const most = [...tags].toSorted(([a, x], [b, y]) => decisions(y) - decisions(x) || (a < b ? -1 : 1));
  const learnedKinds = (kinds: [string, KindTally][]) =>
    Object.fromEntries(kinds.map(([key, kind]) => [key, kindOf(kind)]));
  return {
    samples: samples.length,
    tags: learnedKinds(most.slice(0, MAX_TAGS)),
    action_types: learnedKinds([...actions]),
  };
};

/** With fewer decisions of a kind there is no bonus, because two may be an accident. */
const ENOUGH = 3;
/** When a narrower group is judged, the wider group counts as this many decisions. */
const PRIOR = 2;

/** Counts the votes in favour and all votes. A rating is a vote too: 1 is fully against and 5 fully in favour. */
const votes = ({ approved, rejected, moved, rated, rating }: Verdicts): { pro: number; all: number } => ({
  pro: approved + (rating === null ? 0 : (rated * (rating - 1)) / 4),
  all: approved + rejected + moved + rated,
});

const NONE: Verdicts = { approved: 0, rejected: 0, moved: 0, rated: 0, rating: null };

const add = (a: Verdicts, b: Verdicts): Verdicts => {
  const rated = a.rated + b.rated;
  return {
    approved: a.approved + b.approved,
    rejected: a.rejected + b.rejected,
    moved: a.moved + b.moved,
    rated,
    rating: rated > 0 ? (a.rated * (a.rating ?? 0) + b.rated * (b.rating ?? 0)) / rated : null,
  };
};

const reasonOf = (counts: Verdicts, what: string, when: string): string => {
  const parts = [`${counts.approved} approved`, `${counts.rejected} rejected`];
  if (counts.moved > 0) parts.push(`${counts.moved} moved`);
  if (counts.rating !== null) parts.push(`${counts.rated} rated ${Math.round(counts.rating * 10) / 10} on average`);
  return `this was learned from ${what} ${when}: ${parts.join(', ')}`;
};

const DAY_NAMES = {
  MO: 'Mondays',
  TU: 'Tuesdays',
  WE: 'Wednesdays',
  TH: 'Thursdays',
  FR: 'Fridays',
  SA: 'Saturdays',
  SU: 'Sundays',
};

type Weight = ReturnType<SlotWeight>;

/**
 * Computes three approval rates: of the kind, Laplace-smoothed; of the hour on any day, shrunk towards the first; of the hour on
 * this weekday, shrunk towards the second. The bonus is the last minus the first, in tenths, between -1 and 1.
 */
const weigh = (kind: LearnedKind, what: string, weekday: (typeof WEEKDAYS)[number], hour: string): Weight => {
  const atHour = WEEKDAYS.map((day) => kind.hours[`${day}-${hour}`] ?? NONE).reduce(add, NONE);
  const here = kind.hours[`${weekday}-${hour}`] ?? NONE;
  const overall = votes(kind);
  const base = (overall.pro + 1) / (overall.all + 2);
  const towards = (counts: Verdicts, prior: number): number =>
    (votes(counts).pro + PRIOR * prior) / (votes(counts).all + PRIOR);
  const bonus = Math.round((towards(here, towards(atHour, base)) - base) * 10) / 10;
  if (bonus === 0) return { bonus: 0, reason: null };
  const exact = votes(here).all > 0;
  const when = exact ? `on ${DAY_NAMES[weekday]} at ${hour}:00` : `at ${hour}:00 on other days`;
  return { bonus, reason: reasonOf(exact ? here : atHour, what, when) };
};

/**
 * Gives what was learned as a weight for `findSlots`: by the tag where it has enough decisions, else by the action_type, else
 * neutral. It only ranks slots, and the reason names the counts behind it. Call it only where the user has switched learning on.
 */
export const learnedWeight = (
  learned: Learned,
  subject: { tag?: string | null | undefined; action_type: string },
  zone: string,
): SlotWeight => {
  const enough = (kinds: Record<string, LearnedKind>, key: string): LearnedKind | null => {
    const kind = Object.hasOwn(kinds, key) ? kinds[key] : undefined;
    return kind && decisions(kind) >= ENOUGH ? kind : null;
  };
  const byTag = subject.tag == null ? null : enough(learned.tags, subject.tag);
  const kind = byTag ?? enough(learned.action_types, subject.action_type);
  if (!kind) return () => ({ bonus: 0, reason: null });
  const what = `${byTag ? subject.tag : subject.action_type} plans`;
  const known = new Map<string, Weight>();
  return (start) => {
    const { weekday, hour } = hourOf(start, zone);
    return entryOf(known, `${weekday}-${hour}`, () => weigh(kind, what, weekday, hour));
  };
};
