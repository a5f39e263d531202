/** Reads a rule for all plans: which hours it excludes or states, how many plans it allows, how long they usually are. */
import { hasWord, wordsOf } from '../act/names.ts';
import { weekdaysOf } from '../act/repeat.ts';
import { isSure } from '../time/clocks.ts';
import { readTime } from '../time/read-time.ts';
import { type Hint, minuteOf, startAndLength } from '../time/settle-clock.ts';
import type { Clock, Edge, Item, PartOfDay } from '../time/types.ts';
import {
  EACH_TIME,
  EXPLAINING,
  LONGEST_PHRASE,
  REASONS,
  RESTRICTING,
  RULE_WORDS,
  type RuleKind,
} from '../words/rule-words.ts';

/** Minutes of a day, half-open. An end above 1440 is on the next day. */
type Minutes = readonly [from: number, to: number];
/** `days` are weekdays, 1 Monday to 7; null means all of them. */
export type Rule =
  | { rule: 'without'; days: readonly number[] | null; hours: readonly Minutes[]; isStrict: boolean }
  /** The hours of these days; with `isAll` the other days have none. */
  | { rule: 'hours'; days: readonly number[] | null; hours: readonly Minutes[]; isAll: boolean; isStrict: boolean }
  /** The days that have hours. */
  | { rule: 'days'; days: readonly number[]; isStrict: boolean }
  | { rule: 'most'; per: 'day' | 'week'; max: number }
  | { rule: 'length'; minutes: number; isDeep: boolean };

const DAY: Minutes = [0, 1440];
const TO_TEXT = /[\p{L}\p{M}']+|[^\p{L}\p{M}']+/gu;

/** A part of a rule: its words, their kinds, and what is left of them, which is a time. */
type Part = { kinds: ReadonlySet<RuleKind>; items: readonly Item[]; words: string; time: string };

