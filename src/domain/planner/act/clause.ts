/** A clause: the stretches of a request that belong to one act. */
import type { Role, Span } from '../request.ts';
import { END_WORDS, FOR_GOOD, LINKS } from '../words/act-words.ts';
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

/** The stretches of the request that a clause has. Those of an earlier turn have no place in it. */
export const spansOf = ({ pieces }: Clause): Span[] =>
  pieces.flatMap(({ role, from, to }) => (role === 'glue' || from < 0 ? [] : { role, from, to }));

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

/** Whether all that is to come is meant. */
export const isForGood = ({ pieces }: Clause): boolean =>
  FOR_GOOD.test(pieces.map(({ role, text }) => (role === 'aside' ? '' : text)).join(''));
