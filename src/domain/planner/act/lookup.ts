/** Which events of the calendar are meant by words and times. Every word must fit; it never guesses. */
import { readTime } from '../time/read-time.ts';
import { type Settled, settle } from '../time/settle.ts';
import { compareDays, type DayRange } from '../time/settle-days.ts';
import type { Days, Item } from '../time/types.ts';
import { ALL_WORDS, CHOICE_WORDS, GENERIC_NOUNS, PRONOUNS } from '../words/act-words.ts';
import type { Target } from './actions.ts';
import type { Clause } from './clause.ts';
import type { Found } from './known.ts';
import { fitting, hasWord, isNamed, nameWords, wordsOf } from './names.ts';
import { refersToDay } from './refers.ts';
import { baseOf, type Talk } from './talk.ts';

type PlainDate = Temporal.PlainDate;

/**
 * `isMany`: all that fit are meant. `isWhole`: of each series all from the first that is found on. `isEnding`: within days that end.
 * `after`: all from this day on.
 */
export type Lookup = { found: Found[]; isMany: boolean; isWhole?: true; isEnding?: true; after?: PlainDate };
export type Unclear = { about: string; options: Target[] };

/** The times that say which one is meant. */
type Old = {
  days: DayRange[];
  weekdays: number[];
  settled: Settled[];
  after?: PlainDate;
  text: string;
  isCancel: boolean;
  fault?: string;
};

const oldOf = (text: string, talk: Talk, isFrom: boolean): Old => {
  const { items } = readTime(text);
  // a weekday is the coming one, whatever was spoken of; 'that day' is not
  const refers = items.some((item) => item.item === 'days' && refersToDay(item.days));
  const base = refers ? baseOf(talk) : { ...baseOf(talk), said: undefined };
  const { groups } = settle({ items }, base);
  const fault = groups.find((group) => group.fault)?.fault;
  const days = groups.flatMap((group) => group.days);
  let after: PlainDate | undefined;
  for (const { edge, from, to } of groups.flatMap((group) => group.bounds)) {
    if (edge === 'after') after = to.add({ days: 1 });
    else if (edge === 'from' && isFrom) after = from;
    else if (edge === 'from') days.push({ from, to });
    else days.push({ from: talk.today, to: edge === 'before' ? from.subtract({ days: 1 }) : to });
  }
  const relation = items.some((item) => item.item === 'relation' && item.side === 'after');
  if (relation && !after && talk.said) after = talk.said.add({ days: 1 });
  const weekdays = items.flatMap((item) => (item.item === 'every' ? (item.every.weekdays ?? []) : []));
  return { days, weekdays, settled: groups, ...(after && { after }), text, isCancel: isFrom, ...(fault && { fault }) };
};

const isOnDays = ({ day }: Found, { days, weekdays, after }: Old): boolean => {
  if (after && compareDays(day, after) < 0) return false;
  if (weekdays.length > 0 && !weekdays.includes(day.dayOfWeek)) return false;
  return days.length === 0 || days.some(({ from, to }) => compareDays(day, from) >= 0 && compareDays(day, to) <= 0);
};

/** A clock time of an event may be said without its half of the day. */
const isAtTime = ({ at }: Found, { settled }: Old, isStrict: boolean): boolean => {
  const slots = settled.flatMap((group) => group.slots);
  const hours = settled.map((group) => group.hours).filter((one) => one !== undefined);
  if (slots.length > 0 && isStrict) return slots.some((slot) => slot.at % 720 === at % 720);
  return (
    hours.length === 0 || slots.length > 0 || hours.some(({ after = 0, before = 1440 }) => at >= after && at < before)
  );
};

export const firstOfEach = (found: readonly Found[]): Found[] =>
  found.filter((one, i) => found.findIndex(({ target }) => target.uid === one.target.uid) === i);

const optionsOf = (found: readonly Found[]): Target[] =>
  firstOfEach(found)
    .slice(0, 8)
    .map(({ target }) => target);

