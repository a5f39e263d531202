/** Small shapes of requests that the schemas of several features use. */
import { z } from 'zod';

export const UserId = z
  .string()
  .max(64)
  .optional()
  .describe('May only name the caller, unless the credential has `admin`.');

export const AsOf = z
  .string()
  .max(100)
  .optional()
  .describe(
    'Answer from what was known then: a ledger seq, or a time. Beyond the newest entry, or from the present on, the newest is meant.',
  );

/** `true` or `false` in a query string. */
export const QueryFlag = z.enum(['true', 'false']).transform((v) => v === 'true');
