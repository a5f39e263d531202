/** Migrations: plain SQL files, forward only, in one transaction, run by Kysely's Migrator on both databases alike. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import type { Db, DatabaseHandle } from './client.ts';

const FOLDER = join(import.meta.dirname, '../../migrations');

/** PGlite takes one statement at a time: cut at semicolons that end a line outside of $$ bodies. */
const statements = (file: string): string[] =>
  file
    .split('$$')
    .map((part, i) => (i % 2 ? part : part.replace(/;[ \t]*$/gm, ';\f')))
    .join('$$')
    .split('\f')
    .filter((s) => s.replace(/^\s*--.*$/gm, '').trim());

const provider = {
  getMigrations: async (): Promise<Record<string, Migration>> => {
    const files = readdirSync(FOLDER).filter((f) => f.endsWith('.sql'));
    const migration = (file: string): Migration => ({
      up: async (db) => {
        for (const statement of statements(readFileSync(join(FOLDER, file), 'utf8')))
          await sql.raw(statement).execute(db);
      },
    });
    return Object.fromEntries(files.toSorted().map((file) => [file.replace(/\.sql$/, ''), migration(file)]));
  },
};

/**
 * Brings the schema up to date; several instances starting together wait for each other (Kysely's migration lock).
 * @returns names of the migrations applied now.
 */
export const migrate = async (handle: DatabaseHandle): Promise<string[]> => {
  const { error, results } = await new Migrator({ db: handle.db, provider }).migrateToLatest();
  if (error) throw new Error('The database could not be brought up to date.', { cause: error });
  const applied = (results ?? []).map((r) => r.migrationName);
  return applied;
};

/** Whether nothing is left to be applied. */
export const isUpToDate = async (handle: DatabaseHandle): Promise<boolean> =>
  (await new Migrator({ db: handle.db, provider }).getMigrations()).every((m) => m.executedAt !== undefined);

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
