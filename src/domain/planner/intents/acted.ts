/** Reads the roles of a text and acts on them: by the most probable reading that leads to something. */
import type { Known } from '../act/known.ts';
import { jointsOf, type Mask, maskOf, named, within } from './literal.ts';
import type { Ranges } from './types.ts';
import type { Item, Step } from '../dialogue/item.ts';
import { turn } from '../dialogue/turn.ts';
import type { Request, Span } from '../request.ts';
import { type Doubt, readRoles } from '../roles/reader.ts';

/** The second reading counts where it is at least this probable beside the first. */
const SECOND = 0.5;

export type Acted = {
  request: Request;
  steps: Step[];
  probability: number;
  doubts: Doubt[];
  /** What follows from the same reading where this is known. */
  stepsWith: (known: Known) => Step[];
  /** A name without the words of it that are not read. */
  readable: (name: string) => string;
};

/** Whether nothing follows, not even a choice between events. */
const isEmpty = (steps: readonly Step[]): boolean =>
  steps
    .flatMap(({ actions }) => actions)
    .every((one) => one.do === 'nothing' || (one.do === 'ask' && (one.options ?? []).length === 0));

/** The same spans, none of which begins or ends within one of these: it belongs to the first that has a part of it. */
const withWhole = (spans: readonly Span[], whole: Ranges): Span[] => {
  let all = [...spans];
  for (const [start, end] of whole) {
    const first = all.find(({ from, to }) => from < end && to > start);
    all = all.flatMap((span) => {
      const { from, to } = span;
      if (from >= end || to <= start) return [span];
      if (span === first) return [{ ...span, from: Math.min(from, start), to: Math.max(to, end) }];
      return to > end ? [{ ...span, from: end }] : [];
    });
  }
  return all;
};

/** How a text may be read: `whole` stays in one stretch, and `literal` belongs to a name. */
type Given = { whole?: Ranges; literal?: Ranges };

/** The calendar with what is not read of a request also not read in its names, so that they can be compared. */
const maskedIn = (known: Known, { inName }: Mask): Known => ({
  ...known,
  events: known.events.map(({ title, place, notes, ...event }) => ({
    ...event,
    title: inName(title),
    ...(place !== undefined && { place: inName(place) }),
    ...(notes !== undefined && { notes: inName(notes) }),
  })),
  pending: known.pending.map((plan) => ({ ...plan, title: inName(plan.title) })),
});

export const actedOn = (
  text: string,
  items: readonly Item[],
  known: Known,
  { whole = [], literal: given = [] }: Given = {},
): Acted => {
  const literal = within(text, given, whole);
  const unread = [...literal, ...jointsOf(text, whole)];
  const mask = maskOf(text, unread);
  const { best, second, doubts } = readRoles(mask.text);
  const by = ({ spans: read, probability }: typeof best): Acted => {
    const spans = named(text, withWhole(read, whole), literal);
    const stepsWith = (around: Known): Step[] =>
      mask.unmask(turn({ text: mask.text, spans }, items, unread.length > 0 ? maskedIn(around, mask) : around));
    return { request: { text, spans }, steps: stepsWith(known), probability, doubts, stepsWith, readable: mask.inName };
  };
  const first = by(best);
  if (!isEmpty(first.steps) || !second || second.probability < SECOND * best.probability) return first;
  const other = by(second);
  return isEmpty(other.steps) ? first : other;
};
