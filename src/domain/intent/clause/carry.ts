/** What was said once holds: a request that names no day or time takes what was reported before it. */
import { groupsOf } from '../facet.ts';
import type { Facet, Item } from '../facet.ts';
import { facetsOf, type Frame } from '../frame.ts';
import { phraseAt, setOf, type Token, wordAt } from '../words.ts';
import { ENDING } from '../words/letters.ts';
import { FINITE } from '../words/speech.ts';

/** Times that were reported together: a day, one clock time or stretch, and a length. */
type Slot = { day: Item[]; clock: Item | null; more: Item[]; of: Frame; isDated: boolean };
type Work = { tokens: readonly Token[]; frames: Frame[]; day: Item[] };

const POINTS = setOf('it that this them these those');
const isQuote = (tokens: readonly Token[], { from }: Item): boolean => tokens[from]?.kind === 'quote';
const namesOf = (tokens: readonly Token[], { items }: Frame): Item[] => items.filter((item) => isQuote(tokens, item));
const groupsIn = ({ items }: Frame): Set<string> => groupsOf(facetsOf(items));

/** Whether it names what to plan by a quote or as 'it', so that its times were reported before. */
const pointsBack = (tokens: readonly Token[], frame: Frame): boolean => {
  const { act, kind, items } = frame;
  const names = act === 'rename' && namesOf(tokens, frame).length > 0;
  return (
    kind === 'request' &&
    (act === 'schedule' || act === 'block' || names) &&
    !groupsIn(frame).has('day') &&
    items.some((item) => isQuote(tokens, item) || POINTS.has(wordAt(tokens, item.from)))
  );
};

/** A change that says no time: 'please move it accordingly'. */
const changesOpenly = ({ act, kind, items }: Frame): boolean =>
  kind === 'request' && act === 'move' && facetsOf(items).length === 0;

const TELLING_ACTS = new Set<Frame['act']>([null, 'have', 'be']);
/** A clause that tells, and has no verb of its own that asks. 'I want to ...' wishes, and reports with what follows it. */
const isTold = ({ act, kind, lead, clause }: Frame): boolean =>
  kind === 'aside' ||
  kind === 'report' ||
  ((TELLING_ACTS.has(act) || /\b(?:want|need|like)\b/i.test(lead)) &&
    kind === 'request' &&
    (clause.items.length > 2 || clause.joined));

const timesIn = ({ clause }: Frame): Item[] =>
  clause.items.filter(
    ({ facets, kept }) => facets.length > 0 && !kept && facets.every(({ kind }) => kind !== 'past' && kind !== 'soon'),
  );
const isClock = ({ facets }: Item): boolean => facets.some(({ kind }) => kind === 'clock' || kind === 'hours');
const isDay = ({ facets }: Item): boolean => groupsOf(facets).has('day');

/** From the clock of the slot to this one. */
const until = (slot: Slot, end: Item): Item | null => {
  const [first] = slot.clock?.facets ?? [];
  const [last] = end.facets;
  if (first?.kind !== 'clock' || last?.kind !== 'clock' || !slot.clock) return null;
  const hours: Facet = { kind: 'hours', from: first.times[0]!, to: last.times[0]!, exact: true };
  return { ...slot.clock, facets: [hours, ...slot.clock.facets.slice(1)] };
};

/** The words between two times of a clause say that the second is the end. */
const endsAt = (tokens: readonly Token[], from: number, to: number): boolean =>
  tokens.slice(Math.max(0, from), to).some(({ word }) => ENDING.has(word));

/** 'each for 45 minutes' */
const isEach = (tokens: readonly Token[], { from, facets }: Item): boolean =>
  facets.some(
    (one) => one.kind === 'duration' && (one.each || tokens.slice(from - 4, from).some(({ word }) => word === 'each')),
  );

