/** What the service needs of its database beside the migrations: told at the start, not found out from wrong times later. */
import { sql } from 'kysely';
import type { Db } from './client.ts';

const OLDEST = 150_000;
/** How values are written in answers (db/values.ts reads them); asked for with every connection, but a pooler may drop that. */
const SETTINGS = [
  { name: 'timezone', value: 'UTC', good: /^(Etc\/)?UTC$/ },
  { name: 'datestyle', value: 'ISO, MDY', good: /^ISO/ },
  { name: 'bytea_output', value: 'hex', good: /^hex$/ },
];

/** @throws Error with a message for people: an old Postgres, or a pooler between that swallows session settings. */
export const checkDatabase = async (db: Db): Promise<void> => {
  const { rows } = await sql<{ name: string; setting: string }>`
    select name, setting from pg_settings
    where lower(name) = any(${['server_version_num', 'server_version', ...SETTINGS.map(({ name }) => name)]})`.execute(
    db,
  );
  const found = new Map(rows.map(({ name, setting }) => [name.toLowerCase(), setting]));
  if (Number(found.get('server_version_num')) < OLDEST)
    throw new Error(`Postgres ${found.get('server_version')} is too old: 15 or newer is needed.`);
  const wrong = SETTINGS.filter(({ name, good }) => !good.test(found.get(name) ?? ''));
  if (wrong.length)
    throw new Error(
      `The database connection has ${wrong.map(({ name }) => `${name} = ${found.get(name)}`).join(', ')}, as a pooler that ignores ` +
        `start-up options leaves it. Run in the database: ${wrong.map(({ name, value }) => `alter database <name> set ${name} to '${value}';`).join(' ')}`,
    );
};
