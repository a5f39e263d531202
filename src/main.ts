/** Reads the environment, opens the database, listens, and stops gracefully. The only reader of process.env. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createApp } from './app.ts';
import { systemClock } from './clock.ts';
import { readConfig, type Config } from './config.ts';
import { openDatabase } from './db/client.ts';
import { ensureVectors, migrate } from './db/migrate.ts';
import { createLog } from './log.ts';
import { firstStart, welcome } from './welcome.ts';

const STOP_WITHIN_MS = 10_000;
const parent = process.ppid;

/** With the embedded database the secret lives beside it, readable by its owner only. */
const jwtSecret = (config: Config): string => {
  if (config.JWT_SECRET) return config.JWT_SECRET;
  const file = join(config.DATA_DIR, 'jwt-secret');
  if (!existsSync(file)) writeFileSync(file, randomBytes(48).toString('base64url'), { mode: 0o600 });
  return readFileSync(file, 'utf8');
};

const commit = (): string => {
  if (process.env['BUILD_COMMIT']) return process.env['BUILD_COMMIT'];
  try {
    return execFileSync('git', ['rev-parse', '--short', 'HEAD'], {
      cwd: import.meta.dirname,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .toString()
      .trim();
  } catch {
    return 'unknown';
  }
};

const start = async (): Promise<void> => {
  if (existsSync('.env')) process.loadEnvFile('.env'); // what is set already wins
  const config = readConfig(process.env);
  const log = createLog(config.LOG_LEVEL);
  const handle = await openDatabase(config, (error) => log.warn({ err: error }, 'a database connection was lost'));
  const applied = await migrate(handle);
  if (applied.length) log.info({ migrations: applied }, 'database is up to date');
  const vectors = await ensureVectors(handle.db);
  const app = createApp({
    config,
    handle,
    log,
    clock: systemClock,
    jwtSecret: jwtSecret(config),
    vectors,
    commit: commit(),
  });
  const owner = await firstStart(app, config);
  await new Promise<void>((resolve, reject) => {
    app.server.once('error', reject);
    app.server.listen(config.PORT, config.HOST, resolve);
  });
  app.start();
  const { port } = app.server.address() as AddressInfo;
  process.stdout.write(welcome(config, port, handle.kind, owner));
  log.info({ host: config.HOST, port, database: handle.kind, pid: process.pid }, 'listening');

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    await app.stop();
    await handle.close();
    process.exit(0);
  };
  process.on('SIGTERM', () => void stop('SIGTERM'));
  process.on('SIGINT', () => void stop('SIGINT'));
  // npm runs its scripts under a shell that dies of SIGTERM without passing it on: when that parent goes, so do we.
  if (process.env['npm_lifecycle_event'] === 'start')
    setInterval(() => {
      if (process.ppid !== parent) void stop('the end of npm start');
    }, 500).unref();
};

start().catch((error: unknown) => {
  const { message, cause } = error as Error;
  process.stderr.write(`${message}\n${cause instanceof Error ? `${cause.message}\n` : ''}`);
  process.exit(1);
});
