/** Changes: requests to move, lengthen, shorten or cancel what is on the calendar or proposed. */
import { changeOf, type Fields, type Said } from './alter.ts';
import { cluesOf, type Outcome, rawOf, sentence, type Work } from './build.ts';
import { type Facet, type Item, WHEN } from './facet.ts';
import { readAmount, readNumber } from './amount.ts';
import type { Act } from './lead.ts';
import type { Request } from './request.ts';
import { findEach, type Target, targetsIn, type Wanted } from './targets.ts';
import { phraseOf } from './title.ts';
import type { ActionType, Intent } from './types.ts';
import { millis } from '../time/time.ts';
import { lengthName, timeName, windowName } from './say.ts';
import { phraseAt, setOf, wordAt } from './words.ts';

const ACTIONS: readonly string[] = ['schedule', 'reschedule', 'reflect', 'log'];
const actionOf = (target: Target, work: Work): ActionType => {
  if (target.kind === 'event') return 'reschedule';
  const type = work.context.pending.find(({ uid }) => uid === target.uid)?.action_type ?? '';
  return ACTIONS.includes(type) ? (type as ActionType) : type === 'reschedule_event' ? 'reschedule' : 'schedule';
};

const INTO = setOf('to until till til onto into');
const FOR = setOf('for');

/** 'until 5' after a verb of moving is where it goes, not a window. */
const untilAsGoal = ({ tokens }: Work, items: readonly Item[]): Item[] =>
  items.map((item) =>
    UNTIL.has(wordAt(tokens, item.from))
      ? {
          ...item,
          facets: item.facets.map((facet) =>
            facet.kind === 'hours' && facet.to && !facet.from ? { kind: 'clock', times: [facet.to] } : facet,
          ),
        }
      : item,
  );
const UNTIL = setOf('until till til');

/** Where the destination begins: behind 'to' and the like, else at the first time that follows the name. */
const boundaryOf = (work: Work, items: readonly Item[], act: Act): number => {
  const { tokens } = work;
  const into = items.findIndex((item, i) => {
    const opens =
      INTO.has(wordAt(tokens, item.from)) ||
      (FOR.has(wordAt(tokens, item.from)) && act !== 'shorten' && act !== 'extend');
    if (!opens || i === 0) return false;
    if (item.facets.length > 0) return !item.kept;
    return (
      items.slice(i + 1, i + 4).some((next) => next.facets.length > 0) ||
      phraseAt(tokens, item.from, 'to the same time|to same time|to the same') !== null ||
      readNumber(tokens, item.from + 1) !== null
    );
  });
  if (into >= 0) return into;
  const named = items.findIndex(
    (item) => item.facets.length === 0 && !['the', 'my', 'our'].includes(wordAt(tokens, item.from)),
  );
  const after = items.findIndex(
    (item, i) => i > named && named >= 0 && item.facets.length > 0 && !item.kept && !isSource(work, item),
  );
  return after < 0 ? items.length : after;
};

const isSource = ({ tokens }: Work, item: Item): boolean =>
  wordAt(tokens, item.from) === 'from' || ['the', 'my', 'our'].includes(wordAt(tokens, item.from - 1));

/** 'from 2 to 3', 'from Monday to Wednesday': where it is and where it goes, in one breath. */
const splitRange = (facet: Facet): { source: Facet; dest: Facet } | null => {
  if (facet.kind === 'hours' && facet.exact && facet.from && facet.to)
    return {
      source: { kind: 'clock', times: [facet.from] },
      dest: { kind: 'clock', times: [{ ...facet.to, fixed: facet.to.fixed }] },
    };
  return facet.kind === 'period' && facet.ends
    ? { source: { kind: 'days', days: [facet.ends[0]] }, dest: { kind: 'days', days: [facet.ends[1]] } }
    : null;
};

type Parted = { source: Item[]; sourceFacets: Facet[]; dest: Item[]; destFacets: Facet[] };

