/** What the words of one stretch say of its role and its bounds, whatever it was read as and whatever is beside it. */
import { readTime } from '../time/read-time.ts';
import type { Item } from '../time/types.ts';
import { HEADING_NOUNS, HESITATIONS, LENGTH_VERBS, TRAILING_VERBS } from '../words/act-words.ts';
import type { Piece } from './clause.ts';
import { timesSaid } from './length.ts';
import { cutAt } from './recut.ts';

export type Items = readonly Item['item'][];

/** Whether all of a text is a time, which has only such items. */
export const isAll = (text: string, items: Items): boolean => {
  const { items: found, names, unread } = readTime(text);
  return found.length > 0 && names.length + unread.length === 0 && found.every(({ item }) => items.includes(item));
};
export const TIME: Items = ['days', 'clock', 'hours', 'part', 'stretch', 'bound', 'ahead'];

/** Pieces without those whose text is empty. */
export const filled = (pieces: readonly Piece[]): Piece[] => pieces.filter(({ from, to }) => to > from || from < 0);

/** 'It takes two hours' says how long, whatever is beside it. */
const asLength = (piece: Piece): Piece => {
  if (piece.role !== 'extra' && piece.role !== 'aside') return piece;
  const isSo =
    LENGTH_VERBS.test(piece.text) && readTime(piece.text, 'length').items.some(({ item }) => item === 'length');
  return isSo && piece.text.length < 60 ? { ...piece, role: 'dur' } : piece;
};

/** 'Three things for Friday: ...' says the day only. */
const asHeading = (piece: Piece): Piece[] => {
  if (piece.role !== 'aside' && piece.role !== 'title' && piece.role !== 'count') return [piece];
  const head = HEADING_NOUNS.exec(piece.text);
  const rest = head ? piece.text.slice(head[0].length) : '';
  if (!head || (rest !== '' && !isAll(rest, TIME))) return [piece];
  return filled(cutAt(piece, ['glue', 'when'], head[0].length));
};

/** Without 'uh' and 'um'. */
const withoutHesitations = (piece: Piece): Piece[] => {
  if (piece.role !== 'title' && piece.role !== 'target' && piece.role !== 'create') return [piece];
  let rest: Piece = piece;
  const end = /(?<![\s,])[\s,]+(\p{L}+)\s*$/u.exec(piece.text);
  const after: Piece[] = [];
  if (end && HESITATIONS.has(end[1]!.toLowerCase())) {
    const [own, glue] = cutAt(rest, [piece.role, 'glue'], end.index);
    rest = own;
    after.push(glue);
  }
  const start = /^\s*(\p{L}+)[\s,]+(?=\S)/u.exec(rest.text);
  return start && HESITATIONS.has(start[1]!.toLowerCase())
    ? [...cutAt(rest, ['glue', piece.role], start[0].length), ...after]
    : [rest, ...after];
};

/** 'The clean takes [3 hours]', 'the shift starts [at nine]'. */
const withoutVerb = (piece: Piece): Piece[] => {
  const end = piece.role === 'title' ? TRAILING_VERBS.exec(piece.text) : null;
  return end && end.index > 0 ? cutAt(piece, ['title', 'glue'], end.index) : [piece];
};

/** 'An hour of review' says how long. */
const LENGTH_OF = /^\s*(?:an?|half an|one|two|three|\d+)[\s-]+(?:min(?:ute)?s?|hours?)\s+(?:of|for)\s+(?=\S)/i;
const withLengthOf = (piece: Piece): Piece[] => {
  const head = piece.role === 'title' ? LENGTH_OF.exec(piece.text) : null;
  if (!head) return [piece];
  const [dur, title] = cutAt(piece, ['dur', 'title'], head[0].length);
  return [dur, title];
};

