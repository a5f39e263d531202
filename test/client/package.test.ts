/** The package as users install it: its size, and programs that are type-checked and run under another Node, over a failing network. */
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { aKey, anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { installedClient, type Installed } from '../support/installed-client.ts';
import { follow } from '../support/follower.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

test('the whole client has at most 12 kB, compressed', async () => {
  const bundle = await rolldown({ input: join(root, 'src/client/almanac-client.ts') });
  const { output } = await bundle.generate({ format: 'esm', minify: true });
  expect(output).toHaveLength(1);
  const size = gzipSync(output[0].code, { level: 9 }).length;
  process.stdout.write(`the client: ${output[0].code.length} bytes, ${size} compressed\n`);
  expect(size).toBeLessThanOrEqual(12_000);
  expect(size).toBeGreaterThan(2_000);
});

/** The machine's own Node where there is one, often an older one, and the project's Node otherwise. */
const otherNode = (): string =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((path) => !path.includes('node_modules'))
    .map((path) => join(path, 'node'))
    .find((path) => existsSync(path)) ?? process.execPath;

/** The program that the README of the package shows. */
const readmeProgram = (): string =>
  /```ts\n([^]*?)```/.exec(readFileSync(join(root, 'src/client/README.md'), 'utf8'))?.[1] ?? '';

describe('installed into an empty folder', () => {
  let app: TestApp;
  let user: TestUser;
  let installed: Installed;
  beforeAll(async () => {
    app = await anApp();
    user = await aUser(app);
    installed = installedClient(['test/client/installed-program.ts', 'examples/agent-loop.ts']);
    writeFileSync(join(installed.folder, 'readme.ts'), readmeProgram());
    installed.compile();
  });
  afterAll(async () => {
    await app.close();
    installed.remove();
  });

  test('the package brings one dependency, and its types', () => {
    expect(readdirSync(join(installed.folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      ...['almanac-client', 'openapi-fetch', 'openapi-typescript-helpers'],
    ]);
    expect(readdirSync(installed.folder)).toContain('installed-program.js');
    const licence = readFileSync(join(installed.folder, 'node_modules/almanac-client/LICENSE'), 'utf8');
    expect(licence).toBe(readFileSync(join(root, 'LICENSE'), 'utf8'));
  });

  test('the program of the README runs', async () => {
    const program = readFileSync(join(installed.folder, 'readme.js'), 'utf8');
    expect(program).toContain('http://127.0.0.1:8080');
    writeFileSync(join(installed.folder, 'readme.js'), program.replace('http://127.0.0.1:8080', app.url));
    const env = { KEY: (await aKey(app, user, 'user')).token as string };
    const { stdout } = await run(otherNode(), ['readme.js'], { cwd: installed.folder, env, timeout: 60_000 });
    expect(stdout).toMatch(/^I propose: “Deep work”/m);
    expect((await user.get('/agent/queue?status=executed').expect(200)).body).toHaveLength(1);
    await user
      .delete(`/calendar/remove?uid=${(await user.get('/calendar/events').expect(200)).body[0].uid}`)
      .expect(200);
  });

  test('a program of 60 lines works while the network is cut', async () => {
    const lines = readFileSync(join(import.meta.dirname, 'installed-program.ts'), 'utf8')
      .trimEnd()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(60);
    const proxy = await cuttingProxy(app.url);
    const env = {
      ALMANAC_URL: proxy.url,
      EMAIL: user.email,
      PASSWORD: user.password,
      AGENT_KEY: user.agent.token ?? '',
    };
    proxy.cutEvery(9);
    try {
      const { stdout } = await run(otherNode(), ['installed-program.js'], {
        cwd: installed.folder,
        env,
        timeout: 60_000,
      });
      const { node, ...result } = JSON.parse(stdout) as { node: string };
      expect(result).toEqual({
        ...{ saved: 30, pulled: 30, gaps: 0, doubles: 0, plan: 'executed', code: 'insufficient_scope', streamed: true },
      });
      process.stdout.write(`the program ran on Node ${node}, ${proxy.cuts()} cuts\n`);
      expect(proxy.cuts()).toBeGreaterThan(2);
    } finally {
      await proxy.close();
    }
  });

  test('the loop of an agent runtime proposes, waits and learns', async () => {
    const content = 'Chapter three on tides is the hard one.';
    const traces = [{ uid: 'outline', type: 'observation', task_id: 'thesis', content }];
    await user.post('/memory/push', { traces }).expect(201);
    const watching = await follow(app.url, { token: user.token });
    watching.subscribe();
    await watching.synced();
    const env = { ALMANAC_URL: app.url, ALMANAC_KEY: user.agent.token as string };
    const looping = run(otherNode(), ['agent-loop.js'], { cwd: installed.folder, env, timeout: 60_000 });
    const proposed = await watching.next(({ type }) => type === 'plan.proposed');
    const uid = (proposed.data as { uid: string }).uid;
    const { body: decided } = await user.post('/agent/approve', { uid, note: 'Good hour.' }).expect(200);
    // A person's event takes the time, also where the loop has not read the decision yet.
    const { scheduled_for } = decided;
    await user.post('/calendar/create', { title: 'Doctor', scheduled_for, duration_minutes: 30 }).expect(201);
    const { stdout } = await looping;
    await watching.close();
    expect(stdout).toContain(content);
    expect(stdout).toMatch(/^Proposed for 2026-11-2.*: Write chapter three \(proposed\)$/m);
    expect(stdout).toMatch(/^Decided: executed, /m);
    expect(stdout).toMatch(/^Lost its time, proposed again as [\w-]+$/m);
    expect(stdout).toMatch(/^added the plan$/m);
  });
});
