/** Repetition: 'every other Tuesday', 'weekdays', 'monthly on the 1st', as it is asked for. */
import type { Every, Reader, Scan } from './facet.ts';
import { readAmount, readNumber } from './amount.ts';
import { PARTS } from './parts.ts';
import { isClear } from './dates.ts';
import {
  dictionary,
  phraseAt,
  endsPhrase,
  ORDINALS,
  setOf,
  type Token,
  WEEKDAY_PLURALS,
  WEEKDAYS,
  wordAt,
} from './words.ts';

const GROUPS = dictionary<readonly number[]>({
  weekday: [1, 2, 3, 4, 5],
  weekdays: [1, 2, 3, 4, 5],
  workday: [1, 2, 3, 4, 5],
  workdays: [1, 2, 3, 4, 5],
  weekend: [6, 7],
  weekends: [6, 7],
});
const WORKDAYS = [1, 2, 3, 4, 5];
const ADVERBS = dictionary<Omit<Every, 'kind'>>({
  daily: { unit: 'day', step: 1 },
  nightly: { unit: 'day', step: 1 },
  weekly: { unit: 'week', step: 1 },
  biweekly: { unit: 'week', step: 2 },
  fortnightly: { unit: 'week', step: 2 },
  monthly: { unit: 'month', step: 1 },
  hourly: { unit: 'minute', step: 60 },
});
const JOINTS = 'and|&|,|, and|and on|or|/|+|- and|and every|and each';

/** 'Monday, Wednesday and Friday', 'weekdays', 'Mon-Fri', after 'every' or in the plural. */
const readWeekdays = (scan: Scan, i: number, plural: boolean): { weekdays: number[]; next: number } | null => {
  const { tokens } = scan;
  const one = (at: number): readonly number[] | undefined => {
    const word = wordAt(tokens, at);
    const single = WEEKDAYS.get(word);
    const many = WEEKDAY_PLURALS.get(word);
    if (many) return [many];
    if (GROUPS[word] && (!plural || word.endsWith('s'))) return GROUPS[word];
    return !plural && single && isClear(scan, at) ? [single] : undefined;
  };
  const first = one(i);
  if (!first || tokens[i]!.possessive) return null;
  const weekdays = new Set(first);
  let next = i + 1;
  const joint = phraseAt(tokens, next, 'to|-|–|through|until');
  const last = joint && WEEKDAYS.get(wordAt(tokens, joint));
  if (joint && last && first.length === 1) {
    for (let day = first[0]!; day !== last; day = (day % 7) + 1) weekdays.add(day);
    return { weekdays: [...weekdays, last], next: joint + 1 };
  }
  for (let more = 0; more < 7; more++) {
    // 'tue thu and sat'
    const beside = WEEKDAYS.has(wordAt(tokens, next)) || WEEKDAY_PLURALS.has(wordAt(tokens, next)) ? next : null;
    const at = phraseAt(tokens, next, JOINTS) ?? beside;
    const days =
      at && (one(at) ?? (WEEKDAYS.has(wordAt(tokens, at)) ? [WEEKDAYS.get(wordAt(tokens, at))!] : undefined));
    if (!at || !days) break;
    for (const day of days) weekdays.add(day);
    next = at + 1;
  }
  return { weekdays: [...weekdays].toSorted((a, b) => a - b), next };
};

const monthdayAt = (tokens: readonly Token[], i: number): { day: number; next: number } | null => {
  const the = phraseAt(tokens, i, 'on the|the');
  const digits =
    the && /^\d{1,2}$/.test(tokens[the]?.text ?? '') && ['st', 'nd', 'rd', 'th'].includes(wordAt(tokens, the + 1))
      ? Number(tokens[the]!.text)
      : 0;
  if (the && digits >= 1 && digits <= 31) return { day: digits, next: the + 2 };
  const spelt = the ? ORDINALS.get(wordAt(tokens, the)) : undefined;
  return the && spelt && !WEEKDAYS.has(wordAt(tokens, the + 1)) ? { day: spelt, next: the + 1 } : null;
};

