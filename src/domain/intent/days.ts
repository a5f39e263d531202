/** Days as they are asked for: one or several, 'on Monday and Wednesday', 'by Friday', 'from Monday to Thursday'. */
import { compareDays } from './calendar.ts';
import { MEALS, readAtom } from './dates.ts';
import { type Atom, ordinalAt } from './month-days.ts';
import type { Day, Facet, Reader, Scan } from './facet.ts';
import { PARTS } from './parts.ts';
import { dayName } from './say.ts';
import { endsPhrase, MONTHS, phraseAt, setOf, WEEKDAYS, wordAt } from './words.ts';

const AND = 'and|&|,|, and|and on|, on|or|or on|, or|+|/|as well as';
const RANGE = 'to|-|–|until|till|til|through|thru|through to|up to';
const PREPOSITION = 'on|for|on the|of|come|at|to|onto|to the';
const EDGES: [edge: 'until' | 'before' | 'after' | 'from' | 'between', string][] = [
  [
    'until',
    'between now and|from now (until/till/to)|(only/just/) (by/until/till/til/through/up to)|by|until|till|til|through|thru|up to|no later than|not later than|up until|ending|ending on|until and including|(the/) last (one/time/session) (is/) (on/)|up to and including|by the latest on',
  ],
  ['before', 'before|any time before|sometime before'],
  ['after', 'after|any time after|sometime after'],
  [
    'from',
    'from|(the/) first (one/time/session) (is/) (on/)|starting|starting on|starting from|starting with|beginning|beginning on|as of|since|not before|no earlier than',
  ],
  ['between', 'between'],
];

const edgeFacet = (edge: string, day: Day): Facet => {
  const { date } = day;
  if (edge === 'from') return { kind: 'edge', from: date, said: day };
  if (edge === 'after') return { kind: 'edge', from: date.add({ days: 1 }), said: day };
  return { kind: 'edge', until: edge === 'before' ? date : date.add({ days: 1 }), said: day };
};

/** The days from one to the other, both included; the second is the next such after the first. */
const periodOf = (first: Day, second: Day, open: boolean): Facet => {
  let last = second.date;
  if (compareDays(last, first.date) < 0 && second.roll) last = last.add(second.roll);
  if (compareDays(last, first.date) < 0)
    return { kind: 'fault', ask: `${dayName(last)} comes before ${dayName(first.date)}. Which days do you mean?` };
  return {
    kind: 'period',
    from: first.date,
    to: last.add({ days: 1 }),
    ends: [first, second],
    ...(open && { open: true }),
  };
};

/** The end of a range: a day, or a bare number after 'December 5 -'. */
const readRangeEnd = (scan: Scan, i: number, first: Day): Atom | null => {
  const atom = readAtom(scan, i);
  if (atom) return atom;
  const day = ordinalAt(scan, i);
  if (
    !day ||
    first.weekday ||
    day.n <= first.date.day ||
    day.n > first.date.daysInMonth ||
    !endsPhrase(scan.tokens, day.next)
  )
    return null;
  return { day: { date: first.date.with({ day: day.n }) }, next: day.next };
};

const readRange = (scan: Scan, first: Atom, between: boolean): { facets: Facet[]; next: number } | null => {
  const joint = phraseAt(scan.tokens, first.next, between ? `and|${RANGE}` : RANGE);
  const second = joint ? readRangeEnd(scan, joint, first.day) : null;
  return second && !second.fault ? { facets: [periodOf(first.day, second.day, between)], next: second.next } : null;
};

const readList = (scan: Scan, first: Atom): { facets: Facet[]; next: number } => {
  const days = [first.day];
  let { next } = first;
  let choice = false;
  while (days.length < 31) {
    // 'mon wed fri'
    const beside = [next - 1, next].every((at) => WEEKDAYS.has(wordAt(scan.tokens, at))) ? next : null;
    const joint = phraseAt(scan.tokens, next, AND) ?? beside;
    const more = joint ? readAtom(scan, joint) : null;
    const last = days.at(-1)!;
    if (joint && !more && last.weekday && wordAt(scan.tokens, joint) === 'next' && endsPhrase(scan.tokens, joint + 1)) {
      days.push({ date: last.date.add({ days: 7 }), weekday: last.weekday });
      next = joint + 1;
      continue;
    }
    if (!joint || !more || more.past || more.fault) break;
    // 'Friday, the 27th' and 'Friday 27 November' are one day said twice
    if (
      wordAt(scan.tokens, next) === ',' &&
      joint === next + 1 &&
      (days.at(-1)!.weekday === undefined) !== (more.day.weekday === undefined)
    )
      break;
    choice ||= scan.tokens.slice(next, joint).some(({ word }) => word === 'or');
    days.push(more.day);
    next = more.next;
  }
  return { facets: [{ kind: 'days', days, ...(choice && { choice: true as const }) }], next };
};

