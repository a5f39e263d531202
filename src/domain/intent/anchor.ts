/** Anchors: times named by another event, or by what was asked for before: 'after the standup', 'the day after', 'an hour before'. */
import type { Work } from './build.ts';
import type { Facet, Item, Length } from './facet.ts';
import type { Gathered } from './gather.ts';
import { PARTS } from './time/make-parts.ts';
import { findTargets, type Match, type Target, targetsIn } from './targets.ts';
import { phraseOf } from './title.ts';
import { place, type Placement } from './when.ts';
import {
  addMinutes,
  dayBounds,
  type Instant,
  instantOf,
  localDate,
  millis,
  minutesBetween,
  zoned,
} from '../time/time.ts';
import { endsPhrase, phraseAt, setOf, wordAt } from './words.ts';

/** The items without the anchor, and the day or the place in time that it says. */
type Anchor = { items: Item[]; facets: Facet[]; place?: (g: Gathered) => Placement };
/** What was asked for before, which 'after that' means. */
export type Previous = { start: Instant; minutes?: number | undefined };

type Side = 'before' | 'after';
type Found = {
  at: number;
  rest: number;
  /** Beside the event in time, or a number of days from its day. */
  way: { side: Side; direct: boolean; gap?: Length | undefined } | { days: number; part?: Facet };
};

const SAME = '(at/) (the/that) same time (as/)|at that time|in (its/that) (place/slot)';
const BESIDE = '(right/straight/just/directly/immediately/soon/sometime/any time/) (before/after)|following';
const DAYS: [phrases: string, days: number][] = [
  ['(on/) (the/) same day (as/)|on the day of', 0],
  ['(on/) the (day after/next day/following day)|next day|the morning after', 1],
  ['(on/) the (day before/previous day)', -1],
  ['(on/) the week after|a week after', 7],
];

/** 'the evening before the flight' */
const partOf = (item: Item): Facet | undefined => item.facets.find(({ kind }) => kind === 'part');

const findAt = ({ tokens }: Work, items: readonly Item[], at: number, previous: Previous | undefined): Found | null => {
  const item = items[at]!;
  const gap = item.facets.find((facet) => facet.kind === 'gap');
  const { days = 0, weeks = 0 } = gap?.length ?? {};
  if (gap && days + weeks > 0)
    return { at, rest: at + 1, way: { days: (gap.side === 'before' ? -1 : 1) * (days + 7 * weeks) } };
  if (gap) return { at, rest: at + 1, way: { side: gap.side, direct: true, gap: gap.length } };
  const part = partOf(item);
  const beside = part && items[at + 1]?.facets.length === 0 ? phraseAt(tokens, item.to, 'before|after|of') : null;
  if (part && beside && ['the', 'on', 'in'].includes(wordAt(tokens, item.from))) {
    const word = wordAt(tokens, item.to);
    return { at, rest: at + 2, way: { days: word === 'before' ? -1 : word === 'after' ? 1 : 0, part } };
  }
  if (item.facets.length > 0 && !item.kept) return null;
  const there = phraseAt(tokens, item.from, '(in/) there');
  const same =
    phraseAt(tokens, item.from, SAME) ??
    (previous && there && (endsPhrase(tokens, there) || wordAt(tokens, there) === 'instead') ? there : null);
  if (same) return { at, rest: indexOf(items, at, same), way: { side: 'before', direct: true, gap: { minutes: 0 } } };
  for (const [phrases, days] of DAYS) {
    const next = phraseAt(tokens, item.from, phrases);
    const morning =
      next && wordAt(tokens, next - 2) === 'morning' ? ({ kind: 'part', part: PARTS['morning']! } as const) : undefined;
    if (next && wordAt(tokens, next) !== 'tomorrow')
      return { at, rest: indexOf(items, at, next), way: { days, ...(morning && { part: morning }) } };
  }
  const next = phraseAt(tokens, item.from, BESIDE);
  if (!next) return null;
  const side = wordAt(tokens, next - 1) === 'before' ? 'before' : 'after';
  return {
    at,
    rest: indexOf(items, at, next),
    way: {
      side,
      direct:
        (next > item.from + 1 && /^(?:right|straight|just|directly|immediately)$/.test(wordAt(tokens, item.from))) ||
        (side === 'before' &&
          next === item.from + 1 &&
          items.some(({ facets }) => facets.some(({ kind }) => kind === 'duration'))),
    },
  };
};

