/** Schemas of realtime messages, on the socket and in long polling. */
import { z } from 'zod';
import { RecordedAt } from '../domain/record/field-shapes.ts';
import { UserId } from '../http/shapes.ts';
import { LEDGER_POSITION, readLedgerPosition } from '../ledger/ledger-position.ts';
import { GONE } from './changes.ts';

const Seq = z.number().int().min(0);
/** A position in the ledger as clients see it. */
const Position = z
  .string()
  .regex(LEDGER_POSITION)
  .describe('The place in the ledger, with digits of the entry’s hash: give it as `after` to go on from here.');
const AFTER =
  'The `position` seen last; without it, from now on. 0 is from the beginning. A seq alone is good too, but does not show that the ledger was restored from a backup.';

const Change = z
  .object({
    specversion: z.literal('1.0'),
    id: z.string().describe('Unique: a message that comes twice has the same id.'),
    source: z.string(),
    type: z
      .string()
      .describe(
        'plan.proposed, plan.approved, plan.rejected, plan.executed, plan.edited, queue.changed (needs plan:read); trace.created, trace.updated, trace.removed (memory:read); event.created, event.updated, event.removed (calendar:read). New types may come: ignore those you don’t know.',
      ),
    subject: z.string().describe('uid of the plan, trace or event.'),
    time: RecordedAt,
    sequence: Seq.describe('The ledger seq. Grows, with holes where entries are not for you.'),
    position: Position,
    data: z.record(z.string(), z.unknown()).describe('The whole plan, trace or event at this version.'),
  })
  .meta({
    id: 'Change',
    description: 'A CloudEvent (CloudEvents 1.0, JSON format): one change of something of yours.',
  });

export const ChangesQuery = z.strictObject({
  user_id: UserId,
  after: z
    .string()
    .max(40)
    .regex(LEDGER_POSITION, 'must be a position as it was told, or a seq')
    .transform(readLedgerPosition)
    .optional()
    .describe(AFTER),
  wait: z.coerce.number().min(0).max(25).default(0).describe('Seconds to wait for a change where there is none yet.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe('Changes per answer, 1 to 1000; fewer does not mean that it was the last.'),
});

export const ChangesPage = z
  .object({
    changes: z.array(Change),
    seq: Seq.describe('Moves on without changes where there was nothing for you.'),
    position: Position,
  })
  .meta({ id: 'ChangesPage' });

/** The message that a client may send on the socket. */
export const Subscribe = z
  .strictObject({
    subscribe: z.strictObject({
      after: z
        .union([Seq.max(Number.MAX_SAFE_INTEGER), z.string().max(40).regex(LEDGER_POSITION)])
        .optional()
        .describe(AFTER),
    }),
  })
  .meta({ id: 'Subscribe', description: 'Sent once by the client.' });

const Synced = z
  .object({ type: z.literal('synced'), seq: Seq, position: Position })
  .meta({ id: 'Synced', description: 'Everything up to seq has been sent; what follows is live.' });

const Reset = z.object({ type: z.literal('reset'), reason: z.enum(GONE), seq: Seq, position: Position }).meta({
  id: 'Reset',
  description:
    'The ledger can’t be continued from there: it does not reach that far (seq_ahead), no longer so far back (seq_gone), or has another entry there since it was restored from a backup (restored). Read anew and subscribe after `position`.',
});

const SocketProblem = z
  .object({ type: z.literal('problem'), problem: z.record(z.string(), z.unknown()) })
  .meta({ id: 'SocketProblem', description: 'What was said could not be understood or done; `problem` is a Problem.' });

export const SocketMessage = z.union([Change, Synced, Reset, SocketProblem]).meta({
  id: 'SocketMessage',
  description: 'What the server says on the socket. Changes have `specversion`; the others don’t.',
});

/** The server's messages that are not changes. */
export type ControlMessage = z.infer<typeof Synced> | z.infer<typeof Reset> | z.infer<typeof SocketProblem>;
