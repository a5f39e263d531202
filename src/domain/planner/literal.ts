/** Words of a request that are not read: they belong to a name, whatever they say. */
import type { Request, Span } from './request.ts';

/** Half-open stretches of a text. */
export type Ranges = readonly (readonly [start: number, end: number])[];

/** The text with letters in the place of these words, so that offsets stay and nothing of them is a time or a verb. */
export const masked = (text: string, literal: Ranges): string =>
  literal.reduce(
    (all, [from, to]) => all.slice(0, from) + all.slice(from, to).replaceAll(/\S/g, 'x') + all.slice(to),
    text,
  );

/** The stretches, each with the whole of what it has a part of. */
export const widened = (literal: Ranges, whole: Ranges): Ranges =>
  literal.map(([from, to]) => {
    const parts = whole.filter(([start, end]) => start < to && end > from);
    return [Math.min(from, ...parts.map(([start]) => start)), Math.max(to, ...parts.map(([, end]) => end))];
  });

const isName = ({ role }: Span): boolean => role === 'title' || role === 'target';

/** The spans of a masked text, with each of these stretches in one name: that which has a part of it, or else one of its own. */
export const named = (spans: readonly Span[], literal: Ranges): Span[] => {
  let all = [...spans];
  for (const [start, end] of literal) {
    const name = all.find((span) => isName(span) && span.from < end && span.to > start);
    const own: Span = {
      role: 'title',
      ...name,
      from: Math.min(name?.from ?? start, start),
      to: Math.max(name?.to ?? end, end),
    };
    const others = all.flatMap((span) => {
      const { from, to } = span;
      if (span === name) return [];
      if (from >= own.to || to <= own.from) return [span];
      return [
        ...(from < own.from ? [{ ...span, to: own.from }] : []),
        ...(to > own.to ? [{ ...span, from: own.to }] : []),
      ];
    });
    all = [...others, own].toSorted((a, b) => a.from - b.from);
  }
  return all;
};

/** The words of a stretch as they were written, where what is read of it was masked; `masked` is what was read. */
export const unmasked = <P extends { text: string; from: number; to: number; masked?: string }>(
  pieces: readonly P[],
  { text, literal = [] }: Request,
): P[] =>
  pieces.map((piece) =>
    literal.some(([start, end]) => piece.from < end && piece.to > start)
      ? { ...piece, text: text.slice(piece.from, piece.to), masked: piece.text }
      : piece,
  );
