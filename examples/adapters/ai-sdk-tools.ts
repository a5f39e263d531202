/** Tools for the AI SDK (`ai`): the model proposes, a person approves in Almanac. */
import { tool } from 'ai';
import type { Client } from 'almanac-client';
import { z } from 'zod';
import { PROPOSE, Proposal, proposeAndWait, RECALL, recall } from './propose-and-wait.ts';

export const almanacTools = (client: Client) => ({
  recall: tool({
    description: RECALL,
    inputSchema: z.object({ query: z.string() }),
    execute: ({ query }) => recall(client, query),
  }),
  propose_event: tool({
    description: PROPOSE,
    inputSchema: Proposal,
    execute: (asked, { abortSignal }) => proposeAndWait(client, asked, abortSignal),
  }),
});