/** 'every 3 days', 'every other week', 'every second Friday', 'each weekday morning'. */
const readEveryWord = (scan: Scan, i: number): { every: Every; next: number } | null => {
  const { tokens } = scan;
  const lead = phraseAt(
    tokens,
    i,
    'every|each|on every|on each|every single|once every|once each|every other|every second|every third|on alternate|every alternate',
  );
  if (!lead) return null;
  const each = phraseAt(tokens, lead, 'of|one of');
  if (each)
    return ['the', 'these', 'those'].includes(wordAt(tokens, each))
      ? { every: { kind: 'every', unit: 'day', step: 1 }, next: each }
      : null;
  const stepWord = wordAt(tokens, lead - 1);
  const step = stepWord === 'third' ? 3 : ['other', 'second', 'alternate'].includes(stepWord) ? 2 : 1;
  const days = readWeekdays(scan, lead, false);
  if (days) return { every: { kind: 'every', unit: 'week', step, weekdays: days.weekdays }, next: days.next };
  const number = readNumber(tokens, lead);
  const amount = number ? readAmount(tokens, lead) : null;
  const n = number ? Math.max(1, Math.round(number.n)) : step;
  const unit = amount ? wordAt(tokens, amount.next - 1) : wordAt(tokens, lead);
  const next = amount?.next ?? lead + 1;
  if (/^days?$/.test(unit)) return { every: { kind: 'every', unit: 'day', step: n }, next };
  if (/^weeks?$/.test(unit)) return { every: { kind: 'every', unit: 'week', step: n }, next };
  if (unit === 'fortnight') return { every: { kind: 'every', unit: 'week', step: 2 }, next };
  if (/^months?$/.test(unit)) return { every: { kind: 'every', unit: 'month', step: n }, next };
  if (/^(?:hour|hr|half|minute)/.test(unit) || (amount && !amount.calendar)) {
    const minutes = amount?.minutes ?? readAmount(tokens, lead)?.minutes ?? 60 * step;
    return minutes >= 5
      ? {
          every: { kind: 'every', unit: 'minute', step: minutes },
          next: amount?.next ?? readAmount(tokens, lead)?.next ?? next,
        }
      : null;
  }
  return PARTS[unit] ? { every: { kind: 'every', unit: 'day', step }, next: lead } : null;
};

const finish = (scan: Scan, every: Every, next: number): { every: Every; next: number } => {
  const { tokens } = scan;
  if (every.unit === 'month') {
    const day = monthdayAt(tokens, next);
    if (day) return { every: { ...every, monthday: day.day }, next: day.next };
    const nth = phraseAt(tokens, next, 'on the|the');
    const weekday = nth ? WEEKDAYS.get(wordAt(tokens, nth + 1)) : undefined;
    const n = nth ? (wordAt(tokens, nth) === 'last' ? -1 : ORDINALS.get(wordAt(tokens, nth))) : undefined;
    return nth && weekday && n ? { every: { ...every, weekdays: [weekday], nth: n }, next: nth + 2 } : { every, next };
  }
  const on = every.unit === 'week' && !every.weekdays ? phraseAt(tokens, next, 'on|on a|every|, on') : null;
  const days = on ? (readWeekdays(scan, on, false) ?? readWeekdays(scan, on, true)) : null;
  return days ? { every: { ...every, weekdays: days.weekdays }, next: days.next } : { every, next };
};

/** 'the first Monday of every month'. */
const readNthMonthly = (scan: Scan, i: number): { every: Every; next: number } | null => {
  const { tokens } = scan;
  const start = phraseAt(tokens, i, 'on the|the|every|each|on every') ?? i;
  const n = wordAt(tokens, start) === 'last' ? -1 : ORDINALS.get(wordAt(tokens, start));
  const weekday = WEEKDAYS.get(wordAt(tokens, start + 1));
  const each = phraseAt(tokens, i, 'every|each') !== null;
  const of = phraseAt(
    tokens,
    start + 2,
    each
      ? 'of the month|in the month|of a month|of every month'
      : 'of every month|of each month|every month|each month|in every month',
  );
  if (n && n <= 5 && weekday && of)
    return { every: { kind: 'every', unit: 'month', step: 1, weekdays: [weekday], nth: n }, next: of };
  const nth_ = each ? ORDINALS.get(wordAt(tokens, start)) : undefined;
  const ofMonth = nth_ ? phraseAt(tokens, start + 1, '(day/) (of/in) (the/every/each/a) month') : null;
  if (nth_ && ofMonth) return { every: { kind: 'every', unit: 'month', step: 1, monthday: nth_ }, next: ofMonth };
  const day = monthdayAt(tokens, i);
  const monthly = day && phraseAt(tokens, day.next, 'of every month|of each month|every month|each month');
  return day && monthly ? { every: { kind: 'every', unit: 'month', step: 1, monthday: day.day }, next: monthly } : null;
};

