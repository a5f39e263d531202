/** Opens databases for operators' commands, and refuses those that a service uses. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import type { Config } from '../config.ts';
import { SERVICE_SESSIONS, type DatabaseHandle, type Db } from '../../db/database.ts';
import { InUse } from '../../db/in-use.ts';
import { isUpToDate } from '../../db/migrate.ts';
import { openCheckedDatabase } from '../../db/requirements.ts';
import { reachService } from './hot-copy.ts';
import { UsageError, type BareContext } from './operator-command.ts';

/** Opens the database, and creates the embedded one where there is none. @throws Error for people */
export const openAny = async (config: Config, progress: BareContext['progress']): Promise<DatabaseHandle> => {
  // It may run in another container, whose processes this one does not see.
  const service = config.DATABASE_URL ? null : await reachService(config.DATA_DIR);
  service?.destroy();
  if (service) throw new UsageError(`The service is running on ${config.DATA_DIR}. Stop it first.`);
  return openCheckedDatabase({ ...config, sessions: 'almanac command' }, (error) =>
    progress(`a database connection was lost: ${error.message}`),
  ).catch((error: unknown) => {
    if (!(error instanceof InUse)) throw error;
    throw new UsageError(
      `Another process (${error.holder}) uses ${config.DATA_DIR}: the service, or another command. Stop it, or wait until it ends.`,
    );
  });
};

/** @throws Error for people where the database is missing or in use */
export const openExisting = async (config: Config, progress: BareContext['progress']): Promise<DatabaseHandle> => {
  if (!config.DATABASE_URL && !existsSync(join(config.DATA_DIR, 'pgdata')))
    throw new Error(`There is no database in ${config.DATA_DIR}. Set DATA_DIR or DATABASE_URL.`);
  return openAny(config, progress);
};

/** @throws Error for people where the database is missing, in use, or of another release */
export const openMigrated = async (config: Config, progress: BareContext['progress']): Promise<DatabaseHandle> => {
  const handle = await openExisting(config, progress);
  try {
    if (await isUpToDate(handle)) return handle;
    throw new Error('The database is of an older release. Start the service of this release once to migrate it.');
  } catch (error) {
    await handle.close();
    throw error;
  }
};

/** @throws UsageError where a service has sessions. It has some at all times, because its executor asks what is due */
export const refuseService = async (db: Db): Promise<void> => {
  const { rows } = await sql`
    select from pg_stat_activity
    where datname = current_database() and application_name = ${SERVICE_SESSIONS}`.execute(db);
  if (rows.length) throw new UsageError(`The service is running (open sessions: ${rows.length}). Stop it first.`);
};
