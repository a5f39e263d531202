/** Cuts a request into clauses: what belongs to one act. */
import type { Request } from '../request.ts';
import { BREAKS } from '../words/act-words.ts';
import { type Clause, clauseOf, type Piece } from './clause.ts';
import { wordsOf } from './names.ts';
import { restretched } from './stretches.ts';

const piecesOf = ({ text, spans }: Request): Piece[] => {
  const pieces: Piece[] = [];
  let at = 0;
  for (const { role, from, to } of spans) {
    if (from > at) pieces.push({ role: 'glue', text: text.slice(at, from), from: at, to: from });
    if (to > from) pieces.push({ role, text: text.slice(from, to), from, to });
    at = Math.max(at, to);
  }
  if (at < text.length) pieces.push({ role: 'glue', text: text.slice(at), from: at, to: text.length });
  return pieces;
};

/** The pieces of a request, in order. */
export const piecesIn = (request: Request): Piece[] => restretched(piecesOf(request));

const MARK = /[,;.]/;
const isBreak = (piece: Piece | undefined): boolean =>
  piece?.role === 'aside' ||
  (piece?.role === 'glue' && (MARK.test(piece.text) || wordsOf(piece.text).some((word) => BREAKS.has(word))));

/** 'Concert Thursday at seven, call time six fifteen': a name with its time behind another one. */
const TIMES = new Set<string>(['when', 'repeat', 'rel']);
const isNextTimed = (pieces: readonly Piece[], i: number): boolean => {
  const ahead = pieces.slice(i + 1);
  const end = ahead.findIndex(({ role }) => role === 'title' || role === 'join');
  return ahead.slice(0, end < 0 ? undefined : end).some(({ role }) => TIMES.has(role));
};
const isTimedLast = (current: readonly Piece[]): boolean => {
  const title = current.findIndex(({ role }) => role === 'title');
  return current.slice(title).some(({ role }) => role === 'when');
};

const ALTERING = ['move', 'cancel', 'resize', 'change'];
/** 'The plumber comes at ten, so the tutorial has to be dropped': another event with its own verb. */
const isOtherTarget = (pieces: readonly Piece[], i: number, has: (...roles: string[]) => boolean): boolean => {
  const ahead = pieces.slice(i + 1);
  const end = ahead.findIndex(({ role }) => role === 'join');
  const isAltered = ahead.slice(0, end < 0 ? undefined : end).some(({ role }) => ALTERING.includes(role));
  return has('target') && has(...ALTERING) && has('when', 'shift', 'cancel') && isAltered && isBreak(pieces[i - 1]);
};

const VERBS_OF_NEW = new Set<string>(['create', 'remind', 'note', 'find']);
/** Another verb with something new ahead, behind a thing that is complete: 'add a reminder the evening before: pack'. */
const isNewVerb = (pieces: readonly Piece[], i: number, has: (...roles: string[]) => boolean): boolean => {
  if (!VERBS_OF_NEW.has(pieces[i]!.role)) return false;
  const isComplete = has('target')
    ? has('move', 'cancel', 'resize', 'change')
    : has('title') && has('when', 'repeat') && has(...VERBS_OF_NEW);
  const ahead = pieces.slice(i + 1);
  const end = ahead.findIndex(({ role }) => role === 'join');
  return isComplete && ahead.slice(0, end < 0 ? undefined : end).some(({ role }) => role === 'title');
};

/** 'What is on on Saturday? Market with Liv from 10': what follows the question is no part of it. */
const isBehindQuestion = (pieces: readonly Piece[], i: number, current: readonly Piece[]): boolean =>
  current.some(({ role }) => role === 'ask') &&
  (pieces[i]!.role === 'title' || pieces[i]!.role === 'ask') &&
  pieces[i - 1]?.role === 'glue' &&
  pieces[i - 1]!.text.includes('?');

