/** An operator backs up, restores and moves by the commands of docs/operations.md, as they are written there. */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPILED } from '../support/child-processes.ts';
import { migratedDirectory, onPostgres } from '../support/db.ts';
import { anEmptyDatabase, folder } from '../support/filled.ts';
import { dayAhead } from '../support/today.ts';

const ROOT = join(import.meta.dirname, '../..');
const document = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8');
const section = /^## Backup, restore and move$([\s\S]*?)^## /m.exec(document)?.[1] ?? '';
const BLOCKS = Array.from(section.matchAll(/^```sh\n([\s\S]*?)^```$/gm), ([, commands = '']) => commands);
const [BACKUP, RESTORE, MOVE, BACK] = BLOCKS as [string, string, string, string];

const KEY = 'a-key-of-the-walk-that-is-long-enough-0123456789';
/** A folder in which npm finds the service, and which is not that of the developer. */
const home = folder();
let target = '';
let drop = async (): Promise<void> => undefined;
let service: ChildProcess | undefined;

const env = (more: Record<string, string> = {}): Record<string, string> => ({
  ...COMPILED,
  PATH: [join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(delimiter),
  HOME: home,
  NEW_DATABASE_URL: target,
  ...more,
});
/** Runs a block of the document. @returns what it printed */
const run = async (block: string): Promise<string> => {
  const { stdout, stderr } = await promisify(execFile)('bash', ['-ec', block], { cwd: home, env: env() });
  return `${stdout}${stderr}`;
};

/** Starts the service as npm start does. @returns how to ask it as the owner */
const start = async (more: Record<string, string> = {}) => {
  service = spawn(process.execPath, ['src/process/main.js'], {
    cwd: home,
    env: env({ PORT: '0', LOG_LEVEL: 'silent', OWNER_API_KEY: KEY, OWNER_TIMEZONE: 'UTC', ...more }),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let said = '';
  while (!said.includes('Documentation:'))
    said += String((await once(service.stdout as NodeJS.ReadableStream, 'data'))[0]);
  const url = /Almanac is at (\S+)/.exec(said)?.[1];
  return async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { Authorization: `Bearer ${KEY}`, 'Content-Type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json() as Promise<Record<string, unknown>[] & Record<string, unknown>>;
  };
};
const stop = async (): Promise<void> => {
  if (!service || service.exitCode !== null) return;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  await ended;
};

beforeAll(async () => {
  for (const name of ['package.json', 'src', 'migrations', 'openapi.yaml', 'node_modules'])
    symlinkSync(join(ROOT, name), join(home, name));
  await migratedDirectory(join(home, '.almanac'));
  if (onPostgres) ({ url: target, drop } = await anEmptyDatabase());
  // Without a server the walk ends in another directory.
  else target = join(home, 'moved');
});
afterAll(async () => {
  await stop();
  await drop();
  rmSync(home, { recursive: true, force: true });
});

test('the document has the commands of the walk', () => {
  expect(BLOCKS.map((block) => /npm run -s (\w+)/.exec(block)?.[1])).toEqual(['backup', 'restore', 'move', 'move']);
});

test('backup beside the service, restore, move, and back', async () => {
  const first = await start();
  await first('POST', '/memory/push', { traces: [{ uid: 'note', type: 'observation', content: 'It is here.' }] });
  await first('POST', '/agent/plan', {
    actions: [
      {
        uid: 'waits',
        action_type: 'schedule',
        title: 'It waits',
        scheduled_for: `${dayAhead(1)}T10:00:00Z`,
        duration_minutes: 30,
      },
    ],
  });
  expect(await run(BACKUP)).toContain('The service is running. Its files are copied first.');
  expect(statSync(join(home, 'almanac.backup')).mode & 0o777).toBe(0o600);
  await expect(run(MOVE)).rejects.toThrow('Stop it first');
  await stop();

  expect(await run(RESTORE)).toContain('0 damaged');
  const restored = await start({ DATA_DIR: '.almanac-restored' });
  const traces = await restored('GET', '/memory/pull');
  expect(traces.map(({ uid }) => uid).toSorted()).toEqual(['note', 'waits']);
  await stop();

  expect(await run(MOVE)).toContain('all are equal');
  const secret = readFileSync(join(home, '.almanac/jwt-secret'), 'utf8');
  const moved = await start(onPostgres ? { DATABASE_URL: target, JWT_SECRET: secret } : { DATA_DIR: target });
  expect(await moved('GET', '/agent/queue')).toMatchObject([{ uid: 'waits' }]);
  expect(await moved('POST', '/agent/approve', { uid: 'waits' })).toMatchObject({ status: 'executed' });
  await stop();
  if (!onPostgres) return;

  expect(await run(BACK)).toContain('all are equal');
  const back = await start({ DATA_DIR: '.almanac-again', JWT_SECRET: secret });
  expect(await back('GET', '/calendar/events')).toMatchObject([{ title: 'It waits' }]);
  expect(await back('GET', '/debug/audit')).toMatchObject({ ok: true });
}, 300_000);
