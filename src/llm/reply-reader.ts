/** Picks the text of `reply` out of a JSON object while it is still being written. */

const OPENING = /^\s*\{\s*"reply"\s*:\s*"/;
/** An object that has not opened with `reply` by then does not begin with it. */
const OPENING_MAX = 64;

/**
 * A reader of a growing answer `{"reply": "...", ...`: give it each piece, it gives back the text of `reply` that became
 * readable. Escapes and surrogate pairs cut in two are held back until they are whole. What does not begin with
 * `reply`, or is no JSON, gives nothing.
 */
export const createReplyReader = (): ((piece: string) => string) => {
  let state: 'before' | 'within' | 'after' = 'before';
  let rest = '';
  let half = ''; // a high surrogate waiting for its other half

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

/** Where the string ends, or where its last whole character does. */
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
