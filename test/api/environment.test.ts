/** What a start refuses before it does anything: an older Node, a variable of .env that is misspelt, a time zone that does not exist. */
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { misspeltNames } from '../../src/process/environment.ts';
import { COMPILED } from '../support/child-processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'almanac-environment-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
});

const source = (file: string): string => join(import.meta.dirname, '../../src/process', file);
type Run = { code: number; told: string };

/** Runs a program of the service in the folder. */
const run = (args: string[], env: Record<string, string> = {}, node = process.execPath): Promise<Run> =>
  new Promise((resolve) => {
    // Below the limit of a test, so that a program that goes on is ended before the tests are over.
    const options = { cwd: folder, env: { ...COMPILED, ...env }, timeout: 100_000 };
    execFile(node, args, options, (error, _, told) => resolve({ code: error ? Number(error.code) : 0, told }));
  });

const PROGRAMS = [[source('main.js')], [source('main.js'), 'compile'], [source('command.js'), 'audit']];
const version = (node: string): number =>
  Number.parseInt(spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout, 10);

describe('an older Node is refused by every program', () => {
  const older = "data:text/javascript,Object.defineProperty(process, 'versions', { value: { node: '25.9.0' } })";

  test.each(PROGRAMS)('%s %s', async (...program) => {
    const { code, told } = await run(['--import', older, ...program.filter(Boolean)]);
    expect(code).toBe(1);
    expect(told).toMatch(/^This needs Node 26, and this is 25\.9\.0 \(.*\)\. npm ci installs the right one.*\n$/);
    expect(readdirSync(folder)).toEqual([]);
  });

  // A real one of this machine also shows that it can read the program.
  test.runIf(version('/usr/bin/node') < 26).each(PROGRAMS)('%s %s, with that of this machine', async (...program) => {
    const { code, told } = await run(program.filter(Boolean), {}, '/usr/bin/node');
    expect(code).toBe(1);
    expect(told).toMatch(/^This needs Node 26, and this is \d+/);
  });

  test('package.json and the image start no other program', () => {
    const texts = [
      readFileSync(source('../../package.json'), 'utf8'),
      readFileSync(source('../../Dockerfile'), 'utf8'),
    ];
    const started = texts.flatMap((text) => text.match(/src\/process\/[\w-]+\.\w+(?= |"|\\)/g) ?? []);
    expect(new Set(started)).toEqual(
      new Set(['src/process/main.js', 'src/process/command.js', 'src/process/why-no-node.sh']),
    );
  });
});

describe('.env', () => {
  test.each([[source('main.js')], [source('command.js'), 'owner']])(
    'with a misspelt variable stops %s',
    async (...program) => {
      writeFileSync(join(folder, '.env'), 'DATABSE_URL=postgres://127.0.0.1:1/x\nPOSTGRES_PASSWORD=x\nMY_OWN=1\n');
      const { code, told } = await run(program.filter(Boolean), { PORT: '0' });
      expect(code).toBeGreaterThan(0);
      expect(told).toContain('DATABSE_URL: is unknown; did you mean DATABASE_URL?');
      expect(told).not.toMatch(/POSTGRES_PASSWORD|MY_OWN/);
      expect(readdirSync(folder)).toEqual(['.env']);
    },
  );

  test('may have variables of other programs', () => {
    const names = ['POSTGRES_PASSWORD', 'OTEL_TRACES_SAMPLER', 'PGPASSWORD', 'TZ', 'COMPOSE_PROJECT_NAME', 'PORT'];
    expect(misspeltNames(names, {})).toEqual([]);
    expect(misspeltNames(['jwt-secret', 'WORKER'], {})).toEqual([
      '  jwt-secret: is unknown; did you mean JWT_SECRET?',
      '  WORKER: is unknown; did you mean WORKERS?',
    ]);
  });

  test('may have names that are only similar, and those that are near a variable which is set', () => {
    const similar = ['DATABASE_USER', 'DATABASE_HOST', 'DATABASE_PORT', 'DATABASE_URL_OLD', 'OLD_JWT_SECRET'];
    expect(misspeltNames(similar, {})).toEqual([]);
    const near = ['HOSTS', 'DATABSE_URL', 'DATABASEURL'];
    const meant = (name: string, known: string): string => `  ${name}: is unknown; did you mean ${known}?`;
    expect(misspeltNames(near, { HOST: '127.0.0.1' })).toEqual([
      meant('DATABSE_URL', 'DATABASE_URL'),
      meant('DATABASEURL', 'DATABASE_URL'),
    ]);
    expect(misspeltNames(near, { HOST: '', DATABASE_URL: 'postgres://127.0.0.1:1/x' })).toEqual([
      meant('HOSTS', 'HOST'),
    ]);
  });

  test('may have a name that is near a variable which the environment sets', async () => {
    writeFileSync(join(folder, '.env'), 'DATABSE_URL=postgres://127.0.0.1:1/x\n');
    const { told } = await run([source('command.js'), 'audit'], { DATABASE_URL: 'mysql://x' });
    expect(told).toContain('DATABASE_URL: ');
    expect(told).not.toContain('DATABSE_URL');
  });
});

test('a TZ that names no time zone stops the start, with the nearest name', async () => {
  const { code, told } = await run([source('main.js')], { TZ: 'Europe/Berln', PORT: '0' });
  expect(code).toBe(1);
  expect(told).toContain('TZ: must be an IANA time zone; write Europe/Berlin');
  expect(readdirSync(folder)).toEqual([]);
});