const RANGE_WORDS = setOf('to until till');
const partItems = (work: Work, items: readonly Item[], act: Act): Parted => {
  const ranged = items.find(
    (item) =>
      !INTO.has(wordAt(work.tokens, item.from)) &&
      item.facets.some((facet) => splitRange(facet)) &&
      work.tokens.slice(item.from, item.to).some(({ word }) => RANGE_WORDS.has(word)),
  );
  const split = ranged && splitRange(ranged.facets.find((facet) => splitRange(facet))!);
  if (ranged && split) {
    const at = items.indexOf(ranged);
    const dest = items.slice(at + 1);
    return {
      source: items.slice(0, at),
      sourceFacets: [...items.slice(0, at).flatMap(({ facets }) => facets), split.source],
      dest,
      destFacets: [split.dest, ...dest.flatMap(({ facets }) => facets)],
    };
  }
  const at = boundaryOf(work, items, act);
  const [source, dest] = [items.slice(0, at), items.slice(at)];
  const shifts = source.flatMap(({ facets }) =>
    facets.filter(({ kind }) => ['duration', 'shift', 'span'].includes(kind)),
  );
  return {
    source,
    sourceFacets: source.flatMap(({ facets }) => facets).filter((facet) => !shifts.includes(facet)),
    dest,
    destFacets: [...shifts, ...dest.flatMap(({ facets }) => facets)],
  };
};

/** Calendar amounts that stand alone here: 'push the dentist back a week'. */
const bareAmount = ({ tokens }: Work, items: readonly Item[]): { facets: Facet[]; at: number } | null => {
  for (const [at, item] of items.entries()) {
    const amount = item.facets.length === 0 ? readAmount(tokens, item.from) : null;
    if (amount?.calendar) return { facets: [{ kind: 'span', length: amount.calendar }], at };
  }
  return null;
};

const describe = (target: Target, fields: Fields, work: Work): string => {
  const { now, zone } = work.context;
  const parts = [
    fields.scheduled_for && `move it to ${timeName(fields.scheduled_for, zone, now)}`,
    fields.between && `move it to free time on ${windowName(fields.between, zone)}`,
    fields.duration_minutes !== undefined && `make it ${lengthName(fields.duration_minutes)} long`,
    fields.duration_delta_minutes !== undefined &&
      `make it ${lengthName(Math.abs(fields.duration_delta_minutes))} ${fields.duration_delta_minutes < 0 ? 'shorter' : 'longer'}`,
  ].filter((part) => typeof part === 'string');
  return sentence(`“${target.title}”: ${parts.join(' and ') || 'tag it as said'}`);
};

const occurrenceOf = ({ recurrence_id }: Target): Intent['arguments'] => (recurrence_id ? { recurrence_id } : {});

/** The intent that changes a target. */
export const changeIntent = (target: Target, fields: Fields, request: Request, work: Work): Intent => {
  const { task_id, tempo_tag, tags } = request.tags;
  const clues = cluesOf(work, request);
  const what = target.kind === 'event' ? 'the event' : 'the proposal';
  return {
    action_type: actionOf(target, work),
    title: target.title,
    content: describe(target, fields, work),
    ...((task_id ?? target.task_id) !== undefined && { task_id: task_id ?? target.task_id! }),
    ...(tempo_tag !== undefined && { tempo_tag }),
    tags,
    ...fields,
    ...(target.kind === 'event' ? { target_event_uid: target.uid } : { target_plan_uid: target.uid }),
    arguments: { ...occurrenceOf(target), ...fields.arguments },
    reasoning: `${request.lead ? `“${request.lead}” asks for a change` : 'What you say changes something'} of ${what} “${target.title}”${clues ? `; ${clues}` : ''}.`,
  };
};

