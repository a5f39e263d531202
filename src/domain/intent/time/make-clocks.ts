/** Productions: clock times, lists and ranges of them, bounds, and stretches from one day into another. */
import { isInYears, readTime, YEARS_FAULT } from '../../time/time.ts';
import type { Clock, Day, Facet } from '../facet.ts';
import { verbAt } from '../verbs.ts';
import { FORTH, NOT_HOURS, STREETS } from '../words/time-words.ts';
import {
  endsPhrase,
  MONTHS,
  NUMBERED,
  ORDINALS,
  phraseAt,
  PREPOSITIONS,
  setOf,
  type Token,
  WEEKDAYS,
  wordAt,
} from '../words.ts';
import { compareDays } from './calendar.ts';
import type { Latent, Place, Productions } from './chart.ts';
import type { Named } from './make-days.ts';

type Tokens = readonly Token[];
/** `bare`: a number that is a time only because of its neighbours. */
export type Time = { clock: Clock; bare: boolean; also?: Clock };
type Times = { times: Clock[]; first: Time; to: number; choice?: true };
type Hours = { from: Time; to: Time; at: [from: number, to: number]; also?: [Clock, Clock][] };
type Half = 'am' | 'pm';

const timeOf = (hour: number, minute: number, bare: boolean, fixed = false): Time | null =>
  minute > 59 || hour > 24 || (hour === 24 && minute > 0)
    ? null
    : { clock: { hour, minute, fixed: fixed || hour > 12 || hour === 0 }, bare };

/** 'ten to four' is 3:50; 'two to four' and '10 to 12' are ranges. */
const pastTo = (minutes: number, hour: number, sign: number): Time | null => {
  if (hour < 1 || hour > 12 || minutes > 30) return null;
  const total = hour * 60 + sign * minutes;
  const wrapped = total < 60 ? total + 720 : total;
  return timeOf(Math.floor(wrapped / 60), wrapped % 60, false);
};

const OF_DAY = 'in the (morning/afternoon/evening)|at night';
const afterNames = (word: string): boolean => WEEKDAYS.has(word) || DAY_WORDS.has(word);
const DAY_WORDS = setOf('today tomorrow tonight morning afternoon evening');
/** A bare number right after a day is a time: 'tomorrow 10'. */
export const afterDay = (t: Tokens, i: number): boolean =>
  afterNames(wordAt(t, i - 1) === ',' ? wordAt(t, i - 2) : wordAt(t, i - 1));
const isNearDay = (word: string): boolean => WEEKDAYS.has(word) || word === 'tomorrow' || word === 'today';

/** 'lunch 12 to 1 Monday', but not 'chapters 3 to 5 Monday'. */
const beforeDay = (t: Tokens, i: number, next: number): boolean => {
  const before = wordAt(t, i - 1);
  const isName =
    t[i - 1]?.kind === 'word' && !before.endsWith('s') && !NUMBERED.has(before) && !PREPOSITIONS.has(before);
  return isName && isNearDay(wordAt(t, next));
};
const isCounted = (t: Tokens, at: number): boolean =>
  NOT_HOURS.has(wordAt(t, at)) && !(/^[./-]$/.test(wordAt(t, at)) && !t[at + 1]?.glued);

const isOne = (t: Tokens, i: number): boolean =>
  wordAt(t, i) === 'one' && (ORDINALS.has(wordAt(t, i - 1)) || /^(?:the|other|this|that|last)$/.test(wordAt(t, i - 1)));

type Mode = 'none' | 'at' | 'for' | 'from' | 'after' | 'until';
/** Whether a bare number can be an hour at its place: after 'at' it can, after 'for' and 'to' it needs more. */
const stands = ({ tokens: t, from: i }: Place, first: Time, to: number, mode: Mode): boolean | 'latent' => {
  if (!first.bare) return true;
  if (STREETS.has(wordAt(t, to + 1)) && t[to]?.kind === 'word') return false;
  if (isCounted(t, to)) return false;
  if (phraseAt(t, to, OF_DAY)) return true;
  const ends = endsPhrase(t, to);
  if (mode === 'for') return wordAt(t, i) === 'to' && FORTH.has(wordAt(t, i - 1)) && ends;
  if (mode === 'none') return ends && (afterDay(t, i) || (to === i + 1 && beforeDay(t, i, to)) ? true : 'latent');
  return mode === 'at' || mode === 'from' || ends || (mode === 'after' && wordAt(t, to) === 'because');
};

