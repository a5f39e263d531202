/** `npm run move -- --to URL|DIRECTORY`: copies everything into an empty database, and compares both. */
import { join, resolve } from 'node:path';
import { sql } from 'kysely';
import { differences } from '../../db/copy/compare.ts';
import { NotEmpty, type Loaded } from '../../db/copy/load.ts';
import { withSnapshot, type Snapshot } from '../../db/copy/snapshot.ts';
import { tablesOf, VECTORS } from '../../db/copy/tables.ts';
import type { DatabaseHandle, Db } from '../../db/database.ts';
import { isUpToDate } from '../../db/migrate.ts';
import type { Projection } from '../../ledger/projections.ts';
import { readDatabaseConfig, type Config } from '../config.ts';
import { auditAll } from './audit.ts';
import { openAny, openMigrated, refuseService } from './open-database.ts';
import { UsageError, type BareContext, type BareCommand, type Outcome } from './operator-command.ts';
import { nameOf } from './restore.ts';
import { NO_VECTORS, rowProgress, sumOf } from './row-progress.ts';
import { loadWithSecrets, readSecretFiles, SECRET, writeSecretFiles, type Written } from './secret-files.ts';

const targetOf = ({ config, folder }: BareContext, to: string): Config => {
  const { DATABASE_POOL } = config;
  const where = /^[a-z]+:\/\//i.test(to) ? { DATABASE_URL: to } : { DATA_DIR: resolve(folder, to) };
  return readDatabaseConfig({ DATABASE_POOL: String(DATABASE_POOL), ...where });
};

/** Where a database on a server is: the cluster and the database in it. */
const placeOf = async ({ kind, db }: DatabaseHandle): Promise<string | null> => {
  if (kind === 'embedded') return null;
  const { rows } = await sql<{ place: string }>`
    select system_identifier || ' ' || current_database() as place from pg_control_system()`.execute(db);
  return rows[0]?.place ?? null;
};

const refuseSame = async (from: DatabaseHandle, to: DatabaseHandle): Promise<void> => {
  const place = await placeOf(from);
  if (place !== null && place === (await placeOf(to)))
    throw new UsageError('The source and the target are the same database.');
};

/**
 * Loads the rows, unless an earlier run has done so.
 * @returns null where the target has rows already
 */
const fill = async (
  { progress }: BareContext,
  to: DatabaseHandle,
  snapshot: Snapshot,
  write: () => Written,
): Promise<Loaded | null> => {
  try {
    return await loadWithSecrets(to, snapshot, { where: 'The target', onRows: rowProgress(progress, 'moved'), write });
  } catch (error) {
    if (!(error instanceof NotEmpty) || !(await isUpToDate(to))) throw error;
    progress('The target has rows already. They are compared with the source.');
    return null;
  }
};

/** @throws UsageError where the rows of the target are not those of the source */
const compare = async ({ progress }: BareContext, tx: Db, to: Db, { tables }: Snapshot): Promise<void> => {
  const names = new Set((await tablesOf(to)).map(({ name }) => name));
  const hasVectors = VECTORS.every((name) => names.has(name) && tables.some((table) => table.name === name));
  const compared = hasVectors ? tables : tables.filter(({ name }) => !VECTORS.includes(name));
  const onRows = rowProgress(progress, 'compared');
  const different = await differences(tx, to, compared, (table) => onRows(table, table.rows));
  if (different.length)
    throw new UsageError(
      `The target is no copy of the source: there are other rows in ${different.join(', ')}. Use an empty database, for example a new one (createdb) or another directory.`,
    );
  progress(`compared ${sumOf(compared)}: all are equal`);
  if (!hasVectors) progress(NO_VECTORS);
};

type Secrets = {
  /** The file of the source with the secret of logins; null where JWT_SECRET has it. */
  file: string | null;
  /** Files of the target that stay, with another secret. */
  other: string[];
};

const aboutLogins = (target: Config, { file, other }: Secrets): string => {
  if (file === null) return 'Keep JWT_SECRET as it is, so that logins stay valid.';
  if (target.DATABASE_URL) return `Set JWT_SECRET to the content of ${file}, so that logins stay valid.`;
  return other.length
    ? `${other.join(', ')} was there already with another content and stays, so everybody has to log in again. API keys stay valid.`
    : 'Logins stay valid.';
};

/** What the operator has to do next. */
const nextSteps = (source: Config, target: Config, secrets: Secrets): string[] => [
  target.DATABASE_URL
    ? 'Set DATABASE_URL to the target, and start the service.'
    : `Unset DATABASE_URL, set DATA_DIR to ${target.DATA_DIR}, and start the service.`,
  aboutLogins(target, secrets),
  `${nameOf(source)} is unchanged. Do not start a service on it any more.`,
];

type Ends = { from: DatabaseHandle; to: DatabaseHandle; target: Config };

/** Moves the rows, and the files that belong to them, where both databases are directories. */
const move = async (context: BareContext, { from, to, target }: Ends): Promise<Secrets> => {
  const { config: source, progress } = context;
  const files = source.DATABASE_URL ? {} : readSecretFiles(source.DATA_DIR);
  const write = (): Written =>
    target.DATABASE_URL ? { other: [], created: [] } : writeSecretFiles(target.DATA_DIR, files);
  if (from.kind === 'postgres') await refuseService(from.db);
  if (to.kind === 'postgres') await refuseService(to.db);
  await refuseSame(from, to);
  await withSnapshot(from, { onRows: () => undefined, exclusive: true }, async (snapshot, tx) => {
    const filled = await fill(context, to, snapshot, write);
    if (filled) progress(`moved ${sumOf(filled.tables)}`);
    await compare(context, tx, to.db, snapshot);
  });
  return {
    file: Object.hasOwn(files, SECRET) ? join(source.DATA_DIR, SECRET) : null,
    other: write().other, // A target that had the rows already is accepted only now.
  };
};

export const createMoveCommand = (projections: readonly Projection[]): BareCommand => ({
  summary: 'Move everything to another database',
  help: `  --to <URL|directory>  the new database: the URL of a Postgres, or a directory for the embedded database

The environment names the database that is moved (DATABASE_URL or DATA_DIR). The new one must be empty; in a directory it is created.
The service must not run on either. Everything is moved: accounts, passwords, keys, ledgers with their hashes, plans that wait, webhooks,
sources and vectors. At the end all rows of both are compared, and all ledgers are verified, as npm run audit does. The old database stays
unchanged. A password can be in PGPASSWORD instead of the URL.
If it is interrupted, run it again: rows that are in the new database already are compared only.
It exits with 0 if everything is moved and intact, with 1 if the audit finds damage, and with 2 if it was refused or failed.`,
  options: { to: { type: 'string' } },
  runBare: async (context, { to }): Promise<Outcome> => {
    if (typeof to !== 'string' || !to) throw new UsageError('Name the new database with --to <URL|directory>.');
    const { config, progress, print } = context;
    const target = targetOf(context, to);
    if (!config.DATABASE_URL && !target.DATABASE_URL && resolve(config.DATA_DIR) === target.DATA_DIR)
      throw new UsageError('The source and the target are the same database.');
    const from = await openMigrated(config, progress);
    try {
      const there = await openAny(target, progress);
      try {
        const secrets = await move(context, { from, to: there, target });
        const outcome = await auditAll(projections, there.db, context);
        for (const line of nextSteps(config, target, secrets)) print(line);
        return outcome;
      } finally {
        await there.close();
      }
    } finally {
      await from.close();
    }
  },
});
