/** Runs tools: checks the arguments, lets the tool call its routes as this caller, and fits the result into its bound. */
import type { CallToolResult, Tool as ListedTool } from '@modelcontextprotocol/server';
import type { Clock } from '../common/clock.ts';
import type { ProblemCode } from '../common/problem-codes.ts';
import { problem, type Problem } from '../common/problem.ts';
import type { Caller, Scope } from '../domain/access/caller.ts';
import { checkScopes, perform, type PerformDeps } from '../http/perform.ts';
import { asProblem, parseOr422 } from '../http/problems/json.ts';
import { Stream, type RequestFacts, type Route } from '../http/route.ts';
import type { Logger } from '../observability/log.ts';
import { bounded, type Bounded } from './bounded-result.ts';
import { definitionOf, inputOf } from './tool-definitions.ts';
import { faultText } from './tool-faults.ts';
import { DATA_NOTICE, type Call, type Result, type Tool, type ToolContext } from './tool.ts';

export type ToolCallsDeps = {
  /** The REST routes, which tools call. */
  routes: Route[];
  perform: PerformDeps;
  clock: Clock;
  log: Logger;
  metrics: { toolCalled: (tool: string, code: ProblemCode | 'ok', seconds: number) => void };
};

/** Who calls, and by which HTTP request. */
export type Calling = { caller: Caller; request: RequestFacts };

/** A tool as it is served: its parsed input schema, its listing and its scopes, which are those of its routes. */
type Served = { tool: Tool; input: ReturnType<typeof inputOf>; listed: ListedTool; scopes: Scope[] };

/** Arguments that the runner reads; the others are the tool's. */
type Args = { request_key?: string; max_tokens: number };

/** A route sees the HTTP request of the call, without its headers, which belong to the call and not to the route. */
const inner = (outer: RequestFacts, path: string): RequestFacts => ({
  url: new URL(path, 'http://almanac'),
  params: {},
  get origin() {
    return outer.origin;
  },
  page: null,
  header: () => undefined,
  ip: outer.ip,
  get signal() {
    return outer.signal;
  },
  release: outer.release,
});

const cursorOf = (link: string | undefined): string | null => {
  const target = /^<([^>]+)>/.exec(link ?? '')?.[1];
  return target === undefined ? null : new URL(target, 'http://almanac').searchParams.get('cursor');
};

const withNotice = ({ data }: Tool, result: Result): Result => (data ? { notice: DATA_NOTICE, ...result } : result);

const keptOf = ({ list }: Tool, { result }: Bounded): number => (list ? (result[list] as unknown[]).length : 0);

/**
 * Fits the result. A page that is too long is asked for again with as many items as fit, so that its cursor continues after the
 * last item that is shown.
 */
const fitted = async (tool: Tool, args: { limit?: number }, context: ToolContext): Promise<Bounded> => {
  const run = async (limit?: number): Promise<Bounded | null> => {
    const result: Result = await tool.run(limit === undefined ? args : { ...args, limit }, context);
    return bounded(withNotice(tool, result), tool.list, context.max_tokens);
  };
  const first = await run();
  if (!first)
    throw problem('export_too_large', `The result has more than ${context.max_tokens} tokens and cannot be divided.`);
  const kept = keptOf(tool, first);
  const again = first.left_out && kept && args.limit !== undefined && tool.effect === 'reads' ? await run(kept) : null;
  return again && !again.left_out ? again : first;
};

export const createToolCalls = (tools: readonly Tool[], deps: ToolCallsDeps) => {
  const routes = new Map(deps.routes.map((route) => [route.id, route]));
  const routeOf = (id: string): Route => {
    const route = routes.get(id);
    if (!route) throw new Error(`a tool calls the route ${id}, which does not exist`);
    return route;
  };
  const served = new Map<string, Served>(
    tools.map((tool) => {
      const scopes = new Set(tool.routes.flatMap((id) => routeOf(id).scopes as Scope[]));
      return [tool.name, { tool, input: inputOf(tool), listed: definitionOf(tool), scopes: [...scopes] }];
    }),
  );
  const mayCall = ({ scopes }: Caller, name: string): boolean =>
    served.get(name)?.scopes.every((scope) => scopes.has(scope)) ?? false;

  /** Calls a route as the caller, after the same checks as over HTTP. */
  const callRoute =
    ({ caller, request }: Calling): Call =>
    async (id, { query = {}, body, key }) => {
      const route = routeOf(id);
      checkScopes(route.scopes as Scope[], caller.scopes);
      const asked = { caller, query, body, request: inner(request, route.path), key };
      const answer = await perform(route, asked, deps.perform);
      if (answer instanceof Stream) throw new Error(`the route ${id} answered a stream`);
      return { body: answer.body, next: cursorOf(answer.headers['Link']) };
    };

  const runTool = async ({ tool, input, scopes }: Served, given: unknown, calling: Calling): Promise<Bounded> => {
    const { caller, request } = calling;
    checkScopes(scopes, caller.scopes);
    const { request_key, max_tokens, ...args } = parseOr422(input, given ?? {}) as Args;
    return fitted(tool, args, {
      call: callRoute(calling),
      user_id: caller.user_id,
      request_key,
      max_tokens,
      release: request.release,
      millis: deps.clock.millis,
    });
  };

  return {
    mayCall,
    callRoute,

    /** Lists the tools that the caller's scopes allow. */
    listed: (caller: Caller): ListedTool[] =>
      [...served.values()].filter(({ tool }) => mayCall(caller, tool.name)).map(({ listed }) => listed),

    /** Runs a tool; null where there is none of that name. A refusal is the error of the tool, which a model can read. */
    call: async (name: string, args: unknown, calling: Calling): Promise<CallToolResult | null> => {
      const found = served.get(name);
      if (!found) return null;
      const started = performance.now();
      const done = (code: ProblemCode | 'ok'): void =>
        deps.metrics.toolCalled(name, code, (performance.now() - started) / 1000);
      try {
        const { result, text } = await runTool(found, args, calling);
        done('ok');
        return { content: [{ type: 'text', text }], structuredContent: result };
      } catch (error) {
        const { request_id } = calling.caller;
        const fault: Problem = asProblem(error, deps.log, request_id);
        done(fault.code);
        return { content: [{ type: 'text', text: faultText(fault, request_id) }], isError: true };
      }
    },
  };
};

export type ToolCalls = ReturnType<typeof createToolCalls>;
