/** Stretches whose own words, or those beside them, say another role or other bounds than they were read with. */
import { readTime } from '../time/read-time.ts';
import { NUMBERED } from '../words/act-words.ts';
import type { Piece } from './clause.ts';
import { wordsOf } from './names.ts';
import { byOwnWords, filled, isAll, type Items, TIME } from './own-words.ts';
import { cutAt } from './recut.ts';

type Role = Piece['role'];

const isBlank = ({ role, text }: Piece): boolean => role === 'glue' && text.trim() === '';
const hasItem = (text: string, items: Items): boolean => readTime(text).items.some(({ item }) => items.includes(item));

/** The piece ahead of one, where nothing but blanks is between them. */
const before = (pieces: readonly Piece[], i: number): Piece | undefined =>
  pieces.slice(0, i).findLast((piece) => !isBlank(piece)) === pieces.slice(0, i).at(-1)
    ? pieces[i - 1]
    : pieces[i - 1] && isBlank(pieces[i - 1]!)
      ? pieces[i - 2]
      : undefined;

/** 'Read for' '20 minutes'. */
const FOR_LAST = /(?<!\s)\s+for\s*$/i;
const withoutFor = (pieces: readonly Piece[]): Piece[] =>
  pieces.flatMap((piece, i) => {
    const end = piece.role === 'title' ? FOR_LAST.exec(piece.text) : null;
    const next = pieces.slice(i + 1).find((one) => !isBlank(one));
    return end && end.index > 0 && next?.role === 'dur' ? cutAt(piece, ['title', 'glue'], end.index) : [piece];
  });

