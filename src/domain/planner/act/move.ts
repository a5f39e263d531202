/** Moves events: to another time, by a length, in the place of each other. */
import { mondayOf } from '../../time/words-of-time.ts';
import { readTime } from '../time/read-time.ts';
import { type Hours, settle, type Settled, type Slot } from '../time/settle.ts';
import { compareDays, type DayRange } from '../time/settle-days.ts';
import type { Amount, Item } from '../time/types.ts';
import { EARLIER_WORDS, ENDING, LATER_WORDS, STAYING, SWAP_WORDS } from '../words/act-words.ts';
import type { Act, Move } from './actions.ts';
import { type Clause, isForGood } from './clause.ts';
import type { Found } from './known.ts';
import { limitsOf } from './limits.ts';
import { firstOfEach } from './lookup.ts';
import { hasWord, wordsOf } from './names.ts';
import { oddIn } from './odd.ts';
import { refersToDay } from './refers.ts';
import { relate, type Related } from './relate.ts';
import { repeatOf } from './repeat.ts';
import { firstOn, ruleOf } from './series.ts';
import { baseOf, likelyHalf, type Talk } from './talk.ts';
import { lengthOf } from './length.ts';

type PlainDate = Temporal.PlainDate;

const moveOf = (
  { target }: Found,
  day: PlainDate | DayRange,
  at: number | Hours | null,
  more: Partial<Move> = {},
): Act => ({
  do: 'move',
  target,
  date: 'from' in day ? { from: day.from, to: day.to } : day,
  at,
  ...more,
});

const shiftedBy = (
  event: Found,
  { minutes = 0, days = 0, months = 0 }: Amount,
  sign: 1 | -1,
): { day: PlainDate; at: number } => {
  const at = event.at + sign * minutes;
  const over = Math.floor(at / 1440);
  return { day: event.day.add({ days: sign * days + over, months: sign * months }), at: at - over * 1440 };
};

/** '30 min', 'an hour later': how far, and in which direction where the words say it. */
export const shiftSaid = (text: string): { amount: Amount; sign?: 1 | -1 } | null => {
  for (const item of readTime(text, 'length').items) {
    // 'one hour before' as a change is an hour earlier
    if (item.item === 'relation' && item.by) return { amount: item.by, sign: item.side === 'after' ? 1 : -1 };
    const amount =
      item.item === 'length' || item.item === 'ahead'
        ? item.amount
        : item.item === 'number'
          ? { minutes: item.n }
          : null;
    if (!amount) continue;
    const way = 'way' in item ? item.way : undefined;
    if (way === 'later' || way === 'earlier') return { amount, sign: way === 'later' ? 1 : -1 };
    return { amount, ...(way && { sign: way === 'more' ? (1 as const) : (-1 as const) }) };
  }
  return null;
};

/** Whether the end stays where it is, though the start moves. */
export const keepsEnd = (clause: Clause): boolean => {
  const words = clause.pieces.flatMap(({ role, text }) =>
    role === 'glue' || role === 'resize' || role === 'move' || role === 'limit' ? wordsOf(text) : [],
  );
  return words.some((word) => ENDING.has(word)) && words.some((word) => STAYING.has(word));
};

const byShift = (clause: Clause, text: string, found: readonly Found[], more: Partial<Move>): Act[] => {
  const said = shiftSaid(text);
  if (!said) return [{ do: 'ask', about: 'by how much', options: found.map(({ target }) => target) }];
  const verb = `${clause.text('move')} ${clause.glue}`;
  const isEarlier = hasWord(verb, EARLIER_WORDS) && !hasWord(text, LATER_WORDS);
  const sign = said.sign ?? (isEarlier ? -1 : 1);
  return found.map((event) => {
    const { day, at } = shiftedBy(event, said.amount, sign);
    const kept = keepsEnd(clause) ? Math.max(event.minutes - sign * (said.amount.minutes ?? 0), 5) : undefined;
    const minutes = kept ?? lengthOf(clause.text('dur')).minutes;
    return moveOf(event, day, at, { ...more, ...(minutes && { minutes }) });
  });
};

