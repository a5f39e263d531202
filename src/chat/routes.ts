/** /chat: respond, preview, summaries for grounding. */
import { z } from 'zod';
import type { Planner } from '../agent/planner.ts';
import { PlanRequest } from '../agent/schema.ts';
import type { AgentService } from '../agent/service.ts';
import type { Caller } from '../domain/caller.ts';
import { route, routes, Stream, type Route } from '../http/route.ts';
import { Preview, RespondRequest, Response, SummariesRequest, TraceSummary } from './schema.ts';
import type { ChatService } from './service.ts';

export type ChatRoutesDeps = {
  chat: ChatService;
  agent: AgentService;
  planner: Planner;
  summaries: (caller: Caller, uids: string[], max_token_count?: number) => Promise<z.input<typeof TraceSummary>[]>;
};

const event = (name: string, data: unknown): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;

/** The reply in pieces, word by word as it would be typed, then the whole answer. */
const events = async function* (answer: Promise<Response>): AsyncGenerator<string> {
  yield ': thinking\n\n'; // headers and a first byte at once, so that proxies and people see it began
  const whole = await answer;
  for (const [piece] of whole.reply.matchAll(/\s*\S+/g)) yield event('delta', { text: piece });
  yield event('done', whole);
};

export const chatRoutes = ({ chat, agent, planner, summaries }: ChatRoutesDeps): Route[] =>
  routes('chat', [
    route({
      method: 'post',
      path: '/chat/respond',
      summary: 'Say what should happen; proposals enter the queue',
      description:
        'With Accept: text/event-stream (or stream: true) the reply comes as events `delta` {text} and ends with `done`, the same object as without. Prompt and reply are kept as observations.',
      scopes: ['plan:propose'],
      body: RespondRequest,
      response: Response,
      produces: ['text/event-stream'],
      examples: { body: { prompt: 'Plan 90 minutes of deep work on #thesis tomorrow morning' } },
      handler: async ({ caller, body, request }) => {
        const answer = chat.respond(caller, body.prompt, body.context, request.signal);
        if (!body.stream && !request.header('accept')?.includes('text/event-stream')) return answer;
        return new Stream('text/event-stream; charset=utf-8', events(answer));
      },
    }),
    route({
      method: 'post',
      path: '/chat/plan-preview',
      summary: 'See what would be proposed; nothing is kept',
      description: 'Takes what POST /agent/plan takes and runs the same code in a transaction that is undone.',
      scopes: ['plan:propose'],
      body: PlanRequest,
      response: z.array(Preview),
      examples: { body: { prompt: 'Block two hours for writing three times this week' } },
      handler: async ({ caller, body, request }) => {
        if (body.actions)
          return agent.submit(
            caller,
            body.actions.map((a) => agent.fromAction(caller, a)),
            { simulate: true },
          );
        const { plans } = await planner.plan(caller, body.prompt as string, { context: body.context, simulate: true, signal: request.signal });
        return plans;
      },
    }),
    route({
      method: 'post',
      path: '/chat/trace-summary',
      summary: 'Summarise traces for grounding',
      description: 'In the order asked. Unknown ids are a 404 that names them all.',
      scopes: ['memory:read'],
      body: SummariesRequest,
      response: z.array(TraceSummary),
      handler: ({ caller, body }) => summaries(caller, body.trace_ids, body.max_token_count),
    }),
  ]);