export const cancelIntent = (target: Target, request: Request, work: Work): Intent => {
  const { now, zone } = work.context;
  const when = target.scheduled_for ? ` on ${timeName(target.scheduled_for, zone, now)}` : '';
  return {
    ...changeIntent(target, {}, request, work),
    action_type: 'reschedule',
    content: `Cancel “${target.title}”${when}.`,
    arguments: { ...occurrenceOf(target), cancel: true },
    reasoning: `“${request.lead || 'cancel'}” asks to cancel ${target.kind === 'event' ? 'the event' : 'the proposal'} “${target.title}”${when}.`,
  };
};

const PLURALS = /\b(?:meetings|appointments|events|sessions|blocks|plans|calls)\b/i;

/** Cancels by title, by time, or all within a stretch of time. */
export const cancel = (work: Work, request: Request): Outcome & { missing?: true } => {
  const { items, tags, lead } = request;
  const facets = items.flatMap((item) => item.facets).filter(({ kind }) => kind !== 'past' && kind !== 'soon');
  const phrase = phraseOf(
    work.tokens,
    items.filter((item) => item.facets.length === 0 || item.kept).map((item) => ({ ...item, facets: [] })),
  );
  const words = phraseOf(
    work.tokens,
    items.filter(({ facets: own }) => own.length === 0),
  );
  const wide = /^(?:everything|all|all of it)$/i.test(words);
  if (wide && facets.length === 0)
    return { intents: [], ask: 'Everything? Tell me of which day, or which event I should cancel.' };
  if (!phrase && facets.length === 0 && tags.task_id === undefined)
    return { intents: [], ask: 'Which event should I cancel?' };
  const every =
    wide ||
    PLURALS.test(words) ||
    (/^(?:(?:my|the|our)\b\s*)?(?:calendar|schedule|agenda|diary|day)?$/i.test(words) && /clear|free/i.test(lead));
  const match = findEach(
    { phrase: every && !/^(?:all|every)/i.test(words) ? `all ${words}` : words, facets, task_id: tags.task_id },
    work.context,
    targetsIn(work.context),
  );
  // 'the parent evening': the part of the day may belong to the name
  const named = 'ask' in match && match.missing ? items.filter(({ kept }) => kept) : [];
  const again =
    named.length > 0
      ? findEach(
          { phrase, facets: items.filter(({ kept }) => !kept).flatMap((item) => item.facets) },
          work.context,
          targetsIn(work.context),
        )
      : match;
  if ('ask' in again) return { intents: [], ask: again.ask, ...(again.missing && { missing: true }) };
  return { intents: again.targets.map((target) => cancelIntent(target, request, work)) };
};

const MOVERS = setOf('back forward up off out short down');

/** 'move it half an hour back' means later, 'forward' earlier. */
const directed = ({ tokens }: Work, { items }: Request, act: Act): Act => {
  const words = items.filter(({ facets }) => facets.length === 0).map(({ from }) => wordAt(tokens, from));
  if (act !== 'move') return act;
  return words.includes('back') ? 'later' : words.includes('forward') ? 'earlier' : act;
};

/** 'make it 45', 'make it 4': a bare number is minutes from 13 on, else an hour. */
export const bareNumber = ({ tokens }: Work, items: readonly Item[]): Facet[] => {
  const numbers = items.filter(({ facets, from }) => facets.length === 0 && tokens[from]?.kind === 'number');
  const n = Number(tokens[numbers[0]?.from ?? -1]?.text);
  if (numbers.length !== 1 || !Number.isInteger(n) || n < 1 || n > 1440) return [];
  return n > 12
    ? [{ kind: 'duration', minutes: n }]
    : [{ kind: 'clock', times: [{ hour: n, minute: 0, fixed: false }] }];
};

/** 'make it 45 minutes instead of an hour': what is said behind 'instead' is what it is now. */
const beforeInstead = ({ tokens }: Work, items: readonly Item[]): Item[] => {
  const at = items.findIndex(({ from }) => wordAt(tokens, from) === 'instead');
  if (at < 0) return [...items];
  return [...items.slice(0, at), ...(wordAt(tokens, items[at]!.from + 1) === 'of' ? [] : items.slice(at + 1))];
};

