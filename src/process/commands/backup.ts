/** `npm run backup -- FILE`: writes the whole database into one file, also while the service runs. */
import { randomUUID } from 'node:crypto';
import { createWriteStream, existsSync, fsyncSync, openSync, closeSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { writeBackup } from '../../db/copy/backup-file.ts';
import { withSnapshot, type TableHeader } from '../../db/copy/snapshot.ts';
import type { DatabaseHandle } from '../../db/database.ts';
import { RELEASE } from '../release.ts';
import { openCopy, reachService } from './hot-copy.ts';
import { onInterrupt } from './on-interrupt.ts';
import { openExisting } from './open-database.ts';
import { onlyOne, UsageError, type BareCommand, type BareContext, type Outcome } from './operator-command.ts';
import { rowProgress, sumOf } from './row-progress.ts';
import { readSecretFiles } from './secret-files.ts';

/** Writes the backup of an open database. @returns its tables */
const write = (
  { config, progress }: BareContext,
  handle: DatabaseHandle,
  file: Writable,
): Promise<readonly TableHeader[]> =>
  withSnapshot(handle, { onRows: rowProgress(progress, 'backed up') }, async (snapshot) => {
    const about = {
      release: RELEASE,
      at: new Date().toISOString(),
      files: handle.kind === 'embedded' ? readSecretFiles(config.DATA_DIR) : {},
    };
    await writeBackup(about, snapshot, file);
    return snapshot.tables;
  });

/** Opens the database of a stopped service, or a copy of that of a running one. @returns it, and what closes it */
const openSource = async ({
  config,
  progress,
}: BareContext): Promise<{ handle: DatabaseHandle; close: () => Promise<void> }> => {
  const service = config.DATABASE_URL ? null : await reachService(config.DATA_DIR);
  if (!service) {
    const handle = await openExisting(config, progress);
    return { handle, close: handle.close };
  }
  try {
    progress('The service is running. Its files are copied first.');
    const { handle, remove } = await openCopy(service, config.DATA_DIR);
    return {
      handle,
      close: async () => {
        await handle.close();
        remove();
        service.destroy();
      },
    };
  } catch (error) {
    service.destroy();
    throw error;
  }
};

/** Writes the backup of the database that the environment names. @returns its tables */
const backUp = async (context: BareContext, file: Writable): Promise<readonly TableHeader[]> => {
  const { handle, close } = await openSource(context);
  try {
    return await write(context, handle, file);
  } finally {
    await close();
  }
};

/** Creates a part of a backup, at once, so that its removal is arranged before an interrupt can come. @throws UsageError */
const opened = (part: string, path: string): number => {
  try {
    return openSync(part, 'wx', 0o600);
  } catch (error) {
    throw new UsageError(`${path} cannot be written (${(error as Error).message}). Choose another name or folder.`, {
      cause: error,
    });
  }
};

/**
 * Writes a file that only its owner can read, under another name until it is whole. It is open before the work begins, so that a path
 * that cannot be written is refused before anything is copied.
 * @throws UsageError where the file exists or cannot be opened
 */
const intoFile = async <T>(path: string, work: (file: Writable) => Promise<T>): Promise<T> => {
  if (existsSync(path)) throw new UsageError(`${path} exists already, and stays as it is. Choose another name.`);
  if (!existsSync(dirname(path))) throw new UsageError(`There is no folder ${dirname(path)}.`);
  const part = `${path}.${randomUUID()}.part`;
  const file = createWriteStream(part, { fd: opened(part, path), flush: true });
  const removePart = onInterrupt(() => rmSync(part, { force: true }));
  try {
    const result = await work(file);
    renameSync(part, path);
    const folder = openSync(dirname(path), 'r');
    fsyncSync(folder);
    closeSync(folder);
    return result;
  } finally {
    file.destroy();
    removePart();
  }
};

const mebibytes = (path: string): string => `${(statSync(path).size / 2 ** 20).toFixed(1)} MiB`;

const SECRET =
  'It holds everything that the database holds, and the secrets of logins and webhooks. Keep it where nobody else can read it.';

export const createBackupCommand = (): BareCommand => ({
  summary: 'Write the whole database into one file',
  arguments: 'FILE',
  help: `  FILE    the new file, which only its owner can read; - writes to stdout, for a pipe

The environment names the database (DATABASE_URL or DATA_DIR). It works while the service runs and does not disturb it, and the backup is
of one moment. npm run restore fills an empty database from it, embedded or on a server.
The file holds all accounts, keys (as hashes), ledgers, webhooks with their secrets, and of the embedded database the secret of logins
(DATA_DIR/jwt-secret). It is not encrypted. What the environment holds, such as JWT_SECRET, is not in it.`,
  options: {},
  runBare: async (context, _options, args): Promise<Outcome> => {
    const { folder, print, progress } = context;
    const file = onlyOne(args, 'FILE');
    const isPiped = file === '-';
    if (isPiped && process.stdout.isTTY)
      throw new UsageError('A backup cannot be written to a terminal. Name a file, or use a pipe.');
    const path = resolve(folder, file);
    const tables = await (isPiped ? backUp(context, process.stdout) : intoFile(path, (file) => backUp(context, file)));
    if (isPiped) progress(sumOf(tables));
    else print(`${path}: ${sumOf(tables)}, ${mebibytes(path)}`);
    progress(SECRET);
    return 'done';
  },
});
