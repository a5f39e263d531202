/** The installed client in Chromium, on another origin than the service: the program of test/client, and the front end of examples. */
import { existsSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { installedClient, type Installed } from '../support/installed-client.ts';

const TYPES: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.mjs': 'text/javascript' };
let installed: Installed;
let server: Server;
let origin: string;
let app: TestApp;
let user: TestUser;
let browser: Browser;
let page: Page;
/** What went wrong on the page. */
let faults: string[];
let sockets = 0;

beforeAll(async () => {
  installed = installedClient(['test/client/installed-program.ts', 'examples/front-end.html']);
  installed.compile();
  const bundle = await rolldown({ input: join(installed.folder, 'installed-program.js'), cwd: installed.folder });
  await bundle.write({ format: 'esm', file: join(installed.folder, 'bundle.js') });
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://page');
    const file = join(installed.folder, pathname);
    if (pathname === '/empty.html') response.writeHead(200, { 'Content-Type': 'text/html' }).end('<!doctype html>');
    else if (existsSync(file) && extname(file) in TYPES)
      response.writeHead(200, { 'Content-Type': TYPES[extname(file)] }).end(readFileSync(file));
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  app = await anApp({ env: { CORS_ORIGINS: origin } });
  user = await aUser(app);
  browser = await chromium.launch({
    executablePath: process.env['CHROMIUM'] ?? '/usr/bin/chromium',
    args: ['--no-sandbox'],
  });
  page = await browser.newPage();
  faults = [];
  page.on('websocket', () => sockets++);
  page.on('pageerror', (error) => faults.push(error.message));
});
afterAll(async () => {
  await browser.close();
  await app.close();
  server.close();
  installed.remove();
});

test('a program of 60 lines works while the network is cut', async () => {
  const proxy = await cuttingProxy(app.url);
  const env = { ALMANAC_URL: proxy.url, EMAIL: user.email, PASSWORD: user.password, AGENT_KEY: user.agent.token };
  await page.goto(`${origin}/empty.html`);
  proxy.cutEvery(9);
  try {
    // As text, because vitest would rewrite the import of a function.
    const result = await page.evaluate<string>(`(async () => {
      let written = '';
      const stdout = { write: (text) => { written += text; } };
      globalThis.process = { env: ${JSON.stringify(env)}, version: navigator.userAgent, stdout };
      await import('/bundle.js');
      return written;
    })()`);
    expect(JSON.parse(result)).toEqual({
      node: expect.stringContaining('Chrome') as string,
      ...{ saved: 30, pulled: 30, gaps: 0, doubles: 0, plan: 'executed', code: 'insufficient_scope', streamed: true },
    });
    process.stdout.write(`the program ran in Chromium, ${proxy.cuts()} cuts, ${sockets} sockets\n`);
    expect(proxy.cuts()).toBeGreaterThan(2);
    expect(faults).toEqual([]);
  } finally {
    await proxy.close();
  }
});

test('the front end in one file shows a proposal, decides it, and shows what happens', async () => {
  const before = sockets;
  await page.goto(`${origin}/front-end.html`);
  await page.fill('[name=url]', app.url);
  await page.fill('[name=email]', user.email);
  await page.fill('[name=password]', 'wrong horse battery');
  await page.click('#login button');
  await page.locator('#status', { hasText: 'password' }).waitFor();
  await page.fill('[name=password]', user.password);
  await page.click('#login button');
  await page.waitForSelector('main:not([hidden])');
  const actions = [{ action_type: 'schedule', title: 'Read the draft', duration_minutes: 45 }];
  await user.agent.post('/agent/plan', { actions }).expect(200);
  const proposal = page.locator('#queue li', { hasText: 'Read the draft' });
  await proposal.getByRole('button', { name: 'Approve' }).click();
  await page.locator('#changes li', { hasText: 'plan.executed: Read the draft' }).waitFor();
  await page.locator('#changes li', { hasText: 'event.created: Read the draft' }).waitFor();
  await proposal.waitFor({ state: 'detached' });
  expect(sockets).toBe(before + 1);
  expect((await user.get('/calendar/events').expect(200)).body).toContainEqual(
    expect.objectContaining({ title: 'Read the draft' }),
  );
  expect(faults).toEqual([]);
});
