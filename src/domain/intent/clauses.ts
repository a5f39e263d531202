/** Clauses: cuts the items of a prompt into single requests. */
import { correctionAt, GLUE, hasWhen, isLeadIn, opensFurther, putsIt } from './clause-starts.ts';
import type { FacetKind, Item } from './facet.ts';
import { afterCourtesy, isAboutIt, opensClause, verbAt } from './verbs.ts';
import { listOf } from './list.ts';
import { sentenceAt } from './clause/sentence.ts';
import { tells } from './clause/kind.ts';
import { opensAside, opensReason } from './reason.ts';
import { phraseAt, setOf, type Token, wordAt } from './words.ts';

/** `listed`: one of several short things to do, which share the times at the end. `joined`: by a conjunction to the clause before it in the same sentence. `after`: said to come after it. `from`/`to` are token indices. */
export type Clause = { items: Item[]; from: number; to: number; joined: boolean; after: boolean; listed?: true };

const STOPS = setOf('. ! ? ;');
const ABBREVIATIONS = setOf(
  'mr mrs ms dr st prof vs approx no nr etc jr sr e.g i.e dept mt mon tue tues wed thu thur thurs fri sat sun jan feb apr jun jul aug sep sept oct nov dec',
);
const JOINTS = setOf('and , & then plus also but so ; — – + /');
const BULLETS = setOf('- * • – —');

const isWord = (item: Item): boolean => item.facets.length === 0 || item.kept === true;

/** A full stop ends a sentence unless it belongs to an abbreviation, a number or a list mark. */
const endsSentence = (tokens: readonly Token[], i: number): boolean => {
  const token = tokens[i]!;
  if (token.kind === 'break') return true;
  if (token.kind !== 'mark' || !STOPS.has(token.word)) return false;
  const next = tokens[i + 1];
  if (token.word !== '.') return true;
  if (next?.glued && next.kind !== 'break') return false;
  const before = tokens[i - 1];
  const listNumber = before?.kind === 'number' && (i < 2 || tokens[i - 2]!.kind === 'break');
  return (
    !before ||
    !(
      ABBREVIATIONS.has(before.word) ||
      (/^\p{L}$/u.test(before.word) && before.word !== 'i' && !before.glued) ||
      listNumber
    )
  );
};

/** Bullets and list numbers at a line's start are no words of the request. */
const unbulleted = (tokens: readonly Token[], items: Item[]): Item[] => {
  let at = 0;
  while (items[at] && BULLETS.has(wordAt(tokens, items[at]!.from)) && isWord(items[at]!)) at++;
  const number = items[at];
  const close = items[at + 1];
  if (
    number &&
    close &&
    tokens[number.from]?.kind === 'number' &&
    [')', '.'].includes(wordAt(tokens, close.from)) &&
    isWord(close) &&
    number.to === number.from + 1
  )
    at += 2;
  if (wordAt(tokens, items[at]?.from ?? -1) === '[' && wordAt(tokens, items[at + 2]?.from ?? -1) === ']') at += 3;
  else if (wordAt(tokens, items[at]?.from ?? -1) === '[' && wordAt(tokens, items[at + 1]?.from ?? -1) === ']') at += 2;
  return items.slice(at);
};

const sentences = (tokens: readonly Token[], items: Item[]): Item[][] => {
  const found: Item[][] = [[]];
  for (const item of items) {
    if (isWord(item) && item.to === item.from + 1 && endsSentence(tokens, item.from)) found.push([]);
    else found.at(-1)!.push(item);
  }
  return found.map((sentence) => unbulleted(tokens, sentence)).filter((sentence) => sentence.length > 0);
};

const GROUPS: Partial<Record<FacetKind, string>> = {
  clock: 'clock',
  hours: 'clock',
  instant: 'clock',
  days: 'day',
  period: 'day',
  every: 'day',
  part: 'part',
  duration: 'length',
};

/** Which of clock, day, part of day and length a stretch names. */
const groups = (items: readonly Item[]): Set<string> =>
  new Set(items.flatMap((item) => (item.kept ? [] : item.facets)).flatMap(({ kind }) => GROUPS[kind] ?? []));

/** For every place, where the next facet that says when begins. */
const nextWhens = (items: readonly Item[]): number[] => {
  const next = Array.from<number>({ length: items.length + 1 }).fill(items.length);
  for (let i = items.length - 1; i >= 0; i--) next[i] = hasWhen(items[i]!) ? i : next[i + 1]!;
  return next;
};

const subjectWords = (tokens: readonly Token[], items: readonly Item[]): number =>
  items.filter((item) => isWord(item) && !GLUE.has(wordAt(tokens, item.from))).length;

