/** Tools for the OpenAI Agents SDK (`@openai/agents`): the model proposes, a person approves in Almanac. */
import { tool } from '@openai/agents';
import type { Client } from 'almanac-client';
import { z } from 'zod';
import { PROPOSE, Proposal, proposeAndWait, RECALL, recall } from './propose-and-wait.ts';

export const almanacTools = (client: Client) => [
  tool({
    name: 'recall',
    description: RECALL,
    parameters: z.object({ query: z.string() }),
    execute: ({ query }) => recall(client, query),
  }),
  tool({
    name: 'propose_event',
    description: PROPOSE,
    parameters: Proposal,
    execute: (asked, _context, details) => proposeAndWait(client, asked, details?.signal),
  }),
];
