/** Creates files so that nobody ever sees a part of one. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const sync = (path: string): void => {
  const opened = openSync(path, 'r');
  try {
    fsyncSync(opened);
  } finally {
    closeSync(opened);
  }
};

/**
 * Creates a file, readable only by its owner, together with its content: link(2) gives a file that is already written and synced its
 * name. So a process that is killed at any moment leaves the whole file or none, and of several processes one creates it.
 * @returns false where the file exists already, whoever made it
 */
export const createFile = (path: string, content: string): boolean => {
  const unnamed = `${path}.${randomUUID()}`;
  try {
    writeFileSync(unnamed, content, { mode: 0o600, flush: true });
    linkSync(unnamed, path);
    sync(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(unnamed, { force: true });
  }
};
