/** Amounts: numbers in words, lengths of time ('an hour and a half'), counts ('three times a week'), shifts ('15 minutes later'). */
import type { Facet, Length, Reader } from './facet.ts';
import { addMinutes, instantOf, millis } from '../time/time.ts';
import {
  dictionary,
  endsPhrase,
  keptByPlace,
  phraseAt,
  setOf,
  TENS,
  type Token,
  UNITS,
  WEEKDAYS,
  wordAt,
} from './words.ts';

type Tokens = readonly Token[];
type Count = { n: number; next: number };
/** Clock time in minutes, or days and longer, which the calendar decides. */
type Amount = { minutes: number; next: number; calendar?: Length };

const FRACTIONS = dictionary<number>({ '½': 0.5, '¼': 0.25, '¾': 0.75, '1/2': 0.5, '1/4': 0.25, '3/4': 0.75 });
const LOOSE_NUMBERS = dictionary<number>({ couple: 2, few: 3, dozen: 12 });
const MINUTE_UNITS = dictionary<number>({
  minute: 1,
  minutes: 1,
  min: 1,
  mins: 1,
  hour: 60,
  hours: 60,
  hr: 60,
  hrs: 60,
  h: 60,
  pomodoro: 25,
  pomodoros: 25,
  pomodori: 25,
});
const CALENDAR_UNITS = dictionary<[unit: 'days' | 'weeks' | 'months', factor: number]>({
  day: ['days', 1],
  days: ['days', 1],
  week: ['weeks', 1],
  weeks: ['weeks', 1],
  fortnight: ['weeks', 2],
  fortnights: ['weeks', 2],
  month: ['months', 1],
  months: ['months', 1],
});
const FIXED: [phrases: string, minutes: number][] = [
  ['three quarters of an hour|three - quarters of an hour|three quarter of an hour', 45],
  ['a quarter of an hour|quarter of an hour|a quarter hour|quarter hour|quarter - hour', 15],
  ['half a day|a half day|half day|half - day', 240],
  ['(half an/half/half of an/a half) (hour/hr)|(a/) half - (hour/hr)', 30],
];

const isDash = (word: string): boolean => word === '-' || word === '–' || word === '—';

/** A number in digits or words: '45', '1.5', '1½', 'twenty-five', 'a couple of'. */
export const readNumber = (t: Tokens, i: number): Count | null => {
  const token = t[i];
  if (!token) return null;
  const own = FRACTIONS[token.text];
  if (own !== undefined) return { n: own, next: i + 1 };
  if (token.kind === 'number') {
    const fraction = FRACTIONS[t[i + 1]?.text ?? ''];
    return { n: Number(token.text.replace(',', '.')) + (fraction ?? 0), next: i + (fraction === undefined ? 1 : 2) };
  }
  const at = token.word === 'a' ? i + 1 : i;
  const loose = LOOSE_NUMBERS[wordAt(t, at)];
  if (loose !== undefined) return { n: loose, next: at + (wordAt(t, at + 1) === 'of' ? 2 : 1) };
  return readNumberWords(t, i);
};

const readNumberWords = (t: Tokens, i: number): Count | null => {
  const tens = TENS.get(wordAt(t, i));
  if (tens && tens > 1) {
    const at = isDash(wordAt(t, i + 1)) ? i + 2 : i + 1;
    const unit = UNITS.get(wordAt(t, at));
    return unit && unit < 10 ? { n: tens * 10 + unit, next: at + 1 } : { n: tens * 10, next: i + 1 };
  }
  const unit = UNITS.get(wordAt(t, i));
  const one = wordAt(t, i) === 'a' || wordAt(t, i) === 'one';
  if (one && wordAt(t, i + 1) === 'hundred') {
    const rest = readNumberWords(t, wordAt(t, i + 2) === 'and' ? i + 3 : i + 2);
    return rest ? { n: 100 + rest.n, next: rest.next } : { n: 100, next: i + 2 };
  }
  return unit ? { n: unit, next: i + 1 } : null;
};

