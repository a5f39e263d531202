/** Clock times as they are asked for: one or several, ranges and bounds, 'from 2 to 3:30', 'after 4pm'. */
import type { Clock, Facet, Reader, Scan } from './facet.ts';
import { readAmount } from './amount.ts';
import { type Atom, OF_DAY, readAtom, readPlainHour } from './hour.ts';
import { afterDay } from './parts.ts';
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
} from './words.ts';
import { verbAt } from './verbs.ts';

type Tokens = readonly Token[];
type Mode = 'at' | 'from' | 'between' | 'after' | 'until' | 'none';
const MODES: [Mode, string][] = [
  ['at', 'at|@|say|say at|at say|at around|at about|at approximately|at exactly|around|for|to|from about|until around'],
  ['from', 'from|from about|starting at|starting from|beginning at|at from|starting'],
  ['between', 'between'],
  [
    'after',
    'after|(but/) (please/) only (after/from)|not before|never before|nothing before|any time after|anytime after|sometime after|no earlier than|later than|past',
  ],
  [
    'until',
    'by|before|until|till|til|latest (by/until/till/at)|at the latest (by/until/till)|no later than|any time before|sometime before|not after|never after|nothing after|ending at|ends at|at the latest by|(finished/done/ready/completed/over) by|(which/it/) (has/needs/have/need) to be (done/finished/ready/over/completed) (by/before)|(must/should) be (done/finished/ready/over/completed) (by/before)',
  ],
];

const readMode = (t: Tokens, i: number): { mode: Mode; next: number } =>
  MODES.reduce<{ mode: Mode; next: number }>(
    (best, [mode, phrases]) => {
      const next = phraseAt(t, i, phrases);
      return next && next > best.next ? { mode, next } : best;
    },
    { mode: 'none', next: i },
  );

/** '10-12 deep work' at the start of a line. */
const opensLine = (t: Tokens, i: number): boolean => {
  const before = t[i - 1];
  return (
    !before ||
    before.kind === 'break' ||
    (['-', '*', '•'].includes(before.word) && (!t[i - 2] || t[i - 2]!.kind === 'break'))
  );
};

const NOT_HOURS = setOf(
  '% percent people persons places km kilometers miles euros dollars pages chapters items minutes hours days weeks months kg degrees times items - x $ € / . th st nd rd',
);
const FORTH = setOf('forward back up out moved rescheduled postponed changed');
/** 'at 14 Mill Road' */
const STREETS = setOf('lane street road avenue close drive square st rd ave terrace crescent');
/** Whether a bare number can be an hour at its place: after 'at' it can, after 'for' and 'to' it needs more. */
const standsAsHour = ({ tokens: t, afterDay: isAfterDay }: Scan, i: number, atom: Atom, mode: Mode): boolean => {
  if (!atom.bare) return true;
  if (STREETS.has(wordAt(t, atom.next + 1)) && t[atom.next]?.kind === 'word') return false;
  const next = t[atom.next];
  if (next && NOT_HOURS.has(next.word) && !(['.', '-'].includes(next.word) && !t[atom.next + 1]?.glued)) return false;
  if (phraseAt(t, atom.next, OF_DAY)) return true;
  // 'bring the call forward to 10 today'
  if (wordAt(t, i) === 'to' && FORTH.has(wordAt(t, i - 1)) && endsPhrase(t, atom.next)) return true;
  if (wordAt(t, i) === 'for' || wordAt(t, i) === 'to') return false;
  return mode === 'none'
    ? (isAfterDay || afterDay(t, i) || (atom.next === i + 1 && beforeDay(t, i, atom.next))) && endsPhrase(t, atom.next)
    : mode === 'at' ||
        mode === 'from' ||
        endsPhrase(t, atom.next) ||
        (mode === 'after' && wordAt(t, atom.next) === 'because');
};

const RANGE = 'to|-|–|—|until|till|til|through|to about';

const readRange = (scan: Scan, i: number, mode: Mode, first: Atom): { facets: Facet[]; next: number } | null => {
  const t = scan.tokens;
  // 'from 7 in the morning to noon'
  const half = mode === 'from' && !first.clock.fixed ? phraseAt(t, first.next, OF_DAY) : null;
  const joint = phraseAt(t, half ?? first.next, mode === 'between' ? `and|${RANGE}` : RANGE);
  const second = joint ? readAtom(t, joint) : null;
  if (!second) return null;
  if (half) {
    const from = {
      ...first.clock,
      hour: (first.clock.hour % 12) + (wordAt(t, half - 1) === 'morning' ? 0 : 12),
      fixed: true,
    };
    return readRange(scan, i, mode, { ...first, clock: from, next: half });
  }
  // 'at 12:15 until 4 December'
  if (second.bare && MONTHS.has(wordAt(t, second.next))) return null;
  if (second.bare && NOT_HOURS.has(wordAt(t, second.next)) && t[second.next + 1]?.glued !== false) return null;
  if (
    second.bare &&
    first.bare &&
    mode === 'none' &&
    !((scan.afterDay || afterDay(t, i)) && (endsPhrase(t, second.next) || isOneThing(t, second.next))) &&
    !beforeDay(t, i, second.next) &&
    !opensLine(t, i) &&
    !followsVerb(t, i, second.next)
  )
    return null;
  const exact = mode !== 'between' && mode !== 'after' && mode !== 'until';
  // '22:00 to 6 in the morning' says it of the end only
  const end = first.clock.fixed && !second.clock.fixed ? phraseAt(t, second.next, OF_DAY) : null;
  if (end) {
    const hour = (second.clock.hour % 12) + (/^(?:morning)$/.test(wordAt(t, end - 1)) ? 0 : 12);
    return {
      facets: [{ kind: 'hours', from: first.clock, to: { ...second.clock, hour, fixed: true }, exact }],
      next: end,
    };
  }
  const also = exact ? readMoreRanges(t, second.next) : { ranges: [], next: second.next };
  const more = also.ranges.length > 0 ? { also: also.ranges } : {};
  return { facets: [{ kind: 'hours', from: first.clock, to: second.clock, exact, ...more }], next: also.next };
};

