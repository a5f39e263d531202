/** Proposals: what frames ask to schedule, to reflect and to log, as one intent per occurrence. */
import { cluesOf, type Outcome, rawOf, sentence, slotArguments, slotName, timeFields, type Work } from './build.ts';
import { amongHalves } from './dialogue/choices.ts';
import { anchorOf, type Previous } from './anchor.ts';
import type { Facet, Item, Part } from './facet.ts';
import { gather, type Gathered } from './gather.ts';
import { impliedPart, isTimetabled, usualPart } from './hours.ts';
import { PARTS } from './time/make-parts.ts';
import { facetsOf, type Frame, hasWhen, titleItems } from './frame.ts';
import { residueOf } from './residue.ts';
import { seriesOf } from './series.ts';
import { cut, phraseOf, tagTitle, titleFault, titleOf } from './title.ts';
import type { Intent } from './types.ts';
import { place, type Placement, type Slot, type WhenEnv } from './when.ts';
import { cancelIntent } from './change-intent.ts';
import { findTargets, targetsIn } from './targets.ts';
import { type Instant, zoned } from '../time/time.ts';
import { capitalise, dictionary, phraseAt, setOf, wordAt } from './words.ts';

/** The day and time of what was asked for before. */
export type Inherited = Pick<WhenEnv, 'inherit' | 'floor'> & { previous?: Previous };

const reasoning = (work: Work, frame: Frame, slot: Slot, extra: readonly string[]): string => {
  const clues = cluesOf(work, frame);
  return [...(clues ? [`You wrote ${clues}.`] : []), `It is ${slotName(slot, work.context)}.`, ...extra].join(' ');
};

const COUNTED = setOf(
  'sessions calls appts shifts games matches dates lectures tutorials hikes dives interviews checks drives meetings runs workouts interviews appointments walks breaks lessons classes reviews slots blocks rides swims visits trainings naps chats demos rehearsals practices jogs',
);

const COUNTS = dictionary<number>({ two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, couple: 2 });

const EMPTY_NOUNS = setOf('sessions slots blocks');

/** 'Plan three runs this week', '3 gym sessions': a number before a thing that can happen several times. */
const countedNoun = (work: Work, items: readonly Item[]): { count: number; items: Item[]; noun: string } | null => {
  const at = items.findIndex((item) => item.facets.length === 0);
  const word = wordAt(work.tokens, items[at]?.from ?? -1);
  const count = COUNTS[word] ?? (/^[2-9]$|^1\d$/.test(word) ? Number(word) : 0);
  const end = items.findIndex((item, i) => i > at && i < at + 4 && COUNTED.has(wordAt(work.tokens, item.from)));
  if (count < 2 || end < 0 || items.slice(at, end).some(({ facets }) => facets.some(({ kind }) => kind !== 'duration')))
    return null;
  const noun = wordAt(work.tokens, items[end]!.from);
  const drops = EMPTY_NOUNS.has(noun) && end > at + 1;
  return { count, items: items.filter((_, i) => i !== at && !(drops && i === end)), noun };
};

const singular = (title: string, plural: string): string =>
  title.replace(new RegExp(`\\b${plural}\\b`, 'i'), (word) =>
    /(?:sses|ches|xes)$/i.test(word) ? word.slice(0, -2) : word.slice(0, -1),
  );

const askFor = (title: string, ask: string): string => (title ? `“${title}”: ${ask}` : ask);

const toIntents = (
  work: Work,
  frame: Frame,
  placement: Placement,
  base: Pick<Intent, 'action_type' | 'title' | 'content'>,
  minutes: number | undefined,
): Intent[] => {
  const { task_id, tempo_tag, tags } = frame.tags;
  return placement.slots.map((slot) => {
    const length = slot.minutes ?? minutes;
    return {
      ...base,
      ...(task_id !== undefined && { task_id }),
      ...(tempo_tag !== undefined && { tempo_tag }),
      tags,
      ...timeFields(slot),
      ...(length !== undefined && { duration_minutes: length }),
      arguments: {
        ...slotArguments(slot),
        ...(frame.place && base.action_type === 'schedule' && { location: frame.place }),
      },
      reasoning: reasoning(work, frame, slot, [...placement.notes, ...(placement.reasons ?? [])]),
    };
  });
};

const DAY_OR_PART = new Set(['days', 'part']);
const USES = /^use (?:that|the|this)\b/i;
const DAY_KINDS = new Set(['days', 'period', 'every']);
/** What takes whole days, where no hours are named. */
const WHOLE_DAYS =
  /\b(?:days? off|holidays?|vacation|annual leave|sick leave|birthday|anniversary|out of (?:the )?office|away|off work)$/i;
const FREE = /^(?:it )?(?:free|clear|open|empty)$/i;

