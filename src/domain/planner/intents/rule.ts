/** Reads a rule for all plans: which hours it excludes or states, how many plans it allows, how long they usually are. */
import { hasWord, wordsOf } from '../act/names.ts';
import { readTime } from '../time/read-time.ts';
import { EACH_TIME, EXPLAINING, RESTRICTING } from '../words/rule-words.ts';
import { hasKind, isExcluding, isLastingIn, type Part, partOf } from './rule-part.ts';
import { isWeekend, type Minutes, type Week, weekOf } from './rule-week.ts';

/** `days` are weekdays, 1 Monday to 7; null means all of them. `isStrict`: plans outside of the hours are refused. */
export type Rule =
  | { rule: 'without'; days: readonly number[] | null; hours: readonly Minutes[]; isStrict: boolean }
  /** The hours of these days; with `isAll` the other days have none. */
  | { rule: 'hours'; days: readonly number[] | null; hours: readonly Minutes[]; isAll: boolean; isStrict: boolean }
  /** The days that have hours. */
  | { rule: 'days'; days: readonly number[]; isStrict: boolean }
  | { rule: 'most'; per: 'day' | 'week'; max: number }
  | { rule: 'length'; minutes: number; isDeep: boolean };

const WHOLE_DAY: Minutes = [0, 1440];
const DAYS_OF_WEEK = 7;

/** A small number alone is read as an hour. */
const numberOf = (item: Part['items'][number] | undefined): number | undefined => {
  if (item?.item === 'number') return item.way ? undefined : item.n;
  const isPlain = item?.item === 'clock' && Object.keys(item.clock).length === 2 && item.clock.minute === 0;
  return isPlain ? item.clock.hour : undefined;
};

/** 'Per day' or 'a week', where no more is said of it. */
const unitOf = (item: Part['items'][number] | undefined): 'day' | 'week' | null => {
  if (item?.item !== 'every') return null;
  const { unit, step = 1, ...rest } = item.every;
  const isPlain = step === 1 && Object.keys(rest).length === 0;
  return isPlain && (unit === 'day' || unit === 'week') ? unit : null;
};

/** How many plans a day or a week. */
const mostOf = (part: Part): Rule | null => {
  const [first, second, ...more] = part.items;
  if (hasKind(part, 'free', 'off', 'stop', 'avoid', 'work', 'able', 'rest', 'deep') || more.length > 0) return null;
  if (first?.item === 'rate') {
    const max = first.amount || second ? undefined : first.times;
    return max === undefined ? null : { rule: 'most', per: 'day', max };
  }
  const [max, per] = [numberOf(first), unitOf(second)];
  return max === undefined || !per ? null : { rule: 'most', per, max };
};

const SHORTEST = 5;
const lengthOf = (part: Part): Rule | null => {
  const { items, unread } = readTime(part.time, 'length');
  const [item, ...more] = items;
  const isOther = isExcluding(part) || hasKind(part, 'rest', 'only', 'own');
  if (isOther || item?.item !== 'length' || item.way || more.length + unread.length > 0) return null;
  const { minutes = 0, days, months } = item.amount;
  const isShort = !days && !months && minutes >= SHORTEST && minutes < 1440;
  return isShort ? { rule: 'length', minutes, isDeep: hasKind(part, 'deep') } : null;
};

const isOften = ({ words }: Part, isLasting: boolean): boolean => isLasting || hasWord(words, EACH_TIME);

/** Whether weekdays are each of them: a single one may be the next one. */
const isEachWeek = (part: Part, isLasting: boolean): boolean => {
  const { items, words } = part;
  return (
    isOften(part, isLasting) ||
    /\ba \p{L}+day\b/u.test(words) ||
    items.every((item) => item.item !== 'days' || (isWeekend(item.days) && /\bweekends\b/.test(words)))
  );
};

/** 'Keep 3 to 4 free' and 'I'm available from 2 to 4' may be about one day. */
const isOneTime = (part: Part, { days }: Week, isLasting: boolean): boolean =>
  hasKind(part, 'off', 'keep', 'able') && !(days ? isEachWeek : isOften)(part, isLasting);

/** 'No lunch before 1' is about lunch; 'no meetings during lunch 12 to 1' is about other plans. */
const isOfRest = (part: Part, { isOneSided }: Week): boolean =>
  hasKind(part, 'rest') &&
  hasKind(part, 'not', 'stop', 'avoid') &&
  (isOneSided || !hasKind(part, 'thing', 'small', 'own'));

