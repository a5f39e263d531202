/** What was said once holds: a request that names no day takes the times that were reported just before it. */
import { groupsOf } from '../facet.ts';
import type { Item } from '../facet.ts';
import { facetsOf, type Frame } from '../frame.ts';
import { type Token, wordAt } from '../words.ts';

/** Whether it names what to plan by a quote or as 'it', so that its times were reported before. */
const pointsBack = (tokens: readonly Token[], { act, kind, items }: Frame): boolean =>
  kind === 'request' &&
  (act === 'schedule' || act === 'block') &&
  !groupsOf(facetsOf(items)).has('day') &&
  items.some(({ from }) => tokens[from]?.kind === 'quote' || /^(?:it|that|this)$/.test(wordAt(tokens, from)));

const TELLING_ACTS = new Set<Frame['act']>([null, 'have', 'be']);
/** A clause that tells, and has no verb of its own that asks. 'I want to ...' wishes, and reports with what follows it. */
const isTold = ({ act, kind, lead, clause }: Frame): boolean =>
  kind === 'aside' ||
  kind === 'report' ||
  ((TELLING_ACTS.has(act) || /\b(?:want|need|like)\b/i.test(lead)) && kind === 'request' && clause.items.length > 2);

const timesIn = ({ clause }: Frame): Item[] =>
  clause.items.filter(
    ({ facets, kept }) => facets.length > 0 && !kept && facets.every(({ kind }) => kind !== 'past' && kind !== 'soon'),
  );

/** Hands the times of what was reported on to the request behind it; those clauses are then no requests of their own. */
export const withTimesTold = (tokens: readonly Token[], frames: readonly Frame[]): Frame[] => {
  const made: Frame[] = [];
  for (const frame of frames) {
    const first = made.findLastIndex((one) => !isTold(one)) + 1;
    const told = made.slice(first);
    if (!pointsBack(tokens, frame) || told.length === 0) {
      made.push(frame);
      continue;
    }
    const known = groupsOf(facetsOf(frame.items));
    const times: Item[] = [];
    for (const item of told.toReversed().flatMap((one) => timesIn(one).toReversed())) {
      const groups = [...groupsOf(item.facets)];
      if (groups.some((group) => known.has(group))) continue;
      for (const group of groups) known.add(group);
      times.unshift(item);
    }
    if (!groupsOf(times.flatMap(({ facets }) => facets)).has('day')) {
      made.push(frame);
      continue;
    }
    made.splice(first, told.length, {
      ...frame,
      items: [...times, ...frame.items],
      before: frame.before + times.length,
    });
  }
  return made;
};
