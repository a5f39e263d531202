/** The official MCP client, in both eras of the protocol. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

/** `modern` is stateless (2026-07-28); `legacy` begins with the initialize handshake (2025). */
export const ERAS = ['modern', 'legacy'] as const;
export type Era = (typeof ERAS)[number];

export const mcpClient = async (url: string, token: string | null, era: Era = 'modern'): Promise<Client> => {
  const client = new Client(
    { name: 'almanac-tests', version: '1.0.0' },
    { versionNegotiation: { mode: era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } },
  );
  const headers: Record<string, string> = token === null ? {} : { Authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit: { headers } }));
  return client;
};

export type ToolAnswer = {
  isError: boolean;
  text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests know the shape, which the client has checked against the schema
  value: any;
};

/** Calls a tool. `value` is the structured result, or the error as an object. */
export const callTool = async (
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
): Promise<ToolAnswer> => {
  const { content, structuredContent, isError = false } = await client.callTool({ name, arguments: args });
  const [first] = content;
  const text = first?.type === 'text' ? first.text : '';
  return { isError, text, value: isError ? (JSON.parse(text) as unknown) : structuredContent };
};
