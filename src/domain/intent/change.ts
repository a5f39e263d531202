/** Changes: requests to move, resize, rename, swap or cancel what is on the calendar or proposed. */
import { changeOf, type Said } from './alter.ts';
import { anchorOf } from './anchor.ts';
import { type Outcome, rawOf, timeFields, type Work } from './build.ts';
import { amongTargets } from './dialogue/choices.ts';
import { cancelIntent, changeIntent } from './change-intent.ts';
import { type Facet, type Item, WHEN } from './facet.ts';
import type { Frame } from './frame.ts';
import {
  bareAmount,
  bareNumber,
  directed,
  INTO,
  isName,
  isPlain,
  MOVERS,
  partItems,
  RESIZING,
  untilAsGoal,
  withoutReplaced,
} from './goal.ts';
import { findEach, type Match, type Target, targetsIn, type Wanted } from './targets.ts';
import { phraseOf } from './title.ts';
import type { Intent } from './types.ts';
import { todayOf } from './when.ts';
import { millis } from '../time/time.ts';
import { phraseAt, setOf, wordAt } from './words.ts';

const searched = (
  work: Work,
  items: readonly Item[],
  more: readonly Facet[],
  isWord: (item: Item) => boolean,
  tags: Frame['tags'],
): Wanted => ({
  phrase: phraseOf(
    work.tokens,
    items.filter(isWord).map((item) => ({ ...item, facets: [] })),
  ),
  facets: [
    ...items
      .filter((item) => !isWord(item))
      .flatMap(({ facets }) => facets)
      .filter(({ kind }) => kind !== 'past' && kind !== 'soon'),
    ...more.filter(({ kind }) => kind !== 'soon'),
  ],
  task_id: tags.task_id,
});

/** 'the review [3] to 4': a bare number behind the name says which hour it has. */
const hourBehind = (work: Work, items: readonly Item[]): Facet | null => {
  const last = items.at(-1);
  const isNamed = phraseOf(work.tokens, items.slice(0, -1).filter(isPlain)) !== '';
  const [hour] = last && isNamed && isPlain(last) ? bareNumber(work, [last]) : [];
  return hour?.kind === 'clock' ? hour : null;
};

/** The targets that words and times name: by the whole name, else with the parts of the day in it read as times. */
const find = (
  work: Work,
  items: readonly Item[],
  more: readonly Facet[],
  frame: Frame,
  named: (phrase: string) => string = (phrase) => phrase,
): Match & { wanted: Wanted } => {
  const targets = targetsIn(work.context);
  const { tags } = frame;
  const look = (isWord: (item: Item) => boolean): Match & { wanted: Wanted } => {
    const plain = searched(work, items, more, isWord, tags);
    const wanted = { ...plain, phrase: named(plain.phrase) };
    return { ...findEach(wanted, work.context, targets), wanted };
  };
  const found = look(isName);
  const hour = 'ask' in found && found.missing ? hourBehind(work, items) : null;
  if (hour) return find(work, items.slice(0, -1), [...more, hour], frame, named);
  return 'ask' in found && found.missing && items.some((item) => isName(item) && !isPlain(item))
    ? look(isPlain)
    : found;
};

const FOR_GOOD = 'for good|altogether|completely|entirely|permanently|forever|once and for all';
const FOR_GOOD_AT_END = new RegExp(` *\\b(?:${FOR_GOOD})$`, 'i');
const SINCE = new RegExp(
  `\\b(?:from now on|from (?:\\S+ ){1,4}on(?:wards?)?|(?:starting|beginning|as of|effective) (?:in |from |on )?\\w+|going forward|${FOR_GOOD})\\b`,
  'i',
);
/** 'from now on': every occurrence of a series is meant. */
export const isForGood = (work: Work, { clause, items, before }: Frame): boolean =>
  items.slice(0, before).some(({ facets: [first] }) => first?.kind === 'edge' && first.from !== undefined) ||
  SINCE.test(rawOf(work, clause.from, clause.to));

