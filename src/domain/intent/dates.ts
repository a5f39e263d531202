/** Dates: one day in words or figures, 'tomorrow', 'next Friday', '5 December', 'the 3rd', 'a week on Monday'. */
import type { Day, Scan } from './facet.ts';
import { readAmount } from './amount.ts';
import { compareDays, mondayOf, nextWeekday, nthWeekday } from './calendar.ts';
import { HOLIDAYS, MOVABLE } from './holidays.ts';
import {
  phraseAt,
  DOUBTFUL,
  endsPhrase,
  MONTHS,
  ORDINALS,
  PREPOSITIONS,
  keptByPlace,
  setOf,
  TENS,
  WEEKDAYS,
  wordAt,
} from './words.ts';

/** One day, or why it is none; `past` where it is named as gone by. */
export type Atom = { day: Day; next: number; past?: true; fault?: string };
type AtomReader = (scan: Scan, i: number) => Atom | null;

const NAMED: [string, number][] = [
  ['today|this day', 0],
  ['tomorrow|tmrw|tmr|tomorow|tommorow|tommorrow|2moro|2morrow', 1],
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

export const ordinalAt = ({ tokens }: Scan, i: number): { n: number; next: number; plain?: true } | null => {
  const token = tokens[i];
  const spelt = ORDINALS.get(token?.word ?? '');
  if (spelt) return { n: spelt, next: i + 1 };
  const tens = TENS.get(token?.word ?? '');
  const at = wordAt(tokens, i + 1) === '-' ? i + 2 : i + 1;
  const unit = ORDINALS.get(wordAt(tokens, at));
  if (tens && (tens === 2 || tens === 3) && unit && unit < 10) return { n: tens * 10 + unit, next: at + 1 };
  if (token?.word === 'thirtieth') return { n: 30, next: i + 1 };
  if (token?.kind !== 'number' || !/^\d{1,2}$/.test(token.text)) return null;
  const n = Number(token.text);
  return tokens[i + 1]?.glued && ['st', 'nd', 'rd', 'th'].includes(wordAt(tokens, i + 1))
    ? { n, next: i + 2 }
    : { n, next: i + 1, plain: true };
};

const yearAt = ({ tokens }: Scan, i: number): { year: number; next: number } | null => {
  const at = wordAt(tokens, i) === ',' ? i + 1 : i;
  return /^20\d\d$/.test(tokens[at]?.text ?? '') ? { year: Number(tokens[at]!.text), next: at + 1 } : null;
};

/** A day of a month; without a year the next one from today on. */
const dated = (scan: Scan, month: number, day: number, next: number, year?: number): Atom => {
  const length = (y: number): number => Temporal.PlainYearMonth.from({ year: y, month }).daysInMonth;
  const { today } = scan;
  const fault = `${monthName(month)} has no ${day}${suffix(day)}. Which day do you mean?`;
  if (day < 1 || day > (year ? length(year) : month === 2 ? 29 : length(today.year)))
    return { day: { date: today }, next, fault };
  if (year !== undefined && (year < 2000 || year > 2200))
    return { day: { date: today }, next, fault: `The year ${year} is too far away. Which day do you mean?` };
  if (year) return { day: { date: Temporal.PlainDate.from({ year, month, day }) }, next };
  let y = today.year;
  while (day > length(y) || compareDays(Temporal.PlainDate.from({ year: y, month, day }), today) < 0) y++;
  return { day: { date: Temporal.PlainDate.from({ year: y, month, day }), roll: { years: 1 } }, next };
};
const monthName = (month: number): string =>
  [...MONTHS.keys()].find((name) => MONTHS.get(name) === month)!.replace(/^./, (c) => c.toUpperCase());
const suffix = (n: number): string =>
  n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');

/** '5 December 2026', 'the 3rd of March', 'Dec 5th'. */
const readMonthDay: AtomReader = (scan, i) => {
  const { tokens } = scan;
  const start = wordAt(tokens, i) === 'the' ? i + 1 : i;
  const month = MONTHS.get(wordAt(tokens, start));
  if (month) {
    const at = phraseAt(tokens, start + 1, 'the|. the|.') ?? start + 1;
    const day = ordinalAt(scan, at);
    if (!day || (day.plain && (wordAt(tokens, day.next) === 'am' || wordAt(tokens, day.next) === 'pm'))) return null;
    const year = yearAt(scan, day.next);
    return dated(scan, month, day.n, year?.next ?? day.next, year?.year);
  }
  const day = ordinalAt(scan, start);
  const at = day && (phraseAt(tokens, day.next, 'of|.') ?? day.next);
  const after = at ? MONTHS.get(wordAt(tokens, at)) : undefined;
  if (!day || !at || !after) return null;
  const year = yearAt(scan, at + 1);
  return dated(scan, after, day.n, year?.next ?? at + 1, year?.year);
};

const endsInDot = ({ tokens }: Scan, i: number): boolean =>
  tokens[i + 1]?.text === '.' && tokens[i + 1]!.glued && wordAt(tokens, i - 1) !== 'at';

/** '2026-12-05', '4.12.', '25/12', '12/25/2026', '5.12.2026'; 5/12 could be either, so it is asked. */
const readNumeric: AtomReader = (scan, i) => {
  const token = scan.tokens[i];
  if (token?.kind === 'iso' && token.text.length === 10) {
    const [year = 0, month = 0, day = 0] = token.text.split('-').map(Number);
    if (month < 1 || month > 12 || year < 1)
      return { day: { date: scan.today }, next: i + 1, fault: `${token.text} is not a date. Which day do you mean?` };
    return dated(scan, month, day, i + 1, year);
  }
  // '4.12.' is 4 December, '8.45' a time
  const dots = token?.kind === 'number' ? /^(\d{1,2})\.(\d{1,2})$/.exec(token.text) : null;
  if (dots && Number(dots[2]) >= 1 && Number(dots[2]) <= 12 && endsInDot(scan, i))
    return dated(scan, Number(dots[2]), Number(dots[1]), i + 2);
  if (token?.kind !== 'date') return null;
  const [a = 0, b = 0, y] = token.text.split(/[./]/).map(Number);
  const year = y === undefined ? undefined : y < 100 ? 2000 + y : y;
  const dotted = token.text.includes('.');
  if (!dotted && a >= 1 && b >= 1 && a <= 12 && b <= 12 && a !== b)
    return {
      day: { date: scan.today },
      next: i + 1,
      fault: `Is ${token.text} the ${a}${suffix(a)} of ${monthName(b)} or ${monthName(a)} ${b}${suffix(b)}?`,
    };
  const [month, day] = b > 12 && !dotted ? [a, b] : [b, a];
  if (month < 1 || month > 12)
    return /\/\d{4}$/.test(token.text) || day > 12
      ? { day: { date: scan.today }, next: i + 1, fault: `${token.text} is not a date. Which day do you mean?` }
      : null;
  return dated(scan, month, day, i + 1, year);
};

/** 'the 15th': of this month, or of the next that has one. */
const readMonthless: AtomReader = (scan, i) => {
  const { tokens, today } = scan;
  const the = wordAt(tokens, i) === 'the';
  const day = ordinalAt(scan, the ? i + 1 : i);
  const spelt = tokens[the ? i + 1 : i]?.kind === 'word';
  if (
    !day ||
    day.plain ||
    (spelt &&
      !(
        the &&
        (['on', 'from', 'to', 'until', 'till', 'through', 'between'].includes(wordAt(tokens, i - 1)) ||
          WEEKDAYS.has(wordAt(tokens, i - 1)))
      )) ||
    day.n < 1 ||
    day.n > 31
  )
    return null;
  // 'the 16th and 17th'
  const inList =
    ['and', '&', 'or', ','].includes(wordAt(tokens, i - 1)) && ['st', 'nd', 'rd', 'th'].includes(wordAt(tokens, i - 2));
  const weekdayBefore = inList || WEEKDAYS.has(wordAt(tokens, wordAt(tokens, i - 1) === ',' ? i - 2 : i - 1));
  if (!the && !PREPOSITIONS.has(wordAt(tokens, i - 1)) && !weekdayBefore) return null;
  if (!endsPhrase(tokens, day.next) && !(weekdayBefore && tokens[day.next]?.kind === 'number')) return null;
  const ofMonth = phraseAt(tokens, day.next, 'of this month|of next month|of the month|this month|next month');
  let month = today.toPlainYearMonth().add({ months: ofMonth && wordAt(tokens, ofMonth - 2) === 'next' ? 1 : 0 });
  while (month.daysInMonth < day.n || compareDays(month.toPlainDate({ day: day.n }), today) < 0)
    month = month.add({ months: 1 });
  return { day: { date: month.toPlainDate({ day: day.n }), roll: { months: 1 } }, next: ofMonth ?? day.next };
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
