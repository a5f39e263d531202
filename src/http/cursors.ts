/** Cursors: opaque to clients, bound to the list they came from, and to the seq at which the walk began. */
import { z } from 'zod';
import { hash } from 'node:crypto';
import { unstorable } from '../domain/record/canonical-json.ts';
import { isKeptInstant } from '../domain/time/time.ts';
import { problem } from '../common/problem.ts';

export const MAX_LIMIT = 1000;

export const Limit = z.coerce.number().int().min(1).max(MAX_LIMIT).default(100).describe('Items per page, 1 to 1000.');

export const Cursor = z
  .string()
  .max(4096)
  .optional()
  .describe('Opaque; taken from the Link header of the page before.');

/** Query members of every list. */
export const PageQuery = { limit: Limit, cursor: Cursor };

/** `at`: seq of the walk's first page, `mark`: which entry that is (ledger/ledger-position.ts). `key`: the last row's sort values. */
export type Position<K = (string | number)[]> = { at: number; mark?: string | undefined; key: K };

/** The value of a key that is a time. */
export const AtKey = z.string().refine(isKeptInstant);
export const UidKey = z.string().max(255);
const Whole = z.number().int().min(0);

/** What the sort values of lists are: each list reads its cursors by one of these, so that a forged key gets no further. */
export const KEYS = {
  text: z.tuple([UidKey]),
  seq: z.tuple([Whole]),
  version: z.tuple([Whole.max(2 ** 31 - 1)]),
  time: z.tuple([AtKey, UidKey]),
  /** What has no time comes last. */
  openTime: z.tuple([z.union([AtKey, z.literal('infinity')]), UidKey]),
};

type KeyOf = z.ZodType<readonly (string | number)[]>;

const Wire = z.strictObject({
  q: z.string(),
  at: z.number().int().min(0),
  mark: z.string().optional(),
  key: z.array(z.unknown()).max(4),
});

/** The question a cursor continues: another question can't be continued with it. */
const fingerprint = (question: unknown): string => hash('sha256', JSON.stringify(question), 'base64url').slice(0, 12);

export const writeCursor = (question: unknown, position: Position<readonly (string | number)[]>): string =>
  Buffer.from(JSON.stringify({ q: fingerprint(question), ...position })).toString('base64url');

/** @throws 422 invalid_cursor where it was not written for this question, or its key is none of this list. */
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
    throw problem(
      'invalid_cursor',
      'The cursor belongs to another list or query: repeat the walk from its first page.',
    );
  const { at, mark } = parsed.data;
  return { at, mark, key: read.data };
};
