/** A time that another thing tells: 'right after the dentist', 'the evening before the flight'. */
import { readTime } from '../time/read-time.ts';
import { type Hours, settle, type Settled } from '../time/settle.ts';
import { type DayRange, settleDays } from '../time/settle-days.ts';
import type { Amount, Item } from '../time/types.ts';
import { PRONOUNS } from '../words/act-words.ts';
import { fitting, nameWords, wordsOf } from './names.ts';
import { baseOf, type Talk } from './talk.ts';

type PlainDate = Temporal.PlainDate;
type Relation = Extract<Item, { item: 'relation' }>;
/** What the time relates to; `from` and `to` are minutes of its day, where they are known. */
type Reference = { day: PlainDate; from?: number; to?: number; isMade?: true; isDaySaid?: true };

/** `endsAt`: it is to end then. `before`: it is to be over when that begins. `sameAt`: the time of day of what it relates to. */
export type Related = {
  day?: PlainDate;
  range?: DayRange;
  at?: number;
  endsAt?: number;
  hours?: Hours;
  before?: Reference;
  sameAt?: number;
};

/** Just before something: within these minutes. */
const JUST = 120;

const ofEvent = (words: readonly string[], day: PlainDate | undefined, talk: Talk): Reference | null => {
  const named = nameWords(words.join(' '));
  const score = (title: string): number => fitting(named, title);
  const things = talk.made.toReversed().map((thing) => ({ ...thing, score: score(thing.title) }));
  const events = talk.found.map((event) => ({ ...event, score: score(event.title) }));
  const best = Math.max(0, ...things.map((one) => one.score), ...events.map((one) => one.score));
  if (best === 0 || best * 2 < named.length) return null;
  const thing = things.find((one) => one.score === best);
  if (thing)
    return {
      day: thing.day,
      isMade: true,
      ...(thing.at !== undefined && { from: thing.at, to: thing.at + thing.minutes }),
    };
  const fits = events.filter((one) => one.score === best);
  const event = fits.find((one) => day && one.day.equals(day)) ?? fits[0]!;
  return { day: event.day, from: event.at, to: event.at + event.minutes };
};

const isPronoun = (words: readonly string[]): boolean =>
  words.every((word) => PRONOUNS.has(word)) || nameWords(words.join(' ')).length === 0;

/** What was spoken of last: a new thing of this request, or the event that it is about. */
const lastSpoken = ({ made, looked }: Talk): Reference | null => {
  const thing = made.at(-1);
  if (thing)
    return {
      day: thing.day,
      isMade: true,
      ...(thing.at !== undefined && { from: thing.at, to: thing.at + thing.minutes }),
    };
  const event = looked?.[0];
  return event ? { day: event.day, from: event.at, to: event.at + event.minutes } : null;
};

const referenceOf = (
  names: readonly string[],
  said: Settled,
  day: PlainDate | undefined,
  talk: Talk,
): Reference | null => {
  const own = (said.days[0] ?? said.bounds[0])?.from;
  const words = names.flatMap(wordsOf);
  const isDeadline = words.includes('due') || (talk.made.length === 0 && isPronoun(words));
  if (talk.due && isDeadline) return { day: talk.due };
  const event = words.length > 0 ? ofEvent(words, own ?? day, talk) : null;
  if (event) return own && event.day.equals(own) ? { ...event, isDaySaid: true } : event;
  return ofTime(said, own, day, talk) ?? ofPronoun(words, talk);
};

const ofTime = (
  { slots: [slot] }: Settled,
  own: PlainDate | undefined,
  day: PlainDate | undefined,
  talk: Talk,
): Reference | null => {
  if (slot) return { day: own ?? day ?? talk.said ?? talk.today, from: slot.at, to: slot.at };
  return own ? { day: own } : null;
};

const ofPronoun = (words: readonly string[], talk: Talk): Reference | null =>
  isPronoun(words) || words.some((word) => PRONOUNS.has(word)) ? lastSpoken(talk) : null;

const shifted = (day: PlainDate, minute: number): Related => {
  const days = Math.floor(minute / 1440);
  return { day: day.add({ days }), at: minute - days * 1440 };
};

const byDays = ({ day, from }: Reference, { days = 0, months = 0 }: Amount, isBefore: boolean): Related => ({
  day: isBefore ? day.subtract({ days, months }) : day.add({ days, months }),
  ...(from !== undefined && { sameAt: from }),
});