/** The title; 'block Friday afternoon' names none and means all of it. */
const titleFor = (
  work: Work,
  frame: Frame,
  items: readonly Item[],
  facets: readonly Facet[],
): { title: string; whole?: true } => {
  // 'On Saturdays we phone our son'
  const said = capitalise(
    (titleOf(work.tokens, titleItems(items, frame.act)) || tagTitle(frame.tags)).replace(
      /^(?:(?:I|We) (?:(?:want|need|have|would like|hope|plan) to |(?:should|must|will) )?|(?:want|need|would like) to |(?:should|must) )(?=\p{L}{2})/iu,
      '',
    ),
  );
  const head =
    said
      .toLowerCase()
      .split(' ')
      .slice(0, 4)
      .find((word) => COUNTED.has(word)) ?? '';
  const counted = head !== '' && facets.some((facet) => facet.kind === 'count' && facet.times > 1);
  // 'every Sunday plan the week'
  const plans =
    !said && /^plan$/i.test(frame.lead) && hasWhen(facets) ? phraseOf(work.tokens, titleItems(items, null)) : '';
  if (plans) return { title: `Plan ${plans}` };
  const block = frame.act === 'block' && facets.length > 0;
  const lasts = WHOLE_DAYS.test(said) && hasWhen(facets) && facets.every(({ kind }) => DAY_KINDS.has(kind));
  if (said && !(block && FREE.test(said)))
    return { title: counted ? singular(said, head) : said, ...(lasts && { whole: true as const }) };
  const points = items.some(
    ({ from, facets: own }) => own.length === 0 && /^(?:it|that)$/.test(wordAt(work.tokens, from)),
  );
  if (!block || points || frame.asides.length > 0) return { title: '' };
  const whole = facets.every(({ kind }) => DAY_OR_PART.has(kind));
  return { title: 'Blocked time', ...(whole && { whole: true as const }) };
};

/** 'acupuncture instead of yoga': the event goes, and the new one takes its time. */
const inPlaceOf = (work: Work, frame: Frame): { frame: Frame; gone: Intent[]; at?: Instant } => {
  const { items } = frame;
  const from = items.findIndex(
    (item) =>
      item.facets.length === 0 && phraseAt(work.tokens, item.from, 'instead of|in place of|rather than') !== null,
  );
  if (from < 0) return { frame, gone: [] };
  const rest = items
    .slice(from)
    .filter(({ from: at }) => at >= phraseAt(work.tokens, items[from]!.from, 'instead of|in place of|rather than')!);
  const phrase = phraseOf(
    work.tokens,
    rest.filter(({ facets }) => facets.length === 0),
  );
  const facets = items.flatMap((item) => item.facets).filter(({ kind }) => kind === 'days' || kind === 'period');
  const match = phrase
    ? findTargets({ phrase, facets }, work.context, targetsIn({ ...work.context, pending: [] }))
    : null;
  const [target, ...more] = match && 'targets' in match ? match.targets : [];
  if (!target?.scheduled_for || more.length > 0) return { frame, gone: [] };
  const own = [...items.slice(0, from), ...rest.filter((item) => item.facets.length > 0)];
  const timed = own.some((item) =>
    item.facets.some(({ kind }) => kind === 'clock' || kind === 'hours' || kind === 'part'),
  );
  return {
    frame: { ...frame, items: own },
    gone: [cancelIntent(target, { ...frame, lead: 'instead of' }, work)],
    ...(!timed && { at: target.scheduled_for }),
  };
};

/** Where a bare 6 to 9 is: after something in the afternoon it is in the evening, else where such a thing usually is. */
const hourHint = (g: Gathered, title: string, previous: Previous | undefined, zone: string): Part | undefined => {
  const hours = [...(g.clocks ?? []), ...(g.hours?.from ? [g.hours.from] : [])];
  const isEarly = isTimetabled(title) && hours.every(({ hour, minute }) => minute > 0 && hour >= 4);
  if (!hours.some(({ hour, fixed }) => !fixed && (isEarly || hour >= 6) && hour <= 9)) return undefined;
  const isLate = previous !== undefined && zoned(previous.start, zone).hour > 12;
  const part =
    isLate && hours.every(({ hour }) => hour < 8)
      ? 'evening'
      : usualPart(
          title,
          hours.some(({ minute }) => minute > 0),
        );
  return part && PARTS[part];
};