/** 'two free hours' */
const ADJECTIVES = setOf('free full whole solid good straight uninterrupted quiet short extra consecutive undisturbed');

/** The unit after a number: 'minutes', '-minute', glued 'm'. */
const readUnit = (t: Tokens, i: number): { word: string; next: number } | null => {
  const at = isDash(wordAt(t, i)) || ADJECTIVES.has(wordAt(t, i)) ? i + 1 : i;
  const word = wordAt(t, at);
  if (word === 'm' && t[at]?.glued) return { word: 'min', next: at + 1 };
  return MINUTE_UNITS[word] !== undefined || CALENDAR_UNITS[word] ? { word, next: at + 1 } : null;
};

/** Beyond a lifetime no calendar reaches and nothing is planned. */
const MOST_UNITS = 5000;
const MOST_MINUTES = 366 * 24 * 60;
/** No single thing lasts longer than a day. */
export const MOST_OF_A_DAY = 24 * 60;

const amountOf = (n: number, word: string, next: number): Amount | null => {
  const minutes = MINUTE_UNITS[word];
  if (minutes === undefined ? n > MOST_UNITS : n * minutes > MOST_MINUTES) return null;
  if (minutes !== undefined) return { minutes: n * minutes, next };
  const [unit, factor] = CALENDAR_UNITS[word] ?? ['days', 1];
  return { minutes: 0, calendar: { [unit]: Math.max(1, Math.round(n * factor)) }, next };
};

/** What may follow hours: 'and a half', 'and 15 minutes', '1h30'. */
const readTail = (t: Tokens, i: number, unit: string): Count => {
  const half = phraseAt(t, i, 'and a half|and half|and a half long');
  if (half) return { n: MINUTE_UNITS[unit] === 60 ? 30 : 0, next: half };
  const quarter = phraseAt(t, i, 'and a quarter (of an hour/)');
  if (quarter) return { n: 15, next: quarter };
  const three = phraseAt(t, i, 'and three quarters (of an hour/)|and three - quarters');
  if (three) return { n: 45, next: three };
  if (unit === 'h' && t[i]?.glued && /^[0-5]\d$/.test(t[i].text)) {
    const m = t[i + 1];
    return { n: Number(t[i].text), next: m?.glued && /^m(?:in)?$/.test(m.word) ? i + 2 : i + 1 };
  }
  const at = wordAt(t, i) === 'and' ? i + 1 : i;
  const number = readNumber(t, at);
  const small = number && readUnit(t, number.next);
  if (number && small && MINUTE_UNITS[small.word] === 1) return { n: number.n, next: small.next };
  // 'an hour and fifteen'
  const bare = number && at > i && !small && number.n >= 5 && number.n < 60 && endsPhrase(t, number.next);
  return bare ? { n: number.n, next: number.next } : { n: 0, next: i };
};

/** An amount of time: '90 minutes', 'two and a half hours', 'an hour and a half', '1h30', '30-45 minutes' (its upper end). */
export const readAmount = (t: Tokens, i: number): Amount | null => keptAmounts(t, i, () => readAnAmount(t, i));
const keptAmounts = keptByPlace<Amount | null>();

const readAnAmount = (t: Tokens, i: number): Amount | null => {
  for (const [phrases, minutes] of FIXED) {
    const next = phraseAt(t, i, phrases);
    if (next) return { minutes, next };
  }
  const article = ['a', 'an', 'one'].includes(wordAt(t, i)) ? readUnit(t, i + 1) : null;
  const bare = phraseAt(t, i, '(hour/hr) and a (half/quarter)') ? { n: 1, next: i } : null;
  const first = bare ?? (article ? { n: 1, next: i + 1 } : readNumber(t, i));
  if (!first) return null;
  const half = phraseAt(t, first.next, 'and a half');
  const quarter = half ? null : phraseAt(t, first.next, 'and a quarter');
  const upper = half || !['to', 'or', '-', '–'].includes(wordAt(t, first.next)) ? null : readNumber(t, first.next + 1);
  const n = half ? first.n + 0.5 : quarter ? first.n + 0.25 : (upper?.n ?? first.n);
  const unit = readUnit(t, half ?? quarter ?? upper?.next ?? first.next) ?? (upper && readUnit(t, first.next));
  if (!unit) return null;
  const amount = amountOf(n, unit.word, unit.next);
  if (!amount || amount.calendar || MINUTE_UNITS[unit.word] !== 60) return amount;
  const tail = readTail(t, unit.next, unit.word);
  return { minutes: amount.minutes + tail.n, next: tail.next };
};

