/** `npm run backup` and `npm run restore`: a file of one moment, which is restored as a whole or not at all. */
import { execFile } from 'node:child_process';
import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readBackup, writeBackup } from '../../src/db/copy/backup-file.ts';
import { load } from '../../src/db/copy/load.ts';
import { withSnapshot } from '../../src/db/copy/snapshot.ts';
import { appliedMigrations, migrateAs } from '../../src/db/migrate.ts';
import { createLog } from '../../src/observability/log.ts';
import { ASK, backupSocketOf, listenForBackups } from '../../src/process/backup-socket.ts';
import { client } from '../support/app.ts';
import { commandHere, commandProcess } from '../support/commands.ts';
import { migratedDirectory, onPostgres } from '../support/db.ts';
import {
  aFilledDirectory,
  allRows,
  anEmptyDatabase,
  anInstance,
  folder,
  openHandle,
  withoutVectors,
} from '../support/filled.ts';
import { hasVectors } from '../support/vectors.ts';

const SECRET = 'a secret for tests that is long enough';
const work = folder();
const file = (name: string): string => join(work, name);

let filled: Awaited<ReturnType<typeof aFilledDirectory>>;
let before: Record<string, string[]>;
/** A backup of it. */
const good = file('good.almanac');

beforeAll(async () => {
  filled = await aFilledDirectory();
  writeFileSync(join(filled.DATA_DIR, 'jwt-secret'), SECRET, { mode: 0o600 });
  const handle = await openHandle(filled);
  before = await allRows(handle);
  await handle.close();
});
afterAll(() => {
  filled.remove();
  rmSync(work, { recursive: true, force: true });
});

/** An embedded database with tables and without rows. */
const anEmptyDirectory = async (): Promise<string> => {
  const DATA_DIR = mkdtempSync(file('empty-'));
  await migratedDirectory(DATA_DIR);
  return DATA_DIR;
};

describe('a backup of a stopped service', () => {
  test('is a file for its owner only, says what is in it, and overwrites nothing', async () => {
    const { code, stdout, stderr } = await commandHere(['backup', good], filled.env);
    expect(stderr).toContain('Keep it where nobody else can read it.');
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/good\.almanac: [\d,]+ rows of \d+ tables, \d+\.\d MiB\n$/),
    });
    expect(statSync(good).mode & 0o777).toBe(0o600);
    expect(readdirSync(work)).toEqual(['good.almanac']);
    const header = JSON.parse(gunzipSync(readFileSync(good)).toString().split('\n', 1)[0] as string);
    expect(header).toMatchObject({ almanac_backup: 1, files: { 'jwt-secret': SECRET } });

    const again = await commandHere(['backup', good], filled.env);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('exists already, and stays as it is') });
    expect((await commandHere(['backup'], filled.env)).stderr).toBe('Give one FILE; 0 were given.\n');
    expect((await commandHere(['backup', 'a', 'b'], filled.env)).stderr).toBe('Give one FILE; 2 were given.\n');
    expect((await commandHere(['backup', file('no/folder')], filled.env)).stderr).toContain('There is no folder');
    expect((await commandHere(['backup', file('x')], { DATA_DIR: file('none') })).stderr).toContain(
      'There is no database in',
    );
    expect(readdirSync(work)).toEqual(['good.almanac']);
  });

  test('is refused with the path where the file cannot be opened', async () => {
    // Until it is whole it has a longer name, which is too long for any file system.
    const long = file('n'.repeat(220));
    const { code, stdout, stderr } = await commandProcess(['backup', long], filled.env);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^\S+n{220} cannot be written \(ENAMETOOLONG: .*\)\. Choose another name or folder\.\n$/);
    expect(readdirSync(work)).toEqual(['good.almanac']);
  });

  test('is restored into a new directory, as it was', async () => {
    const DATA_DIR = file('restored');
    const { code, stdout, stderr } = await commandHere(['restore', 'good.almanac'], { DATA_DIR, INIT_CWD: work });
    expect(stderr).toContain('Logins and API keys stay valid.');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('ok       the register of accounts') });
    const handle = await openHandle({ DATA_DIR });
    expect(await allRows(handle)).toEqual(before);
    await handle.close();
    expect(readFileSync(join(DATA_DIR, 'jwt-secret'), 'utf8')).toBe(SECRET);

    const again = await commandHere(['restore', good], { DATA_DIR });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringMatching(/is not empty: there are rows in accounts/) });
  });

  test('goes through pipes', async () => {
    const DATA_DIR = await anEmptyDirectory();
    const command = join(import.meta.dirname, '../../src/process/command.js');
    const pipe = `"${process.execPath}" "${command}" backup - | DATA_DIR="${DATA_DIR}" "${process.execPath}" "${command}" restore -`;
    const { stderr } = await promisify(execFile)('sh', ['-c', pipe], { env: { DATA_DIR: filled.DATA_DIR } });
    expect(stderr).toContain('0 damaged');
    const handle = await openHandle({ DATA_DIR });
    expect(await allRows(handle)).toEqual(before);
    await handle.close();
    rmSync(DATA_DIR, { recursive: true });
  });

  test.runIf(onPostgres)('is restored on a server, and a backup of that is restored here', async () => {
    const { url, drop } = await anEmptyDatabase();
    const restored = await commandHere(['restore', good], { DATABASE_URL: url, DATA_DIR: file('beside') });
    expect(restored).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Logins continue if you set JWT_SECRET'),
    });
    expect(statSync(join(file('beside'), 'jwt-secret')).mode & 0o777).toBe(0o600);
    const handle = await openHandle({ DATABASE_URL: url });
    const kept = hasVectors ? before : withoutVectors(before);
    expect(hasVectors ? await allRows(handle) : withoutVectors(await allRows(handle))).toEqual(kept);
    await handle.close();

    const second = file('server.almanac');
    expect(await commandHere(['backup', second], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    expect(gunzipSync(readFileSync(second)).toString().split('\n', 1)[0]).toContain('"files":{}');
    const DATA_DIR = await anEmptyDirectory();
    expect(await commandHere(['restore', second], { DATA_DIR })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('Logins continue if JWT_SECRET is that of the service'),
    });
    const back = await openHandle({ DATA_DIR });
    expect(withoutVectors(await allRows(back))).toEqual(withoutVectors(before));
    await back.close();
    await drop();
    rmSync(DATA_DIR, { recursive: true });
  });
});

