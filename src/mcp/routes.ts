/** The route POST /mcp: the Model Context Protocol (streamable HTTP, stateless) for agent hosts. */
import { z } from 'zod';
import { problem } from '../common/problem.ts';
import { route, routes, Stream, type RequestFacts, type Route } from '../http/route.ts';
import type { McpService, McpServiceDeps } from './mcp-service.ts';

export type McpDeps = McpServiceDeps & {
  /** Origins of browser front ends that may call; `*` allows any. */
  origins: readonly string[];
};

const Message = z.unknown().meta({
  description: 'A JSON-RPC 2.0 message of the Model Context Protocol, 2026-07-28 or earlier. Batches are refused.',
});

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])$/;

/** A page that rebinds its name to this machine has the host of the request, but a name that is not loopback. */
const checkOrigin = ({ page }: RequestFacts, origins: readonly string[]): void => {
  if (page === null || origins.includes('*') || origins.includes(page.origin)) return;
  if (page.own === 'public_url' || (page.own === 'host' && LOOPBACK.test(page.hostname))) return;
  throw problem(
    'forbidden_origin',
    `Pages of ${page.shown} may not call /mcp. The operator can allow them in CORS_ORIGINS.`,
  );
};

/** Passes the answer of the handler on: JSON at once, event streams as they are written. */
const passOn = async (response: Response): Promise<Stream> => {
  const type = response.headers.get('content-type') ?? '';
  const { status, body } = response;
  if (body && type.startsWith('text/event-stream'))
    return new Stream(type, body, { status, headers: { 'X-Accel-Buffering': 'no' } });
  const text = await response.text();
  return new Stream(type, text, { status, headers: { 'Content-Length': String(Buffer.byteLength(text)) } });
};

export const mcpRoutes = (deps: McpDeps): Route[] => {
  let loading: Promise<McpService> | undefined;
  const service = (): Promise<McpService> =>
    (loading ??= import('./mcp-service.ts').then(({ createMcpService }) => createMcpService(deps)));

  return routes('mcp', [
    route({
      id: 'callMcp',
      method: 'post',
      path: '/mcp',
      summary: 'Speak the Model Context Protocol',
      description:
        'Serves agent hosts that speak MCP (streamable HTTP, stateless): protocol version 2026-07-28, and the versions with the `initialize` handshake. The bearer is an API key; its scopes decide which tools, resources and prompts it sees. Each tool calls routes of this document. No tool approves, rejects for the person, writes the calendar, changes limits or makes keys. Pages of foreign origins are refused. Send `Accept: application/json, text/event-stream`, and from 2026-07-28 on the headers `MCP-Protocol-Version`, `Mcp-Method` and `Mcp-Name`.',
      scopes: [],
      otherProtocol: true,
      problems: ['forbidden_origin'],
      body: Message,
      response: z.unknown().meta({ description: 'A JSON-RPC 2.0 message. 202 has none.' }),
      otherStatuses: [202, 400, 404, 406],
      onAccept: { 'text/event-stream': z.unknown() },
      examples: {
        body: {
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: {
            name: 'get_limits',
            arguments: {},
            _meta: {
              'io.modelcontextprotocol/protocolVersion': '2026-07-28',
              'io.modelcontextprotocol/clientInfo': { name: 'my-host', version: '1.0.0' },
              'io.modelcontextprotocol/clientCapabilities': {},
            },
          },
        },
      },
      handler: async ({ caller, body, request }) => {
        checkOrigin(request, deps.origins);
        if (Array.isArray(body))
          throw problem(
            'malformed_request',
            'A batch of messages is refused: send each message in a request of its own.',
          );
        return passOn(await (await service()).serve(caller, body, request));
      },
    }),
  ]);
};