const WAYS = dictionary<'later' | 'earlier' | 'longer' | 'shorter'>({
  later: 'later',
  earlier: 'earlier',
  sooner: 'earlier',
  longer: 'longer',
  more: 'longer',
  extra: 'longer',
  shorter: 'shorter',
  less: 'shorter',
});
const ABOUT =
  '(a/) (solid/good/full/quiet/nice/whole)|about|around|roughly|approximately|at least|up to|at most|not more than|no more than|not longer than|no longer than|not less than|no less than|max|maximum|maybe|perhaps|probably|ca|circa|approx|exactly|only|just|~';
const skip = (t: Tokens, i: number, phrases: string): number => phraseAt(t, i, phrases) ?? i;

const lengthOf = (amount: Amount): Length => amount.calendar ?? { minutes: Math.round(amount.minutes) };

/** 'another ten minutes', '15 more minutes': more of it. */
const readMore = (t: Tokens, i: number): Amount | null => {
  const another = phraseAt(t, i, 'another|extra|additional|an extra|an additional');
  if (another) {
    const unit = readUnit(t, another);
    return unit ? amountOf(1, unit.word, unit.next) : readAmount(t, another);
  }
  const number = readNumber(t, i);
  const more = number && phraseAt(t, number.next, 'more|extra|additional');
  const unit = more ? readUnit(t, more) : null;
  return number && unit ? amountOf(number.n, unit.word, unit.next) : null;
};

/** 'by 15 minutes', 'half an hour later', 'another ten minutes'. */
export const readShift: Reader = ({ tokens: t }, i) => {
  const by = wordAt(t, i) === 'by';
  const start = by ? skip(t, i + 1, ABOUT) : i;
  const more = readMore(t, start);
  const amount = more ?? readAmount(t, start);
  if (!amount) return null;
  const said = WAYS[wordAt(t, amount.next)];
  const way = said ?? (more ? 'longer' : by ? 'by' : undefined);
  const next = said ? amount.next + 1 : amount.next;
  if (!way) return null;
  const length = lengthOf(amount);
  if (length.minutes === 0) return { facets: [{ kind: 'fault', ask: 'By how much shall it change?' }], next };
  return { facets: [{ kind: 'shift', length, way }], next };
};

/** 'a day' behind a length: 'twenty minutes a day'. */
const everyOf = (per: 'day' | 'week' | 'month'): Facet =>
  per === 'day' ? { kind: 'every', unit: 'day', step: 1 } : { kind: 'count', times: 1, per };

const PARTS_AFTER = '(before/after) (lunch/noon/midday/work/breakfast/dinner/bed/bedtime/school)';