/** 'Ward 4, Dec 1, 2:30pm', 'platform 9 on Saturday at 16:12': a number behind a noun, where the hour is said too. */
const NUMBER = /^\s*\d{1,3}[a-z]?(?=[\s,])(?!\s*(?:to|till?|until|-|–|or|and|&|o['’]?clock|h|uhr|am|pm)\b)/i;
const withNumber = (pieces: readonly Piece[]): Piece[] =>
  pieces.flatMap((piece, i) => {
    const name = before(pieces, i);
    const number =
      piece.role === 'when' && (name?.role === 'title' || name?.role === 'place') && NUMBER.exec(piece.text);
    if (!number) return [piece];
    const rest = piece.text.slice(number[0].length);
    const last = wordsOf(name.text).at(-1) ?? '';
    const [day] = readTime(rest).items;
    const isDate = day?.item === 'days' && day.days.of === 'month';
    const isSure = NUMBERED.has(last) || (isAll(rest, TIME) && hasItem(rest, ['days']));
    return isSure && !isDate && hasItem(rest, ['clock', 'hours'])
      ? cutAt(piece, [name.role, 'when'], number[0].length)
      : [piece];
  });

/** How many words at the edge of a time may be of the name beside it. */
const MOST_EDGE = 4;
/** The start, or the end, of a time that is no time: 'in two weeks at 16:00 forecast [call]'. */
const edgeOf = (text: string, isEnd: boolean): number | undefined => {
  const bounds = [...text.matchAll(/\s+/g)].map(({ index, 0: gap }) => (isEnd ? index : index + gap.length));
  const cuts = isEnd ? bounds.toReversed() : bounds;
  return cuts.slice(0, MOST_EDGE).find((at) => {
    const [time, name] = isEnd ? [text.slice(0, at), text.slice(at)] : [text.slice(at), text.slice(0, at)];
    return readTime(name).items.length === 0 && isAll(time, [...TIME, 'every', 'count']);
  });
};

/** Words at the edge of a time that are of the name beside it. */
const withEdges = (pieces: readonly Piece[]): Piece[] =>
  pieces.flatMap((piece, i) => {
    if (piece.role !== 'when' && piece.role !== 'repeat') return [piece];
    if (readTime(piece.text).unread.length === 0) return [piece];
    const next = pieces.slice(i + 1).find((one) => !isBlank(one));
    const isBehind = next?.role === 'title' || !pieces.some(({ role }) => role === 'title' || role === 'target');
    const end = isBehind ? edgeOf(piece.text, true) : undefined;
    if (end !== undefined) return cutAt(piece, [piece.role, 'title'], end);
    const start =
      before(pieces, i)?.role === 'title' || isAheadOfLength(pieces, i) ? edgeOf(piece.text, false) : undefined;
    return start === undefined ? [piece] : cutAt(piece, ['title', piece.role], start);
  });

/** 'easy 40 minute jog at lunchtime' */
const isAheadOfLength = (pieces: readonly Piece[], i: number): boolean => {
  const own = pieces.slice(0, i).filter((piece) => !isBlank(piece));
  return own.at(-1)?.role === 'dur' && own.at(-2)?.role === 'title';
};

/** Two names side by side are one. */
export const asOneName = (pieces: readonly Piece[]): Piece[] => {
  const left: Piece[] = [];
  for (const piece of pieces) {
    const [gap, name] = [left.at(-1), left.at(-2)];
    if (piece.role === 'title' && gap?.role === 'title' && gap.to === piece.from)
      left.splice(-1, 1, { ...gap, text: gap.text + piece.text, to: piece.to });
    else if (piece.role === 'title' && gap && isBlank(gap) && name?.role === 'title')
      left.splice(-2, 2, { ...name, text: name.text + gap.text + piece.text, to: piece.to });
    else left.push(piece);
  }
  return left;
};

const PAIRS: readonly [Role, Role, RegExp, RegExp][] = [
  // 'until December' '4'
  ['repeat', 'when', /\p{L}\s*$/u, /^\s*\d{1,2}(?:st|nd|rd|th)?\s*$/],
  // 'up to and' 'including 15 December'
  ['repeat', 'except', /\band\s*$/i, /^\s*including\b/i],
  // 'at 2 pm - half' 'an hour'
  ['when', 'dur', /\bhalf\s*$/i, /^\s*an?\s+hour/i],
];
/** What was cut in the middle. */
const whole = (pieces: readonly Piece[]): Piece[] => {
  const left: Piece[] = [];
  for (const piece of pieces) {
    const gap = left.at(-1) && isBlank(left.at(-1)!) ? left.at(-1)! : undefined;
    const first = gap ? left.at(-2) : left.at(-1);
    const pair = PAIRS.find(
      ([a, b, end, start]) => first?.role === a && piece.role === b && end.test(first.text) && start.test(piece.text),
    );
    if (!first || !pair) {
      left.push(piece);
      continue;
    }
    left.splice(gap ? -2 : -1);
    const text = `${first.text}${gap?.text ?? ''}${piece.text}`;
    if (pair[0] === 'repeat') {
      const isEnd = isAll(text.replace(/^.*?(?=\b(?:until|till?|up to|starting|from|beginning|by)\b)/is, ''), [
        'bound',
        'days',
        'every',
      ]);
      left.push(...(isEnd ? [{ ...first, text, to: piece.to }] : [first, ...(gap ? [gap] : []), piece]));
    } else {
      const at = first.text.search(/\bhalf\s*$/i);
      const [own, half] = cutAt({ ...first, text, to: piece.to }, ['when', 'dur'], at);
      left.push(own, half);
    }
  }
  return left;
};

/** A further time with its name, behind a list of such: ', 5pm groceries', ', nap at 2', ', wed 11am [town hall]'. */
const withNext = (pieces: readonly Piece[]): Piece[] => {
  const isListed = (i: number): boolean => {
    const ahead = pieces.slice(0, i);
    return ahead.some(({ role }, n) => role === 'when' && ahead.slice(n).some((one) => one.role === 'title'));
  };
  return pieces.flatMap((piece, i): Piece[] => {
    if (piece.role === 'title') return nextIn(piece) ?? [piece];
    if ((piece.role !== 'extra' && piece.role !== 'place') || !isListed(i)) return [piece];
    if (before(pieces, i)?.role === 'when') return [{ ...piece, role: 'title' }];
    return piece.role === 'extra' ? (timedFirst(piece) ?? timedLast(piece) ?? [piece]) : [piece];
  });
};

const HOUR: Items = ['clock', 'hours', 'part'];
const gapsIn = (text: string): { start: number; end: number }[] =>
  [...text.matchAll(/(?<!\s)\s+(?=\S)/g)].map(({ index, 0: gap }) => ({ start: index, end: index + gap.length }));
const timedFirst = (piece: Piece): Piece[] | null => {
  const gap = gapsIn(piece.text)
    .slice(0, 3)
    .find(({ start }) => isAll(piece.text.slice(0, start), HOUR));
  return gap ? cutAt(piece, ['when', 'title'], gap.start) : null;
};
const timedLast = (piece: Piece): Piece[] | null => {
  const gap = gapsIn(piece.text)
    .slice(-3)
    .find(({ end }) => SURE_HOUR.test(piece.text.slice(end)) && isAll(piece.text.slice(end), HOUR));
  return gap ? cutAt(piece, ['title', 'when'], gap.start) : null;
};
/** Not 'platform 6'. */
const SURE_HOUR = /^at\s|\d[:.]\d\d|\d\s?[ap]m$/i;
/** 'blood test, 11 call with the florist' are two. */
const NEXT = /,\s*\d{1,2}(?:[:.]\d\d)?\s?(?:am|pm)?\s+(?=\p{L})/iu;
const nextIn = (piece: Piece): Piece[] | null => {
  const next = NEXT.exec(piece.text);
  if (!next || next.index === 0) return null;
  const [first, rest] = cutAt(piece, ['title', 'when'], next.index);
  const at = next[0].length;
  const [time, name] = cutAt(rest, ['when', 'title'], at);
  const [comma, clock] = cutAt(time, ['glue', 'when'], 1);
  return [first, comma, clock, name];
};

/** 'Shopping on black' 'friday at 1': the holiday is one. */
const LAST_WORD = /\s(?:on )?\S+\s*$/i;
const holidayOf = (name: Piece, gap: string, time: Piece): Piece[] | null => {
  const last = LAST_WORD.exec(name.text);
  if (!last || readTime(time.text).items[0]?.item !== 'days') return null;
  const text = `${last[0]}${gap}${time.text}`;
  const [first] = readTime(text).items;
  return first?.item === 'days' && first.days.of === 'holiday'
    ? [cutAt(name, ['title', 'when'], last.index)[0], { ...time, text, from: name.from + last.index }]
    : null;
};
const withHoliday = (pieces: readonly Piece[]): Piece[] => {
  const left: Piece[] = [];
  for (const piece of pieces) {
    const end = left.at(-1);
    const gap = end && isBlank(end) ? end : undefined;
    const name = gap ? left.at(-2) : end;
    const found = piece.role === 'when' && name?.role === 'title' ? holidayOf(name, gap?.text ?? '', piece) : null;
    if (found) left.splice(gap ? -2 : -1, gap ? 2 : 1, ...found);
    else left.push(piece);
  }
  return left;
};

/** 'Two hours a day', where it is said until when: a repetition. */
const A_DAY = /(?<!\s)\s+(?:a|per|each|every)\s+(?:day|night|morning|evening)\s*$/i;
const withDaily = (pieces: readonly Piece[]): Piece[] => {
  const isLimited = pieces.some(({ role }) => role === 'except' || role === 'repeat');
  return pieces.flatMap((piece) => {
    const rate = isLimited && piece.role === 'dur' ? A_DAY.exec(piece.text) : null;
    const [dur, repeat] = rate ? cutAt(piece, ['dur', 'repeat'], rate.index) : [piece];
    return repeat ? [dur, { ...repeat, text: repeat.text.replace(/\ba\b/i, 'every') }] : [piece];
  });
};

/** 'Three' 'gym sessions', 'after-work' 'drinks'. */
const withName = (pieces: readonly Piece[]): Piece[] =>
  pieces.flatMap((piece, i) => {
    const sessions = piece.role === 'title' && before(pieces, i)?.role === 'count' ? SESSIONS.exec(piece.text) : null;
    if (sessions && sessions.index > 0) return cutAt(piece, ['title', 'glue'], sessions.index);
    const next = pieces.slice(i + 1).find((one) => !isBlank(one));
    const isPart = piece.role === 'rel' && next?.role === 'title' && /^\s*\p{L}+-\p{L}+\s*$/u.test(piece.text);
    return [isPart ? { ...piece, role: 'title' } : piece];
  });
const SESSIONS = /(?<!\s)\s+(?:sessions?|times|slots?)\s*$/i;

/** 'Twice' 'a week in the evening' is a repetition and a time. */
const RATE = /^\s*(?:a|per|each|every)\s+(?:day|week|month)\b/i;
const withRate = (pieces: readonly Piece[]): Piece[] =>
  pieces.flatMap((piece, i) => {
    const rate = piece.role === 'when' && before(pieces, i)?.role === 'count' ? RATE.exec(piece.text) : null;
    return rate && rate[0].length < piece.text.length ? cutAt(piece, ['repeat', 'when'], rate[0].length) : [piece];
  });

const mends = [
  ...byOwnWords,
  withoutFor,
  withName,
  withHoliday,
  withDaily,
  withRate,
  withNumber,
  withEdges,
  whole,
  withNext,
  asOneName,
];

/** The same pieces with the bounds and the roles that their own words say. */
export const restretched = (pieces: readonly Piece[]): Piece[] =>
  mends.reduce<Piece[]>((all, mend) => filled(mend(all)), [...pieces]);
