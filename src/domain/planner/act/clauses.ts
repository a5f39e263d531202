/** Cuts a request into clauses: what belongs to one act. */
import type { Request, Role } from '../request.ts';
import { BREAKS, END_WORDS, LINKS } from '../words/act-words.ts';
import { wordsOf } from './names.ts';

/** A stretch of the request; what has no role is 'glue'. */
export type Piece = { role: Role | 'glue'; text: string; from: number; to: number };
export type Clause = {
  pieces: readonly Piece[];
  has: (...roles: Role[]) => boolean;
  /** The texts of a role, in order. */
  all: (role: Role) => string[];
  /** The words of roles as one text, with what links their stretches. */
  text: (...roles: Role[]) => string;
  /** The words without a role. */
  glue: string;
};

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

/** The words between two stretches of a role: 'either [..] or [..]' is a choice, anything else a list. */
const linkOf = (between: readonly Piece[]): string => {
  const [only] = between;
  const last = between.at(-1);
  if (last?.role === 'glue' && wordsOf(last.text).some((word) => END_WORDS.has(word))) return ' until ';
  if (between.length !== 1 || only?.role !== 'glue') return ' ; ';
  const words = only.text
    .toLowerCase()
    .split(/[\s:]+/)
    .filter(Boolean);
  return words.length > 0 && words.every((word) => LINKS.has(word)) ? ` ${words.join(' ')} ` : ' ; ';
};

const textOf = (pieces: readonly Piece[], roles: readonly Role[]): string => {
  let text = '';
  let last = -1;
  for (const [i, { role, text: words }] of pieces.entries()) {
    if (role === 'glue' || !roles.includes(role)) continue;
    text += last < 0 ? words : linkOf(pieces.slice(last + 1, i)) + words;
    last = i;
  }
  return text;
};

export const clauseOf = (pieces: readonly Piece[]): Clause => ({
  pieces,
  has: (...roles) => pieces.some(({ role }) => role !== 'glue' && roles.includes(role)),
  all: (role) => pieces.filter((piece) => piece.role === role).map(({ text }) => text),
  text: (...roles) => textOf(pieces, roles),
  glue: pieces
    .filter(({ role }) => role === 'glue')
    .map(({ text }) => text)
    .join(' '),
});

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
  pieces[i]!.role === 'title' &&
  pieces[i - 1]?.role === 'glue' &&
  pieces[i - 1]!.text.includes('?');

/**
 * Whether a piece begins another thing though nothing joins them: a complete thing is behind it, and a time and another name are
 * ahead ('Haircut at two, an hour later I meet Sabine').
 */
const beginsAnother = (pieces: readonly Piece[], i: number, current: readonly Piece[]): boolean => {
  const has = (...roles: string[]): boolean => current.some(({ role }) => roles.includes(role));
  if (isBehindQuestion(pieces, i, current)) return true;
  if (isNewVerb(pieces, i, has)) return true;
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
  const pieces = piecesOf(request).filter(({ role }) => role !== 'void');
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