type Aim = { match: Match & { wanted: Wanted }; said: Said };

/** Which event a change names, and what it says of it. */
const aimOf = (work: Work, frame: Frame): Aim => {
  const own = untilAsGoal(work, withoutReplaced(work, frame.items.slice(frame.before)));
  const act = directed(work, own, frame.act ?? 'move');
  const bare = act === 'later' || act === 'earlier' ? bareAmount(work, own) : null;
  const { source, which, goalItems, goal } = partItems(work, bare ? own.slice(0, bare.at) : own, act);
  const named = source.filter((item) => !isPlain(item) || !MOVERS.has(wordAt(work.tokens, item.from)));
  const said = frame.items.slice(0, frame.before).flatMap(({ facets }) => facets);
  // 'from next week on the lesson is at 5'
  const since = isForGood(work, frame) ? said.filter(({ kind }) => kind === 'edge') : [];
  const opening = said.filter((facet) => !since.includes(facet));
  const toLength = goalItems.some(
    (item, i) =>
      item.facets.some(({ kind }) => kind === 'duration') && wordAt(work.tokens, goalItems[i - 1]?.from ?? -1) === 'to',
  );
  const same = /\bsame time\b/i.test(rawOf(work, goalItems[0]?.from ?? 0, goalItems.at(-1)?.to ?? 0));
  // 'delay everything this afternoon by an hour': with a shift, a time says which
  const isAmount = act === 'later' || act === 'earlier' ? ['shift', 'duration'] : ['shift'];
  const isShifted =
    goal.some(({ kind }) => isAmount.includes(kind)) && !toLength && goal.every(({ kind }) => kind !== 'clock');
  const resizes = ['shorten', 'extend', 'make'].includes(act) && goal.some(({ kind }) => RESIZING.has(kind));
  const also =
    isShifted || (resizes && goal.every(({ kind }) => kind !== 'clock'))
      ? goal.filter(({ kind }) => WHEN.has(kind))
      : isForGood(work, frame)
        ? goal.filter(({ kind }) => kind === 'edge')
        : [];
  const rest = goal.filter((facet) => !also.includes(facet));
  const number = goal.length > 0 || bare ? [] : bareNumber(work, goalItems);
  // 'piano lesson on the 10th at 5:30': where there is one on that day, the day says which
  const days =
    which.length === 0 && !goalItems.some((item) => INTO.has(wordAt(work.tokens, item.from)))
      ? rest.filter(({ kind }) => kind === 'days' || kind === 'period')
      : [];
  const onDay = days.length > 0 && rest.length > days.length ? find(work, named, days, frame) : null;
  if (onDay && 'targets' in onDay)
    return { match: onDay, said: { facets: rest.filter((facet) => !days.includes(facet)), act, toLength, same } };
  return {
    match: find(work, named, [...which, ...also, ...since], frame, (phrase) =>
      isForGood(work, frame) ? `all ${phrase}` : phrase,
    ),
    said: { facets: [...opening, ...rest, ...number, ...(bare?.facets ?? [])], act, toLength, same },
  };
};

const unmatched = (
  { context }: Work,
  frame: Frame,
  match: Extract<Match, { ask: string }>,
): Outcome & { missing?: true } => ({
  intents: [],
  ask: match.ask,
  ...(match.missing && { missing: true }),
  ...(match.among && { options: amongTargets(frame, context, match.among) }),
});

const BESIDE = '(right/straight/just/directly/immediately/) (before/after)';
/** 'move the haircut right after the dentist': beside another event that is known. */
const beside = (work: Work, frame: Frame): Outcome | null => {
  const own = withoutReplaced(work, frame.items.slice(frame.before));
  const at = own.findIndex(
    ({ from, facets }, i) => i > 0 && facets.length === 0 && phraseAt(work.tokens, from, BESIDE) !== null,
  );
  const match = at < 0 ? null : find(work, own.slice(0, at).filter(isName), [], frame);
  const [target, ...more] = match && 'targets' in match ? match.targets : [];
  if (!target || more.length > 0) return null;
  const context = { ...work.context, events: work.context.events.filter(({ uid }) => uid !== target.uid) };
  const place = anchorOf({ ...work, context }, own.slice(at))?.place;
  const placed = place?.({ duration: target.duration_minutes ?? 30 });
  const [slot] = placed?.slots ?? [];
  return slot && !placed?.ask ? { intents: [changeIntent(target, timeFields(slot), frame, work)] } : null;
};

