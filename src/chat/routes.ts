/** Routes under /chat: respond, preview, summaries for grounding. */
import { z } from 'zod';
import { asRead, type Planner } from '../agent/prompt/planner.ts';
import { PlanRequest, PROPOSING_PROBLEMS } from '../agent/schemas.ts';
import type { AgentService } from '../agent/service.ts';
import type { Caller } from '../domain/access/caller.ts';
import { asProblem, presentProblem, problemBody } from '../http/problems/json.ts';
import { route, routes, Stream, type Route } from '../http/route.ts';
import { blankedSoFar, replyEvents, type View } from './reply-events.ts';
import { ChatEvent, Preview, RespondRequest, Response, SummariesRequest, TraceSummary } from './schemas.ts';
import type { ShowSoFar } from '../llm/model-prose.ts';
import type { Logger } from '../observability/log.ts';
import type { ChatService } from './service.ts';

export type ChatRoutesDeps = {
  chat: ChatService;
  agent: AgentService;
  planner: Planner;
  log: Logger;
  /** Blanks what the caller may not see of an answer. */
  present: <T>(caller: Caller, answer: T) => Promise<T>;
  /** What blanks for the caller, and whether what it hides may go on behind a text. */
  viewOf: (caller: Caller) => Promise<View>;
  summaries: (caller: Caller, uids: string[], max_token_count?: number) => Promise<z.input<typeof TraceSummary>[]>;
};

export const chatRoutes = ({ chat, agent, planner, log, present, viewOf, summaries }: ChatRoutesDeps): Route[] =>
  routes('chat', [
    route({
      id: 'respondToPrompt',
      method: 'post',
      path: '/chat/respond',
      summary: 'Answer a prompt and propose plans',
      description:
        'Answers a prompt. What it requests becomes proposals in the planner queue, which a person decides about; what it asks is answered from the calendar, the queue, the limits and memory, as far as the credential may read them (calendar:read, plan:read, memory:read), and nothing is proposed. `traces` and `events` hold what an answer rests on. With a model the answer is prose with the numbers of its sources, which follow it; otherwise it is a list. Long answers are cut and say how much is missing. Without a model, prompts in another language than English are answered by saying so. The prompt and the reply are stored as observations. With Accept: text/event-stream (or stream: true) the reply arrives as events `delta` {text}, and the event `done` contains the same object as the JSON answer. The prose of a model arrives sentence by sentence while it is written, each when it is checked; any other reply arrives once it is complete. The texts make the reply when they are joined, unless prose that was begun is not accepted as a whole: then `done` has another reply, so a client replaces what it has shown by the reply of `done`. Where the connection breaks once plans were made, the same request with the same Idempotency-Key gets that object as JSON, with the list as the answer to a question of which the prose was not complete. A prompt that made no plans may be answered again.',
      scopes: ['plan:propose'],
      body: RespondRequest,
      response: Response,
      problems: ['reply_not_found'],
      onAccept: { 'text/event-stream': ChatEvent },
      examples: { body: { prompt: 'Plan 90 minutes of deep work on #thesis tomorrow morning' } },
      handler: async ({ caller, body, request }) => {
        const { signal } = request;
        if (!body.stream && !request.header('accept')?.includes('text/event-stream'))
          return chat.respond(caller, body, signal);
        const respond = async (show: ShowSoFar) => present(caller, await chat.respond(caller, body, signal, show));
        const shownSoFar = async (reply: string) => blankedSoFar(reply, await viewOf(caller));
        const failed = async (error: unknown) => {
          if (signal.aborted) return null; // Nobody reads it.
          const problem = asProblem(error, log, caller.request_id);
          return problemBody(await presentProblem(problem, (part) => present(caller, part)), caller.request_id);
        };
        const { events, kept } = replyEvents(respond, { shownSoFar, failed });
        return new Stream('text/event-stream; charset=utf-8', events, { kept });
      },
    }),
    route({
      id: 'previewPlans',
      method: 'post',
      path: '/chat/plan-preview',
      summary: 'Preview the proposals for a prompt',
      description:
        'Takes the body of POST /agent/plan and runs the same code in a transaction that is rolled back. Nothing is stored.',
      problems: PROPOSING_PROBLEMS,
      scopes: ['plan:propose'],
      body: PlanRequest,
      response: z.array(Preview),
      examples: { body: { prompt: 'Block two hours for writing on Monday' } },
      handler: async ({ caller, body, request }) => {
        if (body.actions)
          return agent.submit(
            caller,
            body.actions.map((a) => agent.fromAction(caller, a)),
            { simulate: true },
          );
        const { context, literal } = body;
        const { signal } = request;
        return asRead(await planner.plan(caller, body.prompt as string, { context, literal, simulate: true, signal }));
      },
    }),
    route({
      id: 'summarizeTraces',
      method: 'post',
      path: '/chat/trace-summary',
      reads: true,
      summary: 'Summarise traces',
      description:
        'Answers a summary of each trace, in the order of the request. If ids are unknown, the answer is 404 and names all of them.',
      problems: ['trace_not_found'],
      scopes: ['memory:read'],
      body: SummariesRequest,
      response: z.array(TraceSummary),
      examples: { body: { trace_ids: ['note-1'] } },
      handler: ({ caller, body }) => summaries(caller, body.trace_ids, body.max_token_count),
    }),
  ]);
