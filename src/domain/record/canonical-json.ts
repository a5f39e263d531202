/**
 * Writes canonical JSON (RFC 8785) and computes hashes of it, so that a value has the same text and hash on every machine and in
 * both databases.
 */
import { createHash, hash } from 'node:crypto';
import canonicalize from 'canonicalize';

/** The previous hash of a ledger's first entry. */
export const GENESIS_HASH = '0'.repeat(64);

/** A stored value may nest this deep. Deeper ones are refused long before the stack of a parser or of Postgres is in danger. */
export const MAX_DEPTH = 32;

/**
 * Writes the RFC 8785 text of a JSON value and leaves out members that are undefined. Throws on NaN, Infinity, lone surrogates
 * and cycles.
 */
export const canonicalJson = (value: unknown): string => {
  const text = canonicalize(value);
  if (text === undefined) throw new TypeError('Not a JSON value');
  return text;
};

/** Returns the SHA-256 of the text's UTF-8 bytes as 64 lower-case hex digits. */
export const sha256Hex = (text: string): string => hash('sha256', text);

/** Returns the hash of a ledger entry, in hex: sha256(the previous hash's 32 bytes || RFC 8785 text of the entry). */
export const entryHash = (previousHex: string, entry: string): string => {
  if (!/^[0-9a-f]{64}$/.test(previousHex)) throw new TypeError('The previous hash is not 64 lower-case hex digits');
  return createHash('sha256').update(previousHex, 'hex').update(entry).digest('hex');
};

/** A path as in a zod issue: member names and array indexes from the root. */
export type Path = (string | number)[];

/**
 * Returns the path of the first value in a JSON value that can't be stored unchanged, else null. Neither jsonb nor RFC 8785 can
 * hold a string or member name with NUL or a lone surrogate, or a number beyond a double (JSON.parse reads `1e999` as Infinity).
 * Nesting is limited to 32, and a member named `__proto__` would be lost by every copy that assigns it.
 */
export const unstorable = (value: unknown, depth = 1): Path | null => {
  if (typeof value === 'string') return isText(value) ? null : [];
  if (typeof value === 'number') return Number.isFinite(value) ? null : [];
  if (value === null || typeof value !== 'object') return null;
  if (depth > MAX_DEPTH) return [];
  return Array.isArray(value) ? unstorableItem(value, depth + 1) : unstorableMember(value, depth + 1);
};

const unstorableItem = (items: readonly unknown[], depth: number): Path | null => {
  // entries() would make a pair for each of a hundred thousand items.
  for (let index = 0; index < items.length; index++) {
    const inner = unstorable(items[index], depth);
    if (inner) return [index, ...inner];
  }
  return null;
};

const unstorableMember = (members: object, depth: number): Path | null => {
  for (const [key, item] of Object.entries(members)) {
    const inner = isText(key) && key !== '__proto__' ? unstorable(item, depth) : [];
    if (inner) return [key.toWellFormed(), ...inner];
  }
  return null;
};

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