/** '10-12 deep work' at the start of a line. */
const opensLine = (t: Tokens, i: number): boolean => {
  const isStart = (at: number): boolean => (t[at]?.kind ?? 'break') === 'break';
  return isStart(i - 1) || (/^[-*•]$/.test(wordAt(t, i - 1)) && isStart(i - 2));
};
const FOLLOWING = setOf('on this next today tomorrow for free every each');
/** 'block 10 to 12 on Thursday' */
const followsVerb = (t: Tokens, i: number, next: number): boolean =>
  (WEEKDAYS.has(wordAt(t, next)) || FOLLOWING.has(wordAt(t, next))) &&
  [i - 1, i - 2].some((at) => {
    const verb = verbAt(t, at);
    return verb?.next === i && (verb.act === 'block' || verb.act === 'schedule');
  });
/** 'Wednesday 10 to 11 interview', not 'Wednesday 2 to 3 reports'. */
const isOneThing = (t: Tokens, i: number): boolean =>
  t[i]?.kind === 'word' && !NOT_HOURS.has(wordAt(t, i)) && !(wordAt(t, i).endsWith('s') && endsPhrase(t, i + 1));

const standsAsRange = ({ tokens: t }: Place, { from, to, at }: Hours, isBare: boolean): boolean | 'latent' => {
  const [i, next] = at;
  if (isOne(t, i)) return false;
  if (to.bare && (MONTHS.has(wordAt(t, next)) || (NOT_HOURS.has(wordAt(t, next)) && t[next + 1]?.glued !== false)))
    return false;
  if (!from.bare || !to.bare || !isBare) return true;
  const isWhole = endsPhrase(t, next) || isOneThing(t, next);
  if ((afterDay(t, i) && isWhole) || beforeDay(t, i, next) || opensLine(t, i) || followsVerb(t, i, next)) return true;
  return isWhole && 'latent';
};

const OF_NOUNS = setOf('with of about for to');
/** Another time of a list: 'at 10 and one with Eve' has none. */
const continues = ({ tokens: t }: Place, more: Times, at: number): boolean =>
  !more.first.bare ||
  (endsPhrase(t, more.to) &&
    !OF_NOUNS.has(wordAt(t, more.to)) &&
    !NOT_HOURS.has(wordAt(t, more.to)) &&
    t[at] !== undefined);
const MOST_TIMES = 24;

/** What is firm was said, what is latent only behind a day. */
const firmly = (stand: boolean | 'latent', facets: Facet[]): Facet[] | Latent | null =>
  stand === true ? facets : stand ? { latent: facets } : null;

const hoursFacet = ({ from, to, also }: Hours, exact: boolean): Facet[] => [
  { kind: 'hours', from: from.clock, to: to.clock, exact, ...(also && { also }) },
];
const halved = ({ clock }: Time, to24: number): Time => ({
  clock: { ...clock, hour: (clock.hour % 12) + to24, fixed: true },
  bare: false,
});
const minutesOf = ({ hour, minute }: Clock): number => hour * 60 + minute;
type Moment = { day: Day; clock: Clock };

