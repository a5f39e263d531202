/** Dates: one day in words or figures, 'tomorrow', 'next Friday', '5 December', 'the 3rd', 'a week on Monday'. */
import type { Day, Scan } from './facet.ts';
import { readAmount } from './amount.ts';
import { compareDays, mondayOf, nextWeekday, nthWeekday } from './calendar.ts';
import { HOLIDAYS, MOVABLE } from './holidays.ts';
import {
  type Atom,
  type AtomReader,
  ordinalAt,
  readMonthDay,
  readMonthless,
  readNumeric,
  yearAt,
} from './month-days.ts';
import { phraseAt, DOUBTFUL, endsPhrase, MONTHS, PREPOSITIONS, keptByPlace, setOf, WEEKDAYS, wordAt } from './words.ts';

const NAMED: [string, number][] = [
  ['today|this day', 0],
  ['tomorrow', 1],
  ['the day after tomorrow|day after tomorrow', 2],
  ['yesterday', -1],
  ['the day before yesterday|day before yesterday', -2],
];
/** A holiday's meal is on it: 'Thanksgiving dinner'. */
export const MEALS = setOf('dinner lunch breakfast brunch');

/** 'on Christmas' is a day, and so is every eve and day; 'Christmas shopping' is not. */
const isHoliday = ({ tokens }: Scan, i: number, next: number): boolean =>
  PREPOSITIONS.has(wordAt(tokens, i - 1)) ||
  endsPhrase(tokens, next) ||
  MEALS.has(wordAt(tokens, next)) ||
  ['eve', 'day', 'friday', 'monday'].includes(wordAt(tokens, next - 1));

const ANY_HOLIDAY = [...HOLIDAYS, ...MOVABLE].map(([phrases]) => phrases).join('|');
const readNamed: AtomReader = (scan, i) => {
  const { tokens, today } = scan;
  for (const [phrases, days] of NAMED) {
    const next = phraseAt(tokens, i, phrases);
    if (next) return { day: { date: today.add({ days }) }, next, ...(days < 0 && { past: true as const }) };
  }
  if (!phraseAt(tokens, i, ANY_HOLIDAY)) return null;
  for (const [phrases, month, day] of HOLIDAYS) {
    const next = phraseAt(tokens, i, phrases);
    if (next && isHoliday(scan, i, next)) return { day: yearly(today, month, day), next };
  }
  for (const [phrases, dateIn] of MOVABLE) {
    const next = phraseAt(tokens, i, phrases);
    if (!next || !isHoliday(scan, i, next)) continue;
    const date = dateIn(today.year);
    return { day: { date: compareDays(date, today) < 0 ? dateIn(today.year + 1) : date }, next };
  }
  return null;
};

/** The next such day from today on. */
const yearly = (today: Temporal.PlainDate, month: number, day: number): Day => {
  const date = today.with({ month, day });
  return { date: compareDays(date, today) < 0 ? date.add({ years: 1 }) : date, roll: { years: 1 } };
};

const NEIGHBOURS = setOf('on next this every each by until from to till and & , - – coming before after or last');
/** 'sat', 'may' and the like are dates only beside a word or number that makes them so. */
export const isClear = ({ tokens }: Scan, i: number): boolean =>
  !DOUBTFUL.has(wordAt(tokens, i)) ||
  NEIGHBOURS.has(wordAt(tokens, i - 1)) ||
  wordAt(tokens, i + 1) === 'at' ||
  PART_WORDS.has(wordAt(tokens, i + 1)) ||
  (['and', '&', '/', '-'].includes(wordAt(tokens, i + 1)) && WEEKDAYS.has(wordAt(tokens, i + 2))) ||
  (wordAt(tokens, i + 1) === 'the' && tokens[i + 2]?.kind === 'number') ||
  [tokens[i - 1], tokens[i + 1]].some((token) => token?.kind === 'number' || token?.kind === 'clock') ||
  (/^[A-Z]/.test(tokens[i]?.text ?? '') && DOUBTFUL_DAYS.has(wordAt(tokens, i)));
const DOUBTFUL_DAYS = setOf('sat sun');
const PART_WORDS = setOf('morning afternoon evening night lunchtime');

/** 'Friday' is the coming one, today included; 'next Friday' that of the next ISO week. */
const readWeekday: AtomReader = (scan, i) => {
  const { tokens, today } = scan;
  const word = wordAt(tokens, i);
  const follow = phraseAt(
    tokens,
    i,
    'this coming|the coming|the next|the following|next|this|coming|following|upcoming|last|past|previous',
  );
  const at = follow ?? i;
  const weekday = WEEKDAYS.get(wordAt(tokens, at));
  if (!weekday || !isClear(scan, at)) return null;
  const coming = nextWeekday(today, weekday);
  const later = phraseAt(tokens, at + 1, 'week|after next|(of/in) (the/) (next/following) week');
  const said = wordAt(tokens, at - 1);
  if (follow && ['last', 'past', 'previous'].includes(word))
    return { day: { date: nextWeekday(today.subtract({ days: 7 }), weekday) }, next: at + 1, past: true };
  const dotted =
    wordAt(tokens, at + 1) === '.' && tokens[at]!.text.length <= 4 && tokens[at + 2]?.kind === 'number'
      ? at + 2
      : at + 1;
  if (follow && said === 'next')
    return { day: { date: mondayOf(today).add({ days: 6 + weekday }), weekday }, next: dotted };
  const next = later && word !== 'this' ? later : dotted;
  const date =
    later && next === later
      ? coming.add({ days: 7 })
      : follow && said !== 'this' && coming.equals(today)
        ? coming.add({ days: 7 })
        : coming;
  const bare = !follow && next !== later;
  return {
    day: { date, weekday, ...(next !== later && { roll: { days: 7 } }), ...(bare && { bare: true as const }) },
    next,
  };
};

