/** Frames: one clause as mood, verb, the words and times it takes, and its tags. */
import type { Clause } from './clauses.ts';
import { type Facet, type Item, WHEN } from './facet.ts';
import { withoutAside, withoutReason } from './reason.ts';
import { phraseOf, type Tags, tagsOf } from './title.ts';
import { type Act, isAboutIt, politeAt, verbAt, verbBehind } from './verbs.ts';
import { sentenceAt } from './clause/sentence.ts';
import { phraseAt, setOf, type Token, wordAt } from './words.ts';
import { PUTTING } from './words/name-doubts.ts';
import { EXTENT } from './words/letters.ts';
import { type Kind, kindOf, mayCome } from './clause/kind.ts';

export type Frame = {
  clause: Clause;
  kind: Kind;
  act: Act | null;
  /** The verb as written, for the reasoning: 'Plan'. */
  lead: string;
  /** Where the verb is. */
  verb: { from: number; to: number } | null;
  /** What is said beside the request. */
  asides: readonly Item[];
  /** Words and times of the clause without its verb, in their order. */
  items: Item[];
  /** The same with a verb that was said behind. */
  whole: Item[];
  /** How many of `items` were said before the verb. */
  before: number;
  tags: Tags & { minutes?: number };
  /** It corrects what was said or proposed before: 'no, ...', 'instead', 'rather'. */
  corrects: boolean;
  /** What was said is to be kept as it is, its times included. */
  verbatim: boolean;
  /** Its time was reported before, and which one it is cannot be said. */
  isUnsure?: boolean;
  /** Where it is: behind “@”. */
  place?: string;
};

const CORRECTIVE = setOf('no nope actually instead rather sorry better wait not mean meant');
const SKIPPED = setOf(', : - – — . ! " ( ) … + &');

export const asWords = ({ from, to }: Pick<Item, 'from' | 'to'>): Item[] =>
  Array.from({ length: Math.max(0, to - from) }, (_, n) => ({ from: from + n, to: from + n + 1, facets: [] }));

const isPlain = (item: Item): boolean => item.facets.length === 0 || item.kept === true;

/** Days right behind 'reflect on' are what is reflected on: 'on today', 'how last week went'. */
const isObject = (item: Item): boolean =>
  item.facets.length > 0 &&
  item.facets.every(
    (facet) =>
      facet.kind === 'past' ||
      facet.kind === 'period' ||
      (facet.kind === 'days' && facet.days.every(({ weekday, roll }) => weekday === undefined && !roll)),
  );

type Found = { act: Act; start: number; next: number };

/** The items behind a verb that ends before token `next`. A reflection keeps its verb in the title. */
const behind = (tokens: readonly Token[], items: readonly Item[], { act, start, next }: Found): Item[] => {
  const rest = items.filter(({ to }) => to > next);
  const [first] = rest;
  if (act !== 'reflect') return rest;
  const cuts = first !== undefined && first.from < next;
  const lead = asWords({ from: start, to: cuts && !isObject(first) ? first.from : next });
  const isAbout = first && isObject(first) && (cuts || (rest.length > 1 && wordAt(tokens, next - 1) === 'how'));
  return isAbout
    ? [...lead, ...asWords(first).filter(({ from }) => from >= next), ...rest.slice(1)]
    : [...lead, ...rest];
};

/** 'remind me on Friday to reflect on the week': the reflection is what is asked for. */
const reflectionIn = (tokens: readonly Token[], items: readonly Item[]): Found | null => {
  for (const { from, facets } of items.slice(0, 6)) {
    if (facets.length > 0) continue;
    const verb = verbAt(tokens, from);
    if (verb?.act === 'reflect') return { ...verb, start: from };
    if (!['to', 'a', 'some', 'me', ','].includes(wordAt(tokens, from))) return null;
  }
  return null;
};