/** 'Gym on Saturday at 3. What is on Friday?': a question behind the end of a sentence. */
const isQuestionBehind = (pieces: readonly Piece[], i: number, has: (...roles: string[]) => boolean): boolean =>
  pieces[i]!.role === 'ask' &&
  (has('title', 'target') || (has('create', 'remind') && has('when', 'repeat'))) &&
  pieces[i - 1]?.role === 'glue' &&
  /[.!;\n]/.test(pieces[i - 1]!.text);

/**
 * Whether a piece begins another thing though nothing joins them: a complete thing is behind it, and a time and another name are
 * ahead ('Haircut at two, an hour later I meet Sabine').
 */
const beginsAnother = (pieces: readonly Piece[], i: number, current: readonly Piece[]): boolean => {
  const has = (...roles: string[]): boolean => current.some(({ role }) => roles.includes(role));
  if (isBehindQuestion(pieces, i, current)) return true;
  if (isNewVerb(pieces, i, has) || isQuestionBehind(pieces, i, has)) return true;
  const { role } = pieces[i]!;
  if (role === 'target') return isOtherTarget(pieces, i, has);
  return has('title') && has('when', 'repeat') && isNext(pieces, i, current);
};

const isNext = (pieces: readonly Piece[], i: number, current: readonly Piece[]): boolean => {
  const { role } = pieces[i]!;
  const end = pieces.findIndex((piece, n) => n > i && piece.role === 'join');
  const ahead = pieces.slice(i + 1, end < 0 ? undefined : end);
  const isAhead = (wanted: string): boolean => ahead.some((piece) => piece.role === wanted);
  if (role === 'title') {
    const end = headingEnd(current);
    const own = end < 0 ? current : current.slice(end);
    return own.some((piece) => piece.role === 'title') && isNextTimed(pieces, i) && isTimedLast(own);
  }
  if (role === 'remind') return isAhead('rel') && pieces.slice(i).some((piece) => piece.role === 'rel');
  return (role === 'rel' || role === 'when') && isAhead('title') && isBreak(pieces[i - 1]);
};

const isColon = (piece: Piece | undefined): boolean => piece?.role === 'glue' && piece.text.trimStart().startsWith(':');

/** Where a heading ends: 'interviews on Wednesday: Ms Yilmaz at 9:30, ...'; it has a name or a repetition. */
const headingEnd = (pieces: readonly Piece[]): number => {
  const end = pieces.findIndex(isColon);
  const head = pieces.slice(0, Math.max(end, 0));
  const has = (...roles: string[]): boolean => head.some(({ role }) => roles.includes(role));
  return has('title', 'repeat') && has('when', 'repeat') && !has('ask', 'move', 'cancel', 'change', 'setting', 'aside')
    ? end
    : -1;
};

/** A heading holds for each of the things behind it. */
const withHeading = (clauses: readonly Piece[][]): Piece[][] => {
  const end = headingEnd(clauses[0] ?? []);
  const heading = (clauses[0] ?? []).slice(0, Math.max(end, 0));
  const isOwn = (clause: Piece[], i: number): boolean => i > 0 && clause.some(({ role }) => role === 'title');
  return end < 0 || clauses.length < 2
    ? [...clauses]
    : clauses.map((clause, i) => (isOwn(clause, i) ? [...heading, ...clause] : clause));
};

/** The clauses in order; those of glue only are left out. Words that were taken back belong to none. */
export const clausesOf = (request: Request): Clause[] => {
  const pieces = piecesIn(request).filter(({ role }) => role !== 'void');
  const clauses: Piece[][] = [[]];
  // Whether a name is ahead is asked for each piece, so a request of very many pieces is cut at its joins only.
  const isLong = pieces.length > 400;
  for (const [i, piece] of pieces.entries()) {
    const current = clauses.at(-1)!;
    if (piece.role === 'join') clauses.push([]);
    else if (!isLong && beginsAnother(pieces, i, current)) clauses.push([piece]);
    else current.push(piece);
  }
  return withHeading(clauses.filter((clause) => clause.some(({ role }) => role !== 'glue'))).map(clauseOf);
};
