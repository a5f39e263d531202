/** The official inspector of MCP (its command line; 110 MB, which npm ci leaves out) drives every tool, resource and prompt. */
import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';

const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const folder = mkdtempSync(join(tmpdir(), 'almanac-inspector-'));
let app: TestApp;
let user: TestUser;

beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--prefer-offline', INSPECTOR], {
    stdio: 'pipe',
  });
});
afterAll(async () => {
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs one method. The inspector writes JSON, and may write remarks behind it. */
const inspect = async (method: string, ...more: string[]): Promise<Record<string, unknown>> => {
  const args = [
    '--cli',
    `${app.url}/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${user.agent.token}`,
  ];
  const { stdout } = await promisify(execFile)(
    join(folder, 'node_modules/.bin/mcp-inspector'),
    [...args, '--method', method, ...more],
    { timeout: 60_000, maxBuffer: 2 ** 24 },
  );
  return JSON.parse(stdout.slice(0, stdout.lastIndexOf('\n}') + 2));
};

const call = (name: string, given: object): Promise<Record<string, unknown>> =>
  inspect(
    'tools/call',
    '--tool-name',
    name,
    ...Object.entries(given).flatMap(([key, value]) => [
      '--tool-arg',
      `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
    ]),
  );

test('the inspector lists and calls every tool', async () => {
  const { tools } = (await inspect('tools/list')) as { tools: { name: string }[] };
  const kept = await call('append_memory', { traces: [{ type: 'observation', content: 'The inspector was here.' }] });
  const { uid } = (kept['structuredContent'] as { saved: { uid: string }[] }).saved[0] as { uid: string };
  const action = { action_type: 'schedule', title: 'Inspect', scheduled_for: '2026-11-24T10:00', duration_minutes: 30 };
  const proposed = await call('propose', { actions: [action] });
  const plan = (proposed['structuredContent'] as { plans: { uid: string }[] }).plans[0] as { uid: string };
  const given: Record<string, object> = {
    search_memory: { query: 'inspector' },
    memory_history: { uid },
    give_feedback: { uid, feedback_rating: 4 },
    find_free_slots: { duration_minutes: 30 },
    wait_for_decision: { uids: [plan.uid], wait_seconds: 1 },
    withdraw_proposal: { uid: plan.uid },
  };
  const others = tools.map(({ name }) => name).filter((name) => name !== 'append_memory' && name !== 'propose');
  expect(others.length).toBeGreaterThan(10);
  for (const name of others) {
    const answer = await call(name, given[name] ?? {});
    expect(answer['isError'] ?? false, `${name}: ${JSON.stringify(answer).slice(0, 300)}`).toBe(false);
    expect(answer['structuredContent'], name).toBeTypeOf('object');
  }
});

test('the inspector reads the resources and the prompts', async () => {
  const { resources } = (await inspect('resources/list')) as { resources: { uri: string }[] };
  for (const { uri } of resources) {
    const { contents } = (await inspect('resources/read', '--uri', uri)) as {
      contents: { uri: string; text: string }[];
    };
    expect(contents[0]).toMatchObject({ uri, text: expect.stringContaining('notice') });
  }
  const { prompts } = (await inspect('prompts/list')) as {
    prompts: { name: string; arguments?: { required?: boolean }[] }[];
  };
  for (const { name } of prompts.filter((one) => !one.arguments?.some((a) => a.required)))
    expect(await inspect('prompts/get', '--prompt-name', name), name).toHaveProperty('messages');
});