const indexOf = (items: readonly Item[], at: number, token: number): number => {
  const found = items.findIndex((item, i) => i > at && item.from >= token);
  return found < 0 ? items.length : found;
};

/** Most words an event's name has here. */
const MOST_WORDS = 8;

/** The event the first words of `rest` name, and how many items say so; a question where they name several. */
export const findEvent = (
  { context, tokens }: Work,
  rest: readonly Item[],
  kinds: readonly string[],
  widely = false,
  known: readonly Facet[] = [],
): { match: Match; used: number } | null => {
  const said = [...known, ...rest.flatMap(({ facets }) => facets.filter(({ kind }) => kinds.includes(kind)))];
  const events = targetsIn({ ...context, pending: [] }).map(({ about, ...event }) =>
    widely && about !== undefined ? { ...event, about } : event,
  );
  let first: { match: Match; used: number } | null = null;
  for (let used = Math.min(rest.length, MOST_WORDS); used > 0; used--) {
    const phrase = phraseOf(
      tokens,
      rest.slice(0, used).filter(({ facets }) => facets.length === 0),
    );
    if (!phrase) break;
    const match = findTargets({ phrase, facets: said }, context, events);
    if ('targets' in match || !match.missing) return { match, used };
    first ??= { match, used };
  }
  return first;
};

/** At most this many places of a request are tried, because each is compared with all events. */
const MOST_TRIED = 8;

const PRONOUN = 'that|it|this|them|those|which';

/** `open`: how long it takes is not known yet, so nothing begins exactly at its end. */
type Base = { start: Instant; end: Instant; used: number; open?: true };
const baseOf = (
  work: Work,
  rest: readonly Item[],
  way: Found['way'],
  previous: Previous | undefined,
  known: readonly Facet[],
): Base | { ask: string; missing: boolean } => {
  const first = rest[0];
  const own = previous && {
    start: previous.start,
    end: addMinutes(previous.start, previous.minutes ?? 0),
    ...(previous.minutes === undefined && { open: true as const }),
  };
  const pronoun = first ? phraseAt(work.tokens, first.from, PRONOUN) : null;
  if (own && pronoun) return { ...own, used: 1 };
  if (own && (!first || first.facets.length > 0 || endsPhrase(work.tokens, first.from))) return { ...own, used: 0 };
  const timed = 'days' in way ? rest.findIndex(({ facets }) => facets.length > 0) : -1;
  const words = timed < 0 ? rest : rest.slice(0, timed);
  const kinds = ['days', 'clock', 'part', 'period'];
  const onDay = known.length > 0 ? findEvent(work, words, kinds, false, known) : null;
  const event = onDay && 'targets' in onDay.match ? onDay : findEvent(work, words, kinds);
  const target: Target | undefined = event && 'targets' in event.match ? event.match.targets[0] : undefined;
  if (event && target?.scheduled_for)
    return {
      start: target.scheduled_for,
      end: addMinutes(target.scheduled_for, target.duration_minutes ?? 0),
      used: event.used,
    };
  if (own && (!event || ('ask' in event.match && event.match.missing))) return { ...own, used: 0 };
  return event && 'ask' in event.match
    ? { ask: event.match.ask, missing: event.match.missing === true }
    : { ask: 'Before or after what? Tell me the day and the time.', missing: true };
};

/** 'check in for the flight 24 hours before': before the event that the words just before name. */
const eventBefore = (work: Work, before: readonly Item[], rest: readonly Item[], way: Found['way']): Base | null => {
  const isEnd = rest.length === 0 || rest[0]!.facets.length > 0;
  const isAway = 'days' in way || way.gap?.minutes !== 0;
  const start = before.findLastIndex(({ from, facets }) => facets.length === 0 && NAMES.has(wordAt(work.tokens, from)));
  if (!isEnd || !isAway || start < 0 || start > before.length - 2) return null;
  const words = before.slice(start + 1);
  const event = findEvent(work, words, []);
  const target = event && event.used === words.length && 'targets' in event.match ? event.match.targets[0] : undefined;
  return target?.scheduled_for
    ? { start: target.scheduled_for, end: addMinutes(target.scheduled_for, target.duration_minutes ?? 0), used: 0 }
    : null;
};
const NAMES = setOf('for about of the my our to');

