/**
 * The format of API keys, `alm_<kind>_<id>_<secret><checksum>`. The id finds the row, and the checksum reveals typing errors
 * before any query.
 */
import { hash } from 'node:crypto';
import type { KeyKind } from './caller.ts';

const ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 16; // 16 digits hold 82 bits.
const SECRET_LENGTH = 40; // 40 digits hold 206 bits.
const CHECKSUM_LENGTH = 6;
const KEY = /^alm_(user|agent|feed)_([0-9a-z]{16})_([0-9a-z]{46})$/;

/**
 * Makes base 36 digits from random bytes. Bytes from 252 on, the largest multiple of 36, are dropped, so that all digits are
 * equally likely.
 */
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

/** @param random gives random bytes, one at a time */
export const makeKey = (kind: KeyKind, random: () => number): { id: string; key: string } => {
  const id = digits(random, ID_LENGTH);
  const body = `alm_${kind}_${id}_${digits(random, SECRET_LENGTH)}`;
  return { id, key: body + checksum(body) };
};

/**
 * Returns the id under which a key is stored, or null where the text can't be a key. A key that the operator chose
 * (OWNER_API_KEY, at least 32 characters) is found by its digest.
 */
export const keyId = (key: string): string | null => {
  const match = KEY.exec(key);
  if (match)
    return checksum(key.slice(0, -CHECKSUM_LENGTH)) === key.slice(-CHECKSUM_LENGTH) ? (match[2] ?? null) : null;
  return key.length >= 32 ? `own${hash('sha256', key).slice(0, 24)}` : null;
};

/** Whether a credential is a login token, which has the three parts of a JWT; every other one is a key. */
export const isLoginToken = (credential: string): boolean => credential.split('.').length === 3;

/** Whether a text works as a key where an operator chooses it. */
export const isUsableKey = (key: string): boolean => keyId(key) !== null && !isLoginToken(key);
