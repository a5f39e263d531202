/**
 * Lets `npm run backup` copy the files of the embedded database while this process works with them. Only one process may open the
 * database, so the command asks by a socket in DATA_DIR, which is open to whoever may read the database itself. Postgres then keeps what
 * a copy needs to become whole (pg_backup_start, "Making a Base Backup Using the Low Level API"). The command copies, and this process
 * does nothing but go on. The open socket also tells other commands that the service runs.
 */
import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { join, relative } from 'node:path';
import { onBehalfOfService } from '../common/fair-shares.ts';
import type { DatabaseHandle } from '../db/database.ts';
import type { Logger } from '../observability/log.ts';

/** Systems accept addresses of sockets up to this length (macOS; Linux has four more). */
const LONGEST = 103;

/** @returns the address of the socket; null where the path of DATA_DIR is too long for one */
export const backupSocketOf = (dataDir: string): string | null => {
  const path = join(dataDir, 'backup.sock');
  const shortest = [path, relative(process.cwd(), path)].toSorted((a, b) => a.length - b.length)[0] as string;
  return Buffer.byteLength(shortest) <= LONGEST ? shortest : null;
};

/** What a command sends to ask for a copy. One that only asks whether the service runs connects, and sends nothing. */
export const ASK = 'begin\n';

/** What this process says, a line of JSON each: once when the copy may begin, and once when it is copied. */
export type Said = { begun: true } | { label: string } | { refused: string };

type Deps = { handle: Pick<DatabaseHandle, 'kind' | 'query'>; log: Logger };

const say = (socket: Socket, said: Said): void => {
  if (socket.writable) socket.write(`${JSON.stringify(said)}\n`);
};

/** Serves one backup: it begins when the command asks for it, and ends when the command says that it has copied or is gone. */
const serveCopy = async (socket: Socket, { handle }: Deps): Promise<void> => {
  const copied = new Promise((resolve) => socket.once('data', resolve).once('close', resolve));
  await handle.query("select pg_backup_start('almanac', true)", []);
  say(socket, { begun: true });
  await copied;
  const { rows } = await handle.query('select labelfile as label from pg_backup_stop(false)', []);
  say(socket, { label: String(rows[0]?.['label']) });
};

/**
 * Listens until it is stopped, where the database is the embedded one. Where the system has no such sockets, the service must be
 * stopped for a backup, and the log says so.
 * @returns what stops it
 */
export const listenForBackups = async (dataDir: string, deps: Deps): Promise<() => Promise<void>> => {
  if (deps.handle.kind !== 'embedded') return async () => undefined;
  const address = backupSocketOf(dataDir);
  const off = (why: string): (() => Promise<void>) => {
    deps.log.warn({ why }, 'npm run backup works only while the service is stopped');
    return async () => undefined;
  };
  if (address === null) return off(`the path of ${dataDir} is too long for a socket`);
  let busy = false;
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).on('close', () => open.delete(socket));
    socket.once('data', (sent) => (String(sent) === ASK ? begin(socket) : socket.destroy()));
  });
  const begin = (socket: Socket): void => {
    if (busy)
      return void socket.end(
        `${JSON.stringify({ refused: 'Another backup is being made. Try again when it is done.' })}\n`,
      );
    busy = true;
    void onBehalfOfService(() => serveCopy(socket, deps))
      .catch((err: unknown) => {
        deps.log.error({ err }, 'a backup failed');
        say(socket, { refused: `The database refused the backup: ${(err as Error).message}` });
        socket.end();
      })
      // The command keeps the connection until it has read its copy.
      .then(() => (socket.destroyed ? undefined : new Promise((resolve) => socket.once('close', resolve))))
      .finally(() => {
        busy = false;
      });
  };
  try {
    rmSync(address, { force: true }); // A process that was killed left it behind.
    await listenOn(server, address);
  } catch (error) {
    return off((error as Error).message);
  }
  return async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    for (const socket of open) socket.destroy();
    await closed;
  };
};

const listenOn = async (server: Server, address: string): Promise<void> => {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(address, resolve);
  });
  chmodSync(address, 0o600);
};