/** The run of facets around `i`, a comma or one small word between them allowed. */
const runFrom = (tokens: readonly Token[], items: readonly Item[], i: number): Item[] => {
  const run: Item[] = [];
  for (let at = i; at < Math.min(items.length, i + 10); at++) {
    const item = items[at]!;
    if (item.facets.length > 0) run.push(item);
    else if (!GLUE.has(wordAt(tokens, item.from)) || JOINTS.has(wordAt(tokens, item.from))) break;
  }
  return run;
};

type Sentence = { tokens: readonly Token[]; items: Item[]; whens: number[] };

/** Words of its own right behind the times that open a request: '30min on #beta'. */
const wordsBehind = (tokens: readonly Token[], items: readonly Item[], when: number): number => {
  const run = items.slice(when, when + 8);
  const end = run.findIndex((item) => item.facets.length === 0 && JOINTS.has(wordAt(tokens, item.from)));
  return subjectWords(tokens, end < 0 ? run : run.slice(0, end));
};

const SPEAKER = /^(?:i|we)(?:'|$)/;
/** Whether two requests share their verb here: 'gym on Monday at 7 and lunch with Anna on Tuesday at 12'. */
const sharesVerb = ({ tokens, items, whens }: Sentence, start: number, joint: number, after: number): boolean => {
  const when = whens[after]!;
  if (
    when >= items.length ||
    (opensAside(tokens, items[after]!.from) && !SPEAKER.test(wordAt(tokens, items[after]!.from)))
  )
    return false;
  const left = items.slice(Math.max(start, joint - 60), joint);
  const leftGroups = groups(left);
  if (leftGroups.size === 0 || (subjectWords(tokens, left) === 0 && start === 0)) return false;
  const right = groups(runFrom(tokens, items, when));
  const between = items.slice(after, when);
  const comma = items.slice(joint, after).every(({ from }) => wordAt(tokens, from) === ',');
  const end = items.findIndex((item, i) => i >= after && isWord(item) && JOINTS.has(wordAt(tokens, item.from)));
  const rest = items.slice(after, end < 0 ? after + 12 : end);
  // Times alone behind a comma belong to the clause, unless they are a day and an hour of their own
  if (comma && subjectWords(tokens, rest) === 0 && !(right.has('clock') && right.has('day'))) return false;
  // 'after 3 and finished by 6'
  const bounds = runFrom(tokens, items, when).flatMap(({ facets }) => facets);
  if (subjectWords(tokens, rest) === 0 && bounds.every((facet) => facet.kind === 'hours' && !facet.exact)) return false;
  const shared = [...right].filter((group) => leftGroups.has(group));
  if (shared.some((group) => group === 'clock' || group === 'day')) return when - after < 14;
  if (shared.length > 0 && subjectWords(tokens, between) + wordsBehind(tokens, items, when) > 0)
    return when - after < 14;
  const and = items.slice(joint, after).some(({ from }) => ['and', '&', 'plus', 'then'].includes(wordAt(tokens, from)));
  const first = items[after];
  return (
    and &&
    hasWhen(items[joint - 1]!) &&
    (right.has('clock') || right.has('day')) &&
    subjectWords(tokens, between) > 0 &&
    first !== undefined &&
    isWord(first) &&
    !PREPOSITION_STARTS.has(wordAt(tokens, first.from))
  );
};
const PREPOSITION_STARTS = setOf('with for about to of in on at by from');

/** How many items from `i` on are conjunctions and courtesies. */
const jointLength = (tokens: readonly Token[], items: readonly Item[], i: number): number => {
  let at = i;
  while (
    at < Math.min(items.length, i + 6) &&
    items[at]!.facets.length === 0 &&
    JOINTS.has(wordAt(tokens, items[at]!.from)) &&
    notGlued(tokens, items[at]!.from)
  )
    at++;
  return at - i;
};
/** '10,000' and 'R&D' are not conjunctions. */
const notGlued = (tokens: readonly Token[], i: number): boolean =>
  !(tokens[i]!.kind === 'mark' && tokens[i]!.glued && tokens[i + 1]?.glued);

const standsAlone = (tokens: readonly Token[], items: readonly Item[]): boolean => {
  const first = items.find(isWord);
  if (!first) return false;
  const verb = verbAt(tokens, afterCourtesy(tokens, first.from));
  return verb?.act === 'dismiss' || (subjectWords(tokens, items) > 0 && (verb !== null || items.some(hasWhen)));
};

const isLog = (tokens: readonly Token[], items: readonly Item[]): boolean =>
  verbAt(tokens, afterCourtesy(tokens, items[0]?.from ?? 0))?.act === 'log';

/** Where each part of a sentence begins that a comma or a conjunction opens. */
const partStarts = (tokens: readonly Token[], items: readonly Item[]): number[] => {
  const starts = [0];
  for (let i = 1; i < items.length; i++) {
    const size = jointLength(tokens, items, i);
    if (size > 0) starts.push((i += size));
  }
  return starts;
};

/** 'The garage called, ...': a sentence that tells something, complete where the joint is. */
const toldFirst = (tokens: readonly Token[], left: readonly Item[]): boolean => {
  const [first, last] = [left[0], left.at(-1)];
  // 'plan: then ...' has nothing between the colon and the joint
  if (!first || !last) return false;
  const [from, to] = [first.from, last.to];
  return verbAt(tokens, afterCourtesy(tokens, from)) === null && tells(tokens, left, from, to);
};

const NAMING = setOf('the my our');
/** 'the letter just came [the concert is on Thursday]': a report, and another one right behind its verb. */
const runsOn = (tokens: readonly Token[], items: readonly Item[], start: number, i: number): boolean => {
  const { from } = items[i]!;
  if (i <= start || !NAMING.has(wordAt(tokens, from)) || !isWord(items[i]!)) return false;
  const left = items.slice(start, i);
  const told = sentenceAt(tokens, left[0]!.from, from);
  return (
    told !== null &&
    told.verb === from - 1 &&
    toldFirst(tokens, left) &&
    sentenceAt(tokens, from, items.at(-1)!.to) !== null
  );
};

const THEN =
  'then|after that|afterwards|also|(right/straight/directly) after (that/)|(on/) the (day/evening/morning/week) (after/before)|the (next/following) day';
const splitSentence = (tokens: readonly Token[], items: Item[], whens: number[]): Clause[] => {
  const clauses: Clause[] = [];
  const lead = items.findIndex(({ from }, i) => wordAt(tokens, from) === ':' && isLeadIn(tokens, items.slice(0, i)));
  const listed = listOf(tokens, items, partStarts(tokens, items), lead + 1);
  let start = 0;
  let joined = false;
  let follows = false;
  const close = (end: number): void => {
    const part = items.slice(start, end);
    if (part.length > 0)
      clauses.push({
        items: part,
        from: part[0]!.from,
        to: part.at(-1)!.to,
        joined,
        after: follows,
        ...(listed.size > 0 && { listed: true as const }),
      });
  };
  for (let i = 1; i < items.length;) {
    const fixes = isWord(items[i]!) ? correctionAt(tokens, items[i]!.from) : null;
    if (fixes && items.slice(i, i + 7).some(hasWhen)) {
      close(i);
      start = i;
      joined = true;
      follows = false;
      while (i < items.length && items[i]!.from < fixes) i++;
      continue;
    }
    if (runsOn(tokens, items, start, i)) {
      close(i);
      start = i++;
      joined = true;
      continue;
    }
    if (putsIt(tokens, items[i]!)) {
      close(i);
      start = i;
      joined = true;
      i++;
      continue;
    }
    const behind = items[i + 1]?.from;
    const colon =
      wordAt(tokens, items[i]!.from) === ':' &&
      behind !== undefined &&
      (isAboutIt(tokens, behind) || opensClause(tokens, behind) || isLeadIn(tokens, items.slice(start, i)));
    if (colon) {
      close(isLeadIn(tokens, items.slice(start, i)) ? i + 1 : i);
      start = i + 1;
      joined = true;
      i++;
      continue;
    }
    const size = jointLength(tokens, items, i);
    if (size === 0) {
      i++;
      continue;
    }
    const after = i + size;
    const next = items[after];
    const left = items.slice(Math.max(start, i - 60), i);
    const log = isLog(tokens, items.slice(start, start + 4));
    const saysThen =
      items.slice(i, after).some(({ from }) => wordAt(tokens, from) === 'then') ||
      (next !== undefined && phraseAt(tokens, next.from, THEN) !== null);
    const further = opensFurther(tokens, items.slice(start, i), items.slice(i, after), items.slice(after, after + 8));
    const opens = next !== undefined && isWord(next) && opensClause(tokens, next.from);
    const request =
      opens &&
      (isAboutIt(tokens, next.from) ||
        standsAlone(tokens, items.slice(start, start + 60)) ||
        opensReason(tokens, items[start]!.from, items[i]!.from));
    const cut =
      (next !== undefined && wordAt(tokens, items[i]!.from) !== 'and' && toldFirst(tokens, items.slice(start, i))) ||
      listed.has(after) ||
      request ||
      further ||
      (!log && saysThen && next !== undefined && standsAlone(tokens, left)) ||
      (!log && sharesVerb({ tokens, items, whens }, start, i, after));
    if (cut) {
      close(i);
      start = after;
      joined = true;
      follows = saysThen;
    }
    i = after;
  }
  close(items.length);
  return clauses;
};

/** The requests of a prompt, in order; at most `most`. */
export const splitClauses = (tokens: readonly Token[], items: Item[], most: number): Clause[] => {
  const clauses: Clause[] = [];
  for (const sentence of sentences(tokens, items)) {
    clauses.push(...splitSentence(tokens, sentence, nextWhens(sentence)));
    if (clauses.length > most) break;
  }
  return clauses.slice(0, most + 1);
};