const NEAR = setOf('today tomorrow tonight yesterday');
/** 'Sunday roast' is a name. */
const WEEKLY = setOf('roast school mass prayers service market league');
const HOLIDAYS = setOf('christmas xmas easter thanksgiving halloween');
const HOLIDAY_ENDS = setOf('eve day');
/** Whether the day only describes the noun after it: "Friday's call", 'the Friday review'. */
export const describes = ({ tokens }: Scan, i: number, next: number): boolean => {
  if (WEEKDAYS.has(wordAt(tokens, next - 1)) && WEEKLY.has(wordAt(tokens, next))) return true;
  if (tokens[next - 1]?.possessive && !endsPhrase(tokens, next)) return true;
  // Thanksgiving dinner
  if (
    MEALS.has(wordAt(tokens, next)) &&
    !WEEKDAYS.has(wordAt(tokens, next - 1)) &&
    !NEAR.has(wordAt(tokens, next - 1)) &&
    tokens[next - 1]?.kind === 'word' &&
    next === i + 1
  )
    return true;
  // Christmas shopping
  if (
    (HOLIDAYS.has(wordAt(tokens, next - 1)) || wordAt(tokens, next - 2) === 'black') &&
    next <= i + 2 &&
    !['on', 'at'].includes(wordAt(tokens, i)) &&
    !endsPhrase(tokens, next) &&
    tokens[next]?.kind === 'word'
  )
    return true;
  // New Year's Eve dinner
  if (
    HOLIDAY_ENDS.has(wordAt(tokens, next - 1)) &&
    next > i + 1 &&
    tokens[next]?.kind === 'word' &&
    !endsPhrase(tokens, next)
  )
    return true;
  const determined = ['the', 'my', 'our', 'your'].includes(wordAt(tokens, i - 1)) && WEEKDAYS.has(wordAt(tokens, i));
  const at = PARTS[wordAt(tokens, next)] ? next + 1 : next;
  return determined && !endsPhrase(tokens, at) && tokens[at]?.kind === 'word' && !LOOKS.has(wordAt(tokens, at));
};

/** 'what does my Friday look like?', 'is my Friday evening free?' */
const LOOKS = setOf('look looks looking free busy full taken booked open empty');

/** '11-13 December', 'from 7 until 9 December': the first day without its month. */
const readNumbers = (scan: Scan, i: number): { facets: Facet[]; next: number } | null => {
  const first = ordinalAt(scan, i);
  const joint = first && phraseAt(scan.tokens, first.next, RANGE);
  const last = joint ? readAtom(scan, joint) : null;
  if (!first || !last || last.fault || last.day.weekday !== undefined || first.n >= last.day.date.day || first.n < 1)
    return null;
  const named = scan.tokens.slice(joint!, last.next).some(({ word }) => MONTHS.has(word));
  return named
    ? { facets: [periodOf({ date: last.day.date.with({ day: first.n }) }, last.day, false)], next: last.next }
    : null;
};

/** Days with their preposition: 'on Monday and Wednesday', 'by Friday', 'from Monday to Thursday'. */
export const readDays: Reader = (scan, i) => {
  const { tokens } = scan;
  const edge = EDGES.map(([name, phrases]) => ({ name, next: phraseAt(tokens, i, phrases) })).find(({ next }) => next);
  const start = edge?.next ?? phraseAt(tokens, i, PREPOSITION) ?? i;
  const numbers = readNumbers(scan, start);
  if (numbers) return numbers;
  const atom = readAtom(scan, start) ?? (edge && wordAt(tokens, start) === 'on' ? readAtom(scan, start + 1) : null);
  if (!atom) return null;
  if (atom.fault) return { facets: [{ kind: 'fault', ask: atom.fault }], next: atom.next };
  if (atom.past) return { facets: [{ kind: 'past' }], next: atom.next };
  const range =
    edge && ['until', 'before', 'after'].includes(edge.name) ? null : readRange(scan, atom, edge?.name === 'between');
  if (range) return range;
  if (edge?.name === 'between') return null;
  const latest = phraseAt(tokens, atom.next, '(,/) at the latest') ?? atom.next;
  return edge ? { facets: [edgeFacet(edge.name, atom.day)], next: latest } : readList(scan, atom);
};