/** Which targets a request of change names, and what it says of them. */
const partsOf = (work: Work, request: Request, act: Act): { wanted: Wanted; said: Said } => {
  const own = untilAsGoal(work, beforeInstead(work, request.items.slice(request.before)));
  const bare = act === 'later' || act === 'earlier' ? bareAmount(work, own) : null;
  const { source, sourceFacets, dest, destFacets } = partItems(work, bare ? own.slice(0, bare.at) : own, act);
  const named = source.filter((item) => item.facets.length === 0 && !MOVERS.has(wordAt(work.tokens, item.from)));
  const opening = request.items.slice(0, request.before).flatMap(({ facets }) => facets);
  const toLength = dest.some(
    (item, i) =>
      item.facets.some(({ kind }) => kind === 'duration') && wordAt(work.tokens, dest[i - 1]?.from ?? -1) === 'to',
  );
  const same = /\bsame time\b/i.test(rawOf(work, dest[0]?.from ?? 0, dest.at(-1)?.to ?? 0));
  // 'delay everything this afternoon by an hour': with a shift, a time says which
  const isShifted = destFacets.some(({ kind }) => kind === 'shift') && !toLength;
  const which = isShifted ? destFacets.filter(({ kind }) => WHEN.has(kind)) : [];
  const goal =
    destFacets.length > 0 || bare ? destFacets.filter((facet) => !which.includes(facet)) : bareNumber(work, dest);
  return {
    wanted: {
      phrase: phraseOf(work.tokens, named),
      facets: [...sourceFacets, ...which],
      task_id: request.tags.task_id,
    },
    said: { facets: [...opening, ...goal, ...(bare?.facets ?? [])], act, toLength, same },
  };
};

/** Moves or resizes by title. */
export const change = (work: Work, request: Request, act: Act): Outcome & { missing?: true } => {
  const { wanted, said } = partsOf(work, request, directed(work, request, act));
  if (!wanted.phrase && wanted.facets.length === 0 && wanted.task_id === undefined)
    return { intents: [], ask: 'Which event do you mean?', missing: true };
  const match = findEach(wanted, work.context, targetsIn(work.context));
  if ('ask' in match) return { intents: [], ask: match.ask, ...(match.missing && { missing: true }) };
  const intents: Intent[] = [];
  for (const target of match.targets) {
    const changed = changeOf(target, said, work);
    if ('ask' in changed) return { intents: [], ask: changed.ask };
    intents.push(changeIntent(target, changed.fields, request, work));
  }
  return { intents };
};

/** 'swap the dentist and the call': each takes the other's time. */
export const swap = (work: Work, request: Request): Outcome => {
  const facets = request.items.flatMap((item) => item.facets);
  const phrase = phraseOf(
    work.tokens,
    request.items.filter((item) => item.facets.length === 0),
  )
    .replace(/\bwith\b/i, 'and')
    .replace(/\bfor\b/i, 'and');
  const match = findEach({ phrase, facets }, work.context, targetsIn(work.context));
  if ('ask' in match) return { intents: [], ask: match.ask };
  const [first, second] = match.targets;
  if (match.targets.length !== 2 || !first?.scheduled_for || !second?.scheduled_for)
    return { intents: [], ask: 'Which two events should I swap?' };
  if (match.targets.some(({ scheduled_for }) => millis(scheduled_for!) <= millis(work.context.now)))
    return { intents: [], ask: 'One of them has begun already. When should the other be?' };
  return {
    intents: [
      changeIntent(first, { scheduled_for: second.scheduled_for }, request, work),
      changeIntent(second, { scheduled_for: first.scheduled_for }, request, work),
    ],
  };
};
