/** What to paste into an agent host or a program, with the address and the key filled in (docs/hosts). */
export type Snippet = { name: string; where: string; text: string };

const json = (value: unknown): string => JSON.stringify(value, null, 2);

export const snippetsOf = (address: string, key: string): Snippet[] => {
  const url = `${address}/mcp`;
  const headers = { Authorization: `Bearer ${key}` };
  return [
    {
      name: 'Claude Code',
      where: 'Run this in a terminal.',
      text: `claude mcp add --transport http almanac ${url} --header "Authorization: Bearer ${key}"`,
    },
    {
      name: 'Claude Desktop',
      where: 'In claude_desktop_config.json (Settings, Developer, Edit Config). Restart it afterwards.',
      text: json({
        mcpServers: {
          almanac: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, '--transport', 'http-only', '--header', 'Authorization:${AUTH}'],
            env: { AUTH: `Bearer ${key}` },
          },
        },
      }),
    },
    {
      name: 'VS Code',
      where: 'In .vscode/mcp.json, or by the command “MCP: Open User Configuration”.',
      text: json({ servers: { almanac: { type: 'http', url, headers } } }),
    },
    {
      name: 'Cursor',
      where: 'In ~/.cursor/mcp.json.',
      text: json({ mcpServers: { almanac: { url, headers } } }),
    },
    {
      name: 'TypeScript',
      where: 'With the package almanac-client (src/client in the repository).',
      text: `import { createClient } from 'almanac-client';

const client = createClient({ url: '${address}', credential: '${key}' });
const [plan] = await client.agent.plan({ prompt: 'Plan 90 minutes of deep work tomorrow morning' });
console.log(plan?.status, plan?.title, plan?.scheduled_for);`,
    },
    {
      name: 'curl',
      where: 'Run this in a terminal. The proposal appears here.',
      text: `curl -s ${address}/agent/plan -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -d '{"prompt": "Plan 90 minutes of deep work tomorrow morning"}'`,
    },
  ];
};