/** 'at the end of each week' is its Friday, 'at the start' its Monday; the end of a day its late afternoon. */
const readEdgeOfEach = ({ tokens }: Scan, i: number): ReturnType<Reader> => {
  const lead = phraseAt(
    tokens,
    i,
    'at the end of every|at the end of each|the end of every|the end of each|at the start of every|at the start of each|at the beginning of every|at the beginning of each',
  );
  const end = lead !== null && wordAt(tokens, lead - 3) === 'end';
  if (lead && wordAt(tokens, lead) === 'week')
    return { facets: [{ kind: 'every', unit: 'week', step: 1, weekdays: [end ? 5 : 1] }], next: lead + 1 };
  const weekly = lead ? readWeekdays({ tokens } as Scan, lead, false) : null;
  const every: Every | null = weekly
    ? { kind: 'every', unit: 'week', step: 1, weekdays: weekly.weekdays }
    : lead && wordAt(tokens, lead) === 'day'
      ? { kind: 'every', unit: 'day', step: 1 }
      : null;
  if (!lead || !every) return null;
  return {
    facets: [every, { kind: 'part', part: end ? { name: 'afternoon', from: 16, to: 18 } : PARTS.morning! }],
    next: weekly?.next ?? lead + 1,
  };
};

const DETERMINED = setOf('the my our your this next his her');

/** All ways of saying that something repeats. */
export const readEvery: Reader = (scan, i) => {
  const { tokens } = scan;
  const edge = readEdgeOfEach(scan, i);
  if (edge) return edge;
  const nth = readNthMonthly(scan, i);
  if (nth) return { facets: [nth.every], next: nth.next };
  const adverb = ADVERBS[wordAt(tokens, i)];
  if (adverb) {
    const noun = !endsPhrase(tokens, i + 1);
    if (noun && DETERMINED.has(wordAt(tokens, i - 1))) return null;
    const done = finish(scan, { kind: 'every', ...adverb }, i + 1);
    return { facets: [done.every], next: done.next };
  }
  const word = readEveryWord(scan, i);
  if (word) {
    const done = finish(scan, word.every, word.next);
    return { facets: [done.every], next: done.next };
  }
  const nextFew = readNextFewDays(scan, i);
  if (nextFew) return nextFew;
  const start = phraseAt(tokens, i, 'on|all|on all') ?? i;
  const days = readWeekdays(scan, start, true) ?? readPluralEnd(scan, start);
  return days
    ? { facets: [{ kind: 'every', unit: 'week', step: 1, weekdays: days.weekdays }], next: days.next }
    : readDayParts(scan, start);
};

/** 'weekday mornings', 'Monday mornings', 'in the evenings' on their own. */
const readDayParts = (scan: Scan, i: number): ReturnType<Reader> => {
  const { tokens } = scan;
  const weekdays =
    wordAt(tokens, i) === 'weekday'
      ? WORKDAYS
      : WEEKDAYS.has(wordAt(tokens, i))
        ? [WEEKDAYS.get(wordAt(tokens, i))!]
        : null;
  if (!weekdays || !['mornings', 'afternoons', 'evenings', 'nights'].includes(wordAt(tokens, i + 1))) return null;
  if (['and', ',', '&'].includes(wordAt(tokens, i - 1))) return null;
  return { facets: [{ kind: 'every', unit: 'week', step: 1, weekdays }], next: i + 1 };
};

/** 'Monday and Wednesdays': singular first, plural last. */
const readPluralEnd = (scan: Scan, i: number): { weekdays: number[]; next: number } | null => {
  const days = WEEKDAYS.has(wordAt(scan.tokens, i)) ? readWeekdays(scan, i, false) : null;
  return days && WEEKDAY_PLURALS.has(wordAt(scan.tokens, days.next - 1)) ? days : null;
};

/** 'the next four Fridays': a repetition and its count. */
const readNextFewDays = (scan: Scan, i: number): ReturnType<Reader> => {
  const { tokens } = scan;
  const lead = phraseAt(tokens, i, 'the next|next|on the next|for the next|the coming|over the next|for');
  const number = lead ? readNumber(tokens, lead) : null;
  const days = number ? readWeekdays(scan, number.next, true) : null;
  return number && days
    ? {
        facets: [
          { kind: 'every', unit: 'week', step: 1, weekdays: days.weekdays },
          { kind: 'count', times: number.n },
        ],
        next: days.next,
      }
    : null;
};
