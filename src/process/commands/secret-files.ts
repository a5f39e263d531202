/** The files of DATA_DIR that belong to the embedded database, because what it holds is of use only together with them. */
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { load, refuseFilled, type Loaded } from '../../db/copy/load.ts';
import type { OnRows, Snapshot } from '../../db/copy/snapshot.ts';
import { createFile } from '../../db/create-file.ts';
import type { DatabaseHandle } from '../../db/database.ts';

/** The secret that seals logins (jwt-secret.ts). A JWT_SECRET of the environment is no file, and is not copied. */
export const SECRET = 'jwt-secret';
const NAMES = [SECRET];

export const readSecretFiles = (dataDir: string): Record<string, string> =>
  Object.fromEntries(
    NAMES.map((name) => [name, join(dataDir, name)] as const)
      .filter(([, path]) => existsSync(path))
      .map(([name, path]) => [name, readFileSync(path, 'utf8')]),
  );

/** `other`: paths of files that were there with another content, and stay. `created`: paths of those that were not there. */
export type Written = { other: string[]; created: string[] };

/** Writes the files that are not there, with mode 600. Files that are there stay as they are. */
export const writeSecretFiles = (dataDir: string, files: Record<string, string>): Written => {
  const [other, created]: [string[], string[]] = [[], []];
  for (const name of NAMES) {
    const content = Object.hasOwn(files, name) ? files[name] : undefined;
    if (content === undefined) continue;
    const path = join(dataDir, name);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (createFile(path, content)) created.push(path);
    else if (readFileSync(path, 'utf8') !== content) other.push(path);
  }
  return { other, created };
};

/**
 * Fills an empty database, and writes the files that belong to its rows once the database has been found empty. That is before the
 * rows, so that a run that is interrupted between both can be repeated.
 * @param write writes the files. Where the rows cannot be loaded, those that it has created are removed, because no row needs them
 */
export const loadWithSecrets = async (
  handle: DatabaseHandle,
  snapshot: Snapshot,
  { where, onRows, write }: { where: string; onRows: OnRows; write: () => Written },
): Promise<Loaded> => {
  let created: string[] = [];
  const before = (): void => void ({ created } = write());
  try {
    return await load(handle, snapshot, { where, onRows, before });
  } catch (error) {
    // What fails after the rows are stored must not cost the secret of their logins.
    const isEmpty = await refuseFilled(handle.db, where).then(
      () => true,
      () => false,
    );
    if (isEmpty) for (const path of created) rmSync(path, { force: true });
    throw error;
  }
};
