/** Small zod schemas of requests that the schemas of several features use. */
import { z } from 'zod';

export const UserId = z
  .string()
  .max(64)
  .optional()
  .describe(
    'The user whose data is meant. Without it, or with `me`, it is the caller. Only a credential with `admin` may name another user.',
  );

export const AsOf = z
  .string()
  .max(100)
  .optional()
  .describe(
    'A ledger seq or a time. The answer shows what was known then. A point after the newest entry means the newest entry.',
  );

/** The problem of one item of several. */
export const ProblemOut = z.looseObject({ status: z.number(), code: z.string(), detail: z.string() });

/** `true` or `false` in a query string. */
export const QueryFlag = z.enum(['true', 'false']).transform((v) => v === 'true');