const SAYING = setOf(
  'wrote says said told texted emailed called rang confirmed announced mentioned informed decided mailed thinks heard',
);
/** The index behind 'the teacher wrote that', where a sentence follows. */
const toldBefore = (tokens: readonly Token[], items: readonly Item[]): number | null => {
  const [from, to] = [items[0]?.from ?? 0, items.at(-1)?.to ?? 0];
  const sentence = sentenceAt(tokens, from, to);
  if (!sentence || !SAYING.has(wordAt(tokens, sentence.verb))) return null;
  const next =
    phraseAt(tokens, sentence.verb + 1, '(me/us/to say/to tell me/) that') ??
    phraseAt(tokens, sentence.verb + 1, 'to say|to tell me|:');
  return next;
};

type Stripped = { found: Found | null; before: Item[]; rest: Item[] };

/** Takes courtesies and the verb off; times said before the verb are kept apart. */
const strip = (tokens: readonly Token[], { items }: Clause): Stripped => {
  const before: Item[] = [];
  let i = 0;
  const skipTo = (token: number): void => {
    while (i < items.length && items[i]!.to <= token) i++;
  };
  const told = toldBefore(tokens, items);
  if (told !== null) skipTo(told);
  for (let n = 0; n < 40 && i < items.length; n++) {
    const { from, facets, kept } = items[i]!;
    const isTime = facets.length > 0 && !kept;
    const verb = isTime ? null : verbAt(tokens, from);
    // 'say Friday at 5'
    if (wordAt(tokens, from) === 'say' && items[i + 1] && items[i + 1]!.facets.length > 0) {
      i++;
      continue;
    }
    // 'Half an hour is enough' asks nothing
    if (verb && !(verb.act === 'ask' && before.length > 0)) {
      const found = { ...verb, start: from };
      return { found, before, rest: behind(tokens, items.slice(i), found) };
    }
    const polite = facets.length > 0 ? null : politeAt(tokens, from);
    if (polite) {
      skipTo(polite);
      if (items[i] && items[i]!.from < polite) i++;
    } else if (isTime) before.push(items[i++]!);
    else if (wordAt(tokens, from) === 'no' && isAboutIt(tokens, from + 1)) i++;
    else if (SKIPPED.has(wordAt(tokens, from))) i++;
    else break;
  }
  return { found: null, before, rest: items.slice(i) };
};

const TAKES = /^(?:takes?|runs?|lasts?|goes|will|is|should|needs)$/;
/** What 'half an hour longer', said right behind the verb, asks for. */
const lengthening = (items: readonly Item[]): Act | null => {
  const shift = items.slice(0, 3).flatMap(({ facets }) => facets)[0];
  if (shift?.kind !== 'shift') return null;
  return shift.way === 'longer' ? 'extend' : shift.way === 'shorter' ? 'shorten' : null;
};

/** 'The dentist needs to move to Friday': the verb behind its object. */
const stripBehind = (tokens: readonly Token[], items: readonly Item[]): (Found & { rest: Item[] }) | null => {
  for (const [at, item] of items.slice(0, 12).entries()) {
    // 'an hour after the kickoff ends' says when, and not what to do
    if (item.facets.some(({ kind }) => kind === 'gap') || ['before', 'after'].includes(wordAt(tokens, item.from)))
      return null;
    // "yoga's off this week"
    const off = tokens[item.from]!.possessive
      ? phraseAt(tokens, item.from + 1, 'out|off|cancelled|canceled|not happening')
      : null;
    if (off) {
      const rest = items.filter(({ from }) => from <= item.from || from >= off);
      return { act: 'cancel', start: item.from + 1, next: off, rest };
    }
    // 'Yoga runs half an hour longer'
    const longer = at > 0 && TAKES.test(wordAt(tokens, item.from)) ? lengthening(items.slice(at + 1)) : null;
    if (longer)
      return {
        act: longer,
        start: item.from,
        next: item.from + 1,
        rest: items.filter((_, i) => i < at || items[i]!.facets.length > 0),
      };
    // 'Yoga will take 90 minutes'
    const takes = at > 0 && /^(?:takes|will|should|needs|lasts)$/.test(wordAt(tokens, item.from));
    if (
      takes &&
      item.facets[0]?.kind === 'duration' &&
      !items.some(({ facets }) => facets.some(({ kind }) => kind === 'clock'))
    )
      return { act: 'be', start: item.from, next: item.from + 1, rest: [...items] };
    const isBehind = items.slice(0, at).some((one) => isPlain(one)) && item.facets.length === 0;
    const verb = isBehind ? verbBehind(tokens, item.from) : null;
    const next =
      verb && items.find(({ from }) => from >= verb.next && !['on', 'at', 'in', 'from'].includes(wordAt(tokens, from)));
    const behind = verb && items.find(({ from }) => from >= verb.next);
    const isTimed = [next, behind].some((one) => one && one.facets.length > 0);
    // 'haircut when', and nothing behind it
    if (verb?.act === 'ask' && items.some(({ from }) => from >= verb.next && tokens[from]?.kind !== 'mark')) continue;
    if (verb && (verb.act !== 'be' || isTimed))
      return {
        ...verb,
        start: item.from,
        rest: [...items.slice(0, at), ...items.filter(({ to }) => to > verb.next)],
      };
  }
  return null;
};

