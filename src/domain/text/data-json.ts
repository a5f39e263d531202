/** Writes values as JSON for a model to read, so that no text in them can be taken for a marker or be invisible to a person. */

// These are escaped inside JSON strings, so the value stays the same: what could look like a marker or a token of a chat template
// ('<', '[INST]'), and invisible characters (zero-width, bidi and tag characters). A structural '[' is followed by a letter only
// in true, false and null.
const MUST_ESCAPE = /[<>\u007f-\u009f\u2028\u2029]|\[(?=[A-Z/])|\p{Cf}/gu;

const escapeUnits = (text: string): string =>
  Array.from({ length: text.length }, (_, i) => `\\u${text.charCodeAt(i).toString(16).padStart(4, '0')}`).join('');

/** Writes a value as JSON that parses to the same value. */
export const dataJson = (value: unknown): string => JSON.stringify(value).replace(MUST_ESCAPE, escapeUnits);
