/** Runs one process of the service: opens the database, listens, and stops gracefully. */
import { execFileSync } from 'node:child_process';
import type { AddressInfo } from 'node:net';
import { createApp } from './app.ts';
import { listenForBackups } from './backup-socket.ts';
import { openClock } from '../db/database-clock.ts';
import type { Siblings } from './cluster.ts';
import type { Config } from './config.ts';
import { distributeNewTables } from '../db/distribution.ts';
import { migrate } from '../db/migrate.ts';
import { openCheckedDatabase } from '../db/requirements.ts';
import { ensureVectors } from '../db/vectors.ts';
import { jwtSecret } from './jwt-secret.ts';
import { listen } from './listen.ts';
import { createLog } from '../observability/log.ts';
import { shown } from './shown-secrets.ts';
import { openTelemetry } from '../observability/open-telemetry.ts';
import { firstStart, hasGenerated, unseen, welcome } from './welcome.ts';

const commitOf = (given: string | undefined): string => {
  if (given) return given;
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

export type ServeOptions = {
  /** The commit of the build, where it is known. */
  commit: string | undefined;
  /** The other processes on this port, and the number of this one. */
  siblings: Siblings | null;
};

export type Service = { stop: (why: string) => Promise<void> };

/** Resolves when the service answers requests. */
export const serve = async (config: Config, { commit, siblings }: ServeOptions): Promise<Service> => {
  const log = createLog(config.LOG_LEVEL, siblings ? { base: { worker: siblings.id } } : {});
  // An unexpected error is logged like any other and ends the process.
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'the process ends because of an uncaught error');
    process.exit(1);
  });
  const telemetry = await openTelemetry(config, log);
  const handle = await openCheckedDatabase(
    config,
    (error) => log.warn({ err: error }, 'the database failed'),
    telemetry.query,
  );
  const { applied, newer } = await migrate(handle);
  if (applied.length) log.info({ migrations: applied }, 'the database is migrated');
  if (newer.length) log.warn({ migrations: newer }, 'the database is of a newer release, which this release supports');
  const distributed = await handle.db.transaction().execute(distributeNewTables);
  if (distributed.length) log.info({ tables: distributed }, 'new tables are distributed');
  const support = await ensureVectors(handle.db);
  if (!support.vectors) log.info({ why: support.whyNoVectors }, 'semantic search is off');
  const clock = await openClock(handle, (context, text) => log.warn(context, text));
  const app = createApp({
    config,
    handle,
    log,
    clock,
    jwtSecret: jwtSecret(config),
    ...support,
    commit: commitOf(commit),
    siblings,
    telemetry,
  });
  await app.resume();
  const owner = await firstStart(app, config);
  const isNew = owner !== null && owner !== 'nobody';
  // Only now, so that the owner's key is known to the first request.
  await listen(app.server, config).catch((error: Error) => {
    throw isNew ? new Error(`${error.message}\n${unseen(owner)}`) : error;
  });
  app.start();
  const stopBackups = await listenForBackups(config.DATA_DIR, { handle, log });
  const { port } = app.server.address() as AddressInfo;
  const isTerminal = process.stdout.isTTY;
  // Other outputs are often collected, so there only the start that has the owner's password has a link too.
  const hasLink = isNew || (isTerminal && handle.kind === 'embedded');
  const ticket = hasLink ? await app.services.links.issueForOwner() : null;
  const database = handle.kind;
  const text = (secret: boolean): string =>
    welcome(config, port, { database, owner: secret || !isNew ? owner : null, ticket: secret ? ticket : null });
  if (isNew || (siblings?.id ?? 1) === 1)
    process.stdout.write(
      shown(
        { open: text(false), secret: hasLink ? text(true) : null, isGenerated: hasGenerated(owner) },
        isTerminal,
        config.DATA_DIR,
      ),
    );
  log.info({ host: config.HOST, port, database: handle.kind, pid: process.pid }, 'listening');
  return {
    stop: async (why) => {
      log.info({ signal: why }, 'stopping');
      await stopBackups();
      await app.stop();
      clock.stop();
      await telemetry.stop();
      await handle.close();
    },
  };
};