/**
 * The anchor of a request: words after 'before', 'after' or 'the same day as' that name exactly one event, or none where
 * something was asked for before.
 */
export const anchorOf = (work: Work, items: readonly Item[], previous?: Previous): Anchor | null => {
  let tried = 0;
  for (const at of items.keys()) {
    const found = findAt(work, items, at, previous);
    if (!found) continue;
    if (++tried > MOST_TRIED) return null;
    const { way } = found;
    const rest = items.slice(found.rest);
    const base =
      eventBefore(work, items.slice(0, at), rest, way) ?? baseOf(work, rest, way, previous, daysIn(items.slice(0, at)));
    if ('ask' in base) {
      const named = 'days' in way || way.gap !== undefined || !base.missing;
      if (named)
        return { items: items.slice(0, at), facets: [], place: () => ({ slots: [], notes: [], ask: base.ask }) };
      continue;
    }
    const used = rest.slice(0, base.used);
    const ended =
      rest[base.used] &&
      phraseAt(work.tokens, rest[base.used]!.from, '(is/has) (over/ended/finished)|ends|finishes|starts|begins');
    const behind = rest.slice(base.used).filter(({ from }) => !ended || from >= ended);
    const left = behind.filter(
      ({ facets }) => 'days' in way || facets.every(({ kind }) => kind !== 'days' && kind !== 'period'),
    );
    const lengths = used.filter(({ facets }) => facets.some(({ kind }) => kind === 'duration'));
    const without = [...items.slice(0, at), ...lengths, ...left];
    if (!('days' in way))
      return {
        items: without,
        facets: [],
        place: (g) => within(placeBeside(base, way, g, work.context), g, base, work),
      };
    const date = Temporal.PlainDate.from(localDate(base.start, work.context.zone)).add({ days: way.days });
    return { items: without, facets: [{ kind: 'days', days: [{ date }] }, ...(way.part ? [way.part] : [])] };
  }
  return null;
};

/** 'after 4, before yoga': the hours said hold too. */
const within = (placed: Placement, g: Gathered, { start }: Base, { context }: Work): Placement => {
  const [slot] = placed.slots;
  if (!slot?.between || !(g.hours || g.part)) return placed;
  const date = Temporal.PlainDate.from(localDate(start, context.zone));
  const own = place({ ...g, days: [{ date }] }, context).slots[0]?.between;
  if (!own) return placed;
  const [from, to] = [
    own.start > slot.between.start ? own.start : slot.between.start,
    own.end < slot.between.end ? own.end : slot.between.end,
  ];
  return minutesBetween(from, to) >= (g.duration ?? 1)
    ? { ...placed, slots: [{ between: { start: from, end: to } }] }
    : { slots: [], notes: [], ask: 'no time is left there. When should it be instead?' };
};

/** The day said before: 'tomorrow, before the sync' is before that of tomorrow. */
const daysIn = (items: readonly Item[]): Facet[] =>
  items.flatMap(({ facets }) => facets.filter(({ kind }) => kind === 'days'));

const over: Placement = { slots: [], notes: [], ask: 'that time is already over. When should it be instead?' };

const placeBeside = (
  { start, end, open }: Base,
  { side, direct, gap }: { side: Side; direct: boolean; gap?: Length | undefined },
  g: Gathered,
  { now, zone }: Work['context'],
): Placement => {
  const length = g.duration;
  const away = gap ?? { minutes: 0 };
  const edge = zoned(side === 'after' ? end : start, zone);
  const exact =
    side === 'after'
      ? instantOf(edge.add(away))
      : gap
        ? instantOf(edge.subtract(away))
        : length === undefined
          ? null
          : addMinutes(start, -length);
  if (direct && exact && !(open && side === 'after' && !gap))
    return millis(exact) > millis(now) ? { slots: [{ at: exact }], notes: [] } : over;
  const day = dayBounds(localDate(side === 'after' ? end : start, zone), zone);
  const from = side === 'after' ? end : day.start;
  const between = { start: millis(from) < millis(now) ? now : from, end: side === 'after' ? day.end : start };
  if (minutesBetween(between.start, between.end) < (length ?? 1))
    return { slots: [], notes: [], ask: 'no time is left there. When should it be instead?' };
  return { slots: [{ between }], notes: [] };
};
