/** A rolling upgrade: releases that are older than the database work beside newer ones; other histories are refused by name. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENT_COLUMNS } from '../../src/calendar/events/store.ts';
import { isUpToDate, migrate } from '../../src/db/migrate.ts';
import { TRACE_COLUMNS, TRACE_PAST_COLUMNS } from '../../src/ledger/trace-rows.ts';
import { anApp, aUser, type TestApp } from '../support/app.ts';
import { hasCitus } from '../support/citus.ts';
import { notes } from '../support/follower.ts';

let app: TestApp;
beforeAll(async () => {
  app = await anApp();
});
afterAll(() => app.close());

/** Has the database remember one migration more while `work` runs. */
const having = async (name: string, work: () => Promise<void>): Promise<void> => {
  const { db } = app.database.handle;
  await sql`insert into kysely_migration (name, timestamp) values (${name}, '2026-12-01T00:00:00.000Z')`.execute(db);
  await work().finally(() => sql`delete from kysely_migration where name = ${name}`.execute(db));
};

test('a database that is up to date is left as it is', async () => {
  expect(await migrate(app.database.handle)).toEqual({ applied: [], newer: [] });
  expect(await isUpToDate(app.database.handle)).toBe(true);
});

test('an older process starts again beside a newer schema, and works', () =>
  having('9999_of_tomorrow', async () => {
    expect(await migrate(app.database.handle)).toEqual({ applied: [], newer: ['9999_of_tomorrow'] });
    expect(await isUpToDate(app.database.handle)).toBe(true);
    const user = await aUser(app);
    expect(await notes(user, 1)).toHaveLength(1);
  }));

test('a migration in between that this release does not know is refused, and named', () =>
  having('0001_spine_of_another', async () => {
    const refusal =
      /^The migrations of the database do not match this release: it has 0001_spine_of_another, which this one does not know/;
    await expect(migrate(app.database.handle)).rejects.toThrow(refusal);
    await expect(isUpToDate(app.database.handle)).rejects.toThrow(refusal);
  }));

test('so is a database that lacks one of ours and has later ones', async () => {
  const { db } = app.database.handle;
  await sql`delete from kysely_migration where name = '0002_search'`.execute(db);
  await expect(migrate(app.database.handle)).rejects.toThrow(/it lacks 0002_search and has later ones/);
  await sql`insert into kysely_migration (name, timestamp) values ('0002_search', '2026-11-01T00:00:00.000Z')`.execute(
    db,
  );
});

test.each([
  ['traces', TRACE_COLUMNS, ['user_id', 'due_at']],
  ['traces_past', TRACE_PAST_COLUMNS, ['user_id']],
  ['events', EVENT_COLUMNS, ['user_id']],
] as const)('every column of %s is written from the documents, with the type it has', (table, { types }, others) =>
  app.database.handle.db.transaction().execute(async (tx) => {
    await sql`create temp view written as select * from json_to_recordset('[]') as r(${types})`.execute(tx);
    const columnsOf = async (name: string) =>
      (
        await sql<{ column: string; type: string }>`
          select attname as column, atttypid::regtype::text as type from pg_attribute
          where attrelid = ${name}::regclass and attnum > 0 and not attisdropped order by attname`.execute(tx)
      ).rows;
    const there = await columnsOf(table);
    const written = await columnsOf('written');
    await sql`drop view written`.execute(tx);
    expect(there.filter(({ column }) => !others.some((other) => other === column))).toEqual(written);
  }),
);

// A database is distributed only after this migration.
test.skipIf(hasCitus)('the size of older series is counted as the service counts it', async () => {
  const { db } = app.database.handle;
  const user = await aUser(app);
  const daily = { scheduled_for: '2026-12-01T09:00Z', duration_minutes: 30, rrule: 'FREQ=DAILY;COUNT=9' };
  const events = [
    { ...daily, title: 'Plain' },
    {
      ...daily,
      title: 'Tea, “half: past” ten 🫖',
      description: 'a\n\t"b\\ {x: [1, 2]}',
      tags: ['ä, b', 'c'],
      exdates: ['2026-12-03T09:00Z'],
    },
    { ...daily, rrule: undefined, title: 'Single' },
  ];
  for (const event of events) await user.post('/calendar/create', event).expect(201);
  const sizes = async () =>
    (await sql<{ size: number }>`select size from events where user_id = ${user.user_id} order by uid`.execute(db))
      .rows;
  const counted = await sizes();
  expect(counted.map(({ size }) => size > 0)).toEqual([true, true, false]);
  await sql`update events set size = 1 where user_id = ${user.user_id} and recurring`.execute(db);
  const file = join(import.meta.dirname, '../../migrations/0016_series_bytes.sql');
  await sql.raw(readFileSync(file, 'utf8')).execute(db);
  expect(await sizes()).toEqual(counted);
});
