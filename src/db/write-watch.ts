/** Notices when a database answers but refuses writes (its disk is full, or it is read-only), and when it accepts them again. */
import { statfs } from 'node:fs/promises';
import { sql, type Kysely } from 'kysely';
import { onBehalfOfService } from '../common/fair-shares.ts';
import { isWriteRefused } from './sqlstate.ts';
import type { Database } from './tables.ts';

const CHECK_EVERY_MS = 1_000;

export type Writable = {
  /** Returns whether writes are refused at present. */
  isReadOnly: () => boolean;
  /** Receives the error of each statement that failed. */
  statementFailed: (error: unknown) => void;
  /** The database says that it is read-only. Resolves when a small write was tried. */
  saysReadOnly: () => Promise<void>;
  stop: () => void;
};

/** Allocates disk space as the next write might, and rolls back, so nobody else ever sees the table. */
const probe = async (db: Kysely<Database>): Promise<void> => {
  const tx = await db.startTransaction().execute();
  try {
    await sql`create table write_probe as select generate_series(1, 10000) as n`.execute(tx);
  } finally {
    await tx.rollback().execute();
  }
};

/**
 * On a server: when a statement fails because writes are refused, or the database says that it is read-only, a small write is tried
 * until one succeeds.
 */
export const watchWrites = (db: Kysely<Database>, onError: (error: Error) => void): Writable => {
  let readOnly = false;
  let checking: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  const tryWrite = async (): Promise<void> => {
    const refused = await probe(db).then(
      () => undefined,
      (error: unknown) => error,
    );
    checking = undefined;
    if (isWriteRefused(refused)) {
      if (!readOnly) onError(new Error('the database accepts no writes', { cause: refused }));
      readOnly = true;
    } else if (refused === undefined) readOnly = false;
    if (readOnly) timer = setTimeout(() => void check(), CHECK_EVERY_MS).unref();
  };
  const check = (): Promise<void> => (checking ??= onBehalfOfService(tryWrite));

  return {
    isReadOnly: () => readOnly,
    statementFailed: (error) => {
      if (isWriteRefused(error) && !checking && !readOnly) void check();
    },
    saysReadOnly: async () => {
      if (!readOnly) await check();
    },
    stop: () => clearTimeout(timer),
  };
};

const MiB = 2 ** 20;
/**
 * A completely full disk stops PGlite for good while it extends its log (in files of 16 MiB), and stops this process with it. So
 * writes are refused before that, and accepted again when more space is free.
 */
const FREE_SPACE = { start: 32 * MiB, least: 64 * MiB, enough: 80 * MiB };

const freeSpaceIn = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** @throws Error with a message for people where an embedded database can't even be started */
export const checkDiskSpace = async (folder: string): Promise<void> => {
  const free = await freeSpaceIn(folder);
  if (free < FREE_SPACE.start)
    throw new Error(
      `The disk of ${folder} has ${Math.floor(free / MiB)} MiB left, and the database needs ${FREE_SPACE.start / MiB} MiB to start. Free some space.`,
    );
};

/**
 * Resolves after the first check.
 * @param setReadOnly makes the database itself refuse writes
 */
export const watchDiskSpace = async (
  folder: string,
  setReadOnly: (readOnly: boolean) => Promise<void>,
): Promise<Writable> => {
  let readOnly = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  const check = async (): Promise<void> => {
    const free = await freeSpaceIn(folder);
    const next = free < (readOnly ? FREE_SPACE.enough : FREE_SPACE.least);
    if (next !== readOnly) await setReadOnly(next);
    readOnly = next;
  };
  const schedule = (): void => {
    if (stopped) return;
    timer = setTimeout(
      () =>
        void check()
          .catch(() => undefined)
          .finally(schedule),
      CHECK_EVERY_MS,
    ).unref();
  };

  await check();
  schedule();
  return {
    isReadOnly: () => readOnly,
    statementFailed: () => undefined,
    saysReadOnly: async () => undefined,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
};
