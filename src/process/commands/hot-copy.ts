/** Copies the embedded database of a service that runs (src/process/backup-socket.ts) into a directory of its own. */
import { once } from 'node:events';
import { constants, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { copyFile, mkdir, readdir, stat, statfs } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { embeddedHandle, type DatabaseHandle } from '../../db/database.ts';
import { ASK, backupSocketOf, type Said } from '../backup-socket.ts';
import { onInterrupt } from './on-interrupt.ts';
import { UsageError } from './operator-command.ts';

/** Connects to the service on this DATA_DIR, which does nothing until a copy is asked for. @returns null where none answers */
export const reachService = async (dataDir: string): Promise<Socket | null> => {
  const address = backupSocketOf(dataDir);
  if (address === null || !existsSync(address)) return null;
  const socket = connect(address);
  try {
    await once(socket, 'connect');
    return socket.on('error', () => undefined); // Whoever reads it gets the error.
  } catch {
    return null; // A process that was killed left the socket behind.
  }
};

const COPY = 'backup.new-';
const WAL = 'pg_wal';
/** What belongs to the running process only, or is read after the end of the copy. */
const NOT_COPIED = new Set(['postmaster.pid', 'postmaster.opts', 'backup_label', WAL]);
const MIB = 2 ** 20;
/** The service refuses writes where less space is free (src/db/write-watch.ts). */
const LEFT_FREE = 128 * MIB;

const sizeOf = async (folder: string): Promise<number> => {
  let bytes = 0;
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile())
      bytes += await stat(join(entry.parentPath, entry.name)).then(
        ({ size }) => size,
        () => 0,
      );
  return bytes;
};

/** @throws UsageError where a copy would fill the disk */
const requireSpace = async (dataDir: string, cluster: string): Promise<void> => {
  const needed = (await sizeOf(cluster)) + LEFT_FREE;
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize < needed)
    throw new UsageError(
      `The disk of ${dataDir} has ${Math.floor((bavail * bsize) / MIB)} MiB left, and a backup beside the running service needs ${Math.ceil(needed / MIB)} MiB for a while. Free some space, or stop the service first.`,
    );
};

/** Copies a folder. Files of the service may grow meanwhile, and those of dropped tables disappear; recovery takes care of both. */
const copyFolder = async (from: string, to: string, except: ReadonlySet<string> = new Set()): Promise<void> => {
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (except.has(entry.name)) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) {
      await mkdir(target, { mode: 0o700 });
      await copyFolder(source, target);
    } else
      await copyFile(source, target, constants.COPYFILE_FICLONE).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
  }
};

/** Reads what the service says, one line at a time. */
const conversation = (socket: Socket) => {
  const chunks = socket.setEncoding('utf8')[Symbol.asyncIterator]() as AsyncIterator<string>;
  let text = '';
  return async (): Promise<Exclude<Said, { refused: string }>> => {
    for (let end = text.indexOf('\n'); ; end = text.indexOf('\n')) {
      if (end >= 0) {
        const said = JSON.parse(text.slice(0, end)) as Said;
        text = text.slice(end + 1);
        if ('refused' in said) throw new UsageError(said.refused);
        return said;
      }
      const { value, done } = await chunks.next();
      if (done) throw new Error('The service ended while it was backed up. Nothing was written.');
      text += value;
    }
  };
};

/** @returns the first file of the log that the copy needs, by the label that Postgres wrote */
const firstOfLog = (label: string): string => /\(file ([0-9A-F]{24})\)/.exec(label)?.[1] ?? '';

/**
 * Copies the cluster while the service works with it, as Postgres describes for its low-level backup.
 * @returns the directory of the copy, from which PGlite recovers, and what removes it
 * @throws UsageError, Error for people
 */
const copyCluster = async (socket: Socket, dataDir: string): Promise<{ copy: string; remove: () => void }> => {
  const cluster = join(dataDir, 'pgdata');
  const hear = conversation(socket);
  socket.write(ASK);
  await hear();
  for (const name of readdirSync(dataDir))
    if (name.startsWith(COPY)) rmSync(join(dataDir, name), { recursive: true, force: true });
  await requireSpace(dataDir, cluster);
  const copy = mkdtempSync(join(dataDir, COPY));
  const remove = onInterrupt(() => rmSync(copy, { recursive: true, force: true }));
  try {
    await copyFolder(cluster, copy, NOT_COPIED);
    socket.write('copied\n');
    const said = await hear();
    const label = 'label' in said ? said.label : '';
    await mkdir(join(copy, WAL), { mode: 0o700 });
    await copyFolder(join(cluster, WAL), join(copy, WAL));
    if (!existsSync(join(copy, WAL, firstOfLog(label))) || !firstOfLog(label))
      throw new Error(
        'The service wrote too much while it was backed up. Nothing was written. Try again at a quieter time.',
      );
    writeFileSync(join(copy, 'backup_label'), label, { mode: 0o600 });
    return { copy, remove };
  } catch (error) {
    remove();
    throw error;
  }
};

/** Opens a copy of the database of the service. The connection is to stay open until the copy is removed. */
export const openCopy = async (
  socket: Socket,
  dataDir: string,
): Promise<{ handle: DatabaseHandle; remove: () => void }> => {
  const { copy, remove } = await copyCluster(socket, dataDir);
  try {
    // Only here, because it takes memory that commands on a server do not need.
    const { createPGlite } = await import('../../db/embedded.ts');
    return { handle: embeddedHandle(await createPGlite(copy), () => undefined), remove };
  } catch (error) {
    remove();
    throw new Error('The copy of the database could not be opened. Nothing was written.', { cause: error });
  }
};
