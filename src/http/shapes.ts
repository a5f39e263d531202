/** Small shapes that every feature's schema uses. */
import { z } from 'zod';
import { isZone, readTime } from '../domain/time.ts';

/** An instant as answered. */
export const InstantOut = z
  .string()
  .describe('UTC instant, e.g. 2026-11-21T09:00:00.000Z.')
  .meta({ format: 'date-time' });

/** A time as accepted; the service reads it in the user's zone with readTime(). */
export const TimeIn = z
  .string()
  .max(64)
  .refine((t) => readTime(t, 'UTC') !== null, 'is not an ISO 8601 date or time')
  .describe(
    'ISO 8601. With offset: that instant. Without: wall time in `timezone`, else in the user’s zone. A bare date: that local day.',
  );

export const Zone = z
  .string()
  .max(64)
  .refine(isZone, 'is not an IANA time zone')
  .describe('IANA time zone, e.g. Europe/Berlin.');

export const Uid = z.string().min(1).max(255);
export const TaskId = z.string().min(1).max(255);
export const Tag = z.string().min(1).max(100);
export const UserId = z
  .string()
  .max(64)
  .optional()
  .describe('May only name the caller, unless the credential has `admin`.');

export const AsOf = z.string().max(64).optional().describe('Answer from what was known then: a ledger seq, or a time.');

/** true/false in a query string. */
export const QueryFlag = z.enum(['true', 'false']).transform((v) => v === 'true');
