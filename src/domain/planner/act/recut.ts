/** Stretches that belong together or apart, whatever bounds they were given: 'in' and 'half an hour', '2h Wednesday afternoon'. */
import { readTime } from '../time/read-time.ts';
import type { Item } from '../time/types.ts';
import { type Clause, clauseOf, type Piece } from './clause.ts';
import { wordsOf } from './names.ts';

const joinedAs = (role: Piece['role'], pieces: readonly Piece[]): Piece => ({
  role,
  text: pieces.map(({ text }) => text).join(''),
  from: pieces[0]!.from,
  to: pieces.at(-1)!.to,
});

export const cutAt = (piece: Piece, roles: readonly [Piece['role'], Piece['role']], at: number): [Piece, Piece] => [
  { ...piece, role: roles[0], text: piece.text.slice(0, at), to: piece.from + at },
  { ...piece, role: roles[1], text: piece.text.slice(at), from: piece.from + at },
];

const only = (text: string, items: readonly Item['item'][]): boolean => {
  const read = readTime(text);
  return (
    read.items.length > 0 &&
    read.unread.length + read.names.length === 0 &&
    read.items.every(({ item }) => items.includes(item))
  );
};
const isRate = (text: string): boolean => /^\s*(?:a|per|each|every)\s+(?:day|week|month)\s*$/i.test(text);

/** What a piece and the one behind it, with the glue between them, are together. */
const together = (first: Piece, between: string, second: Piece): Piece['role'] | null => {
  const isNext = between.trim() === '';
  if (!isNext) return null;
  if (/(?:^|\s)in\s*$/i.test(first.text) && wordsOf(first.text).length === 1 && second.role === 'dur') return 'when';
  if (first.role === 'count' && isRate(second.text.split(/[,;]/)[0]!)) return 'repeat';
  if (first.role === 'rel' && /^the day after$/i.test(first.text.trim()) && /^tomorrow\b/i.test(second.text))
    return 'when';
  return null;
};

const joined = (pieces: readonly Piece[]): Piece[] => {
  const left: Piece[] = [];
  for (const piece of pieces) {
    const gap = left.at(-1)?.role === 'glue' && left.at(-1)!.text.trim() === '' ? left.at(-1) : undefined;
    const first = gap ? left.at(-2) : left.at(-1);
    const role = first && together(first, '', piece);
    if (!first || !role) left.push(piece);
    else
      left.splice(left.length - (gap ? 2 : 1), gap ? 2 : 1, joinedAs(role, gap ? [first, gap, piece] : [first, piece]));
  }
  return left;
};

/** '2h Wednesday afternoon', 'Wednesday 13:00 1h': a length beside a time. */
const LENGTH_FIRST = /^\s*(?:\d{1,2}(?:[.,]5)? ?h(?:ours?|rs?)?(?:\d\d)?|\d{1,3} ?m(?:in(?:ute)?s?)?)(?=\s)/i;
const LENGTH_LAST = /(?<=\s)(?:\d{1,2}(?:[.,]5)? ?h(?:ours?|rs?)?(?:\d\d)?|\d{1,3} ?m(?:in(?:ute)?s?)?)\s*$/i;
const HOURS: readonly Item['item'][] = ['days', 'clock', 'hours', 'part'];
/** 'Right after that 30 minutes', 'an hour earlier and 20 minutes'. */
const AHEAD_OF_LENGTH: Partial<Record<Piece['role'], RegExp>> = {
  rel: /\b(?:after|before|that|it|afterwards)\s*$/i,
  shift: /\b(?:earlier|later|sooner)\s+and\s*$/i,
};
const withLength = (piece: Piece): Piece[] => {
  const ahead = AHEAD_OF_LENGTH[piece.role];
  const end = LENGTH_LAST.exec(piece.text);
  if (ahead && end && ahead.test(piece.text.slice(0, end.index))) return cutAt(piece, [piece.role, 'dur'], end.index);
  return piece.role === 'when' ? timeWithLength(piece) : [piece];
};

const timeWithLength = (piece: Piece): Piece[] => {
  const first = LENGTH_FIRST.exec(piece.text);
  if (first && only(piece.text.slice(first[0].length), HOURS)) return cutAt(piece, ['dur', 'when'], first[0].length);
  const last = LENGTH_LAST.exec(piece.text);
  const before = last ? readTime(piece.text.slice(0, last.index)).items : [];
  const isRange = /(?:\b(?:to|and|till?|until|or)|[-–,])\s*$/i.test(piece.text.slice(0, last?.index));
  return last && !isRange && before.some(({ item }) => item === 'clock')
    ? cutAt(piece, ['when', 'dur'], last.index)
    : [piece];
};

/** 'A week from Thursday' does not repeat. */
const asTime = (piece: Piece): Piece =>
  piece.role === 'repeat' &&
  /^\s*(?:an?|one|two|three|four|\d+)\s+\w+\s+from\b/i.test(piece.text) &&
  only(piece.text, ['days'])
    ? { ...piece, role: 'when' }
    : piece;

/** 'On Tuesday and Thursday from 2 to 3' is once, where nothing else says that it repeats. */
const SINGULAR = /^(?:(?:mon|tues?|wednes|wed|thurs?|thu|fri|satur|sat|sun)(?:day)?|on|and|&|,|\s)+$/i;
/** Three weekdays in a row are those of every week. */
const ROW = 3;
const asOnce = (piece: Piece, _i: number, pieces: readonly Piece[]): Piece => {
  // 'Tuesday and Thursday 7pm this week' are the days of that week
  if (pieces.some(({ role, text }) => role === 'when' && readTime(text).items.some(({ item }) => item === 'days')))
    return piece;
  const isOne = pieces.filter(({ role }) => role === 'repeat' || role === 'except' || role === 'count').length === 1;
  const isFew = wordsOf(piece.text).filter((word) => word !== 'on' && word !== 'and').length < ROW;
  return piece.role === 'repeat' && isOne && isFew && SINGULAR.test(piece.text) ? { ...piece, role: 'when' } : piece;
};

/** The same clause with its stretches cut as their words say. */
export const recut = (clause: Clause): Clause => {
  const own = clause.has('dur') ? joined(clause.pieces) : joined(clause.pieces).flatMap(withLength);
  return clauseOf(own.map(asTime).map(asOnce));
};
