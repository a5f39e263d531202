/** One process at a time uses the embedded database; one that has ended does not keep the next one out. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migratedDirectory } from '../support/db.ts';
import { COMPILED } from '../support/child-processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'almanac-data-'));
beforeAll(() => migratedDirectory(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const module = join(import.meta.dirname, '../../src/db/embedded.ts');
/** Says `pid has it` or why not, and keeps it for a minute. */
const HOLDER = `
  const { openEmbedded } = await import('${module}');
  await openEmbedded('${folder}').then(() => console.log(process.pid, 'has it'), (e) => { console.log(e.message); process.exit(); });
  setTimeout(() => {}, 60_000);`;
const env = { ...process.env, ...COMPILED };
const holder = (): ChildProcess => spawn(process.execPath, ['--input-type=module', '-e', HOLDER], { env });

const lineOf = async (child: ChildProcess): Promise<string> =>
  String((await once(child.stdout as NodeJS.ReadableStream, 'data'))[0]);
const open = async (): Promise<() => Promise<void>> => {
  const { pglite, release } = await openEmbedded(folder);
  return async () => {
    await pglite.close();
    release();
  };
};

test.runIf(process.platform === 'linux')(
  'a start right after kill -9, while nobody has taken note of the end',
  async () => {
    // sleep(1) takes the place of the shell and never asks for its child.
    const parent = spawn(
      'sh',
      ['-c', '"$0" "$@" & exec sleep 60', process.execPath, '--input-type=module', '-e', HOLDER],
      { env },
    );
    const pid = Number.parseInt(await lineOf(parent), 10);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0]).toBe('Z');
    const close = await open();
    await close();
    parent.kill('SIGKILL');
  },
);

test('a process that still runs is waited for, two seconds at most', async () => {
  const close = await open();
  const [early, patient] = [await lineOf(holder()), holder()];
  expect(early).toMatch(/^Another process already uses .*/);
  setTimeout(() => void close(), 1_200);
  expect(await lineOf(patient)).toBe(`${patient.pid} has it\n`);
  patient.kill('SIGKILL');
});

test('a first start that was killed leaves nothing that the next one takes for its cluster', async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'almanac-fresh-'));
  mkdirSync(join(fresh, 'pgdata.new-killed'));
  writeFileSync(join(fresh, 'pgdata.new-killed', 'PG_VERSION'), '17');
  const { pglite, release } = await openEmbedded(fresh);
  expect(readdirSync(fresh).filter((name) => name.startsWith('pgdata'))).toEqual(['pgdata']);
  expect((await pglite.query('select count(*)::int as n from users')).rows).toEqual([{ n: 0 }]);
  await pglite.close();
  release();
  rmSync(fresh, { recursive: true, force: true });
});

test('a directory in the place of the cluster that is none stays as it is, and the error says what to do', async () => {
  const other = mkdtempSync(join(tmpdir(), 'almanac-other-'));
  mkdirSync(join(other, 'pgdata'));
  writeFileSync(join(other, 'pgdata', 'mine.txt'), 'mine');
  await expect(openEmbedded(other)).rejects.toThrow(/pgdata is no database: PG_VERSION is missing\. Move it away/);
  expect(readFileSync(join(other, 'pgdata', 'mine.txt'), 'utf8')).toBe('mine');
  rmSync(other, { recursive: true, force: true });
});