const beforeIt = (reference: Reference, { by, isExact }: Relation, talk: Talk): Related => {
  const { day, from } = reference;
  if (by?.minutes !== undefined) return from === undefined ? { day } : shifted(day, from - by.minutes);
  if (from === undefined) return { range: { from: talk.today, to: day.subtract({ days: 1 }), isWindow: true } };
  if (isExact) return { day, endsAt: from, hours: { after: Math.max(from - JUST, 0), before: from } };
  // 'before choir this Sunday' is on that day
  if (reference.isDaySaid) return { day, hours: { before: from } };
  return { range: { from: talk.today, to: day, isWindow: true }, before: reference };
};

const afterIt = ({ day, from, to }: Reference, { by, isFromStart }: Relation): Related => {
  if (to === undefined) return { day };
  return by?.minutes === undefined ? shifted(day, to) : shifted(day, (isFromStart ? (from ?? to) : to) + by.minutes);
};

const startIn = (text: string, talk: Talk): number | undefined => {
  const [time] = settle(readTime(text), baseOf(talk, { from: 1050, to: 1380 })).groups;
  return time?.slots[0]?.at ?? time?.hours?.after;
};

const between = (text: string, said: Settled, day: PlainDate | undefined, talk: Talk): Related | null => {
  const [first = '', second = ''] = text.split(/\band\b|&/i);
  const start = ofEvent(wordsOf(first), said.days[0]?.from ?? day, talk);
  if (start?.to === undefined) return null;
  const end = ofEvent(wordsOf(second), start.day, talk);
  const before = end?.day.equals(start.day) ? end.from : startIn(second, talk);
  return { day: start.day, hours: { after: start.to, ...(before !== undefined && before > start.to && { before }) } };
};

const ofRelation = (
  relation: Relation,
  names: readonly string[],
  said: Settled,
  day: PlainDate | undefined,
  talk: Talk,
): Related | null => {
  const reference = referenceOf(names, said, day, talk);
  if (!reference) return null;
  const { side, by, days, part } = relation;
  const hours = part ? { hours: { after: part.from, before: part.to } } : {};
  if (days) {
    const [found] = settleDays(days, { today: talk.today, said: reference.day });
    return found!.isWindow ? { range: found!, ...hours } : { day: found!.from, ...hours };
  }
  if (by && by.minutes === undefined) return { ...byDays(reference, by, side === 'before'), ...hours };
  if (side === 'before') return { ...beforeIt(reference, relation, talk), ...hours };
  if (side === 'after') return { ...afterIt(reference, relation), ...hours };
  if (part || reference.from === undefined) return { day: reference.day, ...hours };
  return { day: reference.day, hours: { after: reference.from, before: reference.to! } };
};

/** 'an hour before breakfast', on whichever day. */
const ofPart = ({ side, by }: Relation, { after = 480, before = 1320 }: Hours): Related => {
  if (by?.minutes === undefined) return { hours: { after, before } };
  return { at: side === 'before' ? after - by.minutes : before + by.minutes };
};

/** Words that relate to nothing are a time. */
const asTime = ({ days: [first], slots: [slot], hours }: Settled): Related | null => {
  if (!first && !slot && !hours) return null;
  return {
    ...(first && (first.isWindow ? { range: first } : { day: first.from })),
    ...(slot && (first || !hours) && { at: slot.at }),
    ...(hours && { hours }),
  };
};

/** `day` is the one that the clause says; null where it is not known what is meant. */
export const relate = (text: string, day: PlainDate | undefined, talk: Talk): Related | null => {
  const { items, names, unread } = readTime(text);
  const relations = items.filter((item) => item.item === 'relation');
  const others = items.filter(({ item }) => item !== 'relation');
  const said = settle({ items: others }, baseOf(talk)).groups[0]!;
  const relation = relations.find(({ side }) => side === 'between') ?? relations[0];
  if (!relation) return asTime(said);
  if (relation.side === 'between') return between(text, said, day, talk);
  const meal = names.length === 0 && said.days.length === 0 ? said.hours : undefined;
  if (meal) return ofPart(relation, meal);
  const related = ofRelation(relation, [...names, ...unread], said, day, talk);
  // 'after work on the day of the exam'
  return related && relation.side === 'during' && said.hours ? { ...related, hours: said.hours } : related;
};
