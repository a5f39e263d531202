/** The embedded database has no autovacuum: what edits leave behind is used again all the same. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { vacuumTables } from '../../src/db/vacuum.ts';
import { anApp, aUser, type TestApp, type TestUser } from '../support/app.ts';
import { onPostgres } from '../support/db.ts';

/** So many leave enough dead rows for a vacuum. */
const EDITS = 60;

describe.skipIf(onPostgres)('the embedded database', () => {
  let app: TestApp;
  let user: TestUser;
  let uid: string;
  beforeAll(async () => {
    app = await anApp();
    user = await aUser(app);
    const { body } = await user
      .post('/memory/push', { traces: [{ type: 'observation', content: 'first' }] })
      .expect(201);
    uid = body[0].uid;
  });
  afterAll(() => app.close());

  const edit = async (): Promise<void> => {
    for (let i = 0; i < EDITS; i++)
      await user
        .patch('/memory/edit', { uid, updates: { content: `edit ${i} of a note about tides`, tags: [`t${i}`] } })
        .expect(200);
  };
  /** Bytes of the table that edits change in place, with its indexes. */
  const size = async (): Promise<number> => {
    const { rows } = await sql<{ size: number }>`select pg_total_relation_size('traces') as size`.execute(
      app.database.handle.db,
    );
    return Number(rows[0]?.size);
  };

  /** The session reports what it counted now; by itself it does so at most once a second. */
  const statistics = () => sql`select pg_stat_force_next_flush()`.execute(app.database.handle.db);

  test('does not grow with edits', async () => {
    const { db } = app.database.handle;
    const sizes: number[] = [];
    for (let round = 0; round < 5; round++) {
      await edit();
      await statistics();
      expect(await vacuumTables(db)).toContain('traces');
      sizes.push(await size());
    }
    // Measured: 352 kB each time; without a vacuum 272, 320, 352, 392, 456.
    expect(sizes[4]).toBeLessThanOrEqual((sizes[2] as number) * 1.05);
    expect(await vacuumTables(db)).not.toContain('traces');
  });

  test('is vacuumed while requests go on', async () => {
    await edit();
    await statistics();
    const [names, ...answers] = await Promise.all([
      vacuumTables(app.database.handle.db),
      ...Array.from({ length: 20 }, (_, i) =>
        user.post('/memory/push', { traces: [{ type: 'observation', content: `meanwhile ${i}` }] }),
      ),
    ]);
    expect(names).toContain('traces');
    expect(answers.map((a) => a.status)).toEqual(Array(20).fill(201));
    expect((await user.get('/debug/audit').expect(200)).body).toMatchObject({ ok: true });
  });
});