/** 'On three mornings next week' says how often; 'one evening this week' only which part of the day. */
const TIMES = /^\s*(?:on |in )?(?:(one|a)|\p{L}+|\d)\s+(?:free )?(?:(?:morning|afternoon|evening|night)s?)(?=\s|$)/iu;
const withTimes = (piece: Piece): Piece[] => {
  const head = piece.role === 'when' ? TIMES.exec(piece.text) : null;
  if (!head) return [piece];
  if (head[1]) return cutAt(piece, ['glue', 'when'], head[0].search(/(?<!\S)\S+$/));
  return timesSaid(head[0]) && /s$/i.test(head[0]) ? cutAt(piece, ['count', 'when'], head[0].length) : [piece];
};

/** 'All day offsite' says how long. */
const WHOLE_DAY = /^\s*(?:an? )?(?:all|whole|full)[\s-]day\s+(?=\S)/i;
const withWholeDay = (piece: Piece): Piece[] => {
  const head = piece.role === 'title' || piece.role === 'target' ? WHOLE_DAY.exec(piece.text) : null;
  return head ? cutAt(piece, ['dur', piece.role], head[0].length) : [piece];
};

/** 'Offsite all day'; 'gym on tursday', whose day is misspelt. */
const DAY_LAST = /(?<!\s)\s+(?:(?:an? )?(?:all|whole|full)[\s-]day|(on \p{L}+day))\s*$/iu;
const withDayLast = (piece: Piece): Piece[] => {
  const last = piece.role === 'title' ? DAY_LAST.exec(piece.text) : null;
  if (!last || last.index === 0 || (last[1] && !isAll(last[1], ['days']))) return [piece];
  return cutAt(piece, ['title', last[1] ? 'when' : 'dur'], last.index);
};

/** 'Read for an hour'. */
const LENGTH_LAST = /(?<!\s)\s+for (?:\p{L}+|\d+)(?: \p{L}+){1,3}$/iu;
const withLengthLast = (piece: Piece): Piece[] => {
  const last = piece.role === 'title' ? LENGTH_LAST.exec(piece.text) : null;
  const time = last ? readTime(last[0], 'length') : null;
  const isLength = time?.items.length === 1 && time.items[0]!.item === 'length';
  return last && last.index > 0 && isLength && time.names.length + time.unread.length === 0
    ? cutAt(piece, ['title', 'dur'], last.index)
    : [piece];
};

/** 'The newsletter goes out biweekly'. */
const RATE_LAST = /(?<!\s)\s+(?:daily|weekly|biweekly|bi-weekly|fortnightly|monthly|yearly)\s*$/i;
const withRateLast = (piece: Piece): Piece[] => {
  const rate = piece.role === 'title' ? RATE_LAST.exec(piece.text) : null;
  return rate ? cutAt(piece, ['title', 'repeat'], rate.index) : [piece];
};

/** 'run and' '2:30pm', 'call' 'and 6pm': what joins two things is part of neither. */
const AND_LAST = /(?<![\s,])[\s,]+(?:and|then|&)\s*$/i;
const AND_FIRST = /^\s*(?:and|then|&)\s+(?=\S)/i;
const withoutAnd = (piece: Piece): Piece[] => {
  const last = piece.role === 'title' ? AND_LAST.exec(piece.text) : null;
  if (last && last.index > 0) return cutAt(piece, ['title', 'join'], last.index);
  const first = piece.role === 'when' ? AND_FIRST.exec(piece.text) : null;
  return first ? cutAt(piece, ['join', 'when'], first[0].length) : [piece];
};

/** 'Last one on 11 December' ends it. */
const ENDS = /^\s*(?:but )?(?:only )?(?:until|till|up to|(?:the )?last (?:one|time|session|class))\b/i;
const asEnd = (piece: Piece): Piece =>
  piece.role === 'except' && ENDS.test(piece.text)
    ? { ...piece, role: 'repeat', text: piece.text.replace(ENDS, 'until') }
    : piece;

/** Each changes single pieces; they are applied in this order. */
export const byOwnWords = [
  asLength,
  asEnd,
  withWholeDay,
  withDayLast,
  withLengthLast,
  withRateLast,
  withoutAnd,
  withTimes,
  asHeading,
  withoutHesitations,
  withLengthOf,
  withoutVerb,
].map((mend) => (pieces: readonly Piece[]) => pieces.flatMap(mend));
