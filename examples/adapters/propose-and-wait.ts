/** What the tools below share: an action becomes a proposal, and its answer is what the person decided in Almanac. */
import type { ActionInput, Client, Plan } from 'almanac-client';
import { z } from 'zod';

export const Proposal = z.object({
  title: z.string().describe('What to put on the calendar.'),
  duration_minutes: z.number().int().min(5).max(480),
  scheduled_for: z
    .string()
    .nullable()
    .describe('A time such as 2026-11-24T10:00 in the zone of the person; null to take the best free slot.'),
  reasoning: z.string().describe('Why, for the person who decides.'),
});

export const RECALL = 'Search the memory of the person for what is known about a subject.';
export const PROPOSE =
  'Propose an event for the calendar. The person decides in Almanac; the answer is the decision, so it can take a while.';

export const recall = async (client: Client, query: string): Promise<string[]> => {
  const { items } = await client.memory.search({ query, limit: 5 }).page();
  return items.map(({ timestamp, summary }) => `${timestamp.slice(0, 10)} ${summary}`);
};

const outcomeOf = ({ status, scheduled_for, decision }: Plan) => ({
  ...{ status, scheduled_for, note: decision?.note ?? null, reason: decision?.code ?? null },
});

/** Resolves when the person has decided, or a limit has refused the proposal at once. */
export const proposeAndWait = async (client: Client, asked: z.infer<typeof Proposal>, signal?: AbortSignal) => {
  const action: ActionInput = { action_type: 'schedule', ...asked };
  const [plan] = await client.agent.plan({ actions: [action] }, { signal });
  if (!plan) throw new Error('nothing was proposed');
  if (plan.status === 'rejected') return outcomeOf(plan);
  for await (const change of client.changes({ after: plan.seq, signal })) {
    if (change.type !== 'reset' && change.subject !== plan.uid) continue;
    const now = await client.agent.getPlan({ uid: plan.uid }, { signal });
    if (now.status !== 'proposed') return outcomeOf(now);
  }
  throw new Error('the changes ended');
};
