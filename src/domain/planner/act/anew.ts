/** 'From now on guitar starts at six' is no rule for what is planned where guitar is a series: it moves. */
import { readTime } from '../time/read-time.ts';
import { type Clause, clauseOf, type Piece } from './clause.ts';
import type { Found } from './known.ts';
import { isNamed, nameWords } from './names.ts';

const SINCE = /^\W*from (?:next )?\w+ on\b[ ,]*/i;
const SINCE_LAST = /\bfrom (?:next )?\w+ on\W*$/i;
const BEGINS = /\s(?:starts?|begins?|is|are)\s/i;
/** 'On Fridays', which is each of them. */
const EACH_DAY = /days\b/i;

const isSeries = (name: string, found: readonly Found[]): boolean => {
  const words = nameWords(name);
  return (
    words.length > 0 && found.some(({ title, target }) => target.recurrence_id !== undefined && isNamed(words, title))
  );
};

/** Words of time that leave no days out, and that end on no day, which a move of a whole series does not. */
const isTime = (text: string): boolean => {
  const { items, unread, names } = readTime(text);
  const isPart = items.some(({ item }) => item === 'not' || (item === 'bound' && !EACH_DAY.test(text)));
  return items.length > 0 && unread.length + names.length === 0 && !isPart;
};

/** A rule that only says when a series on the calendar begins, as a move of the series. */
export const anew = (clause: Clause, found: readonly Found[]): Clause => {
  const piece = clause.pieces.find(({ role }) => role === 'setting');
  if (!piece || clause.pieces.some(({ role }) => role !== 'setting' && role !== 'glue')) return clause;
  const { text } = piece;
  const first = SINCE.exec(text)?.[0].length ?? 0;
  const last = first ? text.length : (SINCE_LAST.exec(text)?.index ?? -1);
  const verb = last < 0 ? null : BEGINS.exec(text.slice(first, last));
  if (!verb) return clause;
  const behind = first + verb.index + verb[0].length;
  const part = (role: Piece['role'], from: number, to: number): Piece => ({
    ...{ role, text: text.slice(from, to), from: piece.from + from, to: piece.from + to },
  });
  const time = text.slice(behind, last);
  if (!isTime(time) || !isSeries(text.slice(first, first + verb.index), found)) return clause;
  const when = part(EACH_DAY.test(time) ? 'repeat' : 'when', behind, last);
  const own = [
    ...(first ? [part('repeat', 0, first)] : []),
    part('target', first, first + verb.index),
    part('move', first + verb.index, behind),
    when,
    ...(first ? [] : [part('repeat', last, text.length)]),
  ];
  return clauseOf(clause.pieces.flatMap((one) => (one === piece ? own : [one])));
};
