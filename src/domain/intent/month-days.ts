/** Days of a month in words or figures: '5 December', 'the 3rd', '4.12.', '2026-12-05'. */
import { compareDays } from './calendar.ts';
import type { Day, Scan } from './facet.ts';
import { verbBehind } from './verbs.ts';
import { endsPhrase, MONTHS, ORDINALS, phraseAt, PREPOSITIONS, TENS, WEEKDAYS, wordAt } from './words.ts';

/** One day, or why it is none; `past` where it is named as gone by. */
export type Atom = { day: Day; next: number; past?: true; fault?: string };
export type AtomReader = (scan: Scan, i: number) => Atom | null;

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

export const yearAt = ({ tokens }: Scan, i: number): { year: number; next: number } | null => {
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
export const readMonthDay: AtomReader = (scan, i) => {
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
export const readNumeric: AtomReader = (scan, i) => {
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
export const readMonthless: AtomReader = (scan, i) => {
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
  if (
    !endsPhrase(tokens, day.next) &&
    !verbBehind(tokens, day.next) &&
    !(weekdayBefore && tokens[day.next]?.kind === 'number')
  )
    return null;
  const ofMonth = phraseAt(tokens, day.next, 'of this month|of next month|of the month|this month|next month');
  let month = today.toPlainYearMonth().add({ months: ofMonth && wordAt(tokens, ofMonth - 2) === 'next' ? 1 : 0 });
  while (month.daysInMonth < day.n || compareDays(month.toPlainDate({ day: day.n }), today) < 0)
    month = month.add({ months: 1 });
  return { day: { date: month.toPlainDate({ day: day.n }), roll: { months: 1 } }, next: ofMonth ?? day.next };
};
