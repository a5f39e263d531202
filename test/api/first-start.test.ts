/** The first start looks at the port before it makes an owner; an owner whose password and key were lost gets new ones. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/process/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import { shown } from '../../src/process/shown-secrets.ts';
import { firstStart, hasGenerated, unseen, type Owner } from '../../src/process/welcome.ts';
import { anApp, client, type TestApp } from '../support/app.ts';
import { COMPILED } from '../support/child-processes.ts';
import { commandHere, commandProcess } from '../support/commands.ts';
import { migratedDirectory } from '../support/db.ts';

const folder = mkdtempSync(join(tmpdir(), 'almanac-first-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const source = (file: string): string => join(import.meta.dirname, '../../src/process', file);

test('all that the first start compiles is there', async () => {
  const env = { PATH: process.env['PATH'], ...COMPILED };
  const child = spawn(process.execPath, [source('main.js'), 'compile'], { cwd: tmpdir(), env });
  let told = '';
  child.stderr.on('data', (data) => (told += String(data)));
  expect([...(await once(child, 'close')), told]).toEqual([0, null, '']);
});

describe('a port that is taken', () => {
  test('stops the start before anything is made, with what to do', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const DATA_DIR = join(folder, 'busy');
    const env = { DATA_DIR, PORT: String(port), PATH: process.env['PATH'], ...COMPILED };
    for (const more of [{}, { WORKERS: '2', DATABASE_URL: 'postgres://127.0.0.1:1/x', JWT_SECRET: 'x'.repeat(32) }]) {
      const child = spawn(process.execPath, [source('main.js')], { cwd: tmpdir(), env: { ...env, ...more } });
      let told = '';
      child.stderr.on('data', (data) => (told += String(data)));
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(told).toBe(
        `Almanac cannot listen on HOST 127.0.0.1, PORT ${port}: another process uses the port; stop it, or choose another port, for example PORT=${port + 1} (EADDRINUSE).\n`,
      );
    }
    expect(existsSync(DATA_DIR)).toBe(false);
    other.close();
  });
});

const SECRETS = /ticket=\S+|password +\S{16,}|alm_user_\w{20,}/g;

/** Starts the service in a directory, and returns what it prints until it listens. */
const started = async (DATA_DIR: string, around: (command: string[]) => string[]): Promise<string> => {
  const env = { DATA_DIR, PORT: '0', PATH: process.env['PATH'], ...COMPILED };
  const [program = '', ...args] = around([process.execPath, source('main.js')]);
  const child = spawn(program, args, { cwd: tmpdir(), env });
  let told = '';
  child.stdout.on('data', (data) => (told += String(data)));
  const closed = once(child, 'close');
  try {
    await expect.poll(() => told, { timeout: 60_000 }).toContain('"msg":"listening"');
  } finally {
    child.kill('SIGTERM');
    await closed;
  }
  return told;
};

describe('secrets of the first start', () => {
  const DATA_DIR = join(folder, 'secrets');
  const file = join(DATA_DIR, 'first-start.txt');
  beforeAll(() => migratedDirectory(DATA_DIR));

  test('are in a file for the user only where the output is no terminal, and later starts have none', async () => {
    const told = await started(DATA_DIR, (command) => command);
    expect(told.match(SECRETS)).toBeNull();
    expect(told).toContain(`What only the first start shows is in ${file}, because this output is no terminal`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, 'utf8').match(SECRETS)?.length).toBeGreaterThan(2);
    rmSync(file);
    expect((await started(DATA_DIR, (command) => command)).match(SECRETS)).toBeNull();
    expect(existsSync(file)).toBe(false);
  });

  // script(1) gives the program a terminal.
  test.runIf(existsSync('/usr/bin/script'))('a later start on a terminal prints a link', async () => {
    const told = await started(DATA_DIR, (command) => ['script', '-qec', command.join(' '), '/dev/null']);
    expect(told.match(SECRETS)).toEqual([expect.stringMatching(/^ticket=/)]);
    expect(existsSync(file)).toBe(false);
  });
});

