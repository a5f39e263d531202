/** The files of DATA_DIR that belong to the embedded database, because what it holds is of use only together with them. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFile } from '../../db/create-file.ts';

/** The secret that seals logins (jwt-secret.ts). A JWT_SECRET of the environment is no file, and is not copied. */
export const SECRET = 'jwt-secret';
const NAMES = [SECRET];

export const readSecretFiles = (dataDir: string): Record<string, string> =>
  Object.fromEntries(
    NAMES.map((name) => [name, join(dataDir, name)] as const)
      .filter(([, path]) => existsSync(path))
      .map(([name, path]) => [name, readFileSync(path, 'utf8')]),
  );

/**
 * Writes the files that are not there, with mode 600. Files that are there stay as they are.
 * @returns the paths of those that have another content
 */
export const writeSecretFiles = (dataDir: string, files: Record<string, string>): string[] => {
  const other: string[] = [];
  for (const name of NAMES) {
    const content = Object.hasOwn(files, name) ? files[name] : undefined;
    if (content === undefined) continue;
    const path = join(dataDir, name);
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    if (!createFile(path, content) && readFileSync(path, 'utf8') !== content) other.push(path);
  }
  return other;
};
