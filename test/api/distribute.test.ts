/** `npm run distribute` and distributed databases, which need a server with Citus (test/scale/README.md). */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openDatabase, type DatabaseHandle } from '../../src/db/database.ts';
import { distribute, distributeNewTables } from '../../src/db/distribution.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import { anApp, aUser, type TestApp } from '../support/app.ts';
import { createClusterDatabase, dropEverywhere, hasCitus, IF_CITUS } from '../support/citus.ts';
import { commandHere } from '../support/commands.ts';
import { migratedDirectory, onPostgres, testDatabase } from '../support/db.ts';

const server = process.env['TEST_DATABASE_URL'] ?? '';

const urlOf = (name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
};

describe.runIf(onPostgres && !hasCitus)('on a Postgres without Citus, npm run distribute', () => {
  test('says what is missing, and the service distributes nothing', async () => {
    const database = await testDatabase();
    for (const option of ['--check', '--apply']) {
      const { code, stdout, stderr } = await commandHere(['distribute', option], {
        DATABASE_URL: urlOf(database.name),
      });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/Citus\. Install it on every machine|not part of a Citus cluster\. Run/);
    }
    expect(await database.handle.db.transaction().execute(distributeNewTables)).toEqual([]);
    await database.close();
  });
});

describe.skipIf(!hasCitus)(`on a Citus cluster${IF_CITUS}`, () => {
  let name: string;
  let handle: DatabaseHandle;
  let support: { vectors: boolean };
  const env = () => ({ DATABASE_URL: urlOf(name) });
  const run = (...args: string[]) => commandHere(args, env());
  const anInstance = (): Promise<TestApp> =>
    anApp({ database: { handle, ...support, again: async () => handle, close: async () => undefined } });
  const shardsOf = async (table: string): Promise<number> => {
    const { rows } = await sql`select from pg_dist_shard where logicalrelid = ${table}::regclass`.execute(handle.db);
    return rows.length;
  };

  beforeEach(async () => {
    name = `almanac_test_${randomBytes(6).toString('hex')}`;
    await createClusterDatabase(name);
    handle = await openDatabase({ ...env(), DATA_DIR: '', DATABASE_POOL: 4, sessions: 'test' }, () => undefined);
    await migrate(handle);
    support = await ensureVectors(handle.db);
  });
  afterEach(async () => {
    await handle.close();
    await dropEverywhere(name);
  });

  test('--check tells what is to do, --apply does it with the rows that are there, and the audit is clean', async () => {
    const before = await anInstance();
    const user = await aUser(before);
    const traces = Array.from({ length: 20 }, (_, i) => ({
      uid: `t${i}`,
      type: 'observation',
      content: `note ${i}`,
    }));
    await user.post('/memory/push', { traces }).expect(201);
    await before.close();

    const check = await run('distribute', '--check');
    expect(check.code).toBe(1);
    expect(check.stdout).toContain('to do  ledger  distributed by user_id\n');
    expect(check.stdout).toContain('to do  users  a copy on every machine\n');
    expect(check.stdout).toContain('ok  throttles  on the coordinator\n');
    expect(await shardsOf('ledger')).toBe(0);

    const apply = await run('distribute', '--apply');
    expect(apply.code, apply.stderr).toBe(0);
    expect(apply.stderr).toMatch(/^distributed \d+ tables: .*ledger/m);
    expect(await shardsOf('ledger')).toBeGreaterThan(1);
    expect((await run('distribute', '--check')).code).toBe(0);
    expect((await run('distribute', '--apply')).stderr).toContain('everything was distributed already');

    const app = await anInstance();
    const again = await aUser(app);
    await again.post('/memory/push', { traces }).expect(201);
    await again.patch('/memory/edit', { uid: 't3', updates: { content: 'changed' } }).expect(200);
    await again.delete('/memory/remove?uid=t4').expect(200);
    const hits = await again.post('/memory/search', { query: 'changed', mode: 'keyword' }).expect(200);
    expect(hits.body.map(({ uid }: { uid: string }) => uid)).toEqual(['t3']);
    await app.close();
    const audit = await run('audit', '--user', 'all');
    expect(audit.code, audit.stdout).toBe(0);
    expect(audit.stdout.match(/^ok /gm)).toHaveLength(2);
  });

  test('--apply changes nothing while a service runs, whatever it did last', async () => {
    const service = await openDatabase({ ...env(), DATA_DIR: '', DATABASE_POOL: 1 }, () => undefined);
    await service.query('select 1', []);
    const apply = await run('distribute', '--apply');
    expect(apply).toMatchObject({ code: 2, stderr: 'The service is running (open sessions: 1). Stop it first.\n' });
    expect(await shardsOf('ledger')).toBe(0);
    await service.close();
  });

  test('a table that is distributed in another way is refused by the command and at the start', async () => {
    await sql`select create_distributed_table('traces_past', 'uid')`.execute(handle.db).catch(async () => {
      await sql`alter table traces_past drop constraint traces_past_pkey`.execute(handle.db);
      await sql`select create_distributed_table('traces_past', 'uid')`.execute(handle.db);
    });
    const check = await run('distribute', '--check');
    expect(check.code).toBe(1);
    expect(check.stdout).toContain('WRONG  traces_past  is distributed by uid, should be distributed by user_id');
    const apply = await run('distribute', '--apply');
    expect(apply.code).toBe(2);
    expect(apply.stderr).toContain("select undistribute_table('traces_past'");
    expect(await shardsOf('ledger')).toBe(0);
    await expect(handle.db.transaction().execute(distributeNewTables)).rejects.toThrow('in another way');
  });

  test('a database that is distributed in part is not served, and --apply completes it', async () => {
    const app = await anInstance();
    await aUser(app);
    await app.close();
    await sql`select create_distributed_table('traces_past', 'user_id')`.execute(handle.db);
    await expect(handle.db.transaction().execute(distributeNewTables)).rejects.toThrow(
      /distributed only in part: .*ledger.* npm run distribute -- --apply/,
    );
    await sql`select undistribute_table('traces_past')`.execute(handle.db);
    expect((await run('distribute', '--apply')).code).toBe(0);
    expect(await handle.db.transaction().execute(distributeNewTables)).toEqual([]);
  });

  test('a later migration reaches every part, and its tables are distributed before anything is written to them', async () => {
    await handle.db.transaction().execute(distribute);
    // The state before these migrations.
    await handle.exec('drop table webhooks');
    await handle.exec('alter table traces drop column terms');
    await handle.exec('alter table traces_past drop column terms');
    await handle.exec("delete from kysely_migration where name >= '0023'");
    await handle.exec(
      'create table webhooks (user_id text references users on delete cascade, id text, primary key (user_id, id))',
    );
    expect((await migrate(handle)).applied).toContain('0024_search_terms');
    expect(await handle.db.transaction().execute(distributeNewTables)).toEqual(['webhooks']);
    expect(await shardsOf('webhooks')).toBeGreaterThan(1);
    const { rows } = await sql<{ result: string }>`
        select result from run_command_on_shards('traces', 'select count(terms) from %s')`.execute(handle.db);
    expect(new Set(rows.map(({ result }) => result))).toEqual(new Set(['0']));
    const bodies = await sql<{ result: string }>`
        select result from run_command_on_all_nodes($$select prosrc like '%[0-9]+%' from pg_proc where proname = 'refuse_change'$$)`.execute(
      handle.db,
    );
    expect(new Set(bodies.rows.map(({ result }) => result))).toEqual(new Set(['t']));
  });
});

test('npm run distribute refuses the embedded database, and asks for one option', async () => {
  const DATA_DIR = mkdtempSync(join(tmpdir(), 'almanac-distribute-'));
  try {
    await migratedDirectory(DATA_DIR);
    const told = async (...options: string[]) => commandHere(['distribute', ...options], { DATA_DIR });
    expect(await told('--check')).toMatchObject({ code: 2, stderr: expect.stringContaining('embedded') as string });
    for (const options of [[], ['--check', '--apply']])
      expect(await told(...options)).toMatchObject({ code: 2, stderr: 'Choose --check or --apply.\n' });
  } finally {
    rmSync(DATA_DIR, { recursive: true, force: true });
  }
});
