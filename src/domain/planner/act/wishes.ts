/** When a new thing is wished for: what its times, lengths, relations and limits say together. */
import { zoneNamed } from '../time/lexicon.ts';
import { readTime } from '../time/read-time.ts';
import { type Base, type DayBound, settle, type Settled, type Slot } from '../time/settle.ts';
import { compareDays, daysFrom } from '../time/settle-days.ts';
import type { Item, Time } from '../time/types.ts';
import { BOTH, MEALS, PLACES, SMALL_SOMEDAY, SOMEDAY } from '../words/act-words.ts';
import { applyLimits, applyPieces, applyRelated, endAt, withinSlot } from './apply.ts';
import type { Clause } from './clause.ts';
import { compact } from './compact.ts';
import { oddIn } from './odd.ts';
import { isBusy } from './known.ts';
import { endOfLength, lengthSaid, timesSaid } from './length.ts';
import { type Limits, limitsOf } from './limits.ts';
import { hasWord, wordsOf } from './names.ts';
import { type Related, relate } from './relate.ts';
import { baseOf, likelyHalf, partSaid, type Talk } from './talk.ts';
import type { Doubt, Length, Wish } from './wish.ts';

type PlainDate = Temporal.PlainDate;
/** What a wish is made of. */
type Said = { group: Settled; clause: Clause; title: string; talk: Talk; base: Base };

/** Words that say no time: 'soon', 'some day'. */
const isSomeday = (text: string): boolean => {
  const words = wordsOf(text);
  return words.some((word) => SOMEDAY.has(word)) && words.every((word) => SOMEDAY.has(word) || SMALL_SOMEDAY.has(word));
};

/** Of alternatives the first that is free; days side by side without a time are one stretch. */
const chosen = (groups: readonly Settled[], minutes: number, talk: Talk): Settled => {
  const isFree = ({ days: [day], slots: [slot] }: Settled): boolean =>
    day !== undefined && slot !== undefined && !isBusy(talk.found, day.from, slot.at, slot.minutes ?? minutes);
  const first = groups[0]!;
  return groups.find(isFree) ?? joined(groups) ?? first;
};
const joined = (groups: readonly Settled[]): Settled | null => {
  const [first, last] = [groups[0]!, groups.at(-1)!];
  const [from, to] = [first.days[0], last.days.at(-1)];
  const isPlain = groups.every(({ slots, hours }) => slots.length === 0 && (!hours || hours === last.hours));
  if (!from || !to || !isPlain || daysFrom(from.from, to.to) !== 1) return null;
  return { ...first, days: [{ from: from.from, to: to.to, isWindow: true }] };
};

/** 'two days later' as a time is a relation too; 'again 30 before' is of the same thing as the relation before it. */
const relatedOf = (clause: Clause, day: PlainDate | undefined, talk: Talk): (Related | null)[] => {
  const isRelation = (text: string): boolean => readTime(text).items.some(({ item }) => item === 'relation');
  const texts = [...clause.all('rel'), ...clause.all('when').filter(isRelation)];
  const first = texts.map((text) => readTime(text)).find(({ names }) => names.length > 0);
  return texts.map((text) => {
    const isAgain = wordsOf(text)[0] === 'again';
    return relate(isAgain ? `${text} ${first?.names.join(' ') ?? ''}` : text, day, talk);
  });
};

/** What is left out of a thing that does not repeat is a limit of it: 'any day next week except Monday'. */
const allLimits = ({ group, clause, talk }: Said): Limits => {
  const left = clause.has('repeat') ? [] : clause.all('except').map((text) => `not ${text}`);
  const limits = limitsOf([...clause.all('limit'), ...left], group.days[0]?.from, talk);
  limits.not.push(...group.not);
  limits.notWeekdays.push(...group.notEvery.flatMap(({ weekdays = [] }) => weekdays));
  if (group.notHours) limits.notHours ??= group.notHours;
  return limits;
};

const wholeLength = ({ group, clause, title }: Said, limits: Limits): Length => {
  const [day] = group.days;
  if (group.isWhole) return { days: day ? daysFrom(day.from, day.to) + 1 : 1 };
  const length = lengthSaid(clause, title);
  if (length.minutes ?? length.days) return length;
  return compact({ minutes: group.length?.minutes ?? limits.length });
};