/** The slots that these clauses tell, in their order; null where they leave a choice. */
const slotsOf = (tokens: readonly Token[], frames: readonly Frame[]): Slot[] | null => {
  const slots: Slot[] = [];
  let day: Item[] = [];
  let before = frames[0]?.clause.from ?? 0;
  for (const frame of frames) {
    const instead = frame.clause.items.find(({ from }) => phraseAt(tokens, from, 'instead of|rather than') !== null);
    for (const item of timesIn(frame).filter(({ from }) => !instead || from < instead.from)) {
      const slot = slots.at(-1);
      const isFree = slot !== undefined && slot.clock === null;
      if (wordAt(tokens, item.from - 1) === 'or' && isClock(item)) return null;
      if (isDay(item)) {
        day = [item];
        // 'at 8:15 on Friday'
        const isBehind = slot?.of === frame && slot.clock !== null && !slot.isDated;
        if (slot && (isFree || isBehind)) Object.assign(slot, { day, isDated: true });
        else slots.push({ day, clock: null, more: [], of: frame, isDated: true });
      } else if (isClock(item)) {
        const range = slot?.clock && endsAt(tokens, before, item.from) ? until(slot, item) : null;
        if (slot && range) slot.clock = range;
        else if (isFree) slot.clock = item;
        else slots.push({ day, clock: item, more: [], of: frame, isDated: false });
      } else if (slot) slot.more.push(item);
      else slots.push({ day, clock: null, more: [item], of: frame, isDated: false });
      before = item.to;
    }
  }
  const each = slots.at(-1)?.more.filter((item) => isEach(tokens, item)) ?? [];
  return each.length > 0 ? slots.map((slot) => (slot.more.length > 0 ? slot : { ...slot, more: each })) : slots;
};

const withSlot = (tokens: readonly Token[], frame: Frame, slot: Slot, day: readonly Item[]): Frame => {
  const known = groupsIn(frame);
  const own = slot.day.length > 0 ? slot.day : day;
  const times = [...own, ...(slot.clock ? [slot.clock] : []), ...slot.more].filter(
    ({ facets }) => ![...groupsOf(facets)].some((group) => known.has(group)),
  );
  if (frame.act !== 'rename')
    return { ...frame, items: [...times, ...frame.items], before: frame.before + times.length };
  const words = frame.items.filter((item) => item.facets.length > 0 || isQuote(tokens, item));
  return { ...frame, act: 'schedule', items: [...times, ...words], before: times.length };
};

/** 'arrives at 9:05': without a subject of its own. */
const isOpen = (tokens: readonly Token[], { clause, items }: Frame): boolean =>
  FINITE.has(wordAt(tokens, clause.from)) || items.every(({ facets }) => facets.length > 0);

/** The clauses of the last sentence that tells a clock time, up to the end. */
const lastTimed = (tokens: readonly Token[], told: readonly Frame[]): number => {
  const timed = told.findLastIndex((frame) => timesIn(frame).some(isClock));
  if (timed < 0) return 0;
  let at = timed;
  while (at > 0 && told[at]!.clause.joined && (isOpen(tokens, told[at]!) || !timesIn(told[at - 1]!).some(isClock)))
    at--;
  return at;
};

/** One request for each name, with the times that were reported in the same order; null where they do not fit. */
const namedEach = ({ tokens, day }: Work, frame: Frame, told: readonly Frame[]): Frame[] | null => {
  const names = namesOf(tokens, frame);
  const slots = (slotsOf(tokens, told) ?? []).filter(({ clock }) => clock !== null);
  if (names.length < 2 || slots.length !== names.length) return null;
  return names.map((name, i) => {
    const one = { ...frame, items: [name], before: 0 };
    return withSlot(tokens, { ...one, act: 'schedule' }, slots[i]!, day);
  });
};

/** 'straight after the review': its time follows from something else. */
const isRelative = (tokens: readonly Token[], { clause }: Frame): boolean =>
  clause.items.some(({ from, facets }) => facets.length === 0 && RELATIVE.has(wordAt(tokens, from)));
const RELATIVE = setOf('after before following until till while once');

/** The request with the times reported right before it; null where none fit. */
const namedOnce = ({ tokens, day }: Work, frame: Frame, told: readonly Frame[]): Frame | null => {
  const slots = slotsOf(tokens, told) ?? [];
  const timed = slots.filter(({ clock }) => clock !== null);
  if (timed.length > 1 || slots.length === 0 || (timed.length === 0 && told.some((one) => isRelative(tokens, one))))
    return null;
  const only = timed[0] ?? slots.at(-1)!;
  const first = { ...only, day: only.day.length > 0 ? only.day : (slots[0]?.day ?? []) };
  const made = withSlot(tokens, frame, first, day);
  return groupsIn(made).has('day') ? made : null;
};

