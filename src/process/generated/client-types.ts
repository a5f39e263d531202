/** Writes the types of the client from openapi.yaml with openapi-typescript. Their first line names the text that they are of. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * npm runs these from its cache. As devDependencies they would bring a second TypeScript of 24 MB, because openapi-typescript needs
 * the compiler's JavaScript interface, which TypeScript 7 does not have.
 */
const PACKAGES = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];
/** A field with a default is optional in requests; answers list theirs as required. */
const OPTIONS = ['--root-types', '--root-types-no-schema-prefix', '--default-non-nullable=false'];

const root = join(import.meta.dirname, '../../..');
const file = join(root, 'src/client/openapi-types.ts');
const firstLine = (yaml: string): string =>
  `// Written by \`npm run openapi\` from openapi.yaml ${hash('sha256', yaml)}.\n`;

/** A schema of an object: its description, its name, and its members up to the brace at the same indentation. */
const OBJECT_SCHEMA = /^( {8}\/\*\*(?:(?!\*\/)[^])*\*\/\n)? {8}([A-Z]\w*): (\{\n(?: {9,}.*\n|\n)* {8}\});\n/gm;

/**
 * Makes each schema of an object an interface, which editors show by its name. Of the type that the generator writes, they show
 * all members.
 */
const withInterfaces = (types: string): string => {
  const begin = types.indexOf('\n    schemas: {\n') + 1;
  const end = types.indexOf('\n    };\n', begin) + 1;
  const interfaces: string[] = [];
  let rest = types.slice(end);
  const schemas = types
    .slice(begin, end)
    .replaceAll(OBJECT_SCHEMA, (_, description: string | undefined, name: string, members: string) => {
      interfaces.push(`${description ?? ''}        export interface ${name} ${members}\n`.replaceAll(/^ {8}/gm, ''));
      rest = rest.replace(`export type ${name} = components['schemas']['${name}'];\n`, '');
      return `        ${name}: ${name};\n`;
    });
  return types.slice(0, begin) + schemas + rest + interfaces.join('');
};

/** @param yaml the text of openapi.yaml, which is written already */
export const writeTypes = (yaml: string): void => {
  const tool = ['exec', '--yes', ...PACKAGES.map((one) => `--package=${one}`), '--', 'openapi-typescript'];
  const types = execFileSync('npm', [...tool, 'openapi.yaml', ...OPTIONS], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  writeFileSync(file, firstLine(yaml) + withInterfaces(types));
};

export const areTypesOf = (yaml: string): boolean => readFileSync(file, 'utf8').startsWith(firstLine(yaml));