/** Whether all of a day is meant: 'clear Friday'. */
const isDayOnly = (words: string, old: Old | null): boolean =>
  !words && old !== null && old.isCancel && old.days.length > 0 && old.settled.every(({ slots }) => slots.length === 0);

/** Those that a part of the name fits. */
const near = (special: readonly string[], { found }: Talk): Target[] =>
  optionsOf(found.filter(({ title }) => fitting(special, title) > 0));

/** Whether one was asked for and several fit, or two and not two. */
const isUnclear = (words: string, isAll: boolean, count: number): boolean =>
  isAll ? count !== 2 && wordsOf(words).includes('both') : count > 1;

const isSpread = ({ days, weekdays }: Old): boolean =>
  weekdays.length > 0 || days.length > 1 || days.some(({ from, to }) => !from.equals(to));

/** What a name says: `special` are its words that are not of every event. */
type Name = { words: string; named: string[]; special: string[]; isAll: boolean };
const nameOf = (words: string, old: Old | null): Name => {
  const named = nameWords(words);
  const special = named.filter((word) => !GENERIC_NOUNS.has(word));
  return {
    words,
    named,
    special,
    isAll: (special.length === 0 && hasWord(words, ALL_WORDS)) || isDayOnly(words, old),
  };
};

const isThen = (one: Found, { special }: Name, old: Old | null): boolean =>
  !old || (isOnDays(one, old) && isAtTime(one, old, special.length === 0));

/** Those that a name and a time fit; by their place or description too, where no name does. */
const fittingAll = (found: readonly Found[], name: Name, old: Old | null): Found[] => {
  const then = found.filter((one) => isThen(one, name, old));
  if (name.isAll || name.named.length === 0) return then;
  const named = then.filter(({ title }) => isNamed(name.named, title));
  return named.length > 0 || name.special.length === 0
    ? named
    : then.filter(({ title, about }) => about !== undefined && isNamed(name.named, `${title} ${about}`));
};

/** An event that a waiting proposal changes is meant by that proposal. */
const withoutChanged = (found: readonly Found[]): Found[] => {
  const changed = new Set(found.flatMap(({ of }) => of ?? []));
  return found.filter(({ target }) => target.isPending || !changed.has(target.uid));
};

/** Whether neither a name nor a time says which. */
const isUnsaid = ({ special, isAll }: Name, old: Old | null): boolean =>
  special.length === 0 && (!old || (isAll && old.days.length === 0 && !old.after));

const lookedUp = ({ words, isAll }: Name, old: Old | null, found: Found[]): Lookup => {
  const isOfAll = wordsOf(words).includes('all');
  const isMany = isAll || (old !== null && isSpread(old)) || isOfAll;
  return {
    found: isMany ? found : firstOfEach(found),
    isMany,
    ...(isOfAll && old === null && { isWhole: true as const }),
    ...(isMany && old !== null && old.days.length > 0 && { isEnding: true as const }),
    ...(old?.after && { after: old.after }),
  };
};

/** The events that a name and times fit. */
const lookup = (words: string, old: Old | null, talk: Talk): Lookup | Unclear => {
  // days that are not known, or that no calendar has: nothing is changed by a guess
  if (old?.fault) return { about: old.fault, options: [] };
  const name = nameOf(words, old);
  const about = `which one: ${words || (old?.text ?? '')}`;
  if (hasWord(words, CHOICE_WORDS)) return { about, options: near(name.special, talk) };
  const found = withoutChanged(fittingAll(talk.found, name, old));
  if (isUnsaid(name, old) || found.length === 0)
    return { about, options: name.special.length === 0 ? optionsOf(found) : near(name.special, talk) };
  return isUnclear(words, name.isAll, firstOfEach(found).length)
    ? { about, options: optionsOf(found) }
    : lookedUp(name, old, found);
};

