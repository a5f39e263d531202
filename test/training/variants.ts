/** Random variants of annotated requests, which teach the reader more than the lines themselves. */
import type { Request, Role } from '../../src/domain/planner/request.ts';
import { joined, piecesOf, type Piece } from '../support/annotated.ts';
import type { Random } from './random.ts';

/** How often each variation is made. */
const SHARES = { swap: 0.45, lower: 0.3, unmarked: 0.1, lines: 0.1 };
/** The words of these roles say the same kind of thing in other requests. */
const SWAPPED = new Set<Role | null>([
  ...(['title', 'target', 'place', 'dur', 'when', 'repeat', 'limit'] as const),
  ...(['except', 'old', 'aside', 'extra', 'count', 'shift', 'rel'] as const),
]);
/** Marks that people leave out. */
const MARKS = /[,.;!](?=\s|$)/g;

/** Makes variants of lines: with words of the same role of another line, in lower case, without marks, in several lines. */
export const variantsOf = (lines: readonly Request[], random: Random): ((line: Request) => Request) => {
  const pool = Map.groupBy(lines.flatMap(piecesOf), ({ role }) => role);
  const often = (share: number): boolean => random.next() < share;
  const swap = (pieces: Piece[]): Piece[] => {
    const places = [...pieces.keys()].filter((i) => SWAPPED.has(pieces[i]!.role));
    const chosen = random.shuffled(places).slice(0, often(0.6) ? 1 : 2);
    return pieces.map((piece, i) => (chosen.includes(i) ? random.pick(pool.get(piece.role)!) : piece));
  };
  const each = (change: (piece: Piece) => string) => (pieces: Piece[]) =>
    pieces.map((piece) => ({ ...piece, words: change(piece) })).filter(({ words }) => words !== '');
  const variations: [number, (pieces: Piece[]) => Piece[]][] = [
    [SHARES.swap, swap],
    [SHARES.lower, each(({ words }) => words.toLowerCase())],
    [SHARES.unmarked, each(({ role, words }) => (role === 'join' ? words : words.replace(MARKS, '')))],
    [SHARES.lines, each(({ role, words }) => (role === 'join' && /^[,.;]$/.test(words) ? '\n' : words))],
  ];
  return (line) =>
    joined(variations.reduce((pieces, [share, vary]) => (often(share) ? vary(pieces) : pieces), piecesOf(line)));
};
