/** Schemas of realtime messages, on the socket and in long polling. */
import { z } from 'zod';
import { PLAN_KINDS } from '../domain/plan/plan.ts';
import { RecordedAt } from '../domain/record/field-shapes.ts';
import { ProblemBody } from '../http/problems/json.ts';
import { UserId } from '../http/shapes.ts';
import { LEDGER_POSITION, readLedgerPosition } from '../ledger/ledger-position.ts';
import { Plan, Trace } from '../memory/schemas.ts';
import { Event } from '../calendar/schemas.ts';
import { GONE } from './changes.ts';

const Seq = z.number().int().min(0);
/** A position in the ledger as clients see it. */
const Position = z
  .string()
  .regex(LEDGER_POSITION)
  .describe(
    'The position in the ledger: the seq and digits of the entry’s hash. Send it as `after` to continue from here.',
  );
const AFTER =
  'The last `position` that you have received. Without it, changes are from now on; with 0 they are from the beginning. A plain seq is accepted too, but then the server cannot find out that the ledger was restored from a backup.';

const cloudEvent = {
  specversion: z.literal('1.0'),
  id: z.string().describe('The unique id of the change. If a message arrives twice, both have the same id.'),
  source: z.string(),
  subject: z.string().describe('The uid of the plan, trace or event.'),
  time: RecordedAt,
  sequence: Seq.describe('The ledger seq. It grows, and leaves out entries that this credential may not read.'),
  position: Position,
};

const PlanChange = z
  .object({
    ...cloudEvent,
    type: z.enum(PLAN_KINDS),
    data: Plan.describe('The whole plan at this version.'),
  })
  .meta({
    id: 'PlanChange',
    description:
      'A change of a plan or of its place in the queue. It needs plan:read. `plan.displaced` says that an event of the person took the time of an executed plan: `data.decision.successor_uids` names the plans that propose it again.',
  });

const TraceChange = z
  .object({
    ...cloudEvent,
    type: z.enum(['trace.created', 'trace.updated', 'trace.removed']),
    data: Trace.describe('The whole trace at this version.'),
  })
  .meta({ id: 'TraceChange', description: 'A change of a trace. It needs memory:read.' });

const EventChange = z
  .object({
    ...cloudEvent,
    type: z.enum(['event.created', 'event.updated', 'event.removed']),
    data: Event.describe('The whole event at this version.'),
  })
  .meta({ id: 'EventChange', description: 'A change of a calendar event. It needs calendar:read.' });

export const Change = z.discriminatedUnion('type', [PlanChange, TraceChange, EventChange]).meta({
  id: 'Change',
  description:
    'A change as a CloudEvent (CloudEvents 1.0, JSON format). `type` says what changed and so what `data` is. New types may be added; ignore types that you do not know.',
});

export const ChangesQuery = z.strictObject({
  user_id: UserId,
  after: z
    .string()
    .max(40)
    .regex(LEDGER_POSITION, 'must be a position from an answer, or a seq')
    .transform(readLedgerPosition)
    .optional()
    .describe(AFTER),
  wait: z.coerce
    .number()
    .min(0)
    .max(25)
    .default(0)
    .describe('The number of seconds to wait for a change if there is none yet.'),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(1000)
    .default(100)
    .describe(
      'The largest number of changes in the answer, from 1 to 1000. An answer with fewer is not necessarily the last one.',
    ),
});

export const ChangesPage = z
  .object({
    changes: z.array(Change),
    seq: Seq.describe(
      'The position after this answer. It can grow without changes, because this credential may not read every entry.',
    ),
    position: Position,
  })
  .meta({ id: 'ChangesPage' });
export type ChangesPage = z.input<typeof ChangesPage>;

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
  .meta({ description: 'The message that the client sends once, to subscribe.' });

const Synced = z.object({ type: z.literal('synced'), seq: Seq, position: Position }).meta({
  id: 'Synced',
  description: 'Says that every change up to seq was sent. From here on, changes are sent as they happen.',
});

const Reset = z.object({ type: z.literal('reset'), reason: z.enum(GONE), seq: Seq, position: Position }).meta({
  id: 'Reset',
  description:
    'Says that the ledger cannot be continued from the position of the client: the ledger ends before it (seq_ahead), its entries are no longer stored (seq_gone), or it has another entry there because it was restored from a backup (restored). Read the current state again, then subscribe after `position`.',
});

const SocketProblem = z
  .object({ type: z.literal('problem'), problem: ProblemBody })
  .meta({ id: 'SocketProblem', description: 'Says that a message of the client was not valid or failed.' });

export const SocketMessage = z
  .discriminatedUnion('type', [PlanChange, TraceChange, EventChange, Synced, Reset, SocketProblem])
  .meta({
    id: 'SocketMessage',
    description: 'A message that the server sends on the socket. Changes have `specversion`; other messages do not.',
  });

/** The server's messages that are not changes. */
export type ControlMessage = z.infer<typeof Synced> | z.infer<typeof Reset> | z.infer<typeof SocketProblem>;