/** A day beside the name says which one is meant: 'the Sunday choir'. */
const lookupWithDay = (words: string, old: Old | null, talk: Talk, isFrom: boolean): Lookup | Unclear => {
  const named = nameWords(words);
  if (old || named.length < 2 || talk.found.some(({ title, about = '' }) => isNamed(named, `${title} ${about}`)))
    return lookup(words, old, talk);
  const { items, names, unread } = readTime(words);
  const rest = [...names, ...unread].join(' ');
  const isDay = items.some(({ item }) => item === 'days' || item === 'clock' || item === 'every');
  return isDay && rest ? lookup(rest, oldOf(words, talk, isFrom), talk) : lookup(words, old, talk);
};

const isPronoun = (words: string): boolean => {
  const said = wordsOf(words);
  return said.length > 0 && said.every((word) => PRONOUNS.has(word));
};

/** 'the one after': the same on another day. */
const isOtherOne = (words: string): boolean => {
  const { items, names, unread } = readTime(words);
  return names.length + unread.length === 0 && items.some((item) => item.item === 'days' && refersToDay(item.days));
};

/** 'choir and guitar' are two names; 'the dentist + board prep' too. */
const partsOf = (words: string, { found }: Talk): string[] => {
  const named = nameWords(words);
  const isOne = named.length > 1 && found.some(({ title, about = '' }) => isNamed(named, `${title} ${about}`));
  if (isOne) return [words];
  const parts = words
    .split(/&|\+|,|\band\b/i)
    .map((part) => part.trim())
    .filter(Boolean);
  return parts.length > 0 ? parts : [''];
};

const ordinalsOf = (days: Days): number[] => {
  if (days.of === 'list') return days.days.flatMap(ordinalsOf);
  return days.of === 'date' && days.month === undefined && days.weekday === undefined ? [days.day] : [];
};

/** What is left of all that fit, and whether no exception is behind the first that is left. */
type Left = { found: Found[]; isRest: boolean };

/** 'The first one' is no day. */
const isNthOne = (items: readonly Item[]): boolean =>
  items.some((item) => item.item === 'days' && ordinalsOf(item.days).length > 0) &&
  items.some(({ item }) => item === 'clock');

/** What is left out of many: 'everything tomorrow apart from the plumber'. Null where it is not clear what that is. */
const withoutExceptions = (found: readonly Found[], clause: Clause, talk: Talk): Left | null => {
  const text = clause.text('except');
  if (!text) return { found: [...found], isRest: true };
  const old = oldOf(text, talk, true);
  const { items, names, unread } = readTime(text);
  if (old.fault || isNthOne(items)) return null;
  const days = [...old.days, ...old.settled.flatMap((group) => group.not)];
  const isTimed = days.length > 0 || old.weekdays.length > 0 || old.after !== undefined;
  const named = nameWords([...names, ...unread].join(' ')).filter((word) => word !== 'not');
  const isOut = (one: Found): boolean =>
    (named.length > 0 || isTimed) &&
    (named.length === 0 || fitting(named, one.title) > 0) &&
    (!isTimed || isOnDays(one, { ...old, days }));
  const left = found.filter((one) => !isOut(one));
  if (left.length === found.length) return null;
  const isBefore = (day: PlainDate): boolean => left.every((one) => compareDays(day, one.day) < 0);
  const isFront = days.every(({ to }) => isBefore(to)) && found.every((one) => !isOut(one) || isBefore(one.day));
  return { found: left, isRest: isFront && old.weekdays.length === 0 && !old.after };
};

/** What is found, and of each series all behind the first that is found. */
const withLater = (look: Lookup, { found }: Talk): Found[] =>
  found.filter((one) =>
    look.found.some(({ target, day }) => target.uid === one.target.uid && compareDays(day, one.day) <= 0),
  );

/** 'Drop the lessons for good': all from the first that is meant on, but not where only some of those are. */
const wholeOf = (look: Lookup, isRest: boolean, talk: Talk): Lookup => {
  if (look.isWhole || look.isEnding || !(isRest || (look.after && !look.isMany))) return look;
  const found = withLater(look, talk);
  return look.isMany && found.length > look.found.length ? look : { ...look, found, isMany: true, isWhole: true };
};

