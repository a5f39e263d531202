/** Packs the client as `npm pack` does for a release, with its one dependency, so that it can be installed without a network. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

const pack = (source: string, folder: string): string => {
  const [{ filename }] = JSON.parse(
    execFileSync('npm', ['pack', '--silent', '--json', '--pack-destination', folder], {
      cwd: source,
      encoding: 'utf8',
    }),
  ) as [{ filename: string }];
  return join(folder, filename);
};

/** @returns the tarballs of almanac-client and of what it depends on */
export const packClient = (folder: string): string[] => {
  // The build is done in a copy, so that no other test meets its files.
  const copy = join(folder, 'src/client');
  mkdirSync(copy, { recursive: true });
  cpSync(join(root, 'src/client'), copy, { recursive: true });
  cpSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  const dependencies = ['openapi-fetch', 'openapi-typescript-helpers'];
  cpSync(join(root, 'node_modules/openapi-fetch'), join(folder, 'node_modules/openapi-fetch'), { recursive: true });
  cpSync(
    join(root, 'node_modules/openapi-typescript-helpers'),
    join(folder, 'node_modules/openapi-typescript-helpers'),
    {
      recursive: true,
    },
  );
  return [
    pack(copy, folder),
    ...dependencies.map((name) => {
      const home = join(folder, 'node_modules', name);
      // Its own build is done, and its tools are not installed here.
      const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as Record<string, unknown>;
      writeFileSync(join(home, 'package.json'), JSON.stringify({ ...manifest, scripts: {}, devDependencies: {} }));
      return pack(home, folder);
    }),
  ];
};
