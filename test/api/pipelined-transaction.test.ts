/** Transactions whose statements leave without waiting for each other (db/pipelined-transaction.ts), and the writes that use them. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createLedger } from '../../src/ledger/ledger.ts';
import { systemClock } from '../../src/common/clock.ts';
import type { Db } from '../../src/db/database.ts';
import { PreparingClient } from '../../src/db/prepared-statements.ts';
import { isUniqueViolation } from '../../src/db/sqlstate.ts';
import { anApp, aUser, type TestApp } from '../support/app.ts';
import { distributeOnCluster } from '../support/citus.ts';
import { onPostgres } from '../support/db.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
  await app.database.handle.exec('create table numbers (n integer primary key)');
});
afterAll(() => app.close());

const insert = (db: Parameters<ReturnType<typeof sql>['execute']>[0], n: number) =>
  sql`insert into numbers (n) values (${n})`.execute(db);
const numbers = async (): Promise<number[]> => {
  const { rows } = await sql<{ n: number }>`select n from numbers order by n`.execute(app.database.handle.db);
  return rows.map(({ n }) => n);
};

describe('a transaction', () => {
  test('stores what was still on its way when it ended', async () => {
    const { transaction } = app.database.handle;
    const value = await transaction(async (tx) => ({
      value: 'done',
      last: Promise.all([insert(tx, 1), insert(tx, 2)]),
    }));
    expect(value).toBe('done');
    expect(await numbers()).toEqual([1, 2]);
  });

  test('stores nothing where one of its last statements fails, and can be tried again', async () => {
    const { transaction } = app.database.handle;
    const before = await numbers();
    for (let i = 0; i < 3; i++) {
      const failing = transaction(async (tx) => ({
        value: null,
        last: Promise.all([insert(tx, 10), insert(tx, before[0] as number), insert(tx, 11)]),
      }));
      const error = await failing.catch((caught: unknown) => caught);
      expect(isUniqueViolation(error)).toBe(true);
      expect(await numbers()).toEqual(before);
    }
    await transaction(async (tx) => ({ value: null, last: insert(tx, 12) }));
    expect(await numbers()).toEqual([...before, 12]);
  });

  test('stores nothing where its work throws while a statement is on its way', async () => {
    const before = await numbers();
    const failing = app.database.handle.transaction(async (tx) => {
      insert(tx, 20).catch(() => undefined);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await numbers()).toEqual(before);
  });

  test('stores nothing of several statements on their way where its work throws', async () => {
    const before = await numbers();
    const failing = app.database.handle.transaction(async (tx) => {
      for (const n of [21, 22, 23, 24]) insert(tx, n).catch(() => undefined);
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await numbers()).toEqual(before);
  });

  test('stores nothing where a statement fails before it is sent', async () => {
    const before = await numbers();
    const { user_id } = await aUser(app);
    const author = { user_id, actor: 'user:session', origin: 'user' as const };
    const unsent = async (): Promise<never> => {
      throw new Error('never sent');
    };
    const failing = createLedger({ handle: app.database.handle, clock: systemClock }).write(
      author,
      async ({ tx, send }) => send(insert(tx, 25), unsent(), insert(tx, 26)),
    );
    await expect(failing).rejects.toThrow('never sent');
    expect(await numbers()).toEqual(before);
  });

  test('takes no statement after its end', async () => {
    const before = await numbers();
    const kept = await app.database.handle.transaction(async (tx) => ({ value: tx }));
    await expect(insert(kept, 30)).rejects.toThrow();
    expect(await numbers()).toEqual(before);
  });
});

describe('a write', () => {
  test('fails with the error of the statement that failed first, also where a later one is waited for', async () => {
    const { user_id } = await aUser(app);
    const { handle } = app.database;
    const before = await numbers();
    const ledger = createLedger({ handle, clock: systemClock });
    const author = { user_id, actor: 'user:session', origin: 'user' as const };
    const failing = ledger.write(author, async ({ tx, send }) => {
      send(insert(tx, 50), insert(tx, before[0] as number));
      await sql`select n from numbers where n = ${51}`.execute(tx);
    });
    const error = await failing.catch((caught: unknown) => caught);
    expect(isUniqueViolation(error)).toBe(true);
    expect(await numbers()).toEqual(before);
  });

  test('reads under the lock what the write before it has stored', async () => {
    const { user_id } = await aUser(app);
    const { handle } = app.database;
    // A table like those of the service: the lock protects what is on the machine of the user.
    await handle.exec('create table counted (user_id text, n integer, primary key (user_id, n))');
    await distributeOnCluster(handle);
    const counted = async (db: Db) =>
      (await sql<{ n: number }>`select n from counted where user_id = ${user_id} order by n`.execute(db)).rows;
    const ledger = createLedger({ handle, clock: systemClock });
    const author = { user_id, actor: 'user:session', origin: 'user' as const };
    const other = createLedger({ handle, clock: systemClock }); // Its writes wait at the row lock.
    const next = (on: typeof ledger, i: number) =>
      on.readAndWrite(
        author,
        async (tx) => (await counted(tx)).length,
        async ({ tx }, n) => sql`insert into counted (user_id, n) values (${user_id}, ${n})`.execute(tx).then(() => i),
      );
    await Promise.all(Array.from({ length: 10 }, (_, i) => next(i % 2 ? other : ledger, i)));
    expect(await counted(handle.db)).toEqual(Array.from({ length: 10 }, (_, n) => ({ n })));
  });
});

describe.runIf(onPostgres)('on a server', () => {
  test('a lost connection fails the transaction and goes back to nobody', async () => {
    const { handle } = app.database;
    const before = await numbers();
    const lost = handle.transaction(async (tx) => ({
      value: null,
      last: Promise.all([insert(tx, 40), sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx)]),
    }));
    await expect(lost).rejects.toMatchObject({ code: '57P01' });
    expect(await numbers()).toEqual(before);
    const taken = (): number => handle.pool().total - handle.pool().idle;
    await expect.poll(taken).toBe(0);
  });

  /** The round trips of writes: times when their connection sends a statement and waits for no other. */
  const tripsDuring = async (work: () => Promise<unknown>): Promise<number> => {
    const original = Reflect.get(PreparingClient.prototype, 'query') as (...args: unknown[]) => Promise<unknown>;
    const underWay = new Map<unknown, number>();
    const writing = new Set<unknown>();
    let trips = 0;
    Reflect.set(PreparingClient.prototype, 'query', function query(this: unknown, ...args: unknown[]): unknown {
      const [text] = args;
      const waiting = underWay.get(this) ?? 0;
      if (text === 'begin') writing.add(this);
      if (writing.has(this) && !waiting) trips += 1;
      if (text === 'commit') writing.delete(this);
      const answer = original.apply(this, args);
      if (!(answer instanceof Promise)) return answer;
      underWay.set(this, waiting + 1);
      const ended = (): void => void underWay.set(this, (underWay.get(this) as number) - 1);
      answer.then(ended, ended);
      return answer;
    });
    try {
      await work();
    } finally {
      Reflect.set(PreparingClient.prototype, 'query', original);
    }
    return trips;
  };

  test('a push and an edit take two round trips each', async () => {
    const user = await aUser(app);
    const push = (uid: string) =>
      user.post('/memory/push', { traces: [{ uid, type: 'observation', content: 'note' }] }).expect(201);
    await push('first');
    const fresh = () => user.post('/memory/push', { traces: [{ type: 'observation', content: 'note' }] }).expect(201);
    expect(await tripsDuring(fresh)).toBe(2);
    const edit = () => user.patch('/memory/edit', { uid: 'first', updates: { content: 'changed' } }).expect(200);
    expect(await tripsDuring(edit)).toBe(2);
  });
});
