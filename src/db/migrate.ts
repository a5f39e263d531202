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

/**
 * pgvector is optional and may be installed later, so its table is not a migration: made at any start that finds the extension.
 * @returns whether semantic search is possible on this database.
 */
export const ensureVectors = async (db: Db): Promise<boolean> => {
  try {
    await sql`create extension if not exists vector`.execute(db);
    await sql`create table if not exists embeddings (
      user_id text not null, uid text not null, seq bigint not null, model text not null, embedding vector not null,
      primary key (user_id, uid))`.execute(db);
    // What they were before the trace was rewritten or removed, for search as of then.
    await sql`create table if not exists embeddings_past (
      user_id text not null, uid text not null, seq bigint not null, until bigint not null, model text not null, embedding vector not null,
      primary key (user_id, uid, seq))`.execute(db);
    return true;
  } catch {
    return false; // not installed, or not allowed to: search says so in its own answers
  }
};
