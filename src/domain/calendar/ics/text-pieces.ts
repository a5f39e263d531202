/** Decodes a file in pieces: UTF-8 or UTF-16, else the encoding that its sender declares, else bytes as Latin-1. */
import { isUtf8 } from 'node:buffer';

/** The size of a piece in characters or bytes. */
export const PIECE = 65_536;

/**
 * With `perLine` the text is bytes as Latin-1 that are decoded after unfolding, because some programs fold inside a character.
 */
export type Source = { perLine: boolean; pieces: () => Generator<string> };

/** Finds out the encoding of a file. @param charset the encoding that the sender declares */
export function* sourceOf(input: string | Uint8Array, charset: string | undefined): Generator<undefined, Source> {
  if (typeof input === 'string') {
    const text = input.replace(/^\uFEFF/, '').toWellFormed();
    return { perLine: false, pieces: () => slicesOf(text) };
  }
  const bytes = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
  const wide = wideOf(input);
  // This takes 3 ms for 16 MiB.
  if (wide === null && isUtf8(bytes)) return { perLine: false, pieces: () => utf8Pieces(bytes) };
  for (const name of [wide, charset ?? null])
    if (name !== null && (yield* isIn(name, bytes)))
      return { perLine: false, pieces: () => decodedPieces(name, bytes) };
  return { perLine: true, pieces: () => latin1Pieces(bytes) };
}

/** UTF-16 is recognised by its byte order mark, or by the zero byte beside the first letter. */
const wideOf = ([first, second]: Uint8Array): string | null => {
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return 'utf-16le';
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? 'utf-16be' : null;
};

export function* slicesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length;) {
    // A piece ends before the first half of a character.
    const end = at + PIECE - (/[\uD800-\uDBFF]/.test(text[at + PIECE - 1] ?? '') ? 1 : 0);
    yield text.slice(at, end);
    at = end;
  }
}

/** Decodes valid UTF-8, with its byte order mark left out. */
export function* utf8Pieces(bytes: Buffer): Generator<string> {
  let from = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (from < bytes.length) {
    let to = Math.min(from + PIECE, bytes.length);
    // A piece ends before the first byte of a character.
    while (((bytes[to] ?? 0) & 0xc0) === 0x80) to -= 1;
    yield bytes.toString('utf8', from, to);
    from = to;
  }
}

function* latin1Pieces(bytes: Buffer): Generator<string> {
  const first = bytes.toString('latin1', 0, 3) === 'ï»¿' ? 3 : 0;
  for (let at = first; at < bytes.length; at += PIECE) yield bytes.toString('latin1', at, at + PIECE);
}

/** @throws where the bytes are not in the encoding, or its name is unknown */
function* decodedPieces(charset: string, bytes: Buffer): Generator<string> {
  const decoder = new TextDecoder(charset, { fatal: true });
  for (let at = 0; at < bytes.length; at += PIECE)
    yield decoder.decode(bytes.subarray(at, at + PIECE), { stream: true });
  yield decoder.decode();
}

function* isIn(charset: string, bytes: Buffer): Generator<undefined, boolean> {
  try {
    for (const _ of decodedPieces(charset, bytes)) yield;
    return true;
  } catch {
    return false;
  }
}
