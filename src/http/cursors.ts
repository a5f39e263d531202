/** Cursors of lists: opaque to clients, and bound to their query and to the seq at which the first page was read. */
import { z } from 'zod';
import { hash } from 'node:crypto';
import { unstorable } from '../domain/record/canonical-json.ts';
import { isKeptInstant } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';

export const MAX_LIMIT = 1000;

export const Limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(MAX_LIMIT)
  .default(100)
  .describe('The largest number of items on a page, from 1 to 1000.');

export const Cursor = z
  .string()
  .max(4096)
  .optional()
  .describe('An opaque cursor from the Link header of the page before.');

/** The query parameters of every list. */
export const PageQuery = { limit: Limit, cursor: Cursor };

/**
 * `at` is the seq of the first page, `mark` identifies the ledger entry of that seq (ledger/ledger-position.ts), and `key` holds
 * the last row's sort values.
 */
export type Position<K = (string | number)[]> = { at: number; mark?: string | undefined; key: K };

/** A sort value that is a time. */
export const AtKey = z.string().refine(isKeptInstant);
export const UidKey = z.string().max(255);
const Whole = z.number().int().min(0);

/** The sort values of each list. A cursor is parsed with one of these, so that a forged key is refused here. */
export const KEYS = {
  text: z.tuple([UidKey]),
  seq: z.tuple([Whole]),
  version: z.tuple([Whole.max(2 ** 31 - 1)]),
  time: z.tuple([AtKey, UidKey]),
  /** A row without a time sorts last. */
  openTime: z.tuple([z.union([AtKey, z.literal('infinity')]), UidKey]),
};

type KeyOf = z.ZodType<readonly (string | number)[]>;

const Wire = z.strictObject({
  q: z.string(),
  at: z.number().int().min(0),
  mark: z.string().optional(),
  key: z.array(z.unknown()).max(4),
});

/** Identifies the query of a cursor, so that the cursor can't continue another query. */
const fingerprint = (question: unknown): string => hash('sha256', JSON.stringify(question), 'base64url').slice(0, 12);

export const writeCursor = (question: unknown, position: Position<readonly (string | number)[]>): string =>
  Buffer.from(JSON.stringify({ q: fingerprint(question), ...position })).toString('base64url');

/** @throws 422 invalid_cursor where the cursor belongs to another query, or its key does not fit the list */
export const readCursor = <K extends KeyOf>(
  question: unknown,
  cursor: string | undefined,
  key: K,
): Position<z.output<K>> | undefined => {
  if (cursor === undefined) return undefined;
  let wire: unknown;
  try {
    wire = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    wire = null;
  }
  const parsed = Wire.safeParse(wire);
  const read = parsed.success && unstorable(wire) === null ? key.safeParse(parsed.data.key) : undefined;
  if (!read?.success || parsed.data?.q !== fingerprint(question))
    throw problem('invalid_cursor', 'The cursor belongs to another list or query. Start again with the first page.');
  const { at, mark } = parsed.data;
  return { at, mark, key: read.data };
};
