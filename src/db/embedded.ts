/** Postgres in this process (PGlite) with its files in DATA_DIR, which one process at a time may use. */
import { existsSync, linkSync, mkdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { btree_gin } from '@electric-sql/pglite/contrib/btree_gin';
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist';
import { pg_trgm } from '@electric-sql/pglite/contrib/pg_trgm';
import { vector } from '@electric-sql/pglite-pgvector';
import { PARSERS } from './values.ts';

const EXTENSIONS = { btree_gin, btree_gist, pg_trgm, vector };

/** `image` is a dumped data directory (tests start from a migrated one); without `dataDir` everything stays in memory. */
export const createPGlite = async (dataDir?: string, image?: Blob): Promise<PGlite> => {
  const pglite = await PGlite.create({
    ...(dataDir ? { dataDir } : {}),
    ...(image ? { loadDataDir: image } : {}),
    extensions: EXTENSIONS,
    parsers: PARSERS,
  });
  await pglite.exec("set timezone = 'UTC'; set datestyle = 'ISO'; set bytea_output = 'hex'");
  return pglite;
};

/** Who holds the directory: pid and, where the system tells, when that process started, so that a reused pid is not mistaken for it. */
const identity = (pid: number): string | null => {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return null;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]}`;
  } catch {
    return `${pid}`;
  }
};

/**
 * Takes DATA_DIR for this process. link(2) creates the lock with its content in one step, so no reader sees it half-written.
 * @throws Error naming the process that has it.
 */
const lockDirectory = (dataDir: string): (() => void) => {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = join(dataDir, 'almanac.lock');
  const mine = join(dataDir, `almanac.lock.${process.pid}`);
  writeFileSync(mine, identity(process.pid) ?? `${process.pid}`);
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        linkSync(mine, lock);
        return () => unlinkSync(lock);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      const holder = existsSync(lock) ? readFileSync(lock, 'utf8').trim() : '';
      const pid = Number(holder.split(' ')[0]);
      if (pid && pid !== process.pid && identity(pid) === holder) break;
      if (existsSync(lock)) unlinkSync(lock); // left behind by a process that was killed
    }
  } finally {
    unlinkSync(mine);
  }
  throw new Error(
    `Another process uses ${dataDir} already (see ${lock}). Stop it, choose another DATA_DIR, or set DATABASE_URL to run several processes on one Postgres.`,
  );
};

export const openEmbedded = async (dataDir: string): Promise<{ pglite: PGlite; release: () => void }> => {
  const release = lockDirectory(dataDir);
  try {
    return { pglite: await createPGlite(join(dataDir, 'pgdata')), release };
  } catch (error) {
    release();
    throw error;
  }
};