describe('a file that is not whole', () => {
  const bytes = (): Buffer => readFileSync(good);
  const lines = (): string[] => gunzipSync(bytes()).toString().split('\n');
  const packed = (changed: string[]): Buffer => gzipSync(changed.join('\n'));
  const header = (change: (header: { [name: string]: unknown; tables: { rows: number }[] }) => void): Buffer => {
    const [first, ...rest] = lines() as [string, ...string[]];
    const parsed = JSON.parse(first);
    change(parsed);
    return packed([JSON.stringify(parsed), ...rest]);
  };
  const flipped = (at: number): Buffer => {
    const altered = Buffer.from(bytes());
    altered[at] = (altered[at] as number) ^ 0x11;
    return altered;
  };
  const middle = (): number => Math.floor(bytes().length / 2);
  const CASES: [what: string, content: () => Buffer, why: RegExp][] = [
    ['an empty file', () => Buffer.alloc(0), /ends too early/],
    ['a text', () => Buffer.from('{"almanac_backup":1}\n'), /no backup of Almanac/],
    ['another compressed file', () => gzipSync('hello\nworld\n'), /no backup of Almanac/],
    ['a file that was cut', () => bytes().subarray(0, middle()), /ends too early/],
    ['a file that lacks its last byte', () => bytes().subarray(0, -1), /ends too early/],
    [
      'a file with another byte',
      () => flipped(middle()),
      /altered|no backup|could not be stored|does not fit|ends too early/,
    ],
    ['a file without its last line', () => packed([...lines().slice(0, -2), '']), /ends too early/],
    ['a file without one row', () => packed(lines().toSpliced(40, 1)), /altered|could not be stored/],
    ['a file with one more row', () => packed(lines().toSpliced(-2, 0, '["x"]')), /altered/],
    ['a file with something after its end', () => packed([...lines().slice(0, -1), '["x"]', '']), /altered/],
    [
      'a file with another value',
      () => packed(lines().map((line) => line.replace('It waits', 'It walks'))),
      /altered or damaged/,
    ],
    [
      'a file with fewer rows than it says',
      () => header(({ tables }) => void (tables[0] as { rows: number }).rows++),
      /altered|could not be stored/,
    ],
    ['a file of a newer format', () => header((one) => void (one['almanac_backup'] = 2)), /newer release .*format/],
    [
      'a file of a newer release',
      () => header((one) => void (one['migrations'] as string[]).push('9999_later')),
      /9999_later, which this release does not know/,
    ],
    [
      'a file with a column of no table',
      () => header(({ tables }) => Object.assign(tables[0] as object, { columns: ['x"; drop table users; --'] })),
      /does not fit this release/,
    ],
    [
      'a file with a table that is none',
      () => header(({ tables }) => void Object.assign(tables[0] as object, { name: 'pg_authid' })),
      /does not fit|lacks the tables/,
    ],
  ];

  test('is refused with its fault, changes nothing, and leaves a database that takes the whole one', async () => {
    const DATA_DIR = await anEmptyDirectory();
    const handle = await openHandle({ DATA_DIR });
    const empty = Object.fromEntries(Object.keys(before).map((name) => [name, []]));
    for (const [what, content, why] of CASES) {
      const failed = await readBackup(Readable.from([content()]))
        .then(({ snapshot }) => load(handle, snapshot, { where: 'Here', onRows: () => undefined }))
        .then(
          () => 'restored',
          (error: Error) => error.message,
        );
      expect(`${what}: ${failed}`).toMatch(why);
      expect(await allRows(handle), what).toEqual(empty);
    }
    const { snapshot } = await readBackup(createReadStream(good));
    await load(handle, snapshot, { where: 'Here', onRows: () => undefined });
    expect(await allRows(handle)).toEqual(before);
    await handle.close();
    rmSync(DATA_DIR, { recursive: true });
  });

  test('is noticed wherever it was cut or altered', async () => {
    const whole = bytes();
    const drained = async (content: Buffer): Promise<string> => {
      try {
        const { snapshot } = await readBackup(Readable.from([content]));
        for await (const { lines: some } of snapshot.batches) void some;
        return 'whole';
      } catch (error) {
        return (error as Error).name + (error as Error).message;
      }
    };
    expect(await drained(whole)).toBe('whole');
    const text = gunzipSync(whole);
    // Some altered bytes of a gzip file unpack to the same text.
    const unpacksToTheSame = (altered: Buffer): boolean => {
      try {
        return gunzipSync(altered).equals(text);
      } catch {
        return false;
      }
    };
    let same = 0;
    for (let n = 1; n <= 60; n++) {
      const at = Math.floor((whole.length * n) / 61);
      expect(await drained(whole.subarray(0, at)), `cut at ${at}`).not.toBe('whole');
      // The first bytes of gzip say when and where it was packed, which is nothing of the content.
      if (at > 10 && unpacksToTheSame(flipped(at))) same += 1;
      else if (at > 10) expect(await drained(flipped(at)), `altered at ${at}`).not.toBe('whole');
    }
    expect(same).toBeLessThan(10);
  });

  test('a line without an end is not collected without end', async () => {
    const endless = new PassThrough();
    const read = readBackup(endless);
    const zip = gzipSync(Buffer.alloc(300 * 1024 * 1024, 0x61), { level: 1 });
    endless.end(zip);
    await expect(read).rejects.toThrow(/altered or damaged/);
  });

  test('the command says so and exits with 2', async () => {
    writeFileSync(file('cut.almanac'), bytes().subarray(0, middle()));
    const DATA_DIR = await anEmptyDirectory();
    const { code, stderr } = await commandHere(['restore', file('cut.almanac')], { DATA_DIR });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Nothing was restored. Copy it again'),
    });
    // Its secret does not stay for the next one, which may have another.
    expect(existsSync(join(DATA_DIR, 'jwt-secret'))).toBe(false);
    expect((await commandHere(['restore', file('none')], { DATA_DIR })).stderr).toContain('There is no file');
    rmSync(DATA_DIR, { recursive: true });
  });
});

