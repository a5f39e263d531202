/** A database whose answers would be read wrongly is refused at the start, with what to do. */
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDatabase } from '../../src/db/requirements.ts';
import { testDatabase, type TestDatabase } from '../support/db.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('the database as the service opens it will do', async () => {
  await expect(checkDatabase(database.handle.db)).resolves.toBeUndefined();
});

test.each([
  ['timezone', 'Europe/Berlin', "set timezone to 'UTC'"],
  ['datestyle', 'German', "set datestyle to 'ISO, MDY'"],
  ['bytea_output', 'escape', "set bytea_output to 'hex'"],
])('%s = %s is refused, with the statement that mends it', async (name, value, remedy) => {
  await database.handle.db.transaction().execute(async (tx) => {
    await sql`select set_config(${name}, ${value}, true)`.execute(tx);
    await expect(checkDatabase(tx)).rejects.toThrow(remedy);
  });
});
