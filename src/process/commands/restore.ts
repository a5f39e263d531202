/** `npm run restore -- FILE`: fills an empty database from a backup. */
import { createReadStream, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { readBackup, type About } from '../../db/copy/backup-file.ts';
import type { Snapshot } from '../../db/copy/snapshot.ts';
import type { DatabaseHandle } from '../../db/database.ts';
import type { Projection } from '../../ledger/projections.ts';
import { auditAll } from './audit.ts';
import { openAny, refuseService } from './open-database.ts';
import { onlyOne, UsageError, type BareCommand, type BareContext, type Outcome } from './operator-command.ts';
import { NO_VECTORS, rowProgress, sumOf } from './row-progress.ts';
import { loadWithSecrets, writeSecretFiles } from './secret-files.ts';

export const nameOf = ({ DATABASE_URL, DATA_DIR }: BareContext['config']): string =>
  DATABASE_URL ? 'The database at DATABASE_URL' : `The database in ${DATA_DIR}`;

const sourceOf = (file: string, folder: string): Readable => {
  if (file === '-') return process.stdin;
  const path = resolve(folder, file);
  if (!existsSync(path)) throw new UsageError(`There is no file ${path}.`);
  return createReadStream(path);
};

/** What the operator has to know of logins after it. */
const aboutLogins = ({ config }: BareContext, { files }: About, other: string[]): string => {
  if (other.length)
    return `${other.join(', ')} was there already with another content and stays, so everybody has to log in again. API keys stay valid.`;
  if (!Object.keys(files).length)
    return 'Logins continue if JWT_SECRET is that of the service that was backed up. API keys stay valid.';
  return config.DATABASE_URL
    ? `Logins continue if you set JWT_SECRET to the content of ${join(config.DATA_DIR, 'jwt-secret')}. API keys stay valid.`
    : 'Logins and API keys stay valid.';
};

const restore = async (
  context: BareContext,
  handle: DatabaseHandle,
  about: About,
  snapshot: Snapshot,
): Promise<void> => {
  const { config, progress } = context;
  if (handle.kind === 'postgres') await refuseService(handle.db);
  const { tables, leftOut } = await loadWithSecrets(handle, snapshot, {
    where: nameOf(config),
    onRows: rowProgress(progress, 'restored'),
    write: () => {
      const written = writeSecretFiles(config.DATA_DIR, about.files);
      progress(aboutLogins(context, about, written.other));
      return written;
    },
  });
  progress(`restored ${sumOf(tables)}`);
  if (leftOut.length) progress(NO_VECTORS);
};

export const createRestoreCommand = (projections: readonly Projection[]): BareCommand => ({
  summary: 'Fill an empty database from a backup',
  arguments: 'FILE',
  help: `  FILE    the backup that npm run backup made; - reads it from stdin

The environment names the database that is filled (DATABASE_URL or DATA_DIR). It must be empty; the embedded database is created. The
service must not run on it. Backups of the embedded database and of a Postgres server can be restored into either. At the end all
ledgers are verified, as npm run audit does.
If it fails or is interrupted, the database has no rows, and you can run it again.
It exits with 0 if everything is restored and intact, with 1 if the audit finds damage, and with 2 if nothing was restored.`,
  options: {},
  runBare: async (context, _options, args): Promise<Outcome> => {
    const { about, snapshot } = await readBackup(sourceOf(onlyOne(args, 'FILE'), context.folder));
    context.progress(`backup of release ${about.release}, made at ${about.at}`);
    const handle = await openAny(context.config, context.progress);
    try {
      await restore(context, handle, about, snapshot);
      return await auditAll(projections, handle.db, context);
    } finally {
      await handle.close();
    }
  },
});
