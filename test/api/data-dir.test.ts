/** One process at a time uses the embedded database; one that has ended does not keep the next one out. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEmbedded } from '../../src/db/embedded.ts';
import { migratedDirectory } from '../support/db.ts';
import { COMPILED } from '../support/child-processes.ts';

const folder = mkdtempSync(join(tmpdir(), 'almanac-data-'));
beforeAll(() => migratedDirectory(folder));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const module = join(import.meta.dirname, '../../src/db/embedded.ts');
/** Says `pid has it` or why not, and keeps it for a minute. That it has looked once goes to stderr. */
const HOLDER = `
  const { openEmbedded } = await import('${module}');
  const opened = openEmbedded('${folder}');
  console.error('looked');
  await opened.then(() => console.log(process.pid, 'has it'), (e) => { console.log(e.message); process.exit(); });
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
  const { pglite, release } = await openEmbedded(folder);
  await pglite.close();
  expect(await lineOf(holder())).toMatch(/^Another process already uses .*/);
  const patient = holder();
  await once(patient.stderr as NodeJS.ReadableStream, 'data');
  release();
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

describe('a DATA_DIR that cannot be used', () => {
  const places = mkdtempSync(join(tmpdir(), 'almanac-places-'));
  afterAll(() => rmSync(places, { recursive: true, force: true }));
  const place = (name: string): string => join(places, name);
  const why = (dataDir: string): Promise<string> =>
    openEmbedded(dataDir).then(
      () => 'it opens',
      ({ message }: Error) => message,
    );
  /** A cluster of which one file says something else. */
  const aCluster = async (name: string, file: string, text: string): Promise<string> => {
    await migratedDirectory(place(name));
    writeFileSync(join(place(name), 'pgdata', file), text);
    return place(name);
  };

  test('because it is a file', async () => {
    writeFileSync(place('file'), 'mine');
    expect(await why(place('file'))).toBe(
      `DATA_DIR: ${place('file')} is a file. Name a directory, or move the file away (EEXIST).`,
    );
    expect(await why(join(place('file'), 'below'))).toMatch(/leads through a file\. Name a directory \(ENOTDIR\)\.$/);
    expect(readFileSync(place('file'), 'utf8')).toBe('mine');
  });

  test('because it is not writable', async () => {
    mkdirSync(place('theirs'), { mode: 0o555 });
    // The administrator may write everywhere, so the process becomes somebody else before it tries.
    const program = `const { openEmbedded } = await import('${module}');
      if (process.getuid() === 0) process.setuid(65534);
      await openEmbedded('${place('theirs')}').catch((e) => console.log(e.message));`;
    chmodSync(places, 0o755);
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { env });
    expect(await lineOf(child)).toMatch(
      /^DATA_DIR: \S+theirs is not writable for the user of this process\. Give the directory to that user, .*\(EACCES\)/,
    );
  });

  test('because it cannot be opened, with the cause and what to check before a backup is restored', async () => {
    const dataDir = await aCluster('damaged', 'global/pg_control', 'x');
    expect(await why(dataDir)).toMatch(
      /pgdata cannot be opened \(.+\)\. First check the free memory, the limit of open files, .*restore DATA_DIR from a backup/,
    );
  });

  test('because another release of Postgres wrote it', async () => {
    expect(await why(await aCluster('newer', 'PG_VERSION', '99\n'))).toMatch(
      /is of Postgres 99, and this release has Postgres \d+\. Start the newer release/,
    );
    expect(await why(await aCluster('older', 'PG_VERSION', '9\n'))).toMatch(/Start the older release that wrote it/);
  });
});

describe('the secret that signs tokens', () => {
  const secrets = mkdtempSync(join(tmpdir(), 'almanac-secrets-'));
  afterAll(() => rmSync(secrets, { recursive: true, force: true }));
  const secretModule = join(import.meta.dirname, '../../src/process/jwt-secret.ts');
  /** Makes the secrets of many directories, one after the other, when a line arrives, and says them. */
  const maker = (round: string, count: number) => {
    const child = spawn(
      process.execPath,
      [
        ...['--input-type=module', '-e'],
        `const { jwtSecret } = await import('${secretModule}');
         console.log('ready');
         process.stdin.once('data', () => {
           const all = Array.from({ length: ${count} }, (_, i) => jwtSecret({ DATA_DIR: '${secrets}/${round}-' + i }));
           console.log(JSON.stringify(all));
         });`,
      ],
      { env },
    );
    for (let i = 0; i < count; i += 1) mkdirSync(join(secrets, `${round}-${i}`), { recursive: true });
    return child;
  };
  const begin = (child: ChildProcess): void => void child.stdin?.write('go\n');

  test('is the same for two processes that make it at once', async () => {
    const both = [maker('both', 100), maker('both', 100)];
    await Promise.all(both.map(lineOf));
    both.forEach(begin);
    const [one = '', two = ''] = await Promise.all(both.map(lineOf));
    for (const child of both) child.kill('SIGKILL');
    expect(one).toBe(two);
    expect((JSON.parse(one) as string[]).map((secret) => secret.length)).toEqual(Array(100).fill(64));
  });

  test('is whole or not there, at whatever moment its process is killed', async () => {
    const rounds = [0, 1, 2, 3, 4];
    const count = 400;
    let made = 0;
    for (const n of rounds) {
      const child = maker(`killed${n}`, count);
      await lineOf(child);
      begin(child);
      await expect
        .poll(() => readdirSync(join(secrets, `killed${n}-${10 * n}`)).length, { interval: 1 })
        .toBeGreaterThan(0);
      child.kill('SIGKILL');
      await once(child, 'exit');
      for (let i = 0; i < count; i += 1) {
        const file = join(secrets, `killed${n}-${i}`, 'jwt-secret');
        if (!existsSync(file)) continue;
        made += 1;
        expect(readFileSync(file, 'utf8')).toHaveLength(64);
      }
    }
    expect(made).toBeGreaterThan(rounds.length);
  });

  test.each(['', ' '.repeat(64)])('of “%s” stops the start, which says what to do', async (text) => {
    const file = join(folder, 'jwt-secret');
    writeFileSync(file, text);
    const main = join(import.meta.dirname, '../../src/process/main.js');
    const child = spawn(process.execPath, [main], { cwd: tmpdir(), env: { ...env, DATA_DIR: folder, PORT: '0' } });
    let told = '';
    child.stderr.on('data', (data) => (told += String(data)));
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(told).toBe(
      `Almanac cannot start, because the secret in ${file} is shorter than 32 characters. Restore the file, or remove it and start again: that makes a new secret, and everybody has to log in again. API keys stay valid.\n`,
    );
    expect(readFileSync(file, 'utf8')).toBe(text);
    rmSync(file);
  });
});
