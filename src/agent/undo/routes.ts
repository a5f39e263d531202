/** The route that takes back what an agent caused. */
import { problemItem } from '../../http/problems/json.ts';
import { route } from '../../http/route.ts';
import type { AgentService } from '../service.ts';
import { TakeBackRequest, TakenBack } from './schemas.ts';

export const takeBackRoutes = ({ agent }: { agent: AgentService }) => [
  route({
    id: 'takeBackAgent',
    method: 'post',
    path: '/agent/take-back',
    summary: 'Take back what an agent caused',
    description:
      'Takes back all that one agent caused since a moment, in one write: its proposals are withdrawn, its approved plans are cancelled, what its executed plans made or changed on the calendar and in memory is as it was before, and so are the traces that it wrote, changed or removed. What was changed by somebody else since stays, and `left` says why. With `simulate` nothing is kept: the answer says what would be taken back, and what the calendar would be. `until` leaves alone what was changed after it, such as after a simulation. `seq` takes that back again: all is as it was before, or nothing changes (409); a plan that was approved and not executed waits for a decision again. The newest 100 executed plans, 400 others and 200 traces are taken back at once.',
    problems: ['key_not_found', 'changed_since', 'not_undoable', 'slot_taken', 'series_limit', 'seq_gone'],
    scopes: ['plan:decide', 'plan:read', 'memory:write', 'memory:read', 'calendar:read'],
    body: TakeBackRequest,
    response: TakenBack,
    examples: { body: { agent: 'key-of-the-agent', since: '2026-11-24', simulate: true } },
    handler: async ({ caller, body: { agent: id, since, until, seq, note, simulate } }) => {
      const { left, ...done } =
        seq === undefined
          ? await agent.takeBackAgent(caller, { agent: id as string, since: since as string, until, note, simulate })
          : await agent.restoreTakenBack(caller, seq, { simulate });
      return {
        ...done,
        left: left.map(({ doc, problem }) => ({ trace: doc, ...problemItem(problem, caller.request_id) })),
      };
    },
  }),
];