/** Moves or resizes what is named. */
export const change = (work: Work, frame: Frame): Outcome & { missing?: true } => {
  const next = frame.act === 'move' || frame.act === 'make' ? beside(work, frame) : null;
  if (next) return next;
  const { match, said } = aimOf(work, frame);
  const { phrase, facets, task_id } = match.wanted;
  if (!phrase && facets.length === 0 && task_id === undefined)
    return { intents: [], ask: 'Which event do you mean?', missing: true };
  if ('ask' in match) return unmatched(work, frame, match);
  const intents: Intent[] = [];
  for (const target of match.targets) {
    const changed = changeOf(target, said, work);
    if ('ask' in changed) return { intents: [], ask: changed.ask };
    const { scheduled_for: at, ...others } = changed.fields;
    if (at && target.scheduled_for && millis(at) === millis(target.scheduled_for) && Object.keys(others).length === 0)
      return { intents: [], ask: `“${target.title}” is at that time already. When should it be?` };
    intents.push(changeIntent(target, changed.fields, frame, work));
  }
  const isSeries = intents.length > 1 && isForGood(work, frame) && match.targets.every((one) => one.recurrence_id);
  return { intents, ...(isSeries && { notes: [NOT_THE_RULE] }) };
};

const NOT_THE_RULE =
  'I move each occurrence of the next 60 days by itself; change the series in the calendar to move all later ones too.';

/** 'cancelled for two weeks' is from today. */
const asPeriod = (facet: Facet, { context }: Work): Facet => {
  const today = todayOf(context);
  return facet.kind === 'span' ? { kind: 'period', from: today, to: today.add(facet.length) } : facet;
};

const PLURALS = /\b(?:meetings|appointments|events|sessions|blocks|plans|calls)\b/i;

/** Cancels by title, by time, or all within a stretch of time. */
export const cancel = (work: Work, frame: Frame): Outcome & { missing?: true } => {
  const items = withoutReplaced(work, frame.items).map((item) => ({
    ...item,
    facets: item.facets.map((facet) => asPeriod(facet, work)),
  }));
  const plain = searched(work, items, [], isPlain, frame.tags);
  const wide = /^(?:everything|all|all of it|anything)$/i.test(plain.phrase);
  if (wide && plain.facets.length === 0)
    return { intents: [], ask: 'Everything? Tell me of which day, or which event I should cancel.' };
  if (!phraseOf(work.tokens, items.filter(isName)) && plain.facets.length === 0 && frame.tags.task_id === undefined)
    return { intents: [], ask: 'Which event should I cancel?' };
  const isAll =
    wide ||
    /^stop$/i.test(frame.lead) ||
    FOR_GOOD_AT_END.test(plain.phrase) ||
    /^(?:my|our|the (?:whole|rest of the|rest of my))$/i.test(plain.phrase) ||
    PLURALS.test(plain.phrase) ||
    (/^(?:(?:my|the|our)\b\s*)?(?:calendar|schedule|agenda|diary|day)?$/i.test(plain.phrase) &&
      /clear|free/i.test(frame.lead));
  const match = find(work, items, [], frame, (phrase) =>
    isAll && !/^(?:all|every)/i.test(phrase) ? `all ${phrase.replace(FOR_GOOD_AT_END, '')}` : phrase,
  );
  if ('ask' in match) return unmatched(work, frame, match);
  return { intents: match.targets.map((target) => cancelIntent(target, frame, work)) };
};

const PAIR = setOf('and with for & , against');

