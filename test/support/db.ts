/** A fresh database for every test file: from a migrated image (PGlite) or a migrated template (TEST_DATABASE_URL). */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { deserialize, serialize } from 'node:v8';
import { MemoryFS, type PGlite } from '@electric-sql/pglite';
import { sql } from 'kysely';
import pg from 'pg';
import { embeddedHandle, openDatabase, type DatabaseHandle } from '../../src/db/database.ts';
import { allowSchemaChanges } from '../../src/db/distribution.ts';
import { createPGlite } from '../../src/db/embedded.ts';
import { migrate } from '../../src/db/migrate.ts';
import { ensureVectors } from '../../src/db/vectors.ts';
import {
  closeToSessions,
  createClusterDatabase,
  distributeOnCluster,
  dropEverywhere,
  everywhere,
  hasCitus,
} from './citus.ts';

export type TestDatabase = {
  handle: DatabaseHandle;
  vectors: boolean;
  /** Another connection pool on the same database, for a second instance; server Postgres only. */
  again: () => Promise<DatabaseHandle>;
  close: () => Promise<void>;
};

export type FreshDatabase = TestDatabase & {
  name: string;
  /** What a backup of it becomes when it is restored. */
  copy: () => Promise<FreshDatabase>;
};

export const onPostgres = process.env['TEST_DATABASE_URL'] !== undefined;

/** Changes with the migrations and with the code that makes them an image, so that an old image or template is never used. */
const schemaKey = (): string => {
  const folder = join(import.meta.dirname, '../../migrations');
  const digest = createHash('sha256').update(readFileSync(import.meta.filename));
  digest.update(readFileSync(join(folder, '../src/db/distribution.ts')));
  for (const file of readdirSync(folder).toSorted()) digest.update(file).update(readFileSync(join(folder, file)));
  return digest.digest('hex').slice(0, 16);
};

/** Unpacking the databases that Postgres copies for `create database` would take a third of the time that an image takes. */
const WITHOUT_TEMPLATES = [
  'update pg_database set datistemplate = false',
  'drop database template0',
  'drop database template1',
];

/** Where PGlite keeps the cluster in its file system. */
const CLUSTER = '/pglite/data';

/** A file of a cluster, or a directory, which has no data. Paths begin with a slash; a directory comes before what is in it. */
type ClusterFile = { path: string; data: Uint8Array | null };

type FileSystem = PGlite['Module']['FS'];

const readCluster = (FS: FileSystem, folder = ''): ClusterFile[] =>
  (FS.readdir(CLUSTER + folder) as string[])
    .filter((name) => name !== '.' && name !== '..')
    .flatMap((name): ClusterFile[] => {
      const path = `${folder}/${name}`;
      if (FS.isDir(FS.stat(CLUSTER + path).mode)) return [{ path, data: null }, ...readCluster(FS, path)];
      return [{ path, data: FS.readFile(CLUSTER + path, { encoding: 'binary' }) }];
    });

/** A memory file system that begins with a copy of a cluster. To load the same files as a tar would take half as long again. */
class CopiedCluster extends MemoryFS {
  readonly #files: ClusterFile[];

  constructor(files: ClusterFile[]) {
    super();
    this.#files = files;
  }

