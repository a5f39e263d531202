/** The difference of two texts by words, as people read it; of long texts first by lines. */

export type Piece = { op: 'same' | 'removed' | 'added'; text: string };

/** Above this many parts on a side the middle is shown as replaced, because the work grows with the product of both. */
const MOST_PARTS = 1_500;

const wordsOf = (text: string): string[] => text.match(/\s+|[^\s]+/g) ?? [];
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** Lengths of the longest common subsequences of all ends of `a` and `b`. */
const lengthsOf = (a: string[], b: string[]): Uint16Array[] => {
  const rows = Array.from({ length: a.length + 1 }, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const [row, next] = [rows[i] as Uint16Array, rows[i + 1] as Uint16Array];
      row[j] = a[i] === b[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0);
    }
  return rows;
};

const middle = (a: string[], b: string[]): Piece[] => {
  const replaced: Piece[] = [
    { op: 'removed', text: a.join('') },
    { op: 'added', text: b.join('') },
  ];
  if (!a.length || !b.length || a.length > MOST_PARTS || b.length > MOST_PARTS) return replaced;
  const rows = lengthsOf(a, b);
  const pieces: Piece[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && a[i] === b[j]) {
      pieces.push({ op: 'same', text: a[i++] as string });
      j += 1;
    } else if (j >= b.length || (i < a.length && (rows[i + 1]?.[j] ?? 0) >= (rows[i]?.[j + 1] ?? 0)))
      pieces.push({ op: 'removed', text: a[i++] as string });
    else pieces.push({ op: 'added', text: b[j++] as string });
  }
  return pieces;
};

/** Neighbours of one kind become one piece. */
const joined = (pieces: Piece[]): Piece[] => {
  const all: Piece[] = [];
  for (const { op, text } of pieces) {
    const last = all.at(-1);
    if (!text) continue;
    if (last?.op === op) last.text += text;
    else all.push({ op, text });
  }
  return all;
};

const diff = (a: string[], b: string[]): Piece[] => {
  let start = 0;
  while (start < Math.min(a.length, b.length) && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  return joined([
    { op: 'same', text: a.slice(0, start).join('') },
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    { op: 'same', text: a.slice(a.length - end).join('') },
  ]);
};

/** Compares lines, and then the words of lines that were replaced by others. */
const byLines = (before: string, after: string): Piece[] => {
  const pieces: Piece[] = [];
  for (const piece of diff(linesOf(before), linesOf(after))) {
    const last = pieces.at(-1);
    if (last?.op === 'removed' && piece.op === 'added') {
      pieces.pop();
      pieces.push(...diff(wordsOf(last.text), wordsOf(piece.text)));
    } else pieces.push(piece);
  }
  return joined(pieces);
};

export const wordDiff = (before: string, after: string): Piece[] => {
  const [a, b] = [wordsOf(before), wordsOf(after)];
  return Math.max(a.length, b.length) > MOST_PARTS ? byLines(before, after) : diff(a, b);
};

const KEPT = 120;

/** What is the same in both is only shown near a change. */
export const shortened = (pieces: Piece[]): Piece[] =>
  pieces.map(({ op, text }, n) => {
    const [head, tail] = [n === 0 ? 0 : KEPT, n === pieces.length - 1 ? 0 : KEPT];
    if (op !== 'same' || text.length <= head + tail + KEPT) return { op, text };
    return { op, text: `${text.slice(0, head)} […] ${tail ? text.slice(-tail) : ''}` };
  });
