/** A Postgres cluster for one trial alone, which may be stopped, frozen and started again as it likes; nobody else's work is on it. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../support/ports.ts';

/** How a database goes away: as told to, as if the power was cut, no new connections, no answers at all. */
export const OUTAGES = ['stopped', 'cut off', 'not accepting', 'frozen'] as const;
export type Outage = (typeof OUTAGES)[number];

export type OwnPostgres = {
  url: string;
  /** Resolves when it has begun to be away. */
  goAway: (how: Outage) => Promise<void>;
  /** Resolves when it accepts connections again. */
  comeBack: (from: Outage) => Promise<void>;
  query: (statement: string) => Promise<void>;
  drop: () => Promise<void>;
};

const run = (command: string, args: string[]): string =>
  execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** The directory of initdb and postgres, which Debian keeps off the path. */
const binaries = (): string => {
  const debian = '/usr/lib/postgresql';
  const versions = existsSync(debian) ? readdirSync(debian).toSorted((a, b) => Number(b) - Number(a)) : [];
  for (const folder of [...versions.map((v) => join(debian, v, 'bin')), ...(process.env['PATH'] ?? '').split(':')])
    if (existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres'))) return folder;
  throw new Error('this trial needs a Postgres of its own, and there is no initdb here');
};

/** Postgres refuses to run as root: then it runs as its own user. */
const whoRuns = (): { uid?: number; gid?: number } =>
  process.getuid?.() === 0
    ? { uid: Number(run('id', ['-u', 'postgres'])), gid: Number(run('id', ['-g', 'postgres'])) }
    : {};

const accepts = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
};

export const ownPostgres = async (): Promise<OwnPostgres> => {
  const bin = binaries();
  const who = whoRuns();
  const folder = mkdtempSync(join(tmpdir(), 'almanac-postgres-'));
  if (who.uid !== undefined && who.gid !== undefined) chownSync(folder, who.uid, who.gid);
  const data = join(folder, 'data');
  const quiet = { ...who, stdio: 'ignore' as const };
  execFileSync(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync'], quiet);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  let server: ChildProcess | undefined;

  /** The postmaster, and with `all` everyone who works for it. */
  const signal = (name: NodeJS.Signals, all: boolean): void => {
    if (!server?.pid || server.exitCode !== null || server.signalCode !== null) return;
    const children = all
      ? run('ps', ['-o', 'pid=', '--ppid', String(server.pid)])
          .split(/\s+/)
          .filter(Boolean)
      : [];
    for (const pid of [...children.map(Number), server.pid])
      try {
        process.kill(pid, name);
      } catch {
        // a backend that has just ended
      }
  };

  const start = async (): Promise<void> => {
    server = spawn(
      join(bin, 'postgres'),
      ['-D', data, '-p', String(port), '-k', folder, '-c', 'listen_addresses=127.0.0.1'],
      quiet,
    );
    while (!(await accepts(url))) await sleep(20);
  };

  const end = async (name: NodeJS.Signals): Promise<void> => {
    if (!server || server.exitCode !== null || server.signalCode !== null) return;
    const gone = once(server, 'exit');
    server.kill(name);
    await gone;
  };

  process.once('exit', () => {
    signal('SIGCONT', true);
    server?.kill('SIGQUIT');
    rmSync(folder, { recursive: true, force: true });
  });
  await start();

  return {
    url,
    goAway: async (how) => {
      if (how === 'stopped') await end('SIGINT'); // "fast": sessions are ended, then it stops in order
      else if (how === 'cut off') await end('SIGQUIT'); // "immediate": no farewell, recovery from the log afterwards
      else signal('SIGSTOP', how === 'frozen');
    },
    comeBack: async (from) => {
      if (from === 'stopped' || from === 'cut off') return start();
      signal('SIGCONT', true);
      while (!(await accepts(url))) await sleep(20);
    },
    query: async (statement) => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      await client.query(statement);
      await client.end();
    },
    drop: async () => {
      signal('SIGCONT', true);
      await end('SIGQUIT');
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
