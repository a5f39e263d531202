/**
 * Remembers words in little memory, however many there are. It knows every word that was added, and takes some others for known:
 * one of a thousand among 4,000 words, at last one of forty.
 */
import { hashOf } from './folded-words.ts';

/** 32 KiB, and at most 8 MiB. With more words than these hold it takes most others for known. */
const [FIRST_BITS, MOST_BITS] = [18, 26];
/** Each word sets two bits. With more words than one for each 64 bits there are twice as many bits. */
const BITS_EACH = 64;

export const createWordFilter = () => {
  let bits = FIRST_BITS;
  let cells = new Uint32Array(2 ** (bits - 5));
  let added = 0;
  /** The places follow from the first bits of two numbers, so that a place becomes two neighbours where the bits are doubled. */
  const placesOf = (word: string): number[] => {
    const hash = hashOf(word);
    const [one, other] = [Math.imul(hash, 0x9e3779b1), Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)];
    return [one >>> (32 - bits), (other ^ (other >>> 13)) >>> (32 - bits)];
  };
  const isSet = (place: number): boolean => (((cells[place >>> 5] as number) >>> (place & 31)) & 1) === 1;
  const set = (place: number): void => {
    cells[place >>> 5] = (cells[place >>> 5] as number) | (1 << (place & 31));
  };
  const grow = (): void => {
    const smaller = cells;
    cells = new Uint32Array(2 * smaller.length);
    bits += 1;
    for (let cell = 0; cell < smaller.length; cell++)
      for (let rest = smaller[cell] as number; rest !== 0; rest &= rest - 1) {
        const place = 32 * cell + 31 - Math.clz32(rest & -rest);
        set(2 * place);
        set(2 * place + 1);
      }
  };
  const has = (word: string): boolean => placesOf(word).every(isSet);
  return {
    has,
    add: (word: string): void => {
      if (has(word)) return;
      added += 1;
      if (added * BITS_EACH > 2 ** bits && bits < MOST_BITS) grow();
      placesOf(word).forEach(set);
    },
    bytes: (): number => 4 * cells.length,
  };
};