const applyBound = (wish: Wish, { edge, from, to, at }: DayBound, today: PlainDate): void => {
  if (edge === 'from') wish.range = { ...wish.range, from };
  else if (edge === 'after') wish.range = { ...wish.range, from: to.add({ days: 1 }) };
  else {
    const last = edge === 'before' && at === undefined ? from.subtract({ days: 1 }) : to;
    wish.range = { from: wish.range?.from ?? today, to: last };
  }
  if (at !== undefined && edge === 'from') wish.slots = [{ at }];
};

/** 'the same time next week' is seven days on. */
const applySame = (wish: Wish, { slot, said }: Talk): void => {
  if (!wish.isSame || wish.slots.length > 0 || !slot) return;
  wish.slots = [slot];
  const [week] = wish.days;
  if (!week?.isWindow || daysFrom(week.from, week.to) !== 6 || !said) return;
  const next = week.from.add({ days: said.dayOfWeek - 1 });
  wish.days = [{ from: next, to: next }];
};

const applyMeal = (wish: Wish, title: string): void => {
  const hours = wordsOf(title)
    .map((word) => MEALS.get(word))
    .find((one) => one);
  if (hours && wish.slots.length === 0 && !wish.hours && !wish.length.days) wish.hours = hours;
};

const plainWish = (said: Said, limits: Limits): Wish => {
  const { group, clause, talk, base } = said;
  const { start } = group;
  const part =
    group.hours || group.slots.length > 0
      ? undefined
      : (partSaid(clause.text('find')) ?? partSaid(clause.text('count'), 'length'));
  const hours = typeof part === 'object' ? { after: part.from, before: part.to } : group.hours;
  const wish: Wish = compact({
    days: group.days,
    slots: start !== undefined && group.slots.length === 0 ? [{ at: start }] : group.slots,
    hours,
    length: wholeLength(said, limits),
    times: timesSaid(clause.text('count')),
    limits,
    isSame: group.isSame === true,
  });
  endAt(wish, group.over ?? endOfLength(clause, base) ?? limits.over);
  for (const bound of group.bounds) applyBound(wish, bound, talk.today);
  return wish;
};

const wishOf = (said: Said): Wish | Doubt => {
  const { group, clause, title, talk } = said;
  const limits = allLimits(said);
  const wish = plainWish(said, limits);
  const due = limits.to ?? limits.days[0]?.to;
  const related = relatedOf(clause, group.days[0]?.from, { ...talk, ...(due && { due }) });
  const found = related.filter((one) => one !== null);
  if (related.length > 0 && found.length === 0) {
    const isPlaced = wish.days.length > 0 || wish.slots.length > 0 || clause.has('repeat');
    if (!isPlaced) return { about: clause.text('rel', 'when') };
    // it is not known when that is; the day is, and the words are kept
    limits.wishes.push(...clause.all('rel'));
    wish.isOpen = true;
  }
  const first = found[0]?.day ?? wish.days[0]?.to;
  if (first && compareDays(first, talk.today) < 0) return { about: 'that day is over' };
  applyRelated(wish, found);
  applyLimits(wish, limits, talk);
  applyPieces(wish, limits);
  applySame(wish, talk);
  applyMeal(wish, title);
  return withinSlot(wish);
};

const isThere = (item: Item): boolean =>
  (item.item === 'zone' && item.zone === 'there') ||
  (item.item === 'clock' && item.clock.zone === 'there') ||
  (item.item === 'hours' && item.to.zone === 'there');

/** 'ten their time': the zone of the place that the request names. */
const withPlace = (time: Time, clause: Clause): Time => {
  if (!time.items.some(isThere)) return time;
  const words = clause.pieces.flatMap(({ text }) => wordsOf(text));
  const zone = words.map((word) => PLACES.get(word) ?? zoneNamed(word)).find((one) => one);
  if (!zone) return time;
  const items = time.items.map((item): Item => {
    if (!isThere(item)) return item;
    if (item.item === 'clock') return { ...item, clock: { ...item.clock, zone } };
    return item.item === 'hours'
      ? { ...item, from: { ...item.from, zone }, to: { ...item.to, zone } }
      : { item: 'zone', zone };
  });
  return { ...time, items };
};

