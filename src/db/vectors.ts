/**
 * The tables of vectors. pgvector is optional and may be installed later, so they are not a migration: any start that finds the
 * extension creates them.
 */
import { sql } from 'kysely';
import { isWriteRefused } from './sqlstate.ts';
import type { Db } from './database.ts';
import { distributeNewTables } from './distribution.ts';

/**
 * An advisory lock with an arbitrary number, because instances that start together must create the tables one after the other.
 */
const VECTORS_LOCK = 7_263_549_011;

/**
 * The tables of vectors: those of the built-in embedder, which are written with the trace; their past versions; and those of a
 * model, of any length, valid until the seq that ended them.
 */
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
      primary key (user_id, model, uid, seq))`,
    // Keeps the vector in the row where it fits a page. In PGlite a scan of 10,000 vectors of 1,536 dimensions takes 50 ms in the
    // row and 80 ms out of line.
    'alter table model_embeddings alter embedding set storage main',
  ],
};

/** Citus accepts it only once both tables are distributed. */
const MODEL_KEY =
  'alter table model_embeddings add foreign key (user_id, model) references embedding_progress on delete cascade';

export type VectorSupport = {
  /** Whether semantic search is possible on this database. */
  vectors: boolean;
  /** Why it is not, in words that complete "Semantic search is not possible, because". */
  whyNoVectors?: string | undefined;
};

/**
 * SQLSTATEs that mean: pgvector is not installed on the server (the code differs by version), this role may not install it, or
 * can't see it.
 */
const NO_VECTORS = ['0A000', '58P01', '42501', '42704'];
/** A service that starts meanwhile must answer reads. */
const READ_ONLY =
  'the database accepted no writes when the service started, so pgvector could not be set up; start it again';

const whyNot = async (db: Db): Promise<string> => {
  const { rows } = await sql<{ schema: string | null; role: string }>`
    select n.nspname as schema, current_user as role
    from pg_available_extensions a
    left join pg_extension e on e.extname = a.name left join pg_namespace n on n.oid = e.extnamespace
    where a.name = 'vector'`.execute(db);
  const [found] = rows;
  if (!found) return 'this Postgres has no pgvector';
  return found.schema === null
    ? `the database role ${found.role} may not install pgvector; an administrator of the database can (create extension vector;)`
    : `pgvector is in the schema ${found.schema}, where the service does not look; an administrator of the database can move it (alter extension vector set schema public;)`;
};

/**
 * Creates the tables of vectors where the extension is there or can be installed.
 * @throws any other error, for example where the database is unreachable
 */
export const ensureVectors = async (db: Db): Promise<VectorSupport> => {
  try {
    await db.transaction().execute(async (tx) => {
      await sql`select pg_advisory_xact_lock(${VECTORS_LOCK})`.execute(tx);
      const { rows } = await sql`select 1 from pg_extension where extname = 'vector'`.execute(tx);
      if (!rows.length) await sql`create extension vector`.execute(tx);
      const missing: string[] = [];
      for (const table of Object.keys(VECTOR_TABLES)) {
        const { rows } = await sql`select 1 where to_regclass(${table}) is null`.execute(tx);
        if (rows.length) missing.push(table);
      }
      for (const table of missing)
        for (const statement of VECTOR_TABLES[table] ?? []) await sql.raw(statement).execute(tx);
      if (missing.length) await distributeNewTables(tx);
      if (missing.includes('model_embeddings')) await sql.raw(MODEL_KEY).execute(tx);
    });
    return { vectors: true };
  } catch (error) {
    if (isWriteRefused(error)) return { vectors: false, whyNoVectors: READ_ONLY };
    if (!NO_VECTORS.includes((error as { code?: string }).code ?? '')) throw error;
    return { vectors: false, whyNoVectors: await whyNot(db) };
  }
};