/** 'for 20 minutes', '90-minute', 'two hours long'; before 'before'/'after' it is the gap to an event. */
export const readDuration: Reader = ({ tokens: t }, i) => {
  const lead = skip(
    t,
    i,
    'for|(i/we/) reckon|(it/which/that/) (needs/need/will need/lasts/will last) (maybe/probably/)|(and/) runs (for/)|lasting|takes|taking|it takes|should take|will take|it should take|it will take|which takes|that takes|for a|for another|in blocks of|of|each',
  );
  const amount = readAmount(t, skip(t, lead, ABOUT)) ?? readAmount(t, i);
  const side = wordAt(t, amount?.next ?? -1);
  // '45 minutes before lunch' is a length and a part of the day
  const isPart = amount && phraseAt(t, amount.next, PARTS_AFTER) && wordAt(t, amount.next + 2) !== 'with';
  if (amount && !isPart && (side === 'before' || side === 'after') && lead === i)
    return { facets: [{ kind: 'gap', length: lengthOf(amount), side }], next: amount.next + 1 };
  if (!amount || amount.calendar) return null;
  // 'takes half an hour longer'
  if (lead !== i && WAYS[side]) return null;
  if (side === 'ago') return { facets: [{ kind: 'past' }], next: amount.next + 1 };
  const minutes = Math.round(amount.minutes);
  const per = phraseAt(t, amount.next, 'a|per') ? readPer(t, amount.next) : { next: amount.next };
  if (per.per && minutes >= 1 && minutes <= MOST_OF_A_DAY)
    return { facets: [{ kind: 'duration', minutes }, everyOf(per.per)], next: per.next };
  const eachTime = phraseAt(t, amount.next, '(each/every) (time/session/one)|per session|a time');
  const each = !eachTime && wordAt(t, amount.next) === 'each' && !endsPhrase(t, amount.next + 1);
  const day = WEEKDAYS.has(wordAt(t, amount.next + 1)) || each;
  const next = day
    ? amount.next
    : (eachTime ?? skip(t, amount.next, 'long|- long|or so|max|tops|each|apiece|in total|in length'));
  const isEach = next > amount.next && /^(?:each|apiece)$/.test(wordAt(t, amount.next));
  if (minutes >= 1 && minutes <= MOST_OF_A_DAY)
    return { facets: [{ kind: 'duration', minutes, ...(isEach && { each: true as const }) }], next };
  const ask =
    minutes < 1
      ? 'That leaves no time at all. How long should it be?'
      : 'That is longer than a day. How long should it be?';
  return { facets: [{ kind: 'fault', ask }], next };
};

/** 'fit in two hours' names a length, not a time. */
const FITS = setOf('fit squeeze slot pencil put get');

/** 'in 20 minutes', 'an hour from now': an exact time, on the full minute. */
export const readFromNow: Reader = ({ tokens: t, now }, i) => {
  const inside = wordAt(t, i) === 'in' && !FITS.has(wordAt(t, i - 1));
  const amount = readAmount(t, inside ? skip(t, i + 1, ABOUT) : i);
  if (!amount || amount.calendar) return null;
  const fromNow = phraseAt(t, amount.next, 'from now|from right now');
  if (!inside && !fromNow) return null;
  if (wordAt(t, amount.next) === 'blocks' || wordAt(t, amount.next) === 'chunks') return null;
  const minute = instantOf(Math.ceil(millis(now) / 60_000) * 60_000);
  return {
    facets: [{ kind: 'instant', at: addMinutes(minute, Math.round(amount.minutes)) }],
    next: fromNow ?? amount.next,
  };
};

/** 'for two weeks', 'for the next month': how long a repetition goes on. */
export const readSpan: Reader = ({ tokens: t }, i) => {
  const lead = phraseAt(t, i, 'for|for the next|for the coming');
  const amount = lead && readAmount(t, lead);
  if (!amount || !amount.calendar) {
    const bare = lead && phraseAt(t, i, 'for the next|for the coming') ? CALENDAR_UNITS[wordAt(t, lead)] : undefined;
    return bare ? { facets: [{ kind: 'span', length: { [bare[0]]: bare[1] } }], next: lead! + 1 } : null;
  }
  return { facets: [{ kind: 'span', length: amount.calendar }], next: amount.next };
};

const PER = dictionary<'day' | 'week' | 'month'>({
  day: 'day',
  daily: 'day',
  week: 'week',
  weekly: 'week',
  month: 'month',
  monthly: 'month',
});

export const readPer = (t: Tokens, i: number): { per?: 'day' | 'week' | 'month'; next: number } => {
  const at = phraseAt(t, i, 'a|per|each|every|/');
  const per = PER[wordAt(t, at ?? i)];
  return per && (at || wordAt(t, i).endsWith('ly')) ? { per, next: (at ?? i) + 1 } : { next: i };
};
