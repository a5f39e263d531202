/** The adapters against the real service, each in its own process: types, LangGraph's semantics, and approval by a person. */
import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { follow } from '../support/follower.ts';
import { packClient } from '../support/pack-client.ts';

const root = join(import.meta.dirname, '../..');
const work = mkdtempSync(join(tmpdir(), 'almanac-adapters-'));
const folder = join(work, 'home');
let app: TestApp;
let user: TestUser;

beforeAll(async () => {
  app = await anApp();
  user = await aUser(app);
  cpSync(join(root, 'examples/adapters'), folder, { recursive: true });
  for (const name of readdirSync(import.meta.dirname).filter((file) => file.endsWith('-check.ts')))
    cpSync(join(import.meta.dirname, name), join(folder, name));
  const npm = (...args: string[]) =>
    execFileSync('npm', [...args, '--no-audit', '--no-fund'], { cwd: folder, stdio: 'pipe' });
  npm('ci', '--prefer-offline');
  npm('install', '--no-save', '--prefer-offline', ...packClient(work));
  const content = 'Chapter three on tides is the hard one.';
  await user.post('/memory/push', { traces: [{ type: 'observation', task_id: 'thesis', content }] }).expect(201);
});
afterAll(async () => {
  await app.close();
  rmSync(work, { recursive: true, force: true });
});

const run = async (program: string): Promise<unknown> => {
  const env = { ...process.env, ALMANAC_URL: app.url, ALMANAC_KEY: user.agent.token as string };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: folder, env, timeout: 60_000 });
  return JSON.parse(stdout);
};

test('they fit the types of what they adapt to', () => {
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', lib: ['es2023', 'dom'], strict: true, noEmit: true, skipLibCheck: true },
    ...{ allowImportingTsExtensions: true, types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' });
  expect(readdirSync(folder)).toContain('langgraph-store.ts');
});

test('the LangGraph store answers as LangGraph’s own', async () => {
  const result = (await run('langgraph-check.ts')) as { calls: number };
  expect(result).toMatchObject({ differences: [], keepsCreation: true, movesUpdate: true, best: ['one', 'number'] });
  expect(result.calls).toBeGreaterThan(30);
});

describe.each(['ai-sdk-check.ts', 'openai-agents-check.ts'])('the tools of %s', (program) => {
  test.each([
    ['approve', 'executed'],
    ['reject', 'rejected'],
  ])('wait for the person, who can %s', async (verb, status) => {
    const watching = await follow(app.url, { token: user.token });
    watching.subscribe();
    await watching.synced();
    const running = run(program);
    const proposed = await watching.next(({ type }) => type === 'plan.proposed');
    const { uid, title } = proposed.data as { uid: string; title: string };
    expect(title).toBe('Write chapter three');
    await user.post(`/agent/${verb}`, { uid, note: 'As you say.' }).expect(200);
    const answer = (await running) as { text: string; results: [string[], { status: string; note: string }] };
    await watching.close();
    expect(answer.text).toBe('Done.');
    expect(answer.results[0].join()).toContain('Chapter three on tides');
    expect(answer.results[1]).toMatchObject({ note: 'As you say.' });
    expect([status, 'approved']).toContain(answer.results[1].status);
  });
});