const isWord = (token: string | undefined): boolean => token !== undefined && /^[\p{L}\p{M}']/u.test(token);

/** The longest phrase of the table that begins at a token: its kind, and the token behind it. */
const phraseAt = (tokens: readonly string[], at: number): { kind: RuleKind; end: number } | null => {
  let found: { kind: RuleKind; end: number } | null = null;
  let phrase = '';
  for (let i = at, n = 0; n < LONGEST_PHRASE && isWord(tokens[i]); i += 2, n++) {
    phrase += n === 0 ? tokens[i] : ` ${tokens[i]}`;
    const kind = RULE_WORDS.get(phrase);
    if (kind) found = { kind, end: i + 1 };
    if (!/^[\s-]+$/.test(tokens[i + 1] ?? '')) break;
  }
  return found;
};

const folded = (text: string): string => text.toLowerCase().replace(/[’‘`´]/g, "'");

/** Without what is behind 'because'. */
const withoutReason = (tokens: readonly string[]): readonly string[] => {
  const end = tokens.findIndex((token) => REASONS.has(token));
  return end < 0 ? tokens : tokens.slice(0, end);
};

const partOf = (text: string): Part | null => {
  const tokens = withoutReason(folded(text).match(TO_TEXT) ?? []);
  const kinds = new Set<RuleKind>();
  let words = '';
  for (let i = 0; i < tokens.length;) {
    const found = isWord(tokens[i]) ? phraseAt(tokens, i) : null;
    const end = found?.end ?? i + 1;
    if (found) kinds.add(found.kind);
    words += found && found.kind !== 'kept' ? (found.kind === 'only' ? ' ; ' : ' ') : tokens.slice(i, end).join('');
    i = end;
  }
  if (kinds.has('other')) return null;
  const said = words.replace(/[\s;,.:!?=()"“”–-]+/g, '') ? readTime(words) : { items: [], names: [], unread: [] };
  const isRead = said.names.length + said.unread.length === 0 && !(kinds.has('back') && said.items.length > 0);
  return isRead ? { kinds, items: said.items, words: folded(text), time: words } : null;
};

/** The weekdays that an item says; an empty list means every day, null that it says no days of a week. */
const daysOf = (item: Item): number[] | null => {
  if (item.item === 'every') {
    const { unit, step = 1, weekdays, ...more } = item.every;
    if (step !== 1 || Object.keys(more).length > 0) return null;
    if (unit === 'day' && !weekdays) return [];
    return unit === 'week' && weekdays ? [...weekdays] : null;
  }
  if (item.item === 'whole') return [];
  if (item.item !== 'days') return null;
  const { days } = item;
  return days.of === 'cycle' && days.unit === 'weekend' && days.step === 0 && !days.isRest && !days.isSaid
    ? [6, 7]
    : weekdaysOf(days);
};

/** 'After 8' of a rule is in the evening, and 'before 8' in the morning. */
const LATE: PartOfDay = { from: 720, to: 1380 };
const isStart = (edge: Edge): boolean => edge === 'after' || edge === 'from';
/** A morning begins with the day, and an evening ends with it. */
const FIRST_OF_MORNING = 480;
const LAST_OF_EVENING = 1320;
const widened = ({ from, to }: PartOfDay): Minutes => [
  from <= FIRST_OF_MORNING ? 0 : from,
  to >= LAST_OF_EVENING ? 1440 : to,
];

type Said = { from?: number; to?: number; part?: Minutes };

/** The hours that an item says: a stretch, a start or an end; null where it says none. */
const hoursOf = (item: Item, part: PartOfDay | undefined, isOnly: boolean): Said | null => {
  if (item.item === 'part') return { part: widened(item.part) };
  if (item.item === 'hours') {
    if (item.from.zone || item.to.zone) return null;
    const { at, minutes } = startAndLength(item.from, item.to, part);
    return { from: at, to: at + minutes };
  }
  if (item.item !== 'bound' || item.at.days) return null;
  const { edge, at } = item;
  if (!at.clock) {
    if (!at.part) return null;
    const [from, to] = widened(at.part);
    return isStart(edge) ? { from: edge === 'after' ? to : from } : { to: edge === 'before' ? from : to };
  }
  const minute = boundOf(at.clock, edge, at.part ?? at.clock.part ?? part, isOnly);
  return minute === null ? null : isStart(edge) ? { from: minute } : { to: minute };
};

/** 'Only after 9' does not say which half of the day it means. */
const boundOf = (clock: Clock, edge: Edge, part: PartOfDay | undefined, isOnly: boolean): number | null => {
  if (clock.zone || edge === 'by') return null;
  const isOpen = !isSure(clock) && !clock.isExact && !part && clock.hour >= 8 && clock.hour < 12;
  if (isOnly && isOpen) return null;
  const hint: Hint | undefined = part ?? (isOnly ? undefined : isStart(edge) ? LATE : 'am');
  return minuteOf(clock, { hint });
};

/** What a part says of hours; bounds are one stretch where the start is before the end. */
const stretchesOf = (said: readonly Said[]): { hours: Minutes[]; isOneSided: boolean } | null => {
  const whole = said.flatMap(({ from, to }): Minutes[] => (from !== undefined && to !== undefined ? [[from, to]] : []));
  const parts = said.flatMap(({ part }) => (part ? [part] : []));
  const open = said.filter(({ from, to, part }) => !part && (from === undefined) !== (to === undefined));
  const starts = open.flatMap(({ from }) => from ?? []);
  const ends = open.flatMap(({ to }) => to ?? []);
  if (starts.length > 1 || ends.length > 1 || (open.length > 0 && whole.length > 0)) return null;
  const [from, to] = [starts[0], ends[0]];
  if (from !== undefined && to !== undefined)
    return from < to
      ? { hours: [[from, to]], isOneSided: false }
      : {
          hours: [
            [0, to],
            [from, 1440],
          ],
          isOneSided: true,
        };
  const edges: Minutes[] = from !== undefined ? [[from, 1440]] : to !== undefined ? [[0, to]] : [];
  return {
    hours: [...whole, ...(open.length + whole.length > 0 ? [] : parts), ...edges],
    isOneSided: edges.length > 0 || (whole.length === 0 && parts.length > 0),
  };
};

type Week = { days: number[] | null; hours: Minutes[]; isOneSided: boolean; isDaysFirst: boolean };

/** The days and the hours of a part: one run of each, as each hour holds for each day. */
const weekOf = ({ items, kinds }: Part): Week | null => {
  const parts = items.filter((item) => item.item === 'part');
  const hasClock = items.some(({ item }) => item === 'bound' || item === 'hours');
  const [part, ...more] = hasClock ? parts.map((item) => item.part) : [];
  if (more.length > 0) return null;
  const days: number[] = [];
  const said: Said[] = [];
  const runs: ('days' | 'hours')[] = [];
  for (const item of items) {
    if (item.item === 'part' && hasClock) continue;
    const own = daysOf(item);
    const hours = own ? null : hoursOf(item, part, kinds.has('only'));
    if (own) days.push(...(own.length > 0 ? own : [1, 2, 3, 4, 5, 6, 7]));
    else if (hours) said.push(hours);
    else return null;
    const run = own ? 'days' : 'hours';
    if (runs.at(-1) !== run) runs.push(run);
  }
  if (runs.length > 2) return null;
  const stretches = stretchesOf(said);
  return (
    stretches && {
      ...stretches,
      days: days.length > 0 ? [...new Set(days)].sort((a, b) => a - b) : null,
      isDaysFirst: runs[0] === 'days',
    }
  );
};

const PLAIN_NUMBER = 24;
/** How many plans a day or a week. A small number alone is read as an hour. */
const mostOf = ({ items }: Part): Rule | null => {
  const [first, second, ...more] = items;
  if (first?.item === 'rate')
    return first.times !== undefined && !first.amount && !second
      ? { rule: 'most', per: 'day', max: first.times }
      : null;
  const max =
    first?.item === 'number' && !first.way
      ? first.n
      : first?.item === 'clock' && Object.keys(first.clock).length === 2 && first.clock.minute === 0
        ? first.clock.hour
        : undefined;
  if (second?.item !== 'every' || more.length > 0 || max === undefined || max > PLAIN_NUMBER) return null;
  const { unit, step = 1, ...rest } = second.every;
  return step === 1 && Object.keys(rest).length === 0 && (unit === 'day' || unit === 'week')
    ? { rule: 'most', per: unit, max }
    : null;
};

const lengthOf = ({ time, kinds }: Part): Rule | null => {
  const { items, unread } = readTime(time, 'length');
  const [item, ...more] = items;
  if (unread.length > 0 || item?.item !== 'length' || item.way || more.length > 0) return null;
  const { minutes, days, months } = item.amount;
  return minutes !== undefined && !days && !months && minutes >= 5 && minutes < 1440
    ? { rule: 'length', minutes, isDeep: kinds.has('deep') }
    : null;
};

const MOST_DAYS = 7;
/** 'I work Sunday to Thursday' leaves the other days out, and 'I work Saturdays' does not say so. */
const FEWEST_DAYS = 3;
const EXCLUDING = ['not', 'stop', 'avoid', 'free'] as const;
const isExcluding = ({ kinds }: Part): boolean => EXCLUDING.some((kind) => kinds.has(kind));

/** Whether weekdays are each of them: a single one may be the next one. */
const isEachWeek = ({ items }: Part, text: string, isLasting: boolean): boolean =>
  isLasting ||
  hasWord(text, EACH_TIME) ||
  /\ba \p{L}+day\b/u.test(text) ||
  items.every((item) => item.item !== 'days' || (item.days.of === 'cycle' && /\bweekends\b/i.test(text)));

const excludedBy = (part: Part, isLasting: boolean): Rule | null => {
  const { kinds, words } = part;
  const isMixed = kinds.has('stop') && (kinds.has('not') || kinds.has('avoid'));
  const week = isMixed || kinds.has('only') || kinds.has('work') ? null : weekOf(part);
  if (!week || (!week.days && week.hours.length === 0)) return null;
  if (week.days && !isEachWeek(part, words, isLasting)) return null;
  const hours = week.hours.length > 0 ? week.hours : [DAY];
  const isWhole = (week.days?.length ?? MOST_DAYS) === MOST_DAYS && hours.some(([from, to]) => to - from >= 1440);
  const isStrict = ['not', 'stop', 'free'].some((kind) => kinds.has(kind as RuleKind)) && !kinds.has('soft');
  return isWhole ? null : { rule: 'without', days: week.days, hours, isStrict };
};

/** The hours of a day that are left by others. */
const othersOf = (hours: readonly Minutes[]): Minutes[] => {
  const sorted = hours.toSorted((a, b) => a[0] - b[0]);
  const ends = [0, ...sorted.map(([, to]) => to)];
  const starts = [...sorted.map(([from]) => from), 1440];
  return ends.flatMap((end, i): Minutes[] => (end < starts[i]! ? [[end, starts[i]!]] : []));
};

const statedBy = (part: Part): Rule | null => {
  const { kinds, items, words } = part;
  const isStrict = kinds.has('only');
  const week = kinds.has('further') || kinds.has('soft') ? null : weekOf(part);
  if (!week) return null;
  const { days, hours, isOneSided, isDaysFirst } = week;
  if (hours.length === 0)
    return days && days.length < MOST_DAYS && (isStrict || days.length >= FEWEST_DAYS)
      ? { rule: 'days', days, isStrict }
      : null;
  if (hours.some(([, to]) => to > 1440)) return null;
  if (isOneSided) return isStrict && !days ? { rule: 'without', days, hours: othersOf(hours), isStrict } : null;
  // 'only on Tuesdays from 2 to 4', but 'on Fridays only from 2 to 4'
  const only = words.search(/\bonly\b/);
  const isAll = isStrict && days !== null && isDaysFirst && isAhead(words, only, items);
  if (isStrict && days && !isDaysFirst) return null;
  return { rule: 'hours', days, hours, isAll, isStrict };
};

/** Whether all of the time is behind a place in the words. */
const isAhead = (words: string, at: number, items: readonly Item[]): boolean =>
  readTime(words.slice(at + 'only'.length)).items.length >= items.length;

/** What a part says by itself. */
const ruleOf = (part: Part, isLasting: boolean): Rule | null => {
  const { kinds } = part;
  const isTimed = part.items.some(({ item }) => item === 'hours' || item === 'bound' || item === 'part');
  if (kinds.has('rest') && !isTimed) return null;
  if (kinds.has('most') || (kinds.has('only') && part.items[0]?.item === 'rate'))
    return ['free', 'stop', 'avoid', 'work', 'rest', 'deep'].some((kind) => kinds.has(kind as RuleKind))
      ? null
      : mostOf(part);
  const isLength = isLasting && part.items.length === 1 && part.items[0]!.item === 'length';
  if (kinds.has('usual') || isLength)
    return [...EXCLUDING, 'rest', 'only', 'own'].some((kind) => kinds.has(kind as RuleKind)) ? null : lengthOf(part);
  if (kinds.has('deep')) return null;
  if (isExcluding(part)) return excludedBy(part, isLasting);
  if (kinds.has('only') || kinds.has('work')) return statedBy(part);
  return kinds.has('own') ? excludedBy({ ...part, kinds: new Set([...kinds, 'free']) }, isLasting) : null;
};

/** What is only said beside: an explanation without a time, or courtesy. */
const isBeside = (text: string): boolean => {
  const words = wordsOf(text);
  if (words.length === 0) return true;
  return EXPLAINING.has(words[0]!) && !hasWord(text, RESTRICTING) && readTime(text).items.length === 0;
};

/** Between rules; 'and' also joins days. */
const BREAKS = [/[.;!?,]+(?=\s|$)|\n+/, /[.;!?,]+(?=\s|$)|\n+|\s(?:and|plus|so)\s/i];

/** Whether days alone and hours alone are joined by 'and': each of them is meant by itself. */
const isMixed = (text: string): boolean => {
  const shapes = text.split(/\s(?:and|or)\s/i).map((one) => {
    const week = partOf(one);
    const found = week && weekOf(week);
    return !found ? '' : `${found.days ? 'days' : ''}${found.hours.length > 0 ? 'hours' : ''}`;
  });
  return shapes.length > 1 && shapes.includes('days') && shapes.includes('hours');
};

/** Rules that are said one behind the other. A part without 'no' has that of the part before, or of the one behind it. */
const rulesIn = (texts: readonly string[], isLasting: boolean): Rule[] | null => {
  const rules: Rule[] = [];
  let before: Part | null = null;
  /** A time that waits for what is said of it, and what is said without a time. */
  let open: Part | null = null;
  let bare: Part | null = null;
  for (const text of texts) {
    const part = partOf(text);
    if (!part) return null;
    const isSaid =
      isExcluding(part) || ['only', 'work', 'most', 'usual', 'own'].some((kind) => part.kinds.has(kind as RuleKind));
    if (part.items.length === 0) {
      if (open && isExcluding(part)) {
        const rule = ruleOf({ ...open, kinds: new Set([...open.kinds, ...part.kinds]) }, isLasting);
        if (!rule) return null;
        rules.push(rule);
        open = null;
      } else if (isExcluding(part)) bare = part;
      else if (isSaid) return null;
      continue;
    }
    if (open) return null;
    const given: Part | null = isSaid ? null : (bare ?? before);
    if (!isSaid && !given) {
      open = part;
      continue;
    }
    const whole: Part = given
      ? { ...part, kinds: new Set([...part.kinds, ...given.kinds]), words: `${given.words} ${part.words}` }
      : part;
    if (given && given === before && !isAlike(given, part)) return null;
    const isHabit = rules.some(({ rule }) => rule === 'hours' || rule === 'days');
    const rule = ruleOf(whole, isLasting || isHabit);
    if (!rule) return null;
    rules.push(rule);
    [before, bare] = [whole, null];
  }
  const isLeft = open !== null || (bare !== null && rules.at(-1)?.rule !== 'without');
  return isLeft || rules.length === 0 ? null : rules;
};

/** Whether both parts say hours, or neither does. */
const isAlike = (one: Part, other: Part): boolean =>
  isExcluding(one) && Boolean(weekOf(one)?.hours.length) === Boolean(weekOf(other)?.hours.length);

const LONGEST_RULE = 300;

/** The rules of a text, or null where it says anything that no setting says. */
export const rulesOf = (text: string): Rule[] | null => {
  if (text.length > LONGEST_RULE) return null;
  const all = partOf(text);
  const isLasting =
    folded(text)
      .match(TO_TEXT)
      ?.some((_, i, tokens) => isWord(tokens[i]) && phraseAt(tokens, i)?.kind === 'lasting') ?? false;
  const isJoined = isMixed(text);
  const whole = all && !isJoined ? ruleOf(all, isLasting) : null;
  if (whole) return [whole];
  if (isJoined && text.split(/\s(?:and|or)\s/i).length > 2) return null;
  for (const mark of isJoined ? BREAKS.slice(1) : BREAKS) {
    const rules = rulesIn(
      text.split(mark).filter((one) => !isBeside(one)),
      isLasting,
    );
    if (rules) return rules;
  }
  return null;
};

/** The words of a rule without 'from now on' ahead of them, which each rule means. */
export const ruleName = (text: string): string => {
  const tokens = text.match(TO_TEXT) ?? [];
  const found = phraseAt(tokens.map(folded), 0);
  const name =
    found?.kind === 'lasting'
      ? tokens
          .slice(found.end)
          .join('')
          .replace(/^[\s,:–-]+/, '')
      : '';
  return name || text;
};
