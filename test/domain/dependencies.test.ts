/** docs/dependencies.md is the review of the packages that run in the service: complete, and of what is installed. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

test('the review names each runtime dependency with its installed version and licence', () => {
  const names = Object.keys((JSON.parse(read('package.json')) as { dependencies: object }).dependencies);
  const installed = names.map((name) => {
    const { version, license } = JSON.parse(read(`node_modules/${name}/package.json`)) as Record<string, string>;
    return [name, version, license];
  });
  const reviewed = [
    ...read('docs/dependencies.md').matchAll(/^\| `(.+?)` \| (\S+) \| [\d-]+ \| [^|]+ \| (\S+|\(.+?\)) \|/gm),
  ];
  expect(reviewed.map((row) => row.slice(1))).toEqual(installed);
});