/** 'block 10 to 12 on Thursday', 'keep 2 to 4 free tomorrow' */
const followsVerb = (t: Tokens, i: number, next: number): boolean =>
  [i - 1, i - 2].some((at) => {
    const verb = verbAt(t, at);
    return verb?.next === i && (verb.act === 'block' || verb.act === 'schedule');
  }) &&
  (WEEKDAYS.has(wordAt(t, next)) || FOLLOWING.has(wordAt(t, next)));
const FOLLOWING = setOf('on this next today tomorrow for free every each');

/** 'Wednesday 10 to 11 interview', not 'Wednesday 2 to 3 reports'. */
const isOneThing = (t: Tokens, i: number): boolean =>
  t[i]?.kind === 'word' && !NOT_HOURS.has(wordAt(t, i)) && !(wordAt(t, i).endsWith('s') && endsPhrase(t, i + 1));

/** 'lunch 12 to 1 Monday', but not 'chapters 3 to 5 Monday'. */
const beforeDay = (t: Tokens, i: number, next: number): boolean =>
  (WEEKDAYS.has(wordAt(t, next)) || ['tomorrow', 'today'].includes(wordAt(t, next))) &&
  t[i - 1]?.kind === 'word' &&
  !wordAt(t, i - 1).endsWith('s') &&
  !NUMBERED.has(wordAt(t, i - 1)) &&
  !PREPOSITIONS.has(wordAt(t, i - 1));

/** '8:30-10 and 13-15'. */
const readMoreRanges = (t: Tokens, i: number): { ranges: [Clock, Clock][]; next: number } => {
  const ranges: [Clock, Clock][] = [];
  let next = i;
  while (ranges.length < 12) {
    const joint = phraseAt(t, next, 'and|,|, and|&|and from|, from|, and from');
    const from = joint ? readAtom(t, joint) : null;
    const dash = from ? phraseAt(t, from.next, RANGE) : null;
    const to = dash ? readAtom(t, dash) : null;
    if (!from || !to || (to.bare && !endsPhrase(t, to.next))) break;
    ranges.push([from.clock, to.clock]);
    next = to.next;
  }
  return { ranges, next };
};

/** 'at 10 and one with Eve': that one is no hour. */
const OF_NOUNS = setOf('with of about for to');

/** 'at 9, 11 and 15:00'. */
const readList = (t: Tokens, first: Atom): { facets: Facet[]; next: number } => {
  const times = [first.clock];
  let next = first.next;
  let choice = false;
  while (times.length < 24) {
    const joint = phraseAt(t, next, 'and|or|&|,|, and|, or|and at|or at|, at|and again at');
    const more = joint ? readAtom(t, joint) : null;
    if (
      !joint ||
      !more ||
      (more.bare && readAmount(t, joint) !== null) ||
      (more.bare && (!endsPhrase(t, more.next) || OF_NOUNS.has(wordAt(t, more.next)))) ||
      (more.bare && NOT_HOURS.has(wordAt(t, more.next)))
    )
      break;
    choice ||= t.slice(next, joint).some(({ word }) => word === 'or');
    times.push(more.clock);
    next = more.next;
  }
  return { facets: [{ kind: 'clock', times, ...(choice && { choice: true as const }) }], next };
};

/** Clock times, lists and ranges of them, and bounds ('after 4pm'). */
export const readClock: Reader = (scan, i) => {
  const t = scan.tokens;
  // 'the first one to 3'
  if (
    wordAt(t, i) === 'one' &&
    (ORDINALS.has(wordAt(t, i - 1)) || ['the', 'other', 'this', 'that', 'last'].includes(wordAt(t, i - 1)))
  )
    return null;
  const { mode, next: at } = readMode(t, i);
  const skipLatest = (next: number): number => phraseAt(t, next, '(,/) at the latest|latest') ?? next;
  const token = t[at];
  if (token?.kind === 'clock' && !readAtom(t, at))
    return { facets: [{ kind: 'fault', ask: `${token.text} is not a time of day. When should it be?` }], next: at + 1 };
  const first = mode === 'from' || mode === 'between' ? (readPlainHour(t, at) ?? readAtom(t, at)) : readAtom(t, at);
  if (!first) return null;
  const range = readRange(
    scan,
    at,
    mode === 'at' && ['for', 'to'].includes(wordAt(t, i)) && first.bare ? 'none' : mode,
    first,
  );
  if (range) return range;
  if (!standsAsHour(scan, i, first, mode)) return null;
  if (mode === 'after') return { facets: [{ kind: 'hours', from: first.clock, exact: false }], next: first.next };
  const due = wordAt(t, at - 1) === 'by' || phraseAt(t, i, 'no later than') !== null;
  if (mode === 'until')
    return {
      facets: [{ kind: 'hours', to: first.clock, exact: false, ...(due && { due: true as const }) }],
      next: skipLatest(first.next),
    };
  return mode === 'between' ? null : readList(t, first);
};
