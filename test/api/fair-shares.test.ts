/** One user at his worst: others get their turn at the database, and long texts do not hold everybody up. */
import { connect, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Db } from '../../src/db/database.ts';
import { onBehalfOf } from '../../src/common/fair-shares.ts';
import { aKey, anApp, aUser, type TestApp } from '../support/app.ts';
import { onPostgres, testDatabase, type TestDatabase } from '../support/db.ts';

describe('connections in fair shares', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase();
  });
  afterAll(() => database.close());

  /** About 40 ms of work, on both databases. */
  const slow = (db: Db) =>
    sql`select count(*) from generate_series(1, ${200_000}::int) a where a % 7 = ${3}`.execute(db);

  /** How many of the 12 slow statements of one user are answered between the question and the answer of another user. */
  const answeredBefore = async (db: Db): Promise<number> => {
    let answered = 0;
    const flood = Array.from({ length: 12 }, () =>
      onBehalfOf('one at his worst', async () => {
        await slow(db);
        answered += 1;
      }),
    );
    await new Promise(setImmediate); // by now they are under way
    const earlier = answered;
    await onBehalfOf('another', () => sql`select ${1}::int`.execute(db));
    const before = answered - earlier;
    await Promise.all(flood);
    expect(answered).toBe(12);
    return before;
  };

  test('the other does not wait for all that one user has asked for before', async () => {
    expect(await answeredBefore(database.handle.db)).toBeLessThan(8);
  });

  test('nor where short reads share connections', async () => {
    expect(await answeredBefore(database.handle.reads)).toBeLessThan(8);
  });

  /** A request has several statements one after the other. */
  const severalShort = async (db: Db): Promise<void> => {
    for (let i = 0; i < 4; i++) {
      await sql`select ${i}::int`.execute(db);
      await new Promise(setImmediate);
    }
  };

  test.skipIf(onPostgres)('who asks for several short things in a row waits for few long ones', async () => {
    const { db } = database.handle;
    let answered = 0;
    const flood = Array.from({ length: 12 }, () =>
      onBehalfOf('one with long statements', async () => {
        await slow(db);
        answered += 1;
      }),
    );
    await new Promise(setImmediate); // by now they are under way
    const earlier = answered;
    await onBehalfOf('another', () => severalShort(db));
    const before = answered - earlier;
    await Promise.all(flood);
    expect(before).toBeLessThan(4); // otherwise one and more for each of its own
    expect(answered).toBe(12);
  });

  test.runIf(onPostgres)('who asks for several short things in a row waits for no long one of another', async () => {
    const { db } = database.handle;
    const other = await database.again();
    try {
      await other.db.connection().execute(async (holder) => {
        await sql`select pg_advisory_lock(1)`.execute(holder);
        let answered = 0;
        const flood = Array.from({ length: 12 }, () =>
          onBehalfOf('one with long statements', async () => {
            await sql`select pg_advisory_xact_lock_shared(1)`.execute(db);
            answered += 1;
          }),
        );
        await new Promise(setImmediate); // by now they are under way
        await onBehalfOf('another', () => severalShort(db));
        expect(answered).toBe(0);
        await sql`select pg_advisory_unlock(1)`.execute(holder);
        await Promise.all(flood);
        expect(answered).toBe(12);
      });
    } finally {
      await other.close();
    }
  });

  test('transactions have their turns too', async () => {
    const order: string[] = [];
    const write = (who: string): Promise<void> =>
      onBehalfOf(who, () =>
        database.handle.db.transaction().execute(async (tx) => {
          await slow(tx);
          order.push(who);
        }),
      );
    await Promise.all([...Array.from({ length: 12 }, () => write('one')), write('another')]);
    expect(order.indexOf('another')).toBeLessThan(6);
    expect(order).toHaveLength(13);
  });
});

describe('bodies that hardly come', () => {
  let app: TestApp;
  const sockets: Socket[] = [];
  let answered = 0;
  beforeAll(async () => {
    app = await anApp();
  });
  afterAll(async () => {
    for (const socket of sockets) socket.destroy();
    await app.close();
  });

  /** Resolves when the head of a request is sent whose body never comes whole. */
  const stalled = (token: string | null): Promise<void> =>
    new Promise((resolve) => {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1', () => {
        socket.write(
          `POST /memory/push HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
          () => resolve(),
        );
      });
      socket.on('error', () => undefined);
      socket.once('data', () => (answered += 1));
      sockets.push(socket);
    });

  test('of one agent keep neither the person nor another agent from being answered', async () => {
    const user = await aUser(app);
    const other = await aKey(app, user, 'agent');
    await Promise.all(Array.from({ length: 70 }, () => stalled(user.agent.token)));
    const underWay = async () => (await user.get('/metrics').expect(200)).text.match(/_under_way (\d+)/)?.[1];
    await expect.poll(underWay).toBe('71'); // with the question itself
    await user.get('/user/profile').expect(200);
    await other.get('/memory/pull').expect(200);
    const { body: keys } = await user.get('/user/keys').expect(200);
    for (const { id, kind } of keys) if (kind === 'agent') await user.delete(`/user/keys?id=${id}`).expect(200);
    expect(answered).toBe(0); // not even those that wait were refused
  });
});

describe('a prompt of 100,000 characters', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await anApp();
  });
  afterAll(() => app.close());

  /** Forty requests fit into what is read. */
  const prompt = 'Plan 30 minutes of reading tomorrow at 10:00. '.repeat(3_000).slice(0, 100_000);

  test('is answered, and the answer says what was not read', async () => {
    const user = await aUser(app);
    const { body } = await user.post('/chat/respond', { prompt }).expect(200);
    expect(body.plans.length).toBeGreaterThan(30);
    const [, read] = /read (\d+) of 100000 characters/.exec(body.warnings.join(' ')) ?? [];
    expect(Number(read)).toBeGreaterThan(1_000);
    expect(Number(read)).toBeLessThanOrEqual(5_000);
    expect(body.reply).toContain(`I read only the first ${read} characters`);
    // The last request read is whole: half of it may mean something else.
    for (const plan of body.plans) expect(plan).toMatchObject({ title: 'Reading', duration_minutes: 30 });
  });
});
