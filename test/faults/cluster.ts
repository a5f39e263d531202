/**
 * Databases for trials: a fresh one on a Postgres server, or a fresh directory for the embedded one; both gone afterwards. On a
 * server with Citus (test/scale) it is distributed.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../../src/db/database.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import { createClusterDatabase, distributeOnCluster, dropEverywhere, hasCitus } from '../support/citus.ts';

export type Query = <R extends object>(text: string, values?: unknown[]) => Promise<R[]>;

export type Place = {
  kind: 'postgres' | 'embedded';
  /** For service processes. */
  env: Record<string, string>;
  /** How many processes may share it, of those wished for. */
  instances: (wished: number) => number;
  /** Looks at the database behind the service's back; on the embedded one only while no service runs. */
  sql: <T>(work: (query: Query) => Promise<T>) => Promise<T>;
  drop: () => Promise<void>;
};

export const SERVER = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';

const admin = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: SERVER, connectionTimeoutMillis: 3_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};

/** Why there is no Postgres, or null where it answers. */
export const postgresMissing = (): Promise<string | null> =>
  admin('select 1').then(
    () => null,
    (error: unknown) => `${SERVER.replace(/\/\/.*@/, '//')}: ${(error as Error).message || 'no answer'}`,
  );

const onPostgres = async (): Promise<Place> => {
  const name = `almanac_faults_${randomBytes(6).toString('hex')}`;
  if (hasCitus) await createClusterDatabase(name);
  else await admin(`create database ${name}`);
  const url = new URL(SERVER);
  url.pathname = `/${name}`;
  const handle = await openDatabase({ DATABASE_URL: url.href, DATA_DIR: '', DATABASE_POOL: 2 }, () => undefined);
  if (hasCitus) {
    await migrate(handle);
    await ensureVectors(handle.db);
    await distributeOnCluster(handle);
  }
  const query: Query = async (text, values = []) => (await handle.query(text, values)).rows as never;
  return {
    kind: 'postgres',
    env: { DATABASE_URL: url.href },
    instances: (wished) => wished,
    sql: (work) => work(query),
    drop: async () => {
      await handle.close();
      if (hasCitus) await dropEverywhere(name);
      else await admin(`drop database if exists ${name} with (force)`);
    },
  };
};

const embedded = (): Place => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-faults-'));
  return {
    kind: 'embedded',
    env: { DATA_DIR: folder },
    instances: () => 1,
    sql: async (work) => {
      const handle = await openDatabase({ DATA_DIR: folder, DATABASE_POOL: 2 }, () => undefined);
      try {
        return await work(async (text, values = []) => (await handle.query(text, values)).rows as never);
      } finally {
        await handle.close();
      }
    },
    drop: async () => rmSync(folder, { recursive: true, force: true }),
  };
};

export const aPlace = async (kind: Place['kind']): Promise<Place> => (kind === 'postgres' ? onPostgres() : embedded());