const takeTold = (work: Work, frame: Frame): boolean => {
  const { tokens, frames } = work;
  const first = frames.findLastIndex((one) => !isTold(one)) + 1;
  const told = frames.slice(first);
  if (told.length === 0) return false;
  if (changesOpenly(frame)) {
    const slot = slotsOf(tokens, told)?.filter(({ clock, day }) => clock !== null || day.length > 0) ?? [];
    if (slot.length !== 1) return false;
    const times = [...slot[0]!.day, ...(slot[0]!.clock ? [slot[0]!.clock] : [])];
    frames.push({ ...frame, items: [...frame.items, ...times], whole: [] });
    return true;
  }
  if (!pointsBack(tokens, frame)) return false;
  const each = namedEach(work, frame, told);
  if (each) {
    frames.splice(first, told.length, ...each);
    return true;
  }
  const start = lastTimed(tokens, told);
  const once = namedOnce(work, frame, told.slice(start));
  const isUnsure = !once && frame.act !== 'rename' && facetsOf(frame.items).every(({ kind }) => kind === 'duration');
  if (isUnsure && told.some((one) => timesIn(one).some(isClock))) {
    frames.push({ ...frame, isUnsure });
    return true;
  }
  if (!once) return false;
  frames.splice(first + start, told.length - start, once);
  return true;
};

const isBound = ({ facets }: Item): boolean => facets.some(({ kind }) => kind === 'edge' || kind === 'period');
/** 'from Monday until Friday, I would like ... every day': the bounds that were reported before in the sentence. */
const withBounds = ({ frames }: Work, frame: Frame): Frame => {
  const kinds = facetsOf(frame.items).map(({ kind }) => kind);
  const isOpenSeries =
    frame.clause.joined && kinds.includes('every') && !kinds.some((kind) => kind === 'edge' || kind === 'period');
  const before = frames.at(-1);
  if (!isOpenSeries || !before || !isTold(before)) return frame;
  const bounds = timesIn(before).filter(isBound);
  const isRest = before.kind === 'request' && bounds.length === timesIn(before).length;
  if (isRest && bounds.length > 0) frames.pop();
  return bounds.length > 0 ? withFirst(frame, bounds) : frame;
};

const PLANS = new Set<Frame['act']>([null, 'schedule', 'block', 'remind', 'have', 'be']);
/** A request that names an hour and no day. */
const lacksDay = (frame: Frame): boolean => {
  const kinds = facetsOf(frame.items).map(({ kind }) => kind);
  return (
    frame.kind === 'request' &&
    PLANS.has(frame.act) &&
    kinds.some((kind) => kind === 'clock' || kind === 'hours') &&
    !kinds.some((kind) => ['days', 'period', 'edge', 'every', 'instant', 'past', 'gap', 'fault'].includes(kind)) &&
    !frame.clause.after
  );
};

/** The one day that a clause names; [] where it names several, and null where it names none. */
const dayIn = (frame: Frame): Item[] | null => {
  const days = timesIn(frame).filter(isDay);
  const last = days.at(-1);
  if (!last) return null;
  const [first] = last.facets;
  return first?.kind === 'days' && first.days.length === 1 ? [{ ...last, facets: [first] }] : [];
};

/** A line or an opening that names only a day holds for what follows it. */
const isDayOnly = (tokens: readonly Token[], frame: Frame, next: Frame | undefined): boolean =>
  frame.act === null &&
  frame.kind === 'request' &&
  next !== undefined &&
  !groupsIn(next).has('day') &&
  frame.items.length > 0 &&
  frame.items.every((item) => isDay(item) && item.facets.length === 1) &&
  (tokens[frame.clause.to]?.kind === 'break' || next.clause.joined);

const withFirst = (frame: Frame, items: readonly Item[]): Frame => ({
  ...frame,
  items: [...items, ...frame.items],
  whole: frame.whole.length > 0 ? [...items, ...frame.whole] : frame.whole,
  before: frame.before + items.length,
});

/** Hands what was reported on to the request behind it, and the last day that was said to what names only an hour. */
export const withTimesTold = (tokens: readonly Token[], frames: readonly Frame[]): Frame[] => {
  const work: Work = { tokens, frames: [], day: [] };
  for (const [i, one] of frames.entries()) {
    const frame = withBounds(work, one);
    const said = dayIn(frame);
    if (isDayOnly(tokens, frame, frames[i + 1]) && said?.length === 1) {
      work.day = said;
      continue;
    }
    const isTaken = takeTold(work, frame);
    if (!isTaken) {
      const holds = work.day.length > 0 && lacksDay(frame);
      work.frames.push(holds ? withFirst(frame, work.day) : frame);
    }
    if (said) {
      work.day = said;
    }
  }
  return work.frames;
};
