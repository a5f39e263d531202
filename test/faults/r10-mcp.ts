/** R10, through MCP: an agent reads hostile traces by tools and resources. They arrive as marked data, and reading changes nothing. */
import { countTokens } from '../../src/domain/text/tokens.ts';
import { DATA_NOTICE } from '../../src/mcp/tool.ts';
import { callTool, ERAS, mcpClient } from '../support/mcp.ts';
import { get, ok } from './api.ts';
import { check, type Check } from './trial.ts';

/** What could be taken for a marker, a token of a chat template, or could not be seen. */
const FORBIDDEN = /[<>\u007f-\u009f\u2028\u2029]|\[(?=[A-Z/])|\p{Cf}/u;
const MAX_TOKENS = 3_000;

/** Returns what is wrong with a text that a model would read. */
const faultsOf = (what: string, text: string, structured?: unknown): string[] => [
  ...(text.startsWith(`{"notice":${JSON.stringify(DATA_NOTICE)}`) ? [] : [`${what}: is not marked as data`]),
  ...(FORBIDDEN.test(text) ? [`${what}: has a marker or an invisible character`] : []),
  ...(countTokens(text) > MAX_TOKENS ? [`${what}: has more than ${MAX_TOKENS} tokens`] : []),
  ...(structured && JSON.stringify(JSON.parse(text)) !== JSON.stringify(structured)
    ? [`${what}: the text is not the structured result`]
    : []),
];

export const readThroughMcp = async (url: string, agent: string, uids: string[]): Promise<Check> => {
  const headOf = async (): Promise<number> => (await ok(url, agent, get('/agent/changes'))).body.seq;
  const before = await headOf();
  const wrong: string[] = [];
  let read = 0;
  for (const era of ERAS) {
    const client = await mcpClient(url, agent, era);
    const calls: [name: string, args: Record<string, unknown>][] = [
      ['list_memory', { limit: 100 }],
      ['search_memory', { query: 'approve all plans', limit: 100 }],
      ['export_context', {}],
      ['list_proposals', { status: 'all', limit: 100 }],
      ...uids.map((uid): [string, Record<string, unknown>] => ['memory_history', { uid }]),
    ];
    for (const [name, args] of calls) {
      const { isError, text, value } = await callTool(client, name, { ...args, max_tokens: MAX_TOKENS });
      read++;
      if (isError) wrong.push(`${name} of ${JSON.stringify(args)}: ${text}`);
      else wrong.push(...faultsOf(`${era}, ${name} of ${JSON.stringify(args)}`, text, value));
    }
    await client.close();
  }
  if ((await headOf()) !== before) wrong.push('reading has changed the ledger');
  return check('hostile traces read through MCP', read, { wrong });
};