/** A weekday beside a day of this week is the coming one: 'dinner on Saturday, call Ann on Friday'. */
const isComing = ({ items }: Time, { said, today, isEarlier }: Base): boolean =>
  !isEarlier &&
  said !== undefined &&
  daysFrom(today, said) < 7 &&
  items.some((item) => item.item === 'days' && item.days.of === 'weekday' && item.days.which === undefined);

const isDay = (item: Item): boolean =>
  item.item !== 'clock' && item.item !== 'hours' && item.item !== 'part' && item.item !== 'zone';
/** 'Sunday roast, 1 o'clock', 'New Year's Eve dinner at 8': the name says the day. */
const dayInName = (time: Time, clause: Clause, title: string): Time => {
  if (time.items.length === 0 || time.items.some(isDay) || clause.has('repeat', 'rel', 'count', 'limit')) return time;
  const named = readTime(`${title} ${clause.text('place')}`).items.filter(
    (item) => item.item === 'days' && (item.days.of === 'holiday' || item.days.of === 'weekday'),
  );
  return named.length === 1 ? { ...time, items: [...named, ...time.items] } : time;
};

/** The wishes of a clause: several where it names several days with times of their own. */
export const wishesOf = (clause: Clause, title: string, talk: Talk): Wish[] | Doubt => {
  const text = clause.text('when', 'old');
  if (isSomeday(text)) return { about: 'when' };
  const hint = partSaid(clause.text('repeat', 'limit', 'rel')) ?? likelyHalf(title);
  const base: Base = { ...baseOf(talk, hint), isEarlier: clause.has('remind') };
  const time = dayInName(readTime(text), clause, title);
  const { groups, isChoice } = settle(
    withPlace(time, clause),
    isComing(time, base) ? { ...base, said: undefined } : base,
  );
  const fault = oddIn(time) ?? groups.find((group) => group.fault)?.fault;
  if (fault) return { about: fault };
  const isAll = hasWord(`${clause.text('create')} ${clause.glue}`, BOTH);
  const wanted = isChoice && !isAll ? [chosen(groups, lengthSaid(clause, title).minutes ?? 60, talk)] : groups;
  return eachOf(wanted, clause, title, talk, base);
};

/** 'tomorrow 13 to 15, also on Monday, same time': a group may have the time of the one before it. */
const eachOf = (groups: readonly Settled[], clause: Clause, title: string, talk: Talk, base: Base): Wish[] | Doubt => {
  const wishes: Wish[] = [];
  let slot: Slot | undefined = talk.slot;
  for (const one of groups) {
    const group = laterThan(one, clause, talk);
    const wish = wishOf({ group, clause, title, talk: { ...talk, ...(slot && { slot }) }, base });
    if ('about' in wish) return wish;
    wishes.push(wish);
    slot = wish.slots[0] ?? slot;
  }
  return wishes;
};

/** Nobody means an hour after this without saying so. */
const LATE = 1320;
const isOpenClock = (item: Item): boolean =>
  item.item === 'clock' && !item.clock.half && !item.clock.isFixed && !item.clock.part && item.clock.hour <= 12;

/** A time without a day is on the day last spoken of, and later than what was last spoken of, where it does not say its half. */
const laterThan = (group: Settled, clause: Clause, { slot, said }: Talk): Settled => {
  const [own] = group.slots;
  if (!own || !slot || !said || group.days.length > 0) return group;
  if (!readTime(clause.text('when', 'old')).items.some(isOpenClock)) return group;
  const halves = [own.at % 720, (own.at % 720) + 720];
  // a reminder is near the thing, anything else behind it
  const nearest = halves.toSorted((a, b) => Math.abs(a - slot.at) - Math.abs(b - slot.at))[0]!;
  const later = own.at < slot.at ? (halves.find((at) => at > slot.at && at <= LATE) ?? own.at) : own.at;
  return { ...group, slots: [{ ...own, at: clause.has('remind') ? nearest : later }] };
};
