/** On a machine where the Node of the packages can't run, npm start says what to install. */
import { execFile } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'almanac-no-node-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const root = join(import.meta.dirname, '../..');
copyFileSync(join(root, 'package.json'), join(folder, 'package.json'));
cpSync(join(root, 'src'), join(folder, 'src'), { recursive: true });

/** npm finds this one first; npm itself runs under the Node of this test. */
const node = join(folder, 'node_modules/.bin/node');
mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });

/** What `npm <script>` says where the program `node` does this. */
const npm = (script: string, does: string): Promise<{ code: number | null; told: string }> => {
  writeFileSync(node, `#!/bin/sh\n${does}\n`);
  chmodSync(node, 0o755);
  return new Promise((resolve) => {
    const path = [join(process.execPath, '..'), process.env['PATH']].join(':');
    execFile('npm', [script], { cwd: folder, env: { PATH: path, HOME: folder } }, (error, _, told) =>
      resolve({ code: error ? Number(error.code) : 0, told }),
    );
  });
};

const LOADER = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file: No such file';

test.each(['start', 'test'])('npm %s without libatomic names the package to install', async (script) => {
  const { code, told } = await npm(script, `echo "node: ${LOADER}" >&2; exit 127`);
  expect(code).toBe(1);
  expect(told).toContain(LOADER);
  expect(told).toContain('apt-get install libatomic1');
  expect(told).toContain('dnf install libatomic');
});

test('npm start under an older Node, where npm ci has failed', async () => {
  const old = 'case "$1" in --version) echo v20.20.2 ;; *) exit 1 ;; esac';
  const { code, told } = await npm('start', old);
  expect(code).toBe(1);
  expect(told).toContain('This needs Node 26, and node is v20.20.2. npm ci installs the right one');
});

test('npm start where Node runs goes on to the service', async () => {
  const { code, told } = await npm('start', 'case "$1" in src/process/main.js) echo served >&2 ;; esac');
  expect({ code, told: told.match(/^served$/m)?.[0] }).toEqual({ code: 0, told: 'served' });
});