test('a backup of an earlier release is restored, and then brought up to date', async () => {
  const old = await openHandle({ DATA_DIR: await anEmptyDirectory() });
  const all = await appliedMigrations(old.db);
  const earlier = all.slice(0, all.indexOf('0022_dav') + 1);
  await old.exec('drop schema public cascade; create schema public');
  await migrateAs(old, earlier);
  await old.exec(`insert into users (user_id, email, password_hash) values ('u', 'u@example.org', 'x')`);
  const path = file('old.almanac');
  await withSnapshot(old, { onRows: () => undefined }, (snapshot) =>
    writeBackup({ release: '0.0.1', at: 'then', files: {} }, snapshot, createWriteStream(path)),
  );
  await old.close();

  const DATA_DIR = await anEmptyDirectory();
  const { stderr } = await commandHere(['restore', path], { DATA_DIR });
  expect(stderr).toContain('backup of release 0.0.1');
  const handle = await openHandle({ DATA_DIR });
  expect(await appliedMigrations(handle.db)).toEqual(all);
  const { rows } = await sql`select account from accounts`.execute(handle.db);
  expect(rows).toEqual([{ account: 'u' }]);
  await handle.close();
});

describe('a backup while the service runs', () => {
  test.runIf(!onPostgres)(
    'on the embedded database holds every write that was answered before it began, and a whole ledger',
    async () => {
      const { DATA_DIR, life, remove } = await aFilledDirectory();
      writeFileSync(join(DATA_DIR, 'jwt-secret'), SECRET, { mode: 0o600 });
      const handle = await openHandle({ DATA_DIR });
      const app = await anInstance(handle, true);
      const stop = await listenForBackups(DATA_DIR, { handle, log: createLog('silent') });
      expect(statSync(backupSocketOf(DATA_DIR) as string).mode & 0o777).toBe(0o600);

      const person = client(app, life.keys.user);
      const answered: string[] = [];
      const enough = new AbortController();
      const writer = (async () => {
        for (let n = 0; !enough.signal.aborted; n++) {
          const uid = `hot${n}`;
          await person
            .post('/memory/push', { traces: [{ uid, type: 'observation', content: `Written while it runs: ${n}` }] })
            .expect(201);
          answered.push(uid);
        }
      })();
      await expect.poll(() => answered.length).toBeGreaterThan(5);
      const early = answered.length;
      // Whoever only asks whether the service runs begins no backup, and keeps nobody from one.
      const asking = connect(backupSocketOf(DATA_DIR) as string);
      await new Promise((resolve) => asking.once('connect', resolve));
      const path = file('hot.almanac');
      const made = await commandProcess(['backup', path], { DATA_DIR });
      const meanwhile = answered.length - early;
      enough.abort();
      await writer;
      asking.destroy();
      expect(made).toMatchObject({ code: 0, stderr: expect.stringContaining('The service is running.') });
      expect(meanwhile).toBeGreaterThan(5);
      expect(readdirSync(DATA_DIR).filter((name) => name.startsWith('backup.new-'))).toEqual([]);

      // A file that cannot be written is refused before anything is copied.
      const unwritable = await commandProcess(['backup', file('n'.repeat(220))], { DATA_DIR });
      expect(unwritable).toMatchObject({ code: 2, stderr: expect.stringMatching(/^\S+ cannot be written/) });
      expect(readdirSync(DATA_DIR).filter((name) => name.startsWith('backup.new-'))).toEqual([]);

      // Other commands are refused, and a second backup at the same time too.
      const refused = await commandProcess(['restore', path], { DATA_DIR });
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('The service is running on') });
      const first = connect(backupSocketOf(DATA_DIR) as string);
      first.write(ASK);
      await new Promise((resolve) => first.once('data', resolve));
      const second = await commandProcess(['backup', file('second.almanac')], { DATA_DIR });
      expect(second).toMatchObject({
        code: 2,
        stderr:
          'The service is running. Its files are copied first.\nAnother backup is being made. Try again when it is done.\n',
      });
      // The end of the connection ends that backup, so that another one can be made.
      first.destroy();
      await expect
        .poll(async () => (await commandProcess(['backup', file('third.almanac')], { DATA_DIR })).code, {
          timeout: 20_000,
        })
        .toBe(0);
      await stop();
      expect(existsSync(backupSocketOf(DATA_DIR) as string)).toBe(false);
      await app.close();
      await handle.close();

      const target = await anEmptyDirectory();
      expect(await commandHere(['restore', path], { DATA_DIR: target })).toMatchObject({ code: 0 });
      const restored = await openHandle({ DATA_DIR: target });
      const { rows } = await sql<{ uid: string }>`select uid from traces where uid like 'hot%' order by seq`.execute(
        restored.db,
      );
      expect(rows.length).toBeGreaterThanOrEqual(early);
      expect(rows.map(({ uid }) => uid)).toEqual(answered.slice(0, rows.length));
      await restored.close();
      rmSync(target, { recursive: true });
      remove();
    },
  );

  test.runIf(onPostgres)('on a server is of one moment', async () => {
    const { url, drop } = await anEmptyDatabase();
    expect(await commandHere(['restore', good], { DATABASE_URL: url, DATA_DIR: file('beside') })).toMatchObject({
      code: 0,
    });
    const handle = await openHandle({ DATABASE_URL: url });
    const app = await anInstance(handle, hasVectors);
    const person = client(app, filled.life.keys.user);
    const enough = new AbortController();
    const writer = (async () => {
      for (let n = 0; !enough.signal.aborted; n++)
        await person
          .post('/memory/push', { traces: [{ uid: `hot${n}`, type: 'observation', content: `Written: ${n}` }] })
          .expect(201);
    })();
    const path = file('hot-server.almanac');
    expect(await commandHere(['backup', path], { DATABASE_URL: url })).toMatchObject({ code: 0 });
    enough.abort();
    await writer;
    await app.close();
    await handle.close();
    const DATA_DIR = await anEmptyDirectory();
    expect(await commandHere(['restore', path], { DATA_DIR })).toMatchObject({ code: 0 });
    rmSync(DATA_DIR, { recursive: true });
    await drop();
  });
});
