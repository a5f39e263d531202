/**
 * Runs Postgres in this process (PGlite) with its files in DATA_DIR, and locks the directory so that only one process uses it.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { PGlite, type PGliteOptions } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { createFile } from './create-file.ts';
import { PARSERS } from './driver-values.ts';
import { InUse } from './in-use.ts';
import { checkDiskSpace } from './write-watch.ts';

const EXTENSIONS = { btree_gin, btree_gist, pg_trgm, vector };

/**
 * A quarter of the default. An idle process takes 259 MiB instead of 324 MiB with half of it, and with 20,000 traces a search takes as
 * long (median 31 ms; with 16 MB 34 ms).
 */
const SHARED_BUFFERS = '32MB';

/**
 * Everybody waits for a statement. With the default of 4 MB, one insert in some thousand moves all the words that were put aside into
 * the index at once, which took 388 ms.
 */
const GIN_PENDING = '256kB';
/**
 * A tenth of the default: the service analyzes tables itself (db/vacuum.ts), and everybody waits. The ledger after an import of 12,000
 * events takes 55 ms; with a quarter it took 184.
 */
const STATISTICS = '10';

const SETTINGS = [
  `shared_buffers=${SHARED_BUFFERS}`,
  `gin_pending_list_limit=${GIN_PENDING}`,
  `default_statistics_target=${STATISTICS}`,
];

/** `fs` is another file system (tests start from a copy of a migrated cluster). Without `dataDir` and `fs` everything stays in memory. */
export const createPGlite = async (dataDir?: string, fs?: PGliteOptions['fs']): Promise<PGlite> => {
  const pglite = await PGlite.create({
    ...(dataDir ? { dataDir } : {}),
    ...(fs ? { fs } : {}),
    extensions: EXTENSIONS,
    parsers: PARSERS,
    startParams: [...PGlite.defaultStartParams, ...SETTINGS.flatMap((setting) => ['-c', setting])],
  });
  await pglite.exec("set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'");
  return pglite;
};

/** States of a process that has ended and waits for its parent to collect it (proc(5), state). */
const ENDED = /^[ZX]/;

/**
 * Identifies a process by its pid and, where the system reports it, its start time, so that a reused pid is not taken for it.
 * Null where no such process runs.
 */
const identity = (pid: number): string | null => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ENDED.test(fields[0] ?? '') ? null : `${pid} ${fields[19]}`;
  } catch {
    return `${pid}`;
  }
};

/** What is wrong with DATA_DIR and what to do, by the code of the system. */
const REMEDIES: Record<string, string> = {
  EEXIST: 'is a file. Name a directory, or move the file away',
  ENOTDIR: 'leads through a file. Name a directory',
  EACCES: 'is not writable for the user of this process. Give the directory to that user, or name another one',
  EPERM: 'is not writable for the user of this process. Give the directory to that user, or name another one',
  EROFS: 'is on a disk that is mounted read-only. Name a directory on another one',
  ENOSPC: 'is on a full disk. Free some space',
};

/** @throws Error with a message for people */
const usable = <T>(dataDir: string, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const remedy = REMEDIES[code];
    throw remedy ? new Error(`DATA_DIR: ${dataDir} ${remedy} (${code}).`, { cause: error }) : error;
  }
};

/** The process that holds the lock may take this long to end, since it may have just been asked to. */
const HOLDER_ENDS_MS = 2_000;
const LOOK_MS = 50;

/** @returns what the lock says of its process; nothing where that process has just released it */
const holderOf = (lock: string): string => {
  try {
    return readFileSync(lock, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return '';
  }
};

/** @returns whether the process that wrote the lock still runs */
const isHeld = (lock: string): boolean => {
  const holder = holderOf(lock);
  const pid = Number(holder.split(' ')[0]);
  return pid > 0 && pid !== process.pid && identity(pid) === holder;
};

/**
 * Locks DATA_DIR for this process, and replaces the lock of a process that has ended.
 * @throws InUse that names the process which holds the lock
 */
const lockDirectory = async (dataDir: string): Promise<() => void> => {
  usable(dataDir, () => mkdirSync(dataDir, { recursive: true, mode: 0o700 }));
  const lock = join(dataDir, 'almanac.lock');
  const mine = identity(process.pid) ?? `${process.pid}`;
  const deadline = performance.now() + HOLDER_ENDS_MS;
  do {
    if (usable(dataDir, () => createFile(lock, mine))) return () => unlinkSync(lock);
    if (isHeld(lock)) await sleep(LOOK_MS);
    else rmSync(lock, { force: true }); // A process that was killed left this lock behind.
  } while (performance.now() < deadline);
  throw new InUse(dataDir, lock, Number.parseInt(holderOf(lock), 10));
};

const UNFINISHED = 'pgdata.new-';

/**
 * Creates the cluster at the first start. A process of its own does it, because a process keeps the 130 MB that initdb takes. It is
 * created beside its place, so that a start which is killed leaves no half of it, and in a directory of its own, because that process
 * may outlive the start.
 */
const createCluster = async (dataDir: string, cluster: string): Promise<void> => {
  for (const name of readdirSync(dataDir))
    if (name.startsWith(UNFINISHED)) rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 });
  if (existsSync(cluster) && readdirSync(cluster).length > 0)
    throw new Error(`${cluster} is no database: PG_VERSION is missing. Move it away, and start again.`);
  const unfinished = mkdtempSync(join(dataDir, UNFINISHED));
  const script = fileURLToPath(new URL('create-cluster.ts', import.meta.url));
  const child = spawn(process.execPath, [script, unfinished], { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0)
    throw new Error(
      `The embedded database could not be created in ${dataDir}; the reason is above. Correct it, and start again; nothing is left to remove.`,
    );
  renameSync(unfinished, cluster);
};

/** The release of Postgres that PGlite is; its files fit no other one. */
const POSTGRES = 18;

/** @throws Error with a message for people where the cluster is of another Postgres, or cannot be read */
const openCluster = async (cluster: string): Promise<PGlite> => {
  const version = readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim();
  if (/^\d+$/.test(version) && Number(version) !== POSTGRES)
    throw new Error(
      `The database in ${cluster} is of Postgres ${version}, and this release has Postgres ${POSTGRES}. Start the ${Number(version) > POSTGRES ? 'newer' : 'older'} release that wrote it, or choose another DATA_DIR.`,
    );
  return createPGlite(cluster).catch((error: unknown) => {
    // What WebAssembly throws says no more than that, so whether the files are damaged is not known here.
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The database in ${cluster} cannot be opened (${why}). First check the free memory, the limit of open files, and whether the user of this process may read and write all files there. If none of them is the cause, the files are damaged: restore DATA_DIR from a backup, and keep the damaged one until then.`,
    );
  });
};

export const openEmbedded = async (dataDir: string): Promise<{ pglite: PGlite; release: () => void }> => {
  const release = await lockDirectory(dataDir);
  try {
    await checkDiskSpace(dataDir);
    const cluster = join(dataDir, 'pgdata');
    if (!existsSync(join(cluster, 'PG_VERSION'))) await createCluster(dataDir, cluster);
    return { pglite: await openCluster(cluster), release };
  } catch (error) {
    release();
    throw error;
  }
};