/** 'the day after Thanksgiving' */
const readBeside: AtomReader = (scan, i) => {
  const at = phraseAt(scan.tokens, i, '(the/) day (after/before)');
  const base = at ? readAtom(scan, at) : null;
  if (!at || !base || base.fault || base.past) return null;
  return {
    day: { date: base.day.date.add({ days: wordAt(scan.tokens, at - 1) === 'after' ? 1 : -1 }) },
    next: base.next,
  };
};

/** 'the last day of November', 'the last day of the month'. */
const readLastDay: AtomReader = (scan, i) => {
  const { tokens, today } = scan;
  const at = phraseAt(tokens, i, '(the/) (last/final) day (of/in)');
  if (!at) return null;
  const named = MONTHS.get(wordAt(tokens, at));
  const relative = phraseAt(tokens, at, '(the/this/next) month|the year');
  if (!named && !relative) return null;
  const here = today.toPlainYearMonth();
  const isYear = wordAt(tokens, (relative ?? 0) - 1) === 'year';
  const month = named
    ? here.with({ month: named, year: today.year + (named < today.month ? 1 : 0) })
    : isYear
      ? here.with({ month: 12 })
      : here.add({ months: wordAt(tokens, at) === 'next' ? 1 : 0 });
  return { day: { date: month.toPlainDate({ day: month.daysInMonth }) }, next: relative ?? at + 1 };
};

/** 'the first Monday of December', 'the last Friday of next month'. */
const readNth: AtomReader = (scan, i) => {
  const { tokens, today } = scan;
  const start = wordAt(tokens, i) === 'the' ? i + 1 : i;
  const last = wordAt(tokens, start) === 'last';
  const nth = last ? { n: -1, next: start + 1 } : ordinalAt(scan, start);
  const weekday = nth && nth.n <= 5 ? WEEKDAYS.get(wordAt(tokens, nth.next)) : undefined;
  const at =
    nth && weekday
      ? phraseAt(tokens, nth.next + 1, 'of|in|of the|in the|of this|in this|of next|in next|this|next')
      : null;
  const month = at ? MONTHS.get(wordAt(tokens, at)) : undefined;
  if (!nth || !weekday || !at || (!month && wordAt(tokens, at) !== 'month')) return null;
  const year = month ? yearAt(scan, at + 1) : null;
  const here = today.toPlainYearMonth();
  let base = month
    ? here.with({ month, ...(year && { year: year.year }) })
    : here.add({ months: wordAt(tokens, at - 1) === 'next' ? 1 : 0 });
  const pick = (): Temporal.PlainDate => nthWeekday(base, weekday, nth.n);
  if (!year && compareDays(pick(), today) < 0) base = base.add(month ? { years: 1 } : { months: 1 });
  return { day: { date: pick() }, next: year?.next ?? at + 1 };
};

/** 'in three days', 'a week from Friday', 'two weeks on Monday', '3 days from now'. */
const readOffset: AtomReader = (scan, i) => {
  const { tokens, today } = scan;
  const inside = wordAt(tokens, i) === 'in';
  const amount = readAmount(tokens, inside ? (phraseAt(tokens, i + 1, 'exactly|about|around|roughly') ?? i + 1) : i);
  if (!amount?.calendar) return null;
  const week = amount.calendar.weeks ? { week: true as const } : {};
  if (inside)
    return {
      day: { date: today.add(amount.calendar), ...week },
      next: phraseAt(tokens, amount.next, "time|' time") ?? amount.next,
    };
  const now = phraseAt(tokens, amount.next, 'from now|from today|after today');
  if (now) return { day: { date: today.add(amount.calendar), ...week }, next: now };
  if (wordAt(tokens, amount.next) === 'ago')
    return { day: { date: today.subtract(amount.calendar) }, next: amount.next + 1, past: true };
  const isNear = /^(?:today|tomorrow)$/.test(wordAt(tokens, amount.next));
  const from = phraseAt(tokens, amount.next, 'from|on|after') ?? (isNear ? amount.next : null);
  const base = from ? readAtom(scan, from) : null;
  return base && !base.past
    ? {
        day: { date: base.day.date.add(amount.calendar), ...(base.day.roll && { roll: base.day.roll }) },
        next: base.next,
      }
    : null;
};

/** 'Friday the 11th', 'Friday, 11 December': one day, where weekday and date agree. */
const dateBehind = (scan: Scan, { day }: Atom, next: number): Atom | null => {
  const at = wordAt(scan.tokens, next) === ',' ? next + 1 : next;
  const date = day.weekday === undefined ? null : (readMonthDay(scan, at) ?? readMonthless(scan, at));
  return date && !date.fault && date.day.date.dayOfWeek === day.weekday
    ? { ...date, day: { date: date.day.date } }
    : null;
};

const ATOMS: AtomReader[] = [
  readNamed,
  readOffset,
  readBeside,
  readLastDay,
  readNth,
  readMonthDay,
  readNumeric,
  readWeekday,
  readMonthless,
];
/** One day at `i`, without its preposition. */
export const readAtom: AtomReader = (scan, i) =>
  keptAtoms(scan.tokens, i, () => {
    for (const read of ATOMS) {
      const atom = read(scan, i);
      if (atom) return dateBehind(scan, atom, atom.next) ?? atom;
    }
    return null;
  });
const keptAtoms = keptByPlace<Atom | null>();
