/** Applies migrations: plain SQL files, forward only, in one transaction, run by Kysely's Migrator on both databases alike. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Db, DatabaseHandle } from './database.ts';
import { isDeadlock, isForbidden } from './sqlstate.ts';
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
/** Of migrations that Postgres ended because of a deadlock. */
const MOST_TRIES = 10;

/** Lists the migrations in the database in order. */
export const appliedMigrations = async (db: Db): Promise<string[]> => {
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
  const present = await appliedMigrations(db);
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

/** Says which rights the role lacks that has to create tables and extensions. */
const whyForbidden = async (db: Db): Promise<string> => {
  const { rows } = await sql<{ role: string; name: string }>`
    select quote_ident(current_user) as role, quote_ident(current_database()) as name`.execute(db);
  const { role = '', name = '' } = rows[0] ?? {};
  return `The role ${role} of DATABASE_URL may not create what Almanac needs in the database ${name}. Run these statements in it as its owner, then start again: grant create on database ${name} to ${role}; grant usage, create on schema public to ${role};`;
};

/**
 * Applies what is pending. During a rolling upgrade the earlier release writes meanwhile, and Postgres may end the migrations to
 * resolve a deadlock with such a write. Nothing is applied then, and they are tried again.
 */
const toLatest = async (db: Db) => {
  const migrator = new Migrator({ db, provider, migrationTableName: TABLE });
  for (let tries = 1; ; tries++) {
    const result = await migrator.migrateToLatest();
    if (!isDeadlock(result.error) || tries === MOST_TRIES) return result;
    await sleep(tries * 100 * (1 + Math.random()));
  }
};

/**
 * Brings the schema up to date. Instances that start together wait for each other (Kysely's migration lock).
 * @returns the migrations applied now, and those that a newer release has applied
 */
export const migrate = async ({ db }: DatabaseHandle): Promise<{ applied: string[]; newer: string[] }> => {
  const before = await migrationState(db);
  if (!before.pending.length) return { applied: [], newer: before.newer };
  const { error, results } = await toLatest(db);
  // Where a newer release migrated at the same time, the Migrator fails on names that it does not know, although nothing is left
  // to do.
  const { pending, newer } = error ? await migrationState(db) : { pending: [], newer: [] };
  if (error && pending.length)
    throw new Error(isForbidden(error) ? await whyForbidden(db) : 'The migrations of the database failed.', {
      cause: error,
    });
  return { applied: (results ?? []).map((r) => r.migrationName), newer };
};

/**
 * Prepares an empty database for rows that were written under these migrations, in order.
 * @throws Error with a message for people where this release does not know them, or the database has others already
 */
export const migrateAs = async ({ db }: DatabaseHandle, migrations: readonly string[]): Promise<void> => {
  const own = ownMigrations();
  const unknown = migrations.filter((name) => !own.includes(name));
  if (unknown.length)
    throw new Error(
      `The source has the migrations ${unknown.join(', ')}, which this release does not know. Use the release that wrote it, or a newer one.`,
    );
  const last = migrations.at(-1);
  if (last === undefined || own.indexOf(last) !== migrations.length - 1)
    throw new Error('The list of migrations of the source has gaps, so the source is no database of Almanac.');
  const present = await appliedMigrations(db);
  const others = present.filter((name) => !migrations.includes(name));
  if (others.length)
    throw new Error(
      `The target has the migrations ${others.join(', ')}, which the source lacks. Use a database without tables; they are brought up to date after the rows are there.`,
    );
  if (present.length === migrations.length) return;
  const { error } = await new Migrator({ db, provider, migrationTableName: TABLE }).migrateTo(last);
  if (error)
    throw new Error(isForbidden(error) ? await whyForbidden(db) : 'The migrations of the target failed.', {
      cause: error,
    });
};

/** Returns whether every migration of this release is applied. */
export const isUpToDate = async ({ db }: DatabaseHandle): Promise<boolean> =>
  (await migrationState(db)).pending.length === 0;
