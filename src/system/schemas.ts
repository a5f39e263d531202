/** Schemas of the system routes. */
import { z } from 'zod';
import { DAMAGE } from '../ledger/audit.ts';
import { InstantOut, TaskId } from '../domain/record/field-shapes.ts';
import { AsOf, UserId } from '../http/shapes.ts';

export const Health = z
  .object({
    status: z.enum(['ok', 'unavailable', 'stopping']),
    database: z
      .enum(['ok', 'read_only', 'away'])
      .describe(
        'The state of the database. read_only means that it answers but accepts no writes, because its disk is full or it is set so.',
      ),
    executor: z
      .enum(['running', 'waiting', 'stopped'])
      .describe(
        'The state of the executor. waiting means that it waits until the database accepts writes or its time is known.',
      ),
    clock_skew_ms: z
      .number()
      .int()
      .describe(
        'How far the clock of this machine is ahead of the clock of the database, in milliseconds. Almanac uses the clock of the database, so a difference has no effect. The embedded database has no clock of its own.',
      ),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

export const Version = z
  .object({
    name: z.string(),
    api_version: z
      .string()
      .describe(
        'The semantic version of the API. From version 1.0.0 of Almanac on, there are only additions within a major version.',
      ),
    build: z.object({ version: z.string(), commit: z.string(), node: z.string() }),
    database: z.object({
      kind: z.enum(['postgres', 'embedded']),
      version: z.string().nullable().describe('The version of the database; null while it cannot be reached.'),
    }),
    features: z.record(z.string(), z.boolean()).describe('What this instance can do with its configuration.'),
  })
  .meta({ id: 'Version' });
export type Version = z.infer<typeof Version>;

const Head = z.object({
  seq: z.number().int(),
  hash: z
    .string()
    .optional()
    .describe(
      'The SHA-256 hash of the last entry, which includes all entries before it, in hexadecimal. Missing without export:sensitive where a sensitive field was ever set.',
    ),
});

export const Audit = z
  .object({
    ok: z.boolean(),
    checked: z
      .number()
      .int()
      .describe('The number of entries that are intact; if there is damage, the number of entries before it.'),
    head: Head,
    first_bad: z
      .object({
        seq: z.number().int(),
        why: z
          .enum(DAMAGE)
          .describe(
            'The kind of damage. entry_altered means that a part of the entry other than its payload, or its position, was changed. projection_* means that a projection differs from the ledger. index_differs means that only the search index differs.',
          ),
      })
      .optional(),
    outdated: z
      .number()
      .int()
      .describe(
        'The number of index rows that a process of an earlier release wrote, as during an upgrade. They are no damage: the service makes them again within a minute.',
      ),
  })
  .meta({
    id: 'Audit',
    description:
      'Whether the ledger is intact. Store `head` in another place, so that you also notice a ledger that was rewritten up to its end.',
  });

export const DumpBody = z.strictObject({
  user_id: UserId,
  task_id: TaskId.optional(),
  type: z.string().max(64).optional(),
  as_of: AsOf,
  limit: z
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('The largest number of traces on a page, from 1 to 1000.'),
});
export type DumpBody = z.infer<typeof DumpBody>;

export const Dump = z
  .object({
    traces: z
      .array(z.record(z.string(), z.unknown()))
      .describe('The traces in the order of the ledger, which is by the seq of their version.'),
    metadata: z.object({
      counts: z
        .object({ total: z.number().int(), by_type: z.record(z.string(), z.number().int()) })
        .describe('The count of all traces that match, not only those of this page.'),
      seq: z.number().int().describe('The seq of the snapshot, which is the same on all pages.'),
      ledger: z.object({
        head: z.number().int(),
        verified: z
          .boolean()
          .nullable()
          .describe('Whether the ledger is intact (see /debug/audit); only on the first page.'),
      }),
      oldest: InstantOut.nullable().describe('The earliest timestamp of all traces that match.'),
      newest: InstantOut.nullable(),
    }),
  })
  .meta({ id: 'TraceDump', description: 'A snapshot of memory.' });
export type Dump = z.infer<typeof Dump>;
