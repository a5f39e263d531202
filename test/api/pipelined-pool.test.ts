/** Short reads that share connections: each has its own answer, and nobody waits long behind a slow one. Server Postgres only. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/db/database.ts';
import { onPostgres, testDatabase, type TestDatabase } from '../support/db.ts';

describe.runIf(onPostgres)('shared connections', () => {
  let database: TestDatabase;
  let handle: DatabaseHandle;
  beforeAll(async () => {
    database = await testDatabase();
    ({ handle } = database);
  });
  afterAll(() => database.close());

  const echo = async (n: number): Promise<{ n: number; pid: number }> => {
    const { rows } = await sql<{ n: number; pid: number }>`select ${n}::int as n, pg_backend_pid() as pid`.execute(
      handle.reads,
    );
    return rows[0] as { n: number; pid: number };
  };

  test('many at once travel on few connections, and each gets its own answer', async () => {
    const asked = Array.from({ length: 40 }, (_, n) => n);
    const answers = await Promise.all(asked.map(echo));
    expect(answers.map((a) => a.n)).toEqual(asked);
    expect(new Set(answers.map((a) => a.pid)).size).toBeLessThanOrEqual(2);
    expect(handle.pool()).toMatchObject({ waiting: 0 });
  });

  test('an error is the answer to the statement that made it, to no other', async () => {
    const wrong = sql`select 1 / ${0}::int`.execute(handle.reads);
    const outcomes = await Promise.allSettled([echo(1), wrong, echo(2), wrong, echo(3)]);
    expect(outcomes.map((o) => o.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected', 'fulfilled']);
    expect((await echo(4)).n).toBe(4);
  });

  test('who comes after a slow statement has begun does not wait for it', async () => {
    const slow = sql`select pg_sleep(${1})`.execute(handle.reads).then(() => 'slow');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await Promise.race([slow, echo(1).then(() => 'quick')])).toBe('quick');
    await slow;
  });

  test('connections go back to the pool', async () => {
    await Promise.all([echo(1), echo(2)]);
    const { total, idle } = handle.pool();
    expect(idle).toBe(total);
  });

  test('a connection that breaks refuses who is on it; the next ones get another', async () => {
    const slow = sql`select pg_sleep(${5})`.execute(handle.reads);
    const outcome = slow.then(
      () => 'slept',
      () => 'refused',
    );
    const end = sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and state = 'active' and query like ${'select pg_sleep(%'} and pid <> pg_backend_pid()`;
    await expect.poll(async () => (await end.execute(handle.db)).rows.length).toBe(1); // once it has begun
    expect(await outcome).toBe('refused');
    expect((await echo(1)).n).toBe(1);
  });

  test('there are no transactions on them', async () => {
    await expect(handle.reads.transaction().execute((tx) => sql`select 1`.execute(tx))).rejects.toThrow('use db');
    expect((await echo(1)).n).toBe(1);
  });
});
