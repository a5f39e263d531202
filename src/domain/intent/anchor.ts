/** Anchors: times said by another event, 'after the standup', 'an hour before the dentist'. */
import type { Work } from './build.ts';
import type { Item } from './facet.ts';
import type { Gathered } from './gather.ts';
import { findTargets, type Match, targetsIn } from './targets.ts';
import { phraseOf } from './title.ts';
import type { Placement } from './when.ts';
import { addMinutes, dayBounds, type Instant, localDate, millis, minutesBetween } from '../time/time.ts';
import { phraseAt, wordAt } from './words.ts';

/** The items without the anchor, and where it puts the request. */
type Anchor = { items: Item[]; place: (g: Gathered) => Placement };

const SIDES =
  'right before|right after|straight after|just before|just after|directly after|directly before|before|after|following';

type Found = { at: number; side: 'before' | 'after'; direct: boolean; rest: number };

const findSide = ({ tokens }: Work, items: readonly Item[]): Found | null => {
  for (const [at, item] of items.entries()) {
    const gap = item.facets.find((facet) => facet.kind === 'gap');
    if (gap) return { at, side: gap.side, direct: true, rest: at + 1 };
    const next = item.facets.length === 0 ? phraseAt(tokens, item.from, SIDES) : null;
    if (next && at < items.length - 1)
      return {
        at,
        side: wordAt(tokens, next - 1) === 'before' ? 'before' : 'after',
        direct: next > item.from + 1,
        rest: at + next - item.from,
      };
  }
  return null;
};

/** Most words an event's name has here. */
const MOST_WORDS = 8;

/** The event the first words of `rest` name, and how many items say so; a question where they name several. */
const findEvent = ({ context, tokens }: Work, rest: readonly Item[]): { match: Match; used: number } | null => {
  const said = rest.flatMap(({ facets }) =>
    facets.filter(({ kind }) => ['days', 'clock', 'part', 'period'].includes(kind)),
  );
  const events = targetsIn({ ...context, pending: [] });
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

/** The anchor of a request, where the words after 'before' or 'after' name exactly one event. */
export const anchorOf = (work: Work, items: readonly Item[]): Anchor | null => {
  const found = findSide(work, items);
  if (!found) return null;
  const rest = items.slice(found.rest);
  const event = findEvent(work, rest);
  const gap = items[found.at]!.facets.find((facet) => facet.kind === 'gap');
  const target = event && 'targets' in event.match ? event.match.targets[0] : undefined;
  if (!event || !target?.scheduled_for) {
    const ask = event && 'ask' in event.match && (!event.match.missing || gap) ? event.match.ask : null;
    return ask ? { items: items.slice(0, found.at), place: () => ({ slots: [], notes: [], ask }) } : null;
  }
  const start = target.scheduled_for;
  const end = addMinutes(start, target.duration_minutes ?? 0);
  const left = rest
    .slice(event.used)
    .filter(({ facets }) => facets.length === 0 || facets.some(({ kind }) => kind === 'duration'));
  const lengths = rest.slice(0, event.used).filter(({ facets }) => facets.some(({ kind }) => kind === 'duration'));
  return {
    items: [...items.slice(0, found.at), ...lengths, ...left],
    place: (g) =>
      placeBeside({ start, end, side: found.side, direct: found.direct, gap: gap?.minutes }, g, work.context),
  };
};

type Beside = { start: Instant; end: Instant; side: 'before' | 'after'; direct: boolean; gap: number | undefined };

const placeBeside = (
  { start, end, side, direct, gap }: Beside,
  g: Gathered,
  { now, zone }: Work['context'],
): Placement => {
  const length = g.duration;
  const exact =
    side === 'after'
      ? addMinutes(end, gap ?? 0)
      : gap !== undefined
        ? addMinutes(start, -gap)
        : length === undefined
          ? null
          : addMinutes(start, -length);
  if (direct && exact)
    return millis(exact) > millis(now)
      ? { slots: [{ at: exact }], notes: [] }
      : { slots: [], notes: [], ask: 'that time is already over. When should it be instead?' };
  const day = dayBounds(localDate(side === 'after' ? end : start, zone), zone);
  const from = side === 'after' ? end : day.start;
  const between = { start: millis(from) < millis(now) ? now : from, end: side === 'after' ? day.end : start };
  if (minutesBetween(between.start, between.end) < (length ?? 1))
    return { slots: [], notes: [], ask: 'no time is left there. When should it be instead?' };
  return { slots: [{ between }], notes: [] };
};