/** A weekday is that of the week of the event, where it is still to come. */
export const settledFor = (event: Found, items: readonly Item[], talk: Talk, isThis = false): Settled[] => {
  const hint = likelyHalf(event.title) ?? (event.at >= 1020 ? 'pm' : undefined);
  const refers = items.some((item) => item.item === 'days' && refersToDay(item.days));
  const monday = mondayOf(event.day);
  const week = { from: monday, to: monday.add({ days: 6 }) };
  const base = { ...baseOf(talk, hint), ...(refers && { said: event.day }) };
  const { groups } = settle({ items }, refers ? base : { ...base, said: undefined, ...(!isThis && { window: week }) });
  const isPast = groups.some(({ days }) => days.some(({ to }) => compareDays(to, talk.today) < 0));
  return isPast ? settle({ items }, { ...base, ...(!refers && { said: undefined }) }).groups : groups;
};

/** Where an event goes by what the clause says. */
type Place = { day: PlainDate | DayRange; at: number | Hours | null; slot?: Slot };

const placeOf = (event: Found, clause: Clause, talk: Talk): Place | { about: string } => {
  // 'to Thursday at 10' is where it goes, not an end
  const when = clause.text('when').replace(/^to\s+/i, '');
  const time = readTime(when);
  // 'this Friday' is the coming one, whenever the event is
  const settled = when ? settledFor(event, time.items, talk, /\bthis\s/i.test(when))[0] : undefined;
  const fault = oddIn(time) ?? settled?.fault;
  if (fault) return { about: fault };
  if (!clause.has('rel') || settled?.slots[0]) return placed(event, clause, talk, settled, null);
  const related = relate(clause.text('rel'), settled?.days[0]?.from, { ...talk, looked: [event] });
  return related ? placed(event, clause, talk, settled, related) : { about: clause.text('rel') };
};

const placed = (
  event: Found,
  clause: Clause,
  talk: Talk,
  settled: Settled | undefined,
  related: Related | null,
): Place => {
  const { hours, days } = limitsOf(clause.all('limit'), undefined, talk);
  const slot = settled?.slots[0] ?? limitSlot(clause, event, talk);
  const day = daySaid(settled, days) ?? placeIn(related) ?? event.day;
  const at = slot?.at ?? related?.at ?? settled?.hours ?? related?.hours ?? hours ?? keptAt(event, day);
  return slot ? { day, at, slot } : { day, at };
};

/** On one day it keeps its hour; in a stretch of days any free time will do. */
const keptAt = ({ at }: Found, day: PlainDate | DayRange): number | null => ('from' in day ? null : at);

const daySaid = (settled: Settled | undefined, limited: readonly DayRange[]): PlainDate | DayRange | undefined => {
  const bound = settled?.bounds.find(({ edge }) => edge === 'from' || edge === 'until');
  const range = settled?.days[0] ?? limited[0] ?? bound;
  return range?.from.equals(range.to) ? range.from : range && { from: range.from, to: range.to };
};

const placeIn = (related: Related | null): PlainDate | DayRange | undefined => related?.day ?? related?.range;

/** 'half five or six are both fine': the first of the times that are wished for. */
const limitSlot = (clause: Clause, event: Found, talk: Talk): Slot | undefined => {
  if (!clause.has('limit')) return undefined;
  const { items } = readTime(clause.text('limit'));
  const isTimes = items.every(({ item }) => item === 'clock' || item === 'or');
  return isTimes ? settledFor({ ...event, at: 1020 }, items, talk)[0]?.slots[0] : undefined;
};

const isSeriesForGood = ({ target }: Found, clause: Clause): boolean =>
  target.recurrence_id !== undefined && isForGood(clause);

/** The day from which on all is meant, where the words say so without a day. */
const goodFrom = (event: Found, clause: Clause, { today }: Talk): PlainDate | undefined =>
  isSeriesForGood(event, clause) ? today : undefined;

/** A series that moves: from an occurrence on, or to other weekdays. */
const seriesMove = (event: Found, clause: Clause, place: Place | null, talk: Talk): Act | null => {
  const {
    every,
    from: begin,
    until,
    slots,
  } = repeatOf(clause.all('repeat'), baseOf(talk, likelyHalf(event.title)), talk);
  const from = begin ?? goodFrom(event, clause, talk);
  const wished = typeof place?.at === 'number' ? place.at : event.at;
  const at = slots[0]?.at ?? wished;
  const said = place && clause.has('when') && !('from' in place.day) ? place.day : undefined;
  if (every && (!said || said.equals(event.day)))
    return moveOf(event, firstOn(from ?? talk.today.add({ days: 1 }), every), at, {
      series: { rule: ruleOf(every), ...(until && { until }) },
      isFollowing: true,
    });
  return from ? movedFrom(event, from, said, at, talk, until) : null;
};