test('secrets that could not be written: only where some were generated, the advice is to make others', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  const of = (owner: Owner): string =>
    shown({ open: '', secret: 'x', isGenerated: hasGenerated(owner) }, false, file) + unseen(owner);
  const told = of({ email: 'me@example.org', password: null, key: null });
  expect(told).toMatch(/What only the first start shows could not be written to \S+a-file \(EEXIST/);
  expect(told).not.toContain('--reset');
  for (const owner of [
    { email: 'me@example.org', password: 'made', key: null },
    { email: 'me@example.org', password: null, key: 'made' },
  ])
    expect(of(owner).match(/--reset/g)).toHaveLength(2);
});

describe('an owner who has lost password and key', () => {
  let app: TestApp;
  let owner: Owner;
  beforeAll(async () => {
    app = await anApp();
    owner = (await firstStart(app, readConfig({}))) as Owner;
  });
  afterAll(() => app.close());

  const login = (password: string | null) => client(app, null).post('/user/login', { email: owner.email, password });

  test('gets new ones; the old password and every login end, keys go on', async () => {
    const { body: session } = await login(owner.password).expect(200);
    const made = await app.services.owner.reset();
    expect(made?.email).toBe(owner.email);
    const withLogin = client(app, session.token);
    await expect.poll(async () => (await withLogin.get('/user/profile')).status).toBe(401);
    await client(app, null).post('/user/refresh', { refresh_token: session.refresh_token }).expect(401);
    await login(owner.password).expect(401);
    await login(made?.password ?? null).expect(200);
    await client(app, owner.key).get('/user/profile').expect(200);
    const renewed = client(app, made?.key ?? null);
    expect((await renewed.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
    const { body } = await renewed.get('/user/keys').expect(200);
    expect(body.map((key: { label: string }) => key.label)).toEqual(['owner', 'owner']);
    await renewed.delete(`/user/keys?id=${body[0].id}`).expect(200);
  });

  test('npm run owner tells who it is, and with --reset the new ones; the embedded database only while nobody uses it', async () => {
    const DATA_DIR = join(folder, 'data');
    await migratedDirectory(DATA_DIR);
    const open = async (): Promise<TestApp> => {
      const handle = await openDatabase({ DATA_DIR, DATABASE_POOL: 2 }, () => undefined);
      const { vectors } = await ensureVectors(handle.db);
      return anApp({ database: { handle, vectors, again: async () => handle, close: handle.close } });
    };
    // The database that another process uses is refused only in a process of its own, and --reset is tried as its users run it.
    const run = async (...args: string[]): Promise<string> => {
      const how = args.length ? commandProcess : commandHere;
      const { code, stdout, stderr } = await how(['owner', ...args], { DATA_DIR });
      return code ? `${code}: ${stderr}` : stdout;
    };
    const first = await open();
    expect(await run('--reset')).toMatch(/^2: Another process \(\d+\) uses .*Stop it, or wait until it ends\./);
    await first.database.handle.close();
    expect(await run()).toMatch(/^2: There is no owner account. Start the service/);
    const second = await open();
    await firstStart(second, readConfig({ OWNER_EMAIL: 'me@example.org' }));
    await second.database.handle.close();
    expect(await run()).toBe('The owner is me@example.org. --reset gives this account a new password and API key.\n');
    const told = await run('--reset');
    const [, password, key] =
      /e-mail {4}me@example\.org\n {2}password {2}(\S+)\n {2}API key {3}(\S+)\n$/.exec(told) ?? [];
    const third = await open();
    await client(third, null).post('/user/login', { email: 'me@example.org', password }).expect(200);
    await client(third, key ?? null)
      .get('/user/profile')
      .expect(200);
    await third.database.handle.close();
  });
});