  override async initialSyncFs(): Promise<void> {
    const { FS } = (this.pg as PGlite).Module;
    FS.mkdirTree(CLUSTER);
    for (const { path, data } of this.#files)
      if (data) FS.writeFile(CLUSTER + path, data.slice(), { canOwn: true });
      else FS.mkdir(CLUSTER + path);
  }
}

/** Reads the image of a migrated cluster, and makes it where there is none. */
const migratedImage = async (): Promise<ClusterFile[]> => {
  const folder = join(tmpdir(), 'almanac-test');
  const image = join(folder, `${schemaKey()}-${process.versions.node}.image`);
  if (!existsSync(image)) {
    const pglite = await createPGlite();
    const handle = embeddedHandle(pglite, () => undefined);
    await migrate(handle);
    await ensureVectors(handle.db);
    for (const statement of WITHOUT_TEMPLATES) await pglite.exec(statement);
    await pglite.exec('checkpoint');
    mkdirSync(folder, { recursive: true });
    const part = `${image}.${process.pid}.${randomBytes(4).toString('hex')}`;
    writeFileSync(part, serialize(readCluster(pglite.Module.FS)));
    renameSync(part, image); // workers race: the last whole file wins
    await handle.close();
  }
  return deserialize(readFileSync(image));
};

let image: Promise<ClusterFile[]> | undefined;
const imageOnce = (): Promise<ClusterFile[]> => (image ??= migratedImage());

const embedded = async (): Promise<FreshDatabase> => fromImage(await imageOnce());

/** Makes DATA_DIR what it is after a first start, without the seconds that Postgres takes to create a cluster. */
export const migratedDirectory = async (DATA_DIR: string): Promise<void> => {
  const cluster = join(DATA_DIR, 'pgdata');
  mkdirSync(cluster, { recursive: true, mode: 0o700 });
  for (const { path, data } of await imageOnce())
    if (data) writeFileSync(join(cluster, path), data, { mode: 0o600 });
    else mkdirSync(join(cluster, path), { mode: 0o700 });
};

const fromImage = async (files: ClusterFile[]): Promise<FreshDatabase> => {
  const pglite = await createPGlite(undefined, new CopiedCluster(files));
  const handle = embeddedHandle(pglite, () => undefined);
  return {
    handle,
    vectors: true,
    name: 'embedded',
    again: () => Promise.reject(new Error('embedded')),
    copy: async () => fromImage(readCluster(pglite.Module.FS)),
    close: handle.close,
  };
};

const withDatabase = (url: string, name: string): string => {
  const next = new URL(url);
  next.pathname = `/${name}`;
  return next.href;
};

const open = (url: string): Promise<DatabaseHandle> =>
  openDatabase({ DATABASE_URL: url, DATA_DIR: '', DATABASE_POOL: 10 }, (error) => console.error(error.message));

const onServer = async (url: string): Promise<FreshDatabase> => {
  const admin = new pg.Client({ connectionString: url });
  await admin.connect();
  const template = `almanac_template_${schemaKey()}`;
  const name = newName();
  try {
    await admin.query('select pg_advisory_lock(4242)'); // one worker makes the template
    const { rows } = await admin.query('select 1 from pg_database where datname = $1', [template]);
    if (!rows.length) {
      await dropEverywhere(`${template}_new`);
      await createClusterDatabase(`${template}_new`);
      const handle = await open(withDatabase(url, `${template}_new`));
      await migrate(handle);
      await ensureVectors(handle.db);
      await distributeOnCluster(handle);
      await handle.close();
      await closeToSessions(`${template}_new`);
      await everywhere(`alter database ${template}_new rename to ${template}`);
      const old = await admin.query(
        "select datname from pg_database where datname like 'almanac\\_template\\_%' and datname <> $1",
        [template],
      );
      for (const { datname } of old.rows) await everywhere(`drop database if exists ${pg.escapeIdentifier(datname)}`);
    }
    await everywhere(`create database ${name} template ${template}`);
  } finally {
    await admin.end();
  }
  return onDatabase(url, name);
};

const newName = (): string => `almanac_test_${randomBytes(6).toString('hex')}`;

const onDatabase = async (url: string, name: string): Promise<FreshDatabase> => {
  const handle = await open(withDatabase(url, name));
  const { rows } = await handle.query("select to_regclass('embeddings') is not null as there", []);
  return {
    handle,
    vectors: rows[0]?.['there'] === true,
    name,
    again: () => open(withDatabase(url, name)),
    copy: async () => {
      const copy = newName();
      if (hasCitus) {
        // A dump of the coordinator would not contain the rows of the other machines.
        await closeToSessions(name);
        await everywhere(`create database ${copy} template ${name}`);
        await everywhere(`alter database ${name} with allow_connections true`);
        return onDatabase(url, copy);
      }
      const file = join(tmpdir(), `${copy}.dump`);
      execFileSync('pg_dump', ['-Fc', '-f', file, withDatabase(url, name)]);
      await handle.query(`create database ${copy}`, []);
      execFileSync('pg_restore', ['-d', withDatabase(url, copy), file]);
      rmSync(file);
      return onDatabase(url, copy);
    },
    close: async () => {
      await handle.close();
      await dropEverywhere(name);
    },
  };
};

export const testDatabase = (): Promise<FreshDatabase> => {
  const url = process.env['TEST_DATABASE_URL'];
  return url ? onServer(url) : embedded();
};

/** Changes the schema as a migration does, on every machine of a distributed database. */
export const changeSchema = ({ db }: DatabaseHandle, ...statements: string[]): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await allowSchemaChanges(tx);
    for (const statement of statements) await sql.raw(statement).execute(tx);
  });

/** Puts `other` in the place of `database` under whoever is connected, as a failover does; server Postgres only. */
export const exchange = async (database: FreshDatabase, other: FreshDatabase): Promise<void> => {
  for (const { name } of [database, other]) await closeToSessions(name);
  await everywhere(`alter database ${database.name} rename to ${database.name}_gone`);
  await everywhere(`alter database ${other.name} rename to ${database.name}`);
  await everywhere(`alter database ${database.name} with allow_connections true`);
  await everywhere(`drop database ${database.name}_gone`);
};
