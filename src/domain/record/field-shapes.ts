/** Small zod schemas for fields of several documents, in requests and in answers. */
import { z } from 'zod';
import { isInYears, isZone, readTime, timeFault, YEARS_FAULT } from '../time/time.ts';
import { zoneFault } from '../time/zone-suggestions.ts';
import { dictionary, list } from './bounded-collections.ts';

/** An instant in an answer. */
export const InstantOut = z
  .string()
  .describe('A UTC instant, such as 2026-11-21T09:00:00.000Z.')
  .meta({ format: 'date-time' });

/** A recorded time in an answer. */
export const RecordedAt = z
  .string()
  .describe(
    'A UTC instant in microseconds, such as 2026-11-21T09:00:00.000000Z. Releases before 0.2.0 recorded milliseconds.',
  )
  .meta({ format: 'date-time' });

const faultIn = (text: string): string | null => {
  const at = readTime(text, 'UTC');
  if (at === null) return timeFault(text);
  return isInYears(at) ? null : YEARS_FAULT;
};

export const Actor = z
  .object({
    kind: z.string().describe('user, agent, feed or system.'),
    id: z.string().describe('The id of the API key; `session` for a login, and the name of the part for the service.'),
    label: z.string().describe('The label of the key, also after it was revoked; otherwise a word for who it is.'),
  })
  .meta({ id: 'Actor', description: 'Who acted.' });
export type Actor = z.infer<typeof Actor>;

/** Which occurrences of a series a change concerns. */
export const Scope = z.enum(['this', 'following', 'all']);
export type Scope = z.infer<typeof Scope>;

/** A time in a request. The service resolves it in the user's zone with readTime(). */
export const TimeIn = z
  .string()
  .max(100)
  .refine((text) => faultIn(text) === null, { error: ({ input }) => faultIn(String(input)) ?? '' })
  .describe(
    'An ISO 8601 time as in RFC 3339 and RFC 9557. A time with an offset is that instant. A time with `[zone]` is wall time in that zone; if it has an offset too, both must agree. A time without either is wall time in `timezone`, or else in the time zone of the user. A date without a time is that local day.',
  );

export const Zone = z
  .string()
  .max(64)
  .refine(isZone, { error: ({ input }) => zoneFault(String(input)) })
  .describe('An IANA time zone, such as Europe/Berlin.');

export const Uid = z
  .string()
  .min(1)
  .max(255)
  .describe('A uid: one that a client chose, or a UUIDv7 that Almanac made.');
/** The uid of something new. In a calendar file, control characters and white space around a UID are lost, and two uids would be one. */
export const NewUid = Uid.refine(
  (uid) => !/^\s|\s$|\p{Cc}/u.test(uid),
  'must not contain control characters, or begin or end with white space',
);
export const TaskId = z
  .string()
  .min(1)
  .max(255)
  .describe('The task that it belongs to. Clients choose the names of tasks.');
export const Tag = z.string().min(1).max(100).describe('A tag, such as @deep_work or #kitchen.');

/** In minutes. */
export const FOUR_WEEKS = 28 * 24 * 60;
/** The reminders of an event, in minutes before its start, each once. */
export const Reminders = list(z.int().min(0).max(FOUR_WEEKS), 20).overwrite((all) => [...new Set(all)]);

const METADATA_MAX_BYTES = 16 * 1024;
/** It must fit into 16 KiB. */
const MAX_MEMBERS = 4_096;

export const Metadata = dictionary(z.string().max(METADATA_MAX_BYTES), z.unknown(), MAX_MEMBERS)
  .refine((m) => Buffer.byteLength(JSON.stringify(m)) <= METADATA_MAX_BYTES, 'must have at most 16 KiB as JSON')
  .describe('Data of the client, at most 16 KiB. It is answered unchanged.');
