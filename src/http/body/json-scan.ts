/**
 * Reads what JSON.parse loses or spends too much on: integers that a double cannot hold, members that occur twice, and the number
 * of values.
 */
import type { Path } from '../../domain/record/canonical-json.ts';
import { invalidAt, pointer, problem } from '../../common/problem.ts';

/**
 * One JSON text may hold this many values, which take at most 90 ms to parse. Without the limit, 16 MiB of `{},` took 1.3 s and
 * 500 MB, and 16 MiB of `[` took 2.7 s.
 */
export const MAX_VALUES = 250_000;
const [QUOTE, COMMA, COLON, BRACKET, BRACE, BACKSLASH] = Buffer.from('",:[{\\') as unknown as number[];

/**
 * Finds the end of a JSON string that begins at `start`. A string with escapes is read byte by byte, because a search for each of
 * its quotes took 250 ms for 11.7 MiB of `\"*\" `.
 */
const endOfString = (text: Buffer, start: number): number => {
  const quote = text.indexOf('"', start + 1);
  if (quote < 0) return text.length;
  if (text[quote - 1] !== BACKSLASH) return quote;
  for (let end = start + 1; end < text.length; end++) {
    const byte = text[end];
    if (byte === BACKSLASH) end++;
    else if (byte === QUOTE) return end;
  }
  return text.length;
};

const MINUS = 0x2d;
const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
/** By byte, whether it may be part of a number. A table takes a third of the time of a Set. */
const IN_NUMBER = new Uint8Array(256);
for (const byte of Buffer.from('+-.0123456789Ee')) IN_NUMBER[byte] = 1;

/** The largest double has this number of digits. */
const LONGEST_DOUBLE = 309;

/** The digits of an integer beyond 2^53, of which a double may lose the last. */
const lostInteger = (text: Buffer, start: number, end: number): string | null => {
  if (end - start < 16) return null;
  const literal = text.toString('latin1', start, end);
  if (!/^-?[0-9]+$/.test(literal)) return null;
  return literal.length > LONGEST_DOUBLE || BigInt(literal) !== BigInt(Number(literal)) ? literal : null;
};

/**
 * Reads a JSON text once, before it is parsed.
 * @returns the number of its members
 * @throws 413 where it holds too many values to be parsed at once; 422 that shows an integer which would be stored as another,
 * because JSON.parse reads doubles
 */
export const scanJson = (text: Buffer): number => {
  let values = 0;
  let members = 0;
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] as number;
    if (byte === QUOTE) i = endOfString(text, i);
    else if (byte === COLON) members++;
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) {
      if (++values > MAX_VALUES)
        throw problem('body_too_large', `The body has more than ${MAX_VALUES} JSON values. Send it in parts.`);
    } else if (byte === MINUS || isDigit(byte)) {
      const start = i;
      while (IN_NUMBER[text[i] as number]) i++;
      const lost = lostInteger(text, start, i--);
      if (lost !== null)
        throw invalidAt(
          '',
          'unstorable',
          `must not contain the integer ${lost.slice(0, 40)}, which a double cannot hold; send it as a string`,
        );
    }
  }
  return members;
};

const countMembers = (value: object): number => {
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value as unknown[]) if (typeof item === 'object' && item !== null) count += countMembers(item);
    return count;
  }
  for (const item of Object.values(value) as unknown[]) {
    count += 1;
    if (typeof item === 'object' && item !== null) count += countMembers(item);
  }
  return count;
};

/**
 * Reads the string that begins at `start`.
 * @returns `name`, which is null where no colon follows, so that the string is a value; and `end`, the last byte of the string
 * and of the white space after it
 */
const nameAt = (text: Buffer, start: number): { name: string | null; end: number } => {
  const last = endOfString(text, start);
  let end = last;
  while (/\s/.test(String.fromCharCode(text[end + 1] ?? 0))) end++;
  const name = text[end + 1] === COLON ? (JSON.parse(text.toString('utf8', start, last + 1)) as string) : null;
  return { name, end };
};

type Level = { names: Set<string> | null; at: string | number };

/** The path of the first member whose name occurred before in the same object. The text is valid JSON. */
const repeatedMember = (text: Buffer): (string | number)[] => {
  const levels: Level[] = [];
  for (let i = 0; i < text.length; i++) {
    const byte = text[i] as number;
    const level = levels.at(-1);
    if (byte === QUOTE) {
      const { name, end } = nameAt(text, i);
      i = end;
      if (name === null || !level?.names) continue;
      level.at = name;
      if (level.names.has(name)) return levels.map(({ at }) => at);
      level.names.add(name);
    } else if (byte === BRACE) levels.push({ names: new Set(), at: '' });
    else if (byte === BRACKET) levels.push({ names: null, at: 0 });
    else if (byte === COMMA && typeof level?.at === 'number') level.at += 1;
    else if (byte === 0x7d || byte === 0x5d) levels.pop();
  }
  return [];
};

/**
 * Refuses a member that occurs twice in one object, because JSON.parse keeps the last and drops the others (RFC 8259 §4).
 * @param members the number of members in `text`, as scanJson counted them
 * @param value what the text says, not nested deeper than refuseUnstorable allows
 * @throws 422 with its path
 */
export const refuseRepeatedMembers = (text: Buffer, members: number, value: unknown, at: Path = []): void => {
  if (members === (typeof value === 'object' && value !== null ? countMembers(value) : 0)) return;
  throw invalidAt(pointer([...at, ...repeatedMember(text)]), 'repeated', 'must be sent only once in its object');
};