/** The clause without words that only say to which extent, or refer to what was reported: 'accordingly', 'for that one day only'. */
const withoutExtent = (tokens: readonly Token[], clause: Clause): Clause => {
  const { items } = clause;
  const left: Item[] = [];
  let end = 0;
  for (const item of items) {
    const next = item.facets.length === 0 && item.from >= end ? phraseAt(tokens, item.from, EXTENT) : null;
    if (next !== null) end = next;
    if (item.from >= end) left.push(item);
  }
  return left.length > 0 && left.length < items.length ? { ...clause, items: left } : clause;
};

const PLACED = new Set<Act>(['schedule', 'block', 'remind', 'have']);
/** The place behind '@', and the items without it. */
const placeIn = (tokens: readonly Token[], items: readonly Item[]): { name: string; items: Item[] } | null => {
  const at = items.findIndex(({ from, facets }) => facets.length === 0 && wordAt(tokens, from) === '@');
  const size = items.slice(at + 1).findIndex((item) => !isPlain(item) || wordAt(tokens, item.from) === ',');
  const end = at < 0 || size < 0 ? items.length : at + 1 + size;
  const name = at < 0 ? '' : phraseOf(tokens, items.slice(at + 1, end));
  return name ? { name, items: [...items.slice(0, at), ...items.slice(end)] } : null;
};

/** 'put Mrs Okafor [down] for a cut', 'put the plumber [in]': the words that belong to the verb. */
const withoutParticle = (tokens: readonly Token[], next: number, items: readonly Item[]): readonly Item[] => {
  if (!PUTTING.has(wordAt(tokens, next - 1))) return items;
  return items.filter(({ from, facets }, i) => {
    const isParticle =
      facets.length === 0 && /^(?:in|down)$/.test(wordAt(tokens, from)) && i > 0 && items[i - 1]!.facets.length === 0;
    const follows = items[i + 1];
    return !(isParticle && (follows === undefined || wordAt(tokens, follows.from) === 'for'));
  });
};

