/** Migrations: plain SQL files, forward only, in one transaction, run by Kysely's Migrator on both databases alike. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Db, DatabaseHandle } from './database.ts';

const FOLDER = join(import.meta.dirname, '../../migrations');

/** PGlite takes one statement at a time: cut at semicolons that end a line outside of $$ bodies. */
const statements = (file: string): string[] =>
  file
    .split('$$')
    .map((part, i) => (i % 2 ? part : part.replace(/;[ \t]*$/gm, ';\f')))
    .join('$$')
    .split('\f')
    .filter((s) => s.replace(/^\s*--.*$/gm, '').trim());

/** Names of this release's migrations, in their order. */
const ours = (): string[] =>
  readdirSync(FOLDER)
    .filter((f) => f.endsWith('.sql'))
    .map((file) => file.replace(/\.sql$/, ''))
    .toSorted();

const provider = {
  getMigrations: async (): Promise<Record<string, Migration>> => {
    const migration = (name: string): Migration => ({
      up: async (db) => {
        for (const statement of statements(readFileSync(join(FOLDER, `${name}.sql`), 'utf8')))
          await sql.raw(statement).execute(db);
      },
    });
    return Object.fromEntries(ours().map((name) => [name, migration(name)]));
  },
};

const TABLE = 'kysely_migration';

/** Names in the database, in their order. */
const applied = async (db: Db): Promise<string[]> => {
  const { rows: found } = await sql`select 1 where to_regclass(${TABLE}) is not null`.execute(db);
  if (!found.length) return [];
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)} order by name`.execute(db);
  return rows.map(({ name }) => name);
};

/** What this release has yet to apply, and what a newer one has applied. */
export type Standing = { pending: string[]; newer: string[] };

/**
 * How the database stands to this release. Migrations only add, so names beyond ours are those of a newer release, beside which
 * this one works on (a rolling upgrade). @throws Error with a message for people where the two have different histories.
 */
const standing = async (db: Db): Promise<Standing> => {
  const mine = ours();
  const there = await applied(db);
  const last = mine.at(-1) ?? '';
  const newer = there.filter((name) => name > last);
  const foreign = there.filter((name) => name <= last && !mine.includes(name));
  const pending = mine.filter((name) => !there.includes(name));
  const skipped = pending.filter((name) => there.some((other) => other > name));
  if (foreign.length || skipped.length)
    throw new Error(
      `The database was not made by a release of which this one is an older or a newer version: ${[
        foreign.length && `it has ${foreign.join(', ')}, which this one does not know`,
        skipped.length && `it lacks ${skipped.join(', ')} and has later ones`,
      ]
        .filter(Boolean)
        .join('; ')}. Start the release that made it, or name another database.`,
    );
  return { pending, newer };
};

/**
 * Brings the schema up to date; several instances starting together wait for each other (Kysely's migration lock).
 * @returns names of the migrations applied now, and of those that a newer release has applied.
 */
export const migrate = async ({ db }: DatabaseHandle): Promise<{ applied: string[]; newer: string[] }> => {
  const before = await standing(db);
  if (!before.pending.length) return { applied: [], newer: before.newer };
  const { error, results } = await new Migrator({ db, provider, migrationTableName: TABLE }).migrateToLatest();
  // Where a newer release migrated at the same time, the Migrator met names that it does not know, and nothing is left to do.
  const { pending, newer } = error ? await standing(db) : { pending: [], newer: [] };
  if (error && pending.length) throw new Error('The database could not be brought up to date.', { cause: error });
  return { applied: (results ?? []).map((r) => r.migrationName), newer };
};

/** Whether nothing of this release is left to be applied. */
export const isUpToDate = async ({ db }: DatabaseHandle): Promise<boolean> => (await standing(db)).pending.length === 0;

/** Not installed on the server (the SQLSTATE differs with the version), or not allowed to install it, or hidden from this role. */
const NO_VECTORS = ['0A000', '58P01', '42501', '42704'];
/** Any number: instances that start together make the tables one after the other. */
const VECTORS_LOCK = 7_263_549_011;

/** Vectors of the built-in embedder, made with the trace; their past; and those of a model, any length, until the seq that ended them. */
const VECTOR_TABLES: Record<string, string[]> = {
  embeddings: [
    `create table embeddings (
      user_id text not null, uid text not null, seq bigint not null, model text not null, embedding vector not null,
      primary key (user_id, uid))`,
  ],
  embeddings_past: [
    `create table embeddings_past (
      user_id text not null, uid text not null, seq bigint not null, until bigint not null, model text not null,
      embedding vector not null, primary key (user_id, uid, seq))`,
  ],
  model_embeddings: [
    `create table model_embeddings (
      user_id text not null, model text not null, uid text not null, seq bigint not null,
      until bigint not null default 9223372036854775807, embedding vector not null,
      primary key (user_id, model, uid, seq),
      foreign key (user_id, model) references embedding_progress on delete cascade)`,
    // In the row where it fits a page: 10,000 vectors of 1,536 are scanned in 50 ms, out of line in 80 ms (PGlite).
    'alter table model_embeddings alter embedding set storage main',
  ],
};

/**
 * pgvector is optional and may be installed later, so its tables are not a migration: made at any start that finds the extension.
 * @returns whether semantic search is possible on this database. @throws what else goes wrong, a database that is away for one.
 */
export const ensureVectors = async (db: Db): Promise<boolean> => {
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${VECTORS_LOCK})`.execute(tx);
      const { rows } = await sql`select 1 from pg_extension where extname = 'vector'`.execute(tx);
      if (!rows.length) await sql`create extension vector`.execute(tx);
      for (const [table, statements] of Object.entries(VECTOR_TABLES)) {
        const { rows } = await sql`select 1 where to_regclass(${table}) is null`.execute(tx);
        if (rows.length) for (const statement of statements) await sql.raw(statement).execute(tx);
      }
    });
    return true;
  } catch (error) {
    if (NO_VECTORS.includes((error as { code?: string }).code ?? '')) return false; // search says so in its own answers
    throw error;
  }
};
