/** Proposals: requests to schedule, to reflect and to log, as one intent per occurrence. */
import {
  cluesOf,
  lengthPhrase,
  type Outcome,
  rawOf,
  sentence,
  slotArguments,
  slotName,
  timeFields,
  type Work,
} from './build.ts';
import { anchorOf } from './anchor.ts';
import type { Facet, Item } from './facet.ts';
import { gather, type Gathered } from './gather.ts';
import { impliedPart } from './hours.ts';
import { facetsOf, type Request, titleItems } from './request.ts';
import { residueOf } from './residue.ts';
import { cut, phraseOf, tagTitle, titleOf } from './title.ts';
import type { Intent } from './types.ts';
import { place, type Placement, type Slot, type WhenEnv } from './when.ts';
import { dictionary, setOf, wordAt } from './words.ts';

export type Inherited = Pick<WhenEnv, 'inherit' | 'floor'>;

const LEAD_MEANS: Record<string, string> = {
  schedule: 'asks for time on the calendar',
  block: 'asks for time to be kept',
  remind: 'asks for a reminder',
  have: 'names something to put on the calendar',
  reflect: 'asks for a reflection',
  log: 'asks for a note',
};

const reasoning = (work: Work, request: Request, slot: Slot, extra: readonly string[]): string => {
  const act = request.act ?? 'schedule';
  const lead = request.lead
    ? `“${request.lead}” ${LEAD_MEANS[act] ?? 'asks for time on the calendar'}`
    : 'A thing to do with a time, so it goes on the calendar';
  const clues = cluesOf(work, request);
  return `${[lead, clues].filter(Boolean).join('; ')}. So it is placed ${slotName(slot, work.context)}.${extra.map((note) => ` ${note}`).join('')}`;
};

const COUNTED = setOf(
  'sessions calls meetings runs workouts interviews appointments walks breaks lessons classes reviews slots blocks rides swims visits trainings naps chats demos rehearsals practices jogs',
);

const COUNTS = dictionary<number>({ two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, couple: 2 });

/** 'Plan three runs this week': a number before a thing that can happen several times. */
const countedNoun = (work: Work, items: readonly Item[]): { count: number; items: Item[]; noun: string } | null => {
  const at = items.findIndex((item) => item.facets.length === 0);
  const [number, noun] = [items[at], items[at + 1]];
  const word = number ? wordAt(work.tokens, number.from) : '';
  const count = COUNTS[word] ?? (/^[2-9]$|^1\d$/.test(word) ? Number(word) : 0);
  const plural = noun && noun.facets.length === 0 ? wordAt(work.tokens, noun.from) : '';
  return count > 1 && COUNTED.has(plural) ? { count, items: items.filter((_, i) => i !== at), noun: plural } : null;
};

const singular = (title: string, plural: string): string =>
  title.replace(new RegExp(`^${plural}`, 'i'), (word) =>
    /(?:sses|ches|xes)$/i.test(word) ? word.slice(0, -2) : word.slice(0, -1),
  );

const askFor = (title: string, ask: string): string => (title ? `“${title}”: ${ask}` : ask);

const toIntents = (
  work: Work,
  request: Request,
  placement: Placement,
  base: Pick<Intent, 'action_type' | 'title' | 'content'>,
  minutes: number | undefined,
): Intent[] => {
  const { task_id, tempo_tag, tags } = request.tags;
  return placement.slots.map((slot) => {
    const length = slot.minutes ?? minutes;
    return {
      ...base,
      ...(task_id !== undefined && { task_id }),
      ...(tempo_tag !== undefined && { tempo_tag }),
      tags,
      ...timeFields(slot),
      ...(length !== undefined && { duration_minutes: length }),
      arguments: slotArguments(slot),
      reasoning: reasoning(work, request, slot, [...placement.notes, ...(placement.reasons ?? [])]),
    };
  });
};

const COUNTED_HEAD = /^([a-z]+)/i;
const DAY_OR_PART = new Set(['days', 'part']);
const FREE = /^(?:it )?(?:free|clear|open|empty)$/i;

/** The title of a request; 'block Friday afternoon' names none and means all of it. */
const titleFor = (
  work: Work,
  request: Request,
  items: readonly Item[],
  facets: readonly Facet[],
): { title: string; whole?: true } => {
  const said = titleOf(work.tokens, titleItems(items, request.act)) || tagTitle(request.tags);
  const head = COUNTED_HEAD.exec(said)?.[1]?.toLowerCase() ?? '';
  const counted = COUNTED.has(head) && facets.some((facet) => facet.kind === 'count' && facet.times > 1);
  const block = request.act === 'block' && facets.length > 0;
  if (said && !(block && FREE.test(said))) return { title: counted ? singular(said, head) : said };
  if (!block) return { title: '' };
  const whole = facets.every(({ kind }) => DAY_OR_PART.has(kind));
  return { title: 'Blocked time', ...(whole && { whole: true as const }) };
};

