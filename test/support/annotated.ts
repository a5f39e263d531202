/** Requests with their roles in one line: 'Book [title:the dentist] [when:on Tuesday at 9]' (data/requests/README.md). */
import { ROLES, type Request, type Role, type Span } from '../../src/domain/planner/request.ts';

/** A piece of a text: a span, or what is between spans. */
export type Piece = { role: Role | null; words: string };

const SPAN = /\[([a-z]+):([^[\]]+)\]/g;
const isRole = (name: string): name is Role => ROLES.some((role) => role === name);

export const joined = (pieces: readonly Piece[]): Request => {
  const spans: Span[] = [];
  let text = '';
  for (const { role, words } of pieces) {
    if (role) spans.push({ role, from: text.length, to: text.length + words.length });
    text += words;
  }
  return { text, spans };
};

/** Reads a line. An unknown role is an error of the line. */
export const annotated = (line: string): Request => {
  const pieces: Piece[] = [];
  let read = 0;
  for (const { 0: all, 1: role = '', 2: words = '', index } of line.matchAll(SPAN)) {
    if (!isRole(role)) throw new Error(`"${role}" is no role: ${line}`);
    pieces.push({ role: null, words: line.slice(read, index) }, { role, words });
    read = index + all.length;
  }
  return joined([...pieces, { role: null, words: line.slice(read) }]);
};

export const piecesOf = ({ text, spans }: Request): Piece[] =>
  [...spans, { role: null, from: text.length, to: text.length }]
    .flatMap(({ role, from, to }, i): Piece[] => [
      { role: null, words: text.slice(spans[i - 1]?.to ?? 0, from) },
      { role, words: text.slice(from, to) },
    ])
    .filter(({ words }) => words !== '');

export const written = (request: Request): string =>
  piecesOf(request)
    .map(({ role, words }) => (role ? `[${role}:${words}]` : words))
    .join('');

const LEADING: Partial<Record<Role, RegExp>> = Object.fromEntries([
  ...(['when', 'old', 'rel', 'dur', 'limit', 'repeat', 'except', 'place'] as const).map((role) => [
    role,
    /(?<![\p{L}\p{N}'’])(?:on|at|in|by|for|from|until|till|before|after|around|about)\s+$/iu,
  ]),
  ...(['title', 'target'] as const).map((role) => [role, /(?<![\p{L}\p{N}'’])(?:the|my|our|that|this|an?)\s+$/iu]),
]);
const MARKS = /[,.;:!?]+$/;

/**
 * The same request with the bounds of spans that all writers are taken to mean: a preposition before a time, a length or a place and
 * an article before a name belong to it, and marks behind it do not. Writers differ in that, and it changes no effect.
 */
export const alike = (request: Request): Request => {
  const spans = request.spans.map((span, i): Span => {
    const { role, from, to } = span;
    const before = request.text.slice(request.spans[i - 1]?.to ?? 0, from);
    const [leading = ''] = LEADING[role]?.exec(before) ?? [];
    const [marks = ''] = role === 'join' ? [] : (MARKS.exec(request.text.slice(from, to)) ?? []);
    return { role, from: from - leading.length, to: marks.length < to - from ? to - marks.length : to };
  });
  return { text: request.text, spans };
};
