/** Applies migrations: plain SQL files, forward only, in one transaction, run by Kysely's Migrator on both databases alike. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Db, DatabaseHandle } from './database.ts';
import { allowSchemaChanges } from './distribution.ts';

const FOLDER = join(import.meta.dirname, '../../migrations');

/** PGlite takes one statement at a time, so the file is cut at semicolons that end a line outside of $$ bodies. */
const statements = (file: string): string[] =>
  file
    .split('$$')
    .map((part, i) => (i % 2 ? part : part.replace(/;[ \t]*$/gm, ';\f')))
    .join('$$')
    .split('\f')
    .filter((s) => s.replace(/^\s*--.*$/gm, '').trim());

/** Lists this release's migrations in order. */
const ownMigrations = (): string[] =>
  readdirSync(FOLDER)
    .filter((f) => f.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''))
    .toSorted();

const provider = {
  getMigrations: async (): Promise<Record<string, Migration>> => {
    const migration = (name: string): Migration => ({
      up: async (db) => {
        await allowSchemaChanges(db);
        for (const statement of statements(readFileSync(join(FOLDER, `${name}.sql`), 'utf8')))
          await sql.raw(statement).execute(db);
      },
    });
    return Object.fromEntries(ownMigrations().map((name) => [name, migration(name)]));
  },
};

const TABLE = 'kysely_migration';

/** Lists the migrations in the database in order. */
const applied = async (db: Db): Promise<string[]> => {
  const { rows: found } = await sql`select 1 where to_regclass(${TABLE}) is not null`.execute(db);
  if (!found.length) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)} order by name`.execute(db);
  return rows.map(({ name }) => name);
};

/** `pending` are the migrations that this release has yet to apply, `newer` those that a newer release has applied. */
export type MigrationState = { pending: string[]; newer: string[] };

/**
 * Compares the database with this release. Migrations only add, so this release can work beside a newer one whose migrations it
 * does not know (a rolling upgrade). @throws Error with a message for people where the two have different histories
 */
const migrationState = async (db: Db): Promise<MigrationState> => {
  const own = ownMigrations();
  const present = await applied(db);
  const last = own.at(-1) ?? '';
  const newer = present.filter((name) => name > last);
  const foreign = present.filter((name) => name <= last && !own.includes(name));
  const pending = own.filter((name) => !present.includes(name));
  const skipped = pending.filter((name) => present.some((other) => other > name));
  if (foreign.length || skipped.length)
    throw new Error(
      `The migrations of the database do not match this release: ${[
        foreign.length && `it has ${foreign.join(', ')}, which this one does not know`,
        skipped.length && `it lacks ${skipped.join(', ')} and has later ones`,
      ]
        .filter(Boolean)
        .join('; ')}. Start the release that migrated this database, or use another database.`,
    );
  return { pending, newer };
};

/**
 * Brings the schema up to date. Instances that start together wait for each other (Kysely's migration lock).
 * @returns the migrations applied now, and those that a newer release has applied
 */
export const migrate = async ({ db }: DatabaseHandle): Promise<{ applied: string[]; newer: string[] }> => {
  const before = await migrationState(db);
  if (!before.pending.length) return { applied: [], newer: before.newer };
  const { error, results } = await new Migrator({ db, provider, migrationTableName: TABLE }).migrateToLatest();
  // Where a newer release migrated at the same time, the Migrator fails on names that it does not know, although nothing is left
  // to do.
  const { pending, newer } = error ? await migrationState(db) : { pending: [], newer: [] };
  if (error && pending.length) throw new Error('The migrations of the database failed.', { cause: error });
  return { applied: (results ?? []).map((r) => r.migrationName), newer };
};

/** Returns whether every migration of this release is applied. */
export const isUpToDate = async ({ db }: DatabaseHandle): Promise<boolean> =>
  (await migrationState(db)).pending.length === 0;
