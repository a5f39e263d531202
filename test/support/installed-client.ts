/** An empty folder into which the client was installed as a package, with the programs that use it. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { packClient } from './pack-client.ts';

const root = join(import.meta.dirname, '../..');

export type Installed = {
  folder: string;
  /** Checks the programs against the types of the package, and writes them as JavaScript. */
  compile: () => void;
  remove: () => void;
};

/** @param files programs and pages to copy beside the package */
export const installedClient = (files: string[]): Installed => {
  const work = mkdtempSync(join(tmpdir(), 'almanac-client-'));
  const tarballs = packClient(work);
  const folder = join(work, 'home');
  for (const file of files) cpSync(join(root, file), join(folder, basename(file)));
  writeFileSync(join(folder, 'package.json'), '{"private": true, "type": "module"}');
  const compilerOptions = {
    ...{ target: 'es2023', module: 'nodenext', lib: ['es2023', 'dom'], strict: true, exactOptionalPropertyTypes: true },
    ...{ types: ['node'], typeRoots: [join(root, 'node_modules/@types')] },
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
  const quiet = ['--offline', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', ...quiet, ...tarballs], { cwd: folder, stdio: 'pipe' });
  return {
    folder,
    compile: () => execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { stdio: 'inherit' }),
    remove: () => rmSync(work, { recursive: true, force: true }),
  };
};
