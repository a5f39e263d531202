/** Schemas of taking back what an agent caused. */
import { z } from 'zod';
import { UndoAnswer } from '../../calendar/schemas.ts';
import { ProblemOut, UserId } from '../../http/shapes.ts';
import { Trace } from '../../memory/schemas.ts';
import { Note, Simulate } from '../schemas.ts';

export const TakeBackRequest = z
  .strictObject({
    user_id: UserId,
    agent: z
      .string()
      .max(200)
      .optional()
      .describe('The id of the agent’s key, as GET /user/keys and GET /agent/activity answer it.'),
    since: z
      .string()
      .max(100)
      .optional()
      .describe('From when on: an ISO time, a local date, or a ledger seq. `0` is everything.'),
    until: z
      .int()
      .min(1)
      .optional()
      .describe(
        'What was changed after this ledger seq stays. Send the `as_of` of a simulation here, and nothing is taken back that it did not list.',
      ),
    seq: z
      .int()
      .min(1)
      .optional()
      .describe(
        'In place of `agent`: takes back what such a request did, by the `seq` that it answered. A change of traces that you made is taken back too.',
      ),
    note: Note,
    simulate: Simulate,
  })
  .refine((r) => (r.agent === undefined) !== (r.seq === undefined), {
    message: 'send agent and since, or seq',
    path: ['agent'],
  })
  .refine((r) => (r.agent === undefined) === (r.since === undefined), {
    message: 'is required with agent, and allowed with it only',
    path: ['since'],
  })
  .refine((r) => r.agent !== undefined || r.until === undefined, { message: 'is for agent only', path: ['until'] });

export const TakenBack = z.object({
  seq: z
    .int()
    .nullable()
    .describe('The ledger seq by which this is taken back; null where nothing changed, and in a simulation.'),
  as_of: z.int().describe('The newest ledger seq before this request; see `until`.'),
  taken_back: z
    .array(Trace)
    .describe('The plans and traces as they are now. A trace that the agent had made is removed.'),
  left: z.array(z.object({ trace: Trace, status: z.int(), problem: ProblemOut })).describe('What stays, and why.'),
  events: UndoAnswer.shape.events,
  more: z.boolean().describe('Whether one request could not take back all. Send it again for the rest.'),
});
