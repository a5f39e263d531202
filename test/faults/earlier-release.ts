/** An earlier release in a temporary directory, with the packages that it was released with. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PROJECT = join(import.meta.dirname, '../..');

export type EarlierRelease = { main: string; remove: () => void };

/** The release at a commit; null where the git history does not have it, as in a shallow clone or an unpacked archive. */
export const earlierRelease = async (commit: string, main: string): Promise<EarlierRelease | null> => {
  const isThere = await run('git', ['cat-file', '-e', `${commit}^{commit}`], { cwd: PROJECT }).then(
    () => true,
    () => false,
  );
  if (!isThere) return null;
  const folder = mkdtempSync(join(tmpdir(), 'almanac-release-'));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'release.tar');
    await run('git', ['archive', '--output', archive, commit], { cwd: PROJECT });
    await run('tar', ['-xf', archive, '-C', folder]);
    // The tests run it with the Node that runs them, so the package of Node needs no script.
    const silent = ['--omit=dev', '--no-audit', '--no-fund', '--prefer-offline'];
    await run('npm', ['ci', ...silent], { cwd: folder });
  } catch (error) {
    remove();
    throw error;
  }
  return { main: join(folder, main), remove };
};