const isWholeWeek = ({ days, hours }: Week): boolean =>
  (days?.length ?? DAYS_OF_WEEK) === DAYS_OF_WEEK &&
  (hours.length === 0 || hours.some(([from, to]) => to - from >= 1440));

const excludedBy = (part: Part, isLasting: boolean): Rule | null => {
  const isTurned = hasKind(part, 'stop') && hasKind(part, 'not', 'avoid');
  const week = isTurned || hasKind(part, 'only', 'work', 'able') ? null : weekOf(part);
  if (!week || isWholeWeek(week) || isOneTime(part, week, isLasting) || isOfRest(part, week)) return null;
  const { days, hours } = week;
  if (days && !isEachWeek(part, isLasting)) return null;
  const isStrict = hasKind(part, 'not', 'stop', 'free', 'off', 'own') && !hasKind(part, 'soft');
  return { rule: 'without', days, hours: hours.length > 0 ? hours : [WHOLE_DAY], isStrict };
};

/** The hours of a day that are left by others. */
const othersThan = (hours: readonly Minutes[]): Minutes[] => {
  const inOrder = hours.toSorted((a, b) => a[0] - b[0]);
  const ends = [0, ...inOrder.map(([, to]) => to)];
  const starts = [...inOrder.map(([from]) => from), 1440];
  return ends.flatMap((end, i): Minutes[] => (end < starts[i]! ? [[end, starts[i]!]] : []));
};

/** 'I work Sunday to Thursday' leaves the other days out, and 'I work Saturdays' does not say so. */
const FEWEST_DAYS = 3;
const statedDays = (days: readonly number[], isStrict: boolean): Rule | null =>
  days.length < DAYS_OF_WEEK && (isStrict || days.length >= FEWEST_DAYS) ? { rule: 'days', days, isStrict } : null;

/** Whether all of the time is behind 'only': 'only on Tuesdays from 2 to 4', but 'on Fridays only from 2 to 4'. */
const isBehindOnly = ({ words, items }: Part): boolean =>
  readTime(words.slice(words.search(/\bonly\b/) + 'only'.length)).items.length >= items.length;

const statedBy = (part: Part, isLasting: boolean): Rule | null => {
  const isStrict = hasKind(part, 'only');
  const week = hasKind(part, 'further', 'soft') ? null : weekOf(part);
  if (!week || isOneTime(part, week, isLasting)) return null;
  const { days, hours, isOneSided, isDaysFirst } = week;
  if (hours.length === 0) return statedDays(days ?? [], isStrict);
  if (isOneSided) return isStrict && !days ? { rule: 'without', days, hours: othersThan(hours), isStrict } : null;
  if (hours.some(([, to]) => to > 1440) || (isStrict && days && !isDaysFirst)) return null;
  const isAll = days !== null && (isStrict ? isBehindOnly(part) : days.length >= FEWEST_DAYS);
  return { rule: 'hours', days, hours, isAll, isStrict };
};

const isTimed = ({ items }: Part): boolean =>
  items.some(({ item }) => item === 'hours' || item === 'bound' || item === 'part');

/** 'At most', 'only two a day', 'don't book more than'; but not 'no limit'. */
const isMost = (part: Part): boolean =>
  hasKind(part, 'not')
    ? hasKind(part, 'above')
    : hasKind(part, 'most') || (hasKind(part, 'only') && part.items[0]?.item === 'rate');

/** 'By default', or a length with 'from now on' or 'unless I say otherwise', which else says nothing: each rule can be changed. */
const isUsual = (part: Part, isLasting: boolean): boolean =>
  hasKind(part, 'usual') ||
  ((isLasting || hasKind(part, 'unless')) && part.items.length === 1 && part.items[0]!.item === 'length');

/** What a part says by itself. */
const ruleOf = (part: Part, isLasting: boolean): Rule | null => {
  if (hasKind(part, 'rest') && !isTimed(part)) return null;
  if (isMost(part)) return mostOf(part);
  if (hasKind(part, 'most', 'above')) return null;
  if (isUsual(part, isLasting)) return lengthOf(part);
  if (hasKind(part, 'deep')) return null;
  if (isExcluding(part)) return excludedBy(part, isLasting);
  if (hasKind(part, 'only', 'work', 'able')) return statedBy(part, isLasting);
  return hasKind(part, 'own') ? excludedBy(part, isLasting) : null;
};

/** What is only said beside: an explanation without a time, or courtesy. */
const isBeside = (text: string): boolean => {
  const [first] = wordsOf(text);
  if (first === undefined) return true;
  return EXPLAINING.has(first) && !hasWord(text, RESTRICTING) && readTime(text).items.length === 0;
};