/** A restriction to days, which ends what would be for good. */
const isLimited = (clause: Clause): boolean =>
  clause.all('limit').some((text) => readTime(text).items.some(({ item }) => item === 'days' || item === 'bound'));

/** Numbers beside a stretch of days are no days: 'the second and the fourth choir in December'. */
const nthOf = (clause: Clause, words: string, talk: Talk): Lookup | null => {
  const texts = clause.all('old');
  if (texts.length < 2) return null;
  const read = texts.map((text) => ({ text, items: readTime(text).items }));
  const numbers = read.flatMap(({ items }) =>
    items.flatMap((item) => (item.item === 'days' ? ordinalsOf(item.days) : [])),
  );
  const stretch = read.find(({ items }) =>
    items.some((item) => item.item === 'days' && (item.days.of === 'month' || item.days.of === 'cycle')),
  );
  if (numbers.length === 0 || !stretch) return null;
  const look = lookup(words, oldOf(stretch.text, talk, false), talk);
  if ('about' in look) return null;
  const found = numbers.map((n) => look.found[n - 1]).filter((one) => one !== undefined);
  return found.length > 0 ? { found, isMany: true } : null;
};

/** What the parts of a list mean together, without what is left out of it. */
const joined = (clear: readonly Lookup[], clause: Clause, talk: Talk): Lookup | Unclear => {
  const all = clear.flatMap((look) => look.found);
  const left = withoutExceptions(all, clause, talk);
  if (!left || left.found.length === 0) return { about: `which one: ${clause.all('target').join(' & ')}`, options: [] };
  const isOpen = left.isRest && !isLimited(clause);
  const after = isOpen ? clear[0]?.after : undefined;
  const isWhole = isOpen && clear.every((look) => look.isWhole);
  return {
    found: left.found,
    isMany: clear.some((look) => look.isMany),
    ...(isWhole && { isWhole: true as const }),
    ...(after && { after }),
  };
};

/** The events that a clause is about. `isRest`: all later ones too. */
export const targetsOf = (clause: Clause, oldText: string, talk: Talk, isRest = false): Lookup | Unclear => {
  const words = clause.all('target').join(' & ');
  if (!words && !oldText && !talk.looked) return { about: 'which one', options: [] };
  const nth = nthOf(clause, words, talk);
  if (nth) return nth;
  const isFrom = clause.has('cancel');
  const old = oldText ? oldOf(oldText, talk, isFrom) : null;
  const looks = partsOf(words, talk).map((part) => {
    const looked = talk.looked && talk.looked.length > 0 ? talk.looked : null;
    if (!words && !old && talk.looked) return ofLooked(talk.looked, null, talk);
    if (looked && isPronoun(part)) return ofLooked(looked, old, talk);
    if (looked && isOtherOne(part)) return ofLooked(looked, oldOf(part, talk, isFrom), talk);
    return lookupWithDay(part, old, talk, isFrom);
  });
  const unclear = looks.find((look): look is Unclear => 'about' in look);
  if (unclear) return unclear;
  const clear = (looks as Lookup[]).map((look) => wholeOf(look, isRest, talk));
  return joined(clear, clause, talk);
};

/** What was spoken of, on another day: 'make guitar longer next week and skip it the week after'. */
const ofLooked = (looked: readonly Found[], old: Old | null, talk: Talk): Lookup => {
  if (!old) return { found: [...looked], isMany: looked.length > 1 };
  const uids = looked.map(({ target }) => target.uid);
  const found = talk.found.filter((one) => uids.includes(one.target.uid) && isOnDays(one, old));
  return isSpread(old)
    ? { found, isMany: true, ...(old.days.length > 0 && { isEnding: true as const }) }
    : { found: firstOfEach(found), isMany: false };
};
