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
      .describe('read_only: it answers and takes no writes (its disk is full, or it was set so).'),
    executor: z
      .enum(['running', 'waiting', 'stopped'])
      .describe('waiting: until the database takes writes, or until its time is known again.'),
    clock_skew_ms: z
      .number()
      .int()
      .describe(
        'By how much the clock of this machine is ahead of the database’s. It does no harm: the database’s is used, except by an embedded one, which has none.',
      ),
  })
  .meta({ id: 'Health' });
export type Health = z.infer<typeof Health>;

export const Version = z
  .object({
    name: z.string(),
    api_version: z.string().describe('Semantic version of the API: within one major only additions.'),
    build: z.object({ version: z.string(), commit: z.string(), node: z.string() }),
    database: z.object({
      kind: z.enum(['postgres', 'embedded']),
      version: z.string().nullable().describe('null while it can’t be reached.'),
    }),
    features: z.record(z.string(), z.boolean()).describe('What this instance can do, as it is configured.'),
  })
  .meta({ id: 'Version' });
export type Version = z.infer<typeof Version>;

const Head = z.object({
  seq: z.number().int(),
  hash: z.string().describe('SHA-256 chain over every entry so far, in hex.'),
});

export const Audit = z
  .object({
    ok: z.boolean(),
    checked: z.number().int().describe('Entries that are as they were written; with damage, those before it.'),
    head: Head,
    first_bad: z
      .object({
        seq: z.number().int(),
        why: z
          .enum(DAMAGE)
          .describe(
            'entry_altered: something of the entry beside its payload, or its place in the order. projection_*: what is shown is not what was recorded. index_differs: only the terms of its search index, which another release may have made.',
          ),
      })
      .optional(),
  })
  .meta({
    id: 'Audit',
    description:
      'Whether the ledger is whole. Keep `head` elsewhere to notice also a ledger rewritten from some point to its end.',
  });

export const DumpBody = z.strictObject({
  user_id: UserId,
  task_id: TaskId.optional(),
  type: z.string().max(64).optional(),
  as_of: AsOf,
  limit: z.number().int().min(1).max(1000).default(100).describe('Traces per page, 1 to 1000.'),
});
export type DumpBody = z.infer<typeof DumpBody>;

export const Dump = z
  .object({
    traces: z
      .array(z.record(z.string(), z.unknown()))
      .describe('In the order of the ledger: by the seq of their version.'),
    metadata: z.object({
      counts: z
        .object({ total: z.number().int(), by_type: z.record(z.string(), z.number().int()) })
        .describe('Of all that fits, not of this page.'),
      seq: z.number().int().describe('The snapshot is as of this seq, on every page of one walk.'),
      ledger: z.object({
        head: z.number().int(),
        verified: z
          .boolean()
          .nullable()
          .describe('Whether the ledger is whole (see /debug/audit); told on the first page.'),
      }),
      oldest: InstantOut.nullable().describe('Earliest timestamp of all that fits.'),
      newest: InstantOut.nullable(),
    }),
  })
  .meta({ id: 'TraceDump', description: 'A memory snapshot.' });
export type Dump = z.infer<typeof Dump>;