/** Reads one clause. `text` is it as written. */
export const readFrame = (tokens: readonly Token[], said: Clause, text: string): Frame => {
  const clause = withoutExtent(tokens, said);
  const { found, before, rest } = strip(tokens, clause);
  const passive = found ? null : stripBehind(tokens, rest);
  const mayReflect = found && ['remind', 'schedule', 'block'].includes(found.act);
  const reflect = mayReflect ? reflectionIn(tokens, rest) : null;
  const index = reflect ? rest.findIndex(({ from }) => from === reflect.start) : 0;
  const plain = reflect
    ? [...rest.slice(0, index).filter((item) => !isPlain(item)), ...behind(tokens, rest.slice(index), reflect)]
    : (passive?.rest ?? rest);
  const verb = reflect ?? found ?? passive;
  const own = withoutParticle(
    tokens,
    (found ?? passive)?.next ?? 0,
    verb?.act === 'log' || verb?.act === 'ask' || verb?.act === 'reflect'
      ? plain
      : withoutAside(tokens, withoutReason(tokens, plain), {
          cancels: verb?.act === 'cancel',
          hasVerb: verb?.act === 'dismiss' || verb?.act === 'refuse',
        }),
  );
  const led = found ?? passive;
  const words = tokens.slice(clause.from, clause.to).map(({ word }) => word);
  const facets = facetsOf(own);
  // 'call the review "Numbers"'
  const names =
    !verb &&
    /^(?:call|name)$/.test(wordAt(tokens, rest[0]?.from ?? -1)) &&
    rest.some(({ from }) => tokens[from]?.kind === 'quote');
  // 'note down my eye test on Wednesday at 11' is for the calendar; 'we have decided' reports
  const books =
    verb?.act === 'log' &&
    wordAt(tokens, verb.next - 1) === 'down' &&
    ['clock', 'hours'].some((one) => facets.some(({ kind }) => kind === one)) &&
    facets.some(({ kind }) => kind === 'days');
  const reports = verb?.act === 'have' && kindOf({ tokens, clause, act: null, text }) === 'report' && !mayCome(text);
  const runsUntil =
    verb?.act === 'be' &&
    /^(?:run|runs|last|lasts|take|goes|go|stays|ends)$/.test(wordAt(tokens, verb.next - 1)) &&
    facets.some((facet) => facet.kind === 'hours' && facet.to && !facet.from);
  const act = books ? 'schedule' : names ? 'rename' : runsUntil ? 'extend' : reports ? null : (verb?.act ?? null);
  const place = act === null || PLACED.has(act) ? placeIn(tokens, own) : null;
  return {
    ...(place && { place: place.name }),
    clause,
    kind: kindOf({ tokens, clause, act, text }),
    act,
    lead: led
      ? tokens
          .slice(led.start, led.next)
          .map((token) => token.text)
          .join(' ')
      : '',
    verb: led ? { from: led.start, to: led.next } : null,
    asides: plain.filter((item) => !own.some(({ from }) => from === item.from)),
    items: [...before, ...(names ? own.slice(1) : (place?.items ?? own))],
    whole: [...before, ...(passive ? rest : own)],
    before: before.length,
    tags: tagsOf(tokens, clause.from, clause.to),
    verbatim:
      act === 'log' &&
      ['that', ':'].some((mark) => wordAt(tokens, verb!.next - 1) === mark || wordAt(tokens, verb!.next) === mark),
    corrects: words.some((word, i) => CORRECTIVE.has(word) && (i < 3 || word === 'instead' || word === 'rather')),
  };
};

const DAY_KINDS = new Set(['days', 'period', 'edge', 'every', 'instant']);
const namesDay = (items: readonly Item[]): boolean =>
  items.some((item) => !item.kept && item.facets.some(({ kind }) => DAY_KINDS.has(kind)));

/** The facets that count: a day that only describes a noun ("Friday's standup") does not count beside a day that was named as such. */
export const facetsOf = (items: readonly Item[]): Facet[] => {
  const named = namesDay(items);
  return items.flatMap((item) =>
    item.facets.filter(
      ({ kind }) =>
        !(kind === 'past' && (named || item.kept)) && !((kind === 'days' || kind === 'period') && item.kept && named),
    ),
  );
};

/** Items for the title: facets that count are gaps in it; 'yesterday' beside another time is a word. */
export const titleItems = (items: readonly Item[], act: Act | null): Item[] =>
  items.flatMap((item) =>
    item.facets.length === 1 && item.facets[0]!.kind === 'past' && (act === 'reflect' || namesDay(items))
      ? asWords(item)
      : [item],
  );

export const hasWhen = (facets: readonly Facet[]): boolean => facets.some(({ kind }) => WHEN.has(kind));

/** The frame with its verb as part of the title: 'Bring cake'. */
export const withVerb = (frame: Frame): Frame => {
  const rest = frame.items.slice(frame.before);
  const first = rest[0]?.from ?? frame.clause.to;
  const start = Math.max(frame.clause.from, first - frame.lead.split(' ').length);
  return {
    ...frame,
    act: null,
    items: [...frame.items.slice(0, frame.before), ...asWords({ from: start, to: first }), ...rest],
  };
};