/** Time on the calendar. */
export const proposeEvent = (work: Work, asked: Frame, inherited: Inherited): Outcome => {
  const { frame, gone, at } = inPlaceOf(work, asked);
  const { previous, ...env } = inherited;
  const anchor = anchorOf(work, frame.items, previous);
  const counted = countedNoun(work, anchor?.items ?? frame.items);
  const items = counted?.items ?? anchor?.items ?? frame.items;
  const facets = [
    ...(anchor?.facets ?? []),
    ...facetsOf(items),
    ...(counted ? [{ kind: 'count' as const, times: counted.count }] : []),
  ];
  const { title, whole } = titleFor(work, frame, items, facets);
  if (!title) return { intents: [], ask: 'What is it that I should plan?' };
  // A sentence with a subject of its own is no title
  if (
    frame.act === null &&
    / (?:can|could|wants?|would|needs)(?: only| not)? (?:see|do|take|me|us|you|to (?:see|meet|speak|talk))\b/.test(
      title,
    )
  )
    return { intents: [], ask: `What should I call “${title}” on the calendar?` };
  const unread = residueOf(work, items);
  if (unread) return { intents: [], ask: askFor(title, unread) };
  if (!facets.some(({ kind }) => kind === 'fault') && titleFault(work.tokens, titleItems(items, frame.act), title))
    return { intents: [], ask: `What should I call “${title}” on the calendar?` };
  const g = gatherFor(facets, frame, whole);
  if (g.past) return { intents: [], ask: askFor(title, 'that time is already over. When should it be instead?') };
  if (g.span && !g.every && !g.count && !g.plural)
    return { intents: [], ask: askFor(title, 'how often in that time?') };
  const { now, zone } = work.context;
  const implied = g.count || g.part ? undefined : impliedPart(title);
  const hint = implied ?? hourHint(g, title, previous, zone);
  const placement: Placement =
    (at ? { slots: [{ at }], notes: [] } : undefined) ??
    (previous && USES.test(frame.lead) && !hasWhen(facets)
      ? { slots: [{ at: previous.start }], notes: [] }
      : undefined) ??
    anchor?.place?.(g) ??
    place(g, { now, zone, hint, asksHour: true, ...env });
  if (placement.ask) {
    const options = placement.isOpenHour ? { options: amongHalves(asked, work.context) } : {};
    return { intents: [], ask: askFor(title, placement.ask), ...options };
  }
  const minutes = g.duration;
  const hinted = implied && placement.slots.some(({ between }) => between) && !g.hours;
  if (hinted) placement.reasons = [`The title says when in the day: in the ${implied.name}.`];
  const series = anchor || placement.slots.length === 0 ? null : seriesOf(g, placement.slots, zone);
  const shown = series ? { ...placement, slots: series.map(({ slot }) => slot), notes: [] } : placement;
  const intents = toIntents(work, frame, shown, { action_type: 'schedule', title, content: title }, minutes).map(
    (intent, i) => {
      const { rrule, exdates = [] } = series?.[i] ?? {};
      return { ...intent, ...(rrule && { rrule }), ...(exdates.length > 0 && { exdates }) };
    },
  );
  return {
    intents: [...gone, ...intents],
    notes: series ? [] : placement.notes,
  };
};

/** What was said of time, 'another 30 minutes' and 'block_50' as lengths. */
const gatherFor = (facets: readonly Facet[], frame: Frame, whole: true | undefined): Gathered => {
  const g = gather(facets);
  const length = g.shift?.length.minutes ?? frame.tags.minutes;
  return {
    ...g,
    ...(g.duration === undefined && length !== undefined && { duration: length }),
    ...(whole && { whole }),
  };
};

/** A reflection: at its times, or at once where none is named. */
export const proposeReflection = (work: Work, frame: Frame): Outcome => {
  const facets = facetsOf(frame.items).filter(({ kind }) => kind !== 'past');
  const g = gather(facets);
  const title = titleOf(work.tokens, titleItems(frame.items, 'reflect')) || 'Reflect';
  const { now, zone } = work.context;
  const placement = place(g, { now, zone });
  if (placement.ask) return { intents: [], ask: askFor(title, placement.ask) };
  const base = { action_type: 'reflect' as const, title, content: sentence(title) };
  return { intents: toIntents(work, frame, placement, base, g.duration), notes: placement.notes };
};

const TOLD_MARKS = setOf('that : , - – — to of');

/** What is to be noted, word for word; tags hung on at its end are taken off. */
const noted = (work: Work, items: readonly Item[]): string => {
  let from = items[0]?.from ?? 0;
  let to = items.at(-1)?.to ?? 0;
  while (from < to && TOLD_MARKS.has(wordAt(work.tokens, from))) from++;
  while (to > from && (work.tokens[to - 1]!.kind === 'tag' || [',', ';', ':'].includes(wordAt(work.tokens, to - 1))))
    to--;
  return rawOf(work, from, to);
};

/** A note: its times are part of what it tells, except those said before the verb and repetitions ('every evening at 21:00'). */
export const proposeLog = (work: Work, frame: Frame, inherits = false): Outcome => {
  const { items, before, verbatim } = frame;
  const own = items.slice(before);
  const all = facetsOf(items);
  const repeats = !verbatim && all.some(({ kind }) => kind === 'every');
  const facets = repeats ? all : facetsOf(items.slice(0, before));
  const text = repeats ? phraseOf(work.tokens, own) : noted(work, own);
  if (!text) return { intents: [], ...(inherits ? {} : { ask: 'What should I note down?' }) };
  const { now, zone } = work.context;
  const g = gather(facets.filter(({ kind }) => kind !== 'past'));
  const placement = facets.length > 0 ? place(g, { now, zone }) : { slots: [{}], notes: [] };
  if (placement.ask) return { intents: [], ask: placement.ask };
  const content = sentence(text);
  const title = cut(content.replace(/\.$/, ''), 80);
  const intents = toIntents(
    work,
    { ...frame, items: repeats ? items : items.slice(0, before) },
    placement,
    { action_type: 'log', title, content },
    undefined,
  );
  return {
    intents: intents.map((intent) =>
      intent.scheduled_for || intent.between ? intent : { ...intent, reasoning: 'You asked for a note.' },
    ),
    notes: placement.notes,
  };
};
