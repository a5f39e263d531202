/** A database that answers and takes no writes: refused as what it is, told by /health, noticed when it is over. */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import { anApp, aUser, client, type TestApp, type TestUser } from '../support/app.ts';
import { hasCitus } from '../support/citus.ts';
import { onPostgres } from '../support/db.ts';

const MiB = 2 ** 20;

/** A small disk of its own, where this process may mount one. */
const aDisk = (megabytes: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=777`, 'tmpfs', folder], { stdio: 'ignore' });
  } catch {
    rmSync(folder, { recursive: true });
    return null;
  }
  const filler = join(folder, 'filler');
  const left = (): number => {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  };
  return {
    folder,
    /** Leaves so many bytes free. */
    fill: (free: number) => writeFileSync(filler, Buffer.alloc(Math.max(0, left() - free))),
    free: () => rmSync(filler, { force: true }),
    drop: () => {
      execFileSync('umount', ['-l', folder]);
      rmSync(folder, { recursive: true });
    },
  };
};

type Disk = NonNullable<ReturnType<typeof aDisk>>;

const push = (user: TestUser, content: string) =>
  user.post('/memory/push', { traces: [{ type: 'observation', content }] });
const health = async (app: TestApp) => (await client(app, null).get('/health')).body as { database: string };

/** What a person and a load balancer see while no writes are taken, and after. */
const expectReadOnly = async (app: TestApp, user: TestUser): Promise<void> => {
  const later = () => push(user, 'not now').set('Idempotency-Key', 'later');
  await expect.poll(async () => (await later()).body).toMatchObject({ status: 503, code: 'database_read_only' });
  const refused = await later();
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  await expect
    .poll(() => health(app))
    .toMatchObject({ status: 'unavailable', database: 'read_only', executor: 'waiting' });
  await client(app, null).get('/health/ready').expect(503);
  await client(app, null).get('/health/live').expect(200);
  await user.get('/memory/pull').expect(200);
};
const expectWrites = async (app: TestApp, user: TestUser): Promise<void> => {
  await expect
    .poll(() => health(app), { timeout: 10_000 })
    .toMatchObject({ status: 'ok', database: 'ok', executor: 'running' });
  await push(user, 'again').set('Idempotency-Key', 'later').expect(201);
  expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  const { body } = await user.get('/memory/pull').expect(200);
  expect(body.map((trace: { content: string }) => trace.content)).not.toContain('not now');
};

const ready = async (app: TestApp) => {
  const { status, body } = await client(app, null).get('/health/ready');
  return [status, body.database, body.executor];
};

/** Runs the HEALTHCHECK of the Dockerfile beside this app. @returns its exit code, with which Docker judges the container */
const healthcheck = (app: TestApp): Promise<number | null> => {
  const dockerfile = readFileSync(join(import.meta.dirname, '../../Dockerfile'), 'utf8');
  const [, args = ''] = /^HEALTHCHECK .*CMD \["node", (.*)\]$/m.exec(dockerfile) ?? [];
  const child = spawn(process.execPath, JSON.parse(`[${args}]`) as string[], {
    env: { PORT: new URL(app.url).port },
  });
  return new Promise((resolve) => child.on('exit', resolve));
};

const probe = aDisk(1);
probe?.drop();

describe.runIf(!onPostgres && probe)('the embedded database on a disk that fills up', () => {
  let disk: Disk;
  const heard: string[] = [];
  let app: TestApp;
  let user: TestUser;
  beforeAll(async () => {
    disk = aDisk(300) as Disk;
    const DATA_DIR = join(disk.folder, 'data');
    const handle = await openDatabase({ DATA_DIR, DATABASE_POOL: 2 }, ({ message }) => heard.push(message));
    await migrate(handle);
    const { vectors } = await ensureVectors(handle.db);
    app = await anApp({ database: { handle, vectors, again: async () => handle, close: handle.close } });
    app.executor.start();
    user = await aUser(app);
  });
  afterAll(async () => {
    await app.close();
    await app.database.handle.close();
    disk.drop();
  });

  test('takes no writes before the disk is full to the last block, and goes on when there is room', async () => {
    disk.fill(50 * MiB);
    await expect.poll(() => health(app), { timeout: 5_000 }).toMatchObject({ database: 'read_only' });
    await expectReadOnly(app, user);
    disk.free();
    await expectWrites(app, user);
    expect(heard).toEqual([
      'the disk is nearly full, so the database accepts no more writes',
      'the disk has space again, so the database accepts writes',
    ]);
  });

  test('does not start where there is no room for it', async () => {
    const crammed = aDisk(10) as Disk;
    const start = openDatabase({ DATA_DIR: crammed.folder, DATABASE_POOL: 2 }, () => undefined);
    await expect(start).rejects.toThrow(/has 9 MiB left, and the database needs 32 MiB to start. Free some space/);
    crammed.drop();
  });
});

describe.runIf(onPostgres)('a server', () => {
  let app: TestApp;
  let user: TestUser;
  let name: string;
  const admin = async (...statements: string[]): Promise<void> => {
    const db = new pg.Client({ connectionString: process.env['TEST_DATABASE_URL'] });
    await db.connect();
    for (const statement of statements) await db.query(statement);
    await db.end();
  };
  /** Settings of a database hold for the connections after them. */
  const reconnect = () => admin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);

  beforeAll(async () => {
    app = await anApp();
    app.executor.start();
    user = await aUser(app);
    const { rows } = await app.database.handle.query('select current_database() as name', []);
    name = rows[0]?.['name'] as string;
  });
  afterEach(async () => {
    await admin(`alter database ${name} reset all`);
    await reconnect();
  });
  afterAll(() => app.close());

  test('that is read-only, as a standby is', async () => {
    expect(await health(app)).toMatchObject({ database: 'ok' });
    await admin(`alter database ${name} set default_transaction_read_only = on`);
    await reconnect();
    await expectReadOnly(app, user);
    await admin(`alter database ${name} set default_transaction_read_only = off`);
    await reconnect();
    await expectWrites(app, user);
  });

  test('is known as read-only before any write was refused, also to a scraper, and its container stays healthy', async () => {
    await admin(`alter database ${name} set default_transaction_read_only = on`);
    await reconnect();
    await expect.poll(() => ready(app)).toEqual([503, 'read_only', 'waiting']);
    expect(app.database.handle.isReadOnly()).toBe(true);
    const { text } = await client(app, user.token).get('/metrics');
    expect(text).toContain('almanac_database_read_only 1');
    expect(await healthcheck(app)).toBe(0);
    await admin(`alter database ${name} set default_transaction_read_only = off`);
    await reconnect();
    await expect.poll(() => ready(app), { timeout: 10_000 }).toEqual([200, 'ok', 'running']);
  });

  test('is known as read-only to a scraper that is the first to ask', async () => {
    await admin(`alter database ${name} set default_transaction_read_only = on`);
    await reconnect();
    const scraped = async () => (await user.get('/metrics')).text;
    await expect.poll(scraped).toContain('almanac_database_read_only 1');
  });

  // Citus moves no distributed table to another disk.
  test.runIf(probe && !hasCitus && process.getuid?.() === 0)('whose disk is full', async () => {
    const disk = aDisk(30) as Disk;
    const space = join(disk.folder, 'space');
    const own = `${name}_space`;
    const tables = ['traces', 'ledger', 'idempotency_keys'];
    const move = async (to: string): Promise<void> => {
      for (const table of tables) {
        const moved = () => app.database.handle.exec(`alter table ${table} set tablespace ${to}`);
        // The pool may still hold a connection that reconnect() has ended.
        await moved().catch(moved).catch(moved);
      }
    };
    mkdirSync(space);
    execFileSync('chown', ['-R', 'postgres', disk.folder]);
    await admin(
      `create tablespace ${own} location '${space}'`,
      `alter database ${name} set default_tablespace = ${own}`,
    );
    onTestFinished(async () => {
      disk.free();
      await move('pg_default');
      await admin(`alter database ${name} reset all`, `drop tablespace ${own}`);
      disk.drop();
    });
    await reconnect();
    await expect.poll(() => health(app)).toMatchObject({ database: 'ok' });
    const full = await aUser(app);
    await move(own);
    disk.fill(0);
    // What is left of the pages there are takes a few writes yet.
    const large = async () => (await push(full, 'x'.repeat(5_000))).body as { code?: string };
    await expect.poll(large, { timeout: 20_000, interval: 1 }).toMatchObject({ code: 'database_read_only' });
    await expectReadOnly(app, full);
    disk.free();
    await expectWrites(app, full);
  });
});
