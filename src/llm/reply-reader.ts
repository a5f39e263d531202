/** Extracts the text of `reply` from a JSON object while the model is still writing it. */

const OPENING = /^\s*\{\s*"reply"\s*:\s*"/;
/** An object that has not begun with `reply` after this many characters does not begin with it. */
const OPENING_MAX = 64;

/**
 * Returns a reader of a growing answer `{"reply": "...", ...`. It takes each piece and returns the text of `reply` that became
 * readable. Incomplete escapes and surrogate pairs wait for their rest. A text that does not begin with `reply`, or is no JSON,
 * gives an empty string.
 */
export const createReplyReader = (): ((piece: string) => string) => {
  let state: 'before' | 'within' | 'after' = 'before';
  let rest = '';
  let half = ''; // A high surrogate waits here for its low surrogate.

  return (piece) => {
    if (state === 'after') return '';
    rest += piece;
    if (state === 'before') {
      const opening = OPENING.exec(rest);
      if (!opening && rest.length > OPENING_MAX) state = 'after';
      if (!opening) return '';
      rest = rest.slice(opening[0].length);
      state = 'within';
    }
    const end = readable(rest);
    const text = decoded(rest.slice(0, end));
    if (text === null || rest[end] === '"') state = 'after';
    rest = rest.slice(end);
    const whole = half + (text ?? '');
    const waits = /[\ud800-\udbff]$/.test(whole);
    half = waits ? whole.slice(-1) : '';
    return waits ? whole.slice(0, -1) : whole;
  };
};

/** Returns the index where the string ends, or where its last complete character ends. */
const readable = (text: string): number => {
  let at = 0;
  while (at < text.length && text[at] !== '"') {
    const length = text[at] !== '\\' ? 1 : text[at + 1] === 'u' ? 6 : 2;
    if (at + length > text.length) break;
    at += length;
  }
  return at;
};

const decoded = (raw: string): string | null => {
  try {
    return JSON.parse(`"${raw}"`) as string;
  } catch {
    return null;
  }
};