/** 'swap the dentist and the call': each takes the other's time. */
export const swap = (work: Work, frame: Frame): Outcome => {
  const { items } = frame;
  const joints = items.flatMap((item, i) =>
    isPlain(item) && i > 0 && PAIR.has(wordAt(work.tokens, item.from)) ? [i] : [],
  );
  // Times at the end say when both are: 'swap the haircut and the piano lesson this Thursday'
  const shared = items.slice(items.findLastIndex(isName) + 1).flatMap(({ facets }) => facets);
  const own = items.slice(0, items.findLastIndex(isName) + 1);
  const pairs = joints.map((at) =>
    [own.slice(0, at), own.slice(at + 1)].map((half) => find(work, half, shared, frame)),
  );
  const fits = (match: Match): match is { targets: Target[] } & Match =>
    'targets' in match && match.targets.length === 1;
  const pair = pairs.find((halves) => halves.every(fits));
  const [first, second] = pair?.flatMap((match) => ('targets' in match ? match.targets : [])) ?? [];
  if (!first?.scheduled_for || !second?.scheduled_for) {
    const asks = pairs.flat().flatMap((match) => ('ask' in match ? match.ask : []));
    return { intents: [], ask: pairs.length === 1 && asks[0] ? asks[0] : 'Which two events should I swap?' };
  }
  if ([first, second].some(({ scheduled_for }) => millis(scheduled_for!) <= millis(work.context.now)))
    return { intents: [], ask: 'One of them has begun already. When should the other be?' };
  return {
    intents: [
      changeIntent(first, { scheduled_for: second.scheduled_for }, frame, work),
      changeIntent(second, { scheduled_for: first.scheduled_for }, frame, work),
    ],
  };
};

export const NAMED_TO = /\b(?:title|name) to$/i;
const nameOf = (text: string): string =>
  text.replace(/^["“'‘«]+|(?<!["”'’».!,])["”'’».!,]+$/g, '').replace(/,? (?:please|thanks|instead)$/i, '');

/** The name behind 'to' in 'rename the call to Budget call', and the items before it. */
export const newName = (work: Work, { items, clause, lead }: Frame): { name: string; named: Item[] } => {
  // 'change the title to Budget call'
  if (NAMED_TO.test(lead) && items[0]) return { name: nameOf(rawOf(work, items[0].from, clause.to)), named: [] };
  // 'the kickoff is now called Apollo'
  if (/\b(?:called|named|renamed)(?: to)?$/i.test(lead)) {
    const words = work.tokens.slice(clause.from, clause.to).map(({ word }) => word);
    const verb = clause.from + words.findLastIndex((word) => /^(?:called|named|renamed)$/.test(word));
    const start = wordAt(work.tokens, verb + 1) === 'to' ? verb + 2 : verb + 1;
    return {
      name: nameOf(rawOf(work, start, clause.to)).replace(/ (?:now|from now on)$/i, ''),
      named: items.filter(({ to }) => to <= verb),
    };
  }
  const at = items.findIndex(({ from }, i) => i > 0 && ['to', 'as', 'into', ':'].includes(wordAt(work.tokens, from)));
  const quote = items.findIndex(({ from }) => work.tokens[from]?.kind === 'quote');
  const start = quote >= 0 ? items[quote]!.from : (items[at]?.from ?? clause.to) + 1;
  const text = rawOf(work, start, quote >= 0 ? start + 1 : clause.to);
  return {
    name: nameOf(text),
    named: at < 0 && quote < 0 ? [] : items.slice(0, at < 0 ? quote : at),
  };
};

/** 'rename the kickoff to Apollo kickoff'. */
export const rename = (work: Work, frame: Frame): Outcome & { missing?: true } => {
  const { name, named } = newName(work, frame);
  if (!name) return { intents: [], ask: 'What should it be called?' };
  const match = find(work, named, [], frame);
  if ('ask' in match) return unmatched(work, frame, match);
  return {
    intents: match.targets
      .slice(0, 1)
      .map((target) => changeIntent(target, { arguments: { title: name } }, frame, work)),
  };
};
