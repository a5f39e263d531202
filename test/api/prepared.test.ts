/** Prepared statements: the usual ones stay prepared whatever odd ones come by, and no connection holds ever more of them. */
import { Kysely, sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseHandle } from '../../src/db/database.ts';
import { createPGlite } from '../../src/db/embedded.ts';
import { FairPGliteDialect } from '../../src/db/fair-connections.ts';
import { PreparingPGlite } from '../../src/db/prepared-embedded.ts';
import { onPostgres, testDatabase, type TestDatabase } from '../support/db.ts';

describe('prepared statements', () => {
  let database: TestDatabase;
  let handle: DatabaseHandle;
  beforeAll(async () => {
    database = await testDatabase();
    ({ handle } = database);
  });
  afterAll(() => database.close());

  type Held = { name: string; statement: string };
  /** Of one connection, on which `work` ran too. */
  const heldAfter = (work: (run: (text: string, n: number) => Promise<number>) => Promise<void>): Promise<Held[]> =>
    handle.db.connection().execute(async (connection) => {
      await work(async (text, n) => {
        const { rows } = await sql<{ n: number }>`${sql.raw(text)} ${n}::int as n`.execute(connection);
        return rows[0]?.n ?? 0;
      });
      return (await sql<Held>`select name, statement from pg_prepared_statements`.execute(connection)).rows;
    });

  const odd = (i: number): string => `select /* odd ${i} */`;

  test('a statement is prepared from its second use on, also after 2,000 odd ones', async () => {
    const held = await heldAfter(async (run) => {
      for (let i = 0; i < 2_000; i++) for (let twice = 0; twice < 2; twice++) expect(await run(odd(i), i)).toBe(i);
      for (let twice = 0; twice < 2; twice++) expect(await run('select /* usual */', 7)).toBe(7);
    });
    expect(held.filter(({ statement }) => statement.includes('usual'))).toHaveLength(1);
    expect(held.length).toBeLessThanOrEqual(500);
    expect(held.length).toBeGreaterThan(400); // those used last
  });

  test('texts that come once are not prepared', async () => {
    const held = await heldAfter(async (run) => {
      for (let i = 5_000; i < 5_010; i++) expect(await run(odd(i), i)).toBe(i);
    });
    expect(held.filter(({ statement }) => statement.includes('odd 500'))).toEqual([]);
  });

  test('what was closed is prepared anew, also while others are under way on the same connection', async () => {
    const numbers = Array.from({ length: 700 }, (_, i) => i);
    const round = (): Promise<number[]> =>
      Promise.all(
        numbers.map(async (i) => {
          const { rows } = await sql<{ n: number }>`${sql.raw(odd(i))} ${i}::int as n`.execute(handle.reads);
          return rows[0]?.n ?? -1;
        }),
      );
    for (let rounds = 0; rounds < 4; rounds++) expect(await round()).toEqual(numbers);
    await expect(sql`select ${1}::int / 0`.execute(handle.reads)).rejects.toThrow('division by zero');
    expect(await round()).toEqual(numbers);
  });

  test('a failed transaction closes statements too', async () => {
    const broken = handle.db.transaction().execute(async (tx) => {
      await sql`select 1 / ${0}::int`.execute(tx).catch(() => undefined);
      for (let i = 0; i < 1_300; i++) await sql`${sql.raw(odd(i))} ${i}::int as n`.execute(tx).catch(() => undefined);
    });
    await expect(broken).rejects.toThrow();
    await heldAfter(async (run) => {
      for (let i = 0; i < 1_300; i++) for (let twice = 0; twice < 2; twice++) expect(await run(odd(i), i)).toBe(i);
    });
  });

  test.runIf(!onPostgres)('the embedded database says that it is closed', async () => {
    const pglite = new PreparingPGlite(await createPGlite());
    await pglite.query('select 1', []);
    await pglite.close();
    await expect(pglite.query('select 1', [])).rejects.toThrow(/^PGlite is closed$/);
    await expect(pglite.query('select 2', [])).rejects.toThrow(/^PGlite is closed$/);
  });

  test('a name stands for one text in every process: it is made of the text', async () => {
    const held = await heldAfter(async (run) => {
      for (let twice = 0; twice < 2; twice++) await run('select /* named */', 1);
    });
    // A later process must come to the same name: this one is written down.
    expect(held.find(({ statement }) => statement.includes('named'))?.name).toMatch(/^a[\w-]{22}$/);
  });
});

describe('a database that is closed', () => {
  test('begins no transaction, and says so to whoever asked for it', async () => {
    const pglite = await createPGlite();
    const db = new Kysely<object>({ dialect: new FairPGliteDialect(new PreparingPGlite(pglite)) });
    await sql`select 1`.execute(db);
    await pglite.close();
    for (let twice = 0; twice < 2; twice++)
      await expect(db.transaction().execute(async () => 1)).rejects.toThrow('PGlite is closed');
    await expect(sql`select 1`.execute(db)).rejects.toThrow('PGlite is closed');
  });
});
