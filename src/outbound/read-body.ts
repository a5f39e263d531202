/** Reads the body of an answer from a server that nobody trusts: within limits of size, of work and of memory. */
import type { IncomingMessage } from 'node:http';
import { OutboundError } from './outbound-error.ts';

export type BodyLimits = {
  /** The limit of the body. */
  maxBytes: number;
  /** What happens to a longer body: the rest is not read, or the request fails. */
  longer: 'cut' | 'fail';
};

/**
 * A body comes in at most this many pieces. A piece costs 1.5 µs however small it is, so this is 0.4 s of work; a server that sends a
 * calendar of 20,000 events line by line stays below it.
 */
const MOST_PIECES = 250_000;
/** What the transfer may add to a body besides: chunk sizes, extensions of chunks, and trailers. */
const MOST_OVERHEAD = 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

/**
 * Pieces are copied into one buffer that grows. An array of them took 430 bytes for each piece: 1.7 GiB for a body of 4 MiB whose
 * pieces are one byte long.
 * @throws OutboundError where it is too large, or is sent in too many pieces
 */
export const readBody = async (answer: IncomingMessage, { maxBytes, longer }: BodyLimits): Promise<Buffer> => {
  const { socket } = answer;
  const before = socket.bytesRead;
  let held = Buffer.alloc(0);
  let size = 0;
  let pieces = 0;
  for await (const piece of answer as AsyncIterable<Buffer>) {
    const next = size + piece.length;
    if (next > maxBytes) {
      if (longer === 'cut') break;
      throw new OutboundError('too_large', `The answer is larger than ${Math.floor(maxBytes / 1024)} KiB.`);
    }
    pieces += 1;
    if (pieces > MOST_PIECES || socket.bytesRead - before > 2 * maxBytes + MOST_OVERHEAD)
      throw new OutboundError('too_large', 'The answer is sent in too many small pieces.');
    if (next > held.length) {
      const grown = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(FIRST_BYTES, 2 * next)));
      held.copy(grown, 0, 0, size);
      held = grown;
    }
    piece.copy(held, size);
    size = next;
  }
  return held.subarray(0, size);
};