/** The first occurrence from a day on, and all behind it. */
const movedFrom = (
  event: Found,
  from: PlainDate,
  said: PlainDate | undefined,
  at: number,
  talk: Talk,
  until?: PlainDate,
): Act => {
  const first = talk.found.find(({ target, day }) => target.uid === event.target.uid && compareDays(day, from) >= 0);
  const weekly = { unit: 'week', weekdays: [(said ?? first?.day ?? event.day).dayOfWeek] } as const;
  return moveOf(first ?? event, firstOn(from, weekly), at, {
    isFollowing: true,
    ...(until && { series: { rule: ruleOf(weekly), until } }),
  });
};

/** Whether the words say that all later ones move, and then leave some of them out or name days on which it ends. */
const isPartForGood = (clause: Clause, found: readonly Found[], talk: Talk): boolean => {
  const isFrom = clause.has('repeat') && repeatOf(clause.all('repeat'), baseOf(talk), talk).from !== undefined;
  if (!(isFrom || isForGood(clause)) || found.every(({ target }) => target.recurrence_id === undefined)) return false;
  const isEnd = ({ item }: Item): boolean => item === 'bound';
  const times = readTime(clause.text('when')).items;
  const isDays = times.some(({ item }) => item === 'days') && times.some(isEnd);
  const hasEnd = times.some((item) => item.item === 'bound' && item.edge !== 'from' && item.edge !== 'after');
  const limits = clause.all('limit').flatMap((text) => [...readTime(text).items]);
  return clause.has('except') || isDays || hasEnd || limits.some((item) => item.item === 'days' || isEnd(item));
};

const swapped = ([a, b]: readonly [Found, Found]): Act[] => [moveOf(a, b.day, b.at), moveOf(b, a.day, a.at)];

const toPlace = (event: Found, clause: Clause, talk: Talk): Act => {
  const place = placeOf(event, clause, talk);
  if (clause.has('repeat') || isSeriesForGood(event, clause)) {
    const act = seriesMove(event, clause, 'about' in place ? null : place, talk);
    if (act) return act;
  }
  if ('about' in place) return { do: 'ask', about: place.about, options: [event.target] };
  const minutes = place.slot?.minutes ?? (clause.has('dur') ? lengthOf(clause.text('dur')).minutes : undefined);
  const kept = keepsEnd(clause) && typeof place.at === 'number' ? event.at + event.minutes - place.at : undefined;
  const length = kept && kept > 0 ? kept : minutes;
  return moveOf(event, place.day, place.at, length ? { minutes: length } : {});
};

/** 'the same time a week later' is a shift. */
const isShift = (text: string): boolean => {
  const { items } = readTime(text, 'length');
  return (
    items.length > 0 &&
    items.every(
      (item) => (item.item === 'length' || item.item === 'number') && (item.way === 'later' || item.way === 'earlier'),
    )
  );
};

export const move = (clause: Clause, found: readonly Found[], talk: Talk): Act[] => {
  const [first, second] = found;
  const verb = `${clause.text('move')} ${clause.glue}`;
  if (second && found.length === 2 && !clause.has('when', 'shift') && hasWord(verb, SWAP_WORDS))
    return swapped([first!, second]);
  if (isPartForGood(clause, found, talk))
    return [{ do: 'ask', about: 'which one', options: firstOfEach(found).map(({ target }) => target) }];
  const when = clause.text('when');
  const shift = clause.text('shift') || (isShift(when) ? when : '');
  // a series that moves is one change, not one for each occurrence
  const firsts = firstOfEach(found);
  if (shift) {
    const isFrom = clause.has('repeat') && repeatOf(clause.all('repeat'), baseOf(talk), talk).from !== undefined;
    return isFrom ? byShift(clause, shift, firsts, { isFollowing: true }) : byShift(clause, shift, found, {});
  }
  if (!clause.has('when', 'rel', 'limit', 'repeat'))
    return [{ do: 'ask', about: 'when', options: found.map(({ target }) => target) }];
  return (clause.has('repeat') ? firsts : found).map((event) => toPlace(event, clause, talk));
};
