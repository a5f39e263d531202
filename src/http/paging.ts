/** Cursors: opaque to clients, bound to the list they came from, and to the seq at which the walk began. */
import { z } from 'zod';
import { hash } from 'node:crypto';
import { unstorable } from '../domain/jcs.ts';
import { readTime, type Instant } from '../domain/time.ts';
import { problem } from '../errors.ts';

export const MAX_LIMIT = 1000;

export const Limit = z.coerce.number().int().min(1).max(MAX_LIMIT).default(100).describe('Items per page, 1 to 1000.');

export const Cursor = z
  .string()
  .max(4096)
  .optional()
  .describe('Opaque; taken from the Link header of the page before.');

/** Query members of every list. */
export const PageQuery = { limit: Limit, cursor: Cursor };

/** `at`: seq of the walk's first page. `key`: the last row's sort values. */
export type Position = { at: number; key: (string | number)[] };

const Wire = z.strictObject({
  q: z.string(),
  at: z.number().int().min(0),
  key: z.array(z.union([z.string(), z.number()])).max(4),
});

/** The question a cursor continues: another question can't be continued with it. */
const fingerprint = (question: unknown): string => hash('sha256', JSON.stringify(question), 'base64url').slice(0, 12);

export const writeCursor = (question: unknown, position: Position): string =>
  Buffer.from(JSON.stringify({ q: fingerprint(question), ...position })).toString('base64url');

const strange = () =>
  problem('invalid_cursor', 'The cursor belongs to another list or query: repeat the walk from its first page.');

/** A position's first sort value as the time it has to be, or 'infinity' behind all times. @throws 422 for a forged one */
export const timeKey = (position: Position | undefined): [at: Instant, uid: string] | undefined => {
  if (!position) return undefined;
  const [at, uid] = position.key;
  if (typeof at !== 'string' || typeof uid !== 'string' || (at !== 'infinity' && readTime(at, 'UTC') === null))
    throw strange();
  return [at, uid];
};

/** @throws 422 invalid_cursor where it was not written for this question. */
export const readCursor = (question: unknown, cursor: string | undefined): Position | undefined => {
  if (cursor === undefined) return undefined;
  let wire: unknown;
  try {
    wire = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    wire = null;
  }
  const parsed = Wire.safeParse(wire);
  if (!parsed.success || parsed.data.q !== fingerprint(question) || unstorable(parsed.data.key) !== null)
    throw strange();
  return { at: parsed.data.at, key: parsed.data.key };
};

export type Page<T> = { items: T[]; next: string | null };
