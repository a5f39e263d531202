/** The service in this process, on the database of a benchmark: without a listener, without background work. */
import { createApp, type App } from '../../src/process/app.ts';
import { systemClock } from '../../src/common/clock.ts';
import { readConfig } from '../../src/process/config.ts';
import { openDatabase } from '../../src/db/database.ts';
import { createLog } from '../../src/observability/log.ts';

export const inProcess = async (
  database: string,
  connections: number,
): Promise<{ app: App; stop: () => Promise<void> }> => {
  const config = readConfig({
    DATABASE_URL: database,
    DATABASE_POOL: String(connections),
    JWT_SECRET: 'of nobody, as nobody logs in here',
    RATE_LIMIT_PER_MINUTE: '0',
  });
  const handle = await openDatabase(config, () => undefined);
  const app = createApp({
    config,
    handle,
    log: createLog('silent'),
    clock: systemClock,
    jwtSecret: config.JWT_SECRET ?? '',
    vectors: false,
  });
  const stop = async (): Promise<void> => {
    await app.stop();
    await handle.close();
  };
  return { app, stop };
};