const JOINT = /\s(?:and|or)\s/i;
/** Between rules; 'and' also joins days. A mark stays with what is before it. */
const BREAKS = [/(?<=[.;!?,])(?=\s|$)|\n/, /(?<=[.;!?,])(?=\s|$)|\n|\s(?:and|plus|so)\s/i];

/** Whether days alone and hours alone are joined by 'and': each of them is meant by itself. */
const isMixed = (text: string): boolean => {
  const shapes = text.split(JOINT).map((one) => {
    const part = partOf(one);
    const week = part && weekOf(part);
    return !week ? '' : `${week.days ? 'days' : ''}${week.hours.length > 0 ? 'hours' : ''}`;
  });
  return shapes.includes('days') && shapes.includes('hours');
};

const withKindsOf = (part: Part, other: Part): Part => ({
  ...part,
  kinds: new Set([...part.kinds, ...other.kinds]),
  words: `${other.words} ${part.words}`,
});

/** Whether a time means what is said before it, in the same sentence: both say hours, or neither does. */
const isAlike = (one: Part, other: Part): boolean =>
  isExcluding(one) &&
  !/[.;!?]$/.test(one.words) &&
  !hasKind(other, 'thing') &&
  Boolean(weekOf(one)?.hours.length) === Boolean(weekOf(other)?.hours.length);

/** Kinds of words that say what a time means. */
const SAYING = ['not', 'stop', 'avoid', 'free', 'off', 'own', 'only', 'work', 'able', 'most', 'usual'] as const;

/** `open` is a time that waits for what is said of it, and `bare` what is said without a time. */
type Joining = { joined: Part[]; open?: Part | undefined; bare?: Part | undefined };

/** @returns whether it is clear what the part is about */
const addBare = (joining: Joining, part: Part): boolean => {
  if (!hasKind(part, ...SAYING)) return true;
  const { joined, open } = joining;
  if (open) joined.push(withKindsOf(open, part));
  else joining.bare = part;
  joining.open = undefined;
  return isExcluding(part);
};

/** @returns whether it is clear what is said of the time */
const addTimed = (joining: Joining, part: Part): boolean => {
  const { joined, open, bare } = joining;
  if (open) return false;
  const before = joined.at(-1);
  if (hasKind(part, ...SAYING)) joined.push(part);
  else if (bare) joined.push(withKindsOf(part, bare));
  else if (!before) joining.open = part;
  else if (isAlike(before, part)) joined.push(withKindsOf(part, before));
  else return false;
  if (!hasKind(part, ...SAYING)) joining.bare = undefined;
  return true;
};

/** Parts without a time are joined with that which they are about; null where it is not clear which one that is. */
const joinedParts = (parts: readonly Part[]): Part[] | null => {
  const joining: Joining = { joined: [] };
  const { joined } = joining;
  const isClear = parts.every((part) => (part.items.length === 0 ? addBare : addTimed)(joining, part));
  const isAbout = !joining.bare || joined.some((part) => isExcluding(part) || hasKind(part, 'own'));
  return isClear && isAbout && !joining.open ? joined : null;
};

/** Rules that are said one behind the other. */
const rulesIn = (texts: readonly string[], isLasting: boolean): Rule[] | null => {
  const parts = texts.filter((text) => !isBeside(text)).map(partOf);
  const joined = parts.includes(null) ? null : joinedParts(parts as Part[]);
  if (!joined || joined.length === 0) return null;
  const rules: Rule[] = [];
  for (const part of joined) {
    const isHabit = rules.some(({ rule }) => rule === 'hours' || rule === 'days');
    const rule = ruleOf(part, isLasting || isHabit);
    if (!rule) return null;
    rules.push(rule);
  }
  return rules;
};

const LONGEST_RULE = 300;
/** The end of a sentence that has another one behind it; 'p.m.' ends none. */
const SENTENCE_END = /(?<!\b[ap]\.?m)[.;!?]\s+\S/i;

/** The rules of a text, or null where it says anything that no setting says. */
export const rulesOf = (text: string): Rule[] | null => {
  if (text.length > LONGEST_RULE) return null;
  const all = partOf(text);
  const isLasting = isLastingIn(text);
  const isJoined = isMixed(text);
  const whole = all && !isJoined && !SENTENCE_END.test(text) ? ruleOf(all, isLasting) : null;
  if (whole) return [whole];
  if (isJoined && text.split(JOINT).length > 2) return null;
  for (const mark of isJoined ? BREAKS.slice(1) : BREAKS) {
    const rules = rulesIn(text.split(mark), isLasting);
    if (rules) return rules;
  }
  return null;
};