/** A request for time on the calendar. */
export const proposeEvent = (work: Work, request: Request, inherited: Inherited): Outcome => {
  const anchor = anchorOf(work, request.items);
  const counted = countedNoun(work, anchor?.items ?? request.items);
  const items = counted?.items ?? anchor?.items ?? request.items;
  const facets = [...facetsOf(items), ...(counted ? [{ kind: 'count' as const, times: counted.count }] : [])];
  const { title, whole } = titleFor(work, request, items, facets);
  if (!title) return { intents: [], ask: 'What is it that I should plan?' };
  const unread = residueOf(work, { items });
  if (unread) return { intents: [], ask: askFor(title, unread) };
  const g = gatherFor(facets, request, whole);
  if (g.past) return { intents: [], ask: askFor(title, 'that time is already over. When should it be instead?') };
  if (g.span && !g.every && !g.count && !g.plural)
    return { intents: [], ask: askFor(title, 'how often in that time?') };
  const { now, zone } = work.context;
  const implied = g.count || g.part ? undefined : impliedPart(title);
  const placement: Placement = anchor?.place(g) ?? place(g, { now, zone, hint: implied, ...inherited });
  if (placement.ask) return { intents: [], ask: askFor(title, placement.ask) };
  const minutes = g.duration;
  const hinted = implied && placement.slots.some(({ between }) => between) && !g.hours;
  if (hinted) placement.reasons = [`The title says when in the day: in the ${implied.name}.`];
  const content = sentence(`${title}${lengthPhrase(placement.slots[0]?.minutes ?? minutes)}`);
  return {
    intents: toIntents(work, request, placement, { action_type: 'schedule', title, content }, minutes),
    notes: placement.notes,
  };
};

/** What was said of time, 'another 30 minutes' and 'block_50' as lengths. */
const gatherFor = (facets: readonly Facet[], request: Request, whole: true | undefined): Gathered => {
  const g = gather(facets);
  const length = g.shift?.length.minutes ?? request.tags.minutes;
  return {
    ...g,
    ...(g.duration === undefined && length !== undefined && { duration: length }),
    ...(whole && { whole }),
  };
};

/** A request to reflect: at its times, or at once where none is named. */
export const proposeReflection = (work: Work, request: Request, inherited: Inherited): Outcome => {
  const facets = facetsOf(request.items).filter(({ kind }) => kind !== 'past');
  const g = gather(facets);
  const title = titleOf(work.tokens, titleItems(request.items, 'reflect')) || 'Reflect';
  const { now, zone } = work.context;
  const placement = place(g, { now, zone, ...inherited });
  if (placement.ask) return { intents: [], ask: askFor(title, placement.ask) };
  const base = { action_type: 'reflect' as const, title, content: sentence(title) };
  return { intents: toIntents(work, request, placement, base, g.duration), notes: placement.notes };
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
export const proposeLog = (work: Work, request: Request): Outcome => {
  const { items, before, told } = request;
  const own = items.slice(before);
  const all = facetsOf(items);
  const repeats = !told && all.some(({ kind }) => kind === 'every');
  const facets = repeats ? all : facetsOf(items.slice(0, before));
  const text = repeats ? phraseOf(work.tokens, own) : noted(work, own);
  if (!text) return { intents: [], ask: 'What should I note down?' };
  const { now, zone } = work.context;
  const g = gather(facets.filter(({ kind }) => kind !== 'past'));
  const placement = facets.length > 0 ? place(g, { now, zone }) : { slots: [{}], notes: [] };
  if (placement.ask) return { intents: [], ask: placement.ask };
  const content = sentence(text);
  const title = cut(content.replace(/\.$/, ''), 80);
  const intents = toIntents(
    work,
    { ...request, items: repeats ? items : items.slice(0, before) },
    placement,
    { action_type: 'log', title, content },
    undefined,
  );
  return {
    intents: intents.map((intent) =>
      intent.scheduled_for || intent.between
        ? intent
        : { ...intent, reasoning: `“${request.lead}” asks for a note; the rest is what to note.` },
    ),
    notes: placement.notes,
  };
};