export const CLOCKS: Productions = {
  letter: ({ tokens, to }) => (wordAt(tokens, to - 1) === 'a' ? 'am' : 'pm'),
  hm: ({ arg }, text: string) => {
    const [hour = 0, minute = 0] =
      text.includes(':') || text.includes('.')
        ? text.split(/[.:]/).map(Number)
        : [Number(text.slice(0, 2)), Number(text.slice(2))];
    return timeOf(
      hour,
      minute,
      arg.includes('bare') && !(text.startsWith('0') && !/[.:]/.test(text)),
      arg.includes('fixed') || (text.includes(':') && text.startsWith('0')),
    );
  },
  hour: ({ arg, tokens, spans }, hour: number) => {
    const span = spans.at(-1)!;
    const isPadded = tokens[span.from]!.text.startsWith('0');
    return hour > 12 && tokens[span.from]!.kind === 'word'
      ? null
      : timeOf(hour, 0, arg === '', arg === 'fixed' || isPadded);
  },
  hourMinutes: ({ arg, tokens, from }, hour: number, minute: number) => {
    const isSpelt = tokens[from]!.kind === 'word';
    return (arg === 'words' && minute < 10) || (isSpelt && hour > 12)
      ? null
      : timeOf(hour, minute, false, arg === 'fixed');
  },
  pastHour: ({ arg }, hour: number) => {
    const minutes = Number(arg);
    return pastTo(Math.abs(minutes), hour, Math.sign(minutes));
  },
  // 8:30 in Britain, 7:30 in German: both are said, and one is asked for
  halfHour: ({ tokens, to }, hour: number): Time | null => {
    const [later, sooner] =
      tokens[to - 1]!.kind === 'number' && hour > 12 ? [] : [pastTo(30, hour, 1), pastTo(30, hour, -1)];
    return later && sooner ? { ...later, also: sooner.clock } : null;
  },
  pastTo: ({ arg, tokens, from }, minutes: number, hour: number) => {
    const isPlain = arg === 'plainly';
    const isDigits = tokens[from]!.kind === 'number';
    if (isPlain && (minutes % 5 !== 0 || (isDigits && wordAt(tokens, from - 1) !== 'at'))) return null;
    return pastTo(minutes, hour, arg === '' ? 1 : -1);
  },
  clock: ({ arg }): Time => ({ clock: { hour: Number(arg), minute: 0, fixed: true }, bare: false }),
  halved: (_, { clock }: Time, half: Half): Time | null =>
    clock.hour < 1 || clock.hour > 12
      ? { clock: { ...clock, fixed: true }, bare: false }
      : halved({ clock, bare: false }, half === 'pm' ? 12 : 0),
  sure: (_, time: Time, half?: Half): Time =>
    typeof half === 'string' && time.clock.hour >= 1 && time.clock.hour <= 12
      ? halved(time, half === 'pm' ? 12 : 0)
      : { ...time, bare: false },
  zoned: (_, { clock }: Time, zone: string): Time => ({ clock: { ...clock, zone }, bare: false }),

  clocks: ({ to }, first: Time): Times =>
    first.also ? { times: [first.clock, first.also], first, to, choice: true } : { times: [first.clock], first, to },
  clocksAnd: (place, first: Time, more: Times) =>
    more.times.length < MOST_TIMES && continues(place, more, place.spans[1]!.from)
      ? {
          times: [first.clock, ...more.times],
          first,
          to: place.spans[0]!.to,
          ...((place.arg || more.choice) && { choice: true }),
        }
      : null,
  clockFacet: (place, ...values: unknown[]) => {
    const { times, first, to, choice } = values.at(-1) as Times;
    if (isOne(place.tokens, place.from)) return null;
    return firmly(stands(place, first, to, place.arg as Mode), [{ kind: 'clock', times, ...(choice && { choice }) }]);
  },
  hours: (place, ...values: unknown[]): Hours | null => {
    const { arg, spans, from, to } = place;
    const ends = spans.flatMap(({ kind }, i) => (kind === 'hourend' ? (values[i] as Time) : []));
    const [first, last] = ends as [Time, Time];
    const half = values.find((value) => typeof value === 'number');
    if (arg === 'half') return first.clock.fixed ? null : { from: halved(first, half!), to: last, at: [from, to] };
    if (arg === 'endhalf')
      return !first.clock.fixed || last.clock.fixed ? null : { from: first, to: halved(last, half!), at: [from, to] };
    return { from: first, to: last, at: [from, to] };
  },
  rangesAnd: ({ tokens }, first: Hours, more: Hours): Hours | null =>
    more.to.bare && !endsPhrase(tokens, more.at[1])
      ? null
      : { ...first, also: [[more.from.clock, more.to.clock], ...(more.also ?? [])].slice(0, 12) as [Clock, Clock][] },
  hoursFacet: (place, ...values: unknown[]) => {
    const hours = values.at(-1) as Hours;
    return firmly(standsAsRange(place, hours, place.arg === 'none'), hoursFacet(hours, place.arg !== 'window'));
  },
  hoursBetween: (place, ...values: unknown[]): Facet[] | null => {
    const ends = place.spans.flatMap(({ kind }, i) => (kind === 'hourend' ? (values[i] as Time) : [])) as [Time, Time];
    const hours: Hours = { from: ends[0], to: ends[1], at: [place.from + 1, place.to] };
    return standsAsRange(place, hours, false) ? hoursFacet(hours, false) : null;
  },
  hoursTo: (place, ...values: unknown[]): Facet[] | null => {
    const { at, time } = endIn(place, values);
    return stands(place, time, at, 'until')
      ? [{ kind: 'hours', to: time.clock, exact: false, ...(place.arg && { due: true as const }) }]
      : null;
  },
  hoursFrom: (place, ...values: unknown[]): Facet[] | null => {
    const { at, time } = endIn(place, values);
    if (!stands(place, time, at, at < place.to ? 'from' : 'after')) return null;
    return place.arg ? [{ kind: 'clock', times: [time.clock] }] : [{ kind: 'hours', from: time.clock, exact: false }];
  },
  iso: ({ zone }, text: string): Facet[] => {
    const at = readTime(text, zone);
    if (at !== null && isInYears(at)) return [{ kind: 'instant', at }];
    const why = at === null ? 'is not a time' : YEARS_FAULT;
    return [{ kind: 'fault', ask: `${text} ${why}. When should it be?` }];
  },
  badClock: (_, ...values: unknown[]): Facet[] => [
    { kind: 'fault', ask: `${String(values.at(-1))} is not a time of day. When should it be?` },
  ],

  moment: ({ spans }, ...values: unknown[]): Moment | null => {
    const at = spans.findIndex(({ kind }) => kind === 'dayat');
    const day = values[at] as Named;
    return day.past || day.fault ? null : { day, clock: (values[1 - at] as Time).clock };
  },
  nextDay: ({ tokens, to }, { clock }: Time): { next: Clock } => ({
    next: { ...clock, fixed: clock.fixed || wordAt(tokens, to - 1) === 'morning' },
  }),
  stretch: (_, ...values: unknown[]): Facet[] | null => {
    const first = values[0] as Moment;
    const said = values.at(-1) as Moment | { next: Clock };
    const last = 'next' in said ? { day: { date: first.day.date.add({ days: 1 }) } as Day, clock: said.next } : said;
    if (!first.clock.fixed || !last.clock.fixed) return null;
    const { date } = first.day;
    const { day } = last;
    const end = compareDays(day.date, date) < 0 && day.roll ? day.date.add(day.roll) : day.date;
    const minutes =
      date.until(end, { largestUnit: 'day' }).days * 1440 + minutesOf(last.clock) - minutesOf(first.clock);
    if (minutes <= 0) return [{ kind: 'fault', ask: 'It would end before it begins. When should it be?' }];
    return [
      { kind: 'days', days: [{ date }], till: { day: { date: end }, clock: last.clock } },
      { kind: 'clock', times: [first.clock] },
      { kind: 'duration', minutes },
    ];
  },
};

/** The clock time among the spans of a bound, and the index behind it. */
const endIn = ({ spans }: Place, values: readonly unknown[]): { at: number; time: Time } => {
  const i = spans.findIndex(({ kind }) => kind === 'hourend');
  return { at: spans[i]!.to, time: values[i] as Time };
};
