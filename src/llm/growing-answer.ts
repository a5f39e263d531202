/** Reads the text of an answer `{"answer": "…"}` while it arrives in pieces that may be cut anywhere. */

const BEGINNING = /^\s*\{\s*"answer"\s*:\s*"/;
/** In characters. Where the text has not begun by then, there is something else before it. */
const LONGEST_BEGINNING = 64;

/** A complete part of a JSON string: characters, or an escape. Prose has no control characters. */
const PART = /[^"\\\p{Cc}]+|\\(?:["\\/bfnrt]|u[\da-f]{4})/giuy;
/** An escape that is cut. */
const CUT = /^\\(?:u[\da-f]{0,3})?$/i;

/** Returns what gives the text that each piece adds. After the end of the string, or where it is none, that is nothing. */
const createStringReader = (): ((piece: string) => string) => {
  let rest = '';
  let isBegun = false;
  let isOver = false;
  return (piece) => {
    if (isOver) return '';
    rest += piece;
    if (!isBegun) {
      const [beginning] = BEGINNING.exec(rest) ?? [];
      isBegun = beginning !== undefined;
      isOver = !isBegun && rest.length > LONGEST_BEGINNING;
      if (beginning === undefined) return '';
      rest = rest.slice(beginning.length);
    }
    const complete = Array.from(rest.matchAll(PART), ([part]) => part).join('');
    rest = rest.slice(complete.length);
    isOver = rest !== '' && !CUT.test(rest);
    return JSON.parse(`"${complete}"`) as string;
  };
};

/**
 * The end of a sentence with the numbers of its sources. What follows must be known, because a number may go on there and a source
 * may be behind the full stop.
 */
const SENTENCE_END = /[.!?…]["”’»)]*(?:\s*\[\d{1,3}\])*(?=\s+[^\s[])|[。！？]|\S(?=\n)/g;

/**
 * Returns what takes each piece and gives the text as far as its sentences are complete; null where none was completed, or where the
 * text is longer than `longest`.
 */
export const createGrowingAnswer = (longest: number): ((piece: string) => string | null) => {
  const read = createStringReader();
  let text = '';
  let end = 0;
  return (piece) => {
    text += read(piece);
    if (text.length > longest) return null;
    const last = [...text.slice(end).matchAll(SENTENCE_END)].at(-1);
    if (!last) return null;
    end += last.index + last[0].length;
    return text.slice(0, end);
  };
};
