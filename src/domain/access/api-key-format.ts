/** The shape of API keys: `alm_<kind>_<id>_<secret><checksum>`. The id finds the row, the checksum refuses typing errors early. */
import { hash } from 'node:crypto';
import type { KeyKind } from './caller.ts';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16; // 82 bits
const SECRET_LENGTH = 40; // 206 bits
const CHECKSUM_LENGTH = 6;
const KEY = /^alm_(user|agent|feed)_([0-9a-z]{16})_([0-9a-z]{46})$/;

/** Base 36 digits from random bytes; 252 is the largest multiple of 36 in a byte, so no digit is likelier than another. */
const digits = (random: () => number, length: number): string => {
  let text = '';
  while (text.length < length) {
    const byte = random();
    if (byte < 252) text += ALPHABET[byte % 36];
  }
  return text;
};

const checksum = (text: string): string =>
  BigInt(`0x${hash('sha256', text).slice(0, 12)}`)
    .toString(36)
    .padStart(10, '0')
    .slice(-CHECKSUM_LENGTH);

/** @param random gives random bytes, one at a time. */
export const makeKey = (kind: KeyKind, random: () => number): { id: string; key: string } => {
  const id = digits(random, ID_LENGTH);
  const body = `alm_${kind}_${id}_${digits(random, SECRET_LENGTH)}`;
  return { id, key: body + checksum(body) };
};

/**
 * The id under which a key is stored, or null where the text can't be one. A key the operator made up (OWNER_API_KEY, at
 * least 32 characters) is found by its digest.
 */
export const keyId = (key: string): string | null => {
  const match = KEY.exec(key);
  if (match)
    return checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH) ? (match[2] ?? null) : null;
  return key.length >= 32 ? `own${hash('sha256', key).slice(0, 24)}` : null;
};
