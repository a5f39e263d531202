/**
 * What texts refer to exists: the headings of docs/decisions.md that comments cite, and the files that documents name. The import
 * rules in docs/architecture.md are those of oxlint.config.ts.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROTOCOLS, FEATURES, LOWER } from '../../oxlint.config.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const headings = read('docs/decisions.md').match(/(?<=^#{2,3} ).+$/gm) ?? [];
const CITED = /docs\/decisions\.md,\s+([A-Z][^\n]*(?:\n[^\n]*)?)/g;

test('every decision that a comment cites has a heading', () => {
  const citations = globSync(['src/**/*.ts', 'test/**/*.ts', 'migrations/*.sql'], { cwd: root }).flatMap((file) =>
    [
      ...read(file)
        .replace(/\n\s*(?:\*|--|\/\/) ?/g, ' ')
        .matchAll(CITED),
    ].map(([, text = '']) => ({ file, text })),
  );
  expect(citations.length).toBeGreaterThan(10);
  const missing = citations.filter(({ text }) => !headings.some((heading) => text.startsWith(heading)));
  expect(missing).toEqual([]);
});

const FILES = /(?<![\w./:-])(?:[\w.-]+\/)*\.?[\w-][\w.-]*\.(?:ts|sql|sh|md|ya?ml|json)\b/g;
const FOLDERS = /(?<![\w./:-])(?:src|test|docs|migrations|\.ci)(?:\/[\w-]+)+(?![\w.*/-])/g;
/** Names that stand for a file of the reader's. */
const EXAMPLES = ['file.json'];

describe('every file that a document names exists', () => {
  const all = globSync(['{src,test,docs,migrations}/**/*', '*', '.*'], { cwd: root });
  const names = new Set(all.map((file) => basename(file)));
  /** Names with a folder are looked up from the document, the repository and src; those without one anywhere. */
  const isThere = (document: string, path: string): boolean =>
    [dirname(document), '.', 'src'].some((folder) => existsSync(join(root, folder, path))) || names.has(path);

  test.each([...globSync('docs/*.md', { cwd: root }), 'README.md', 'CONTRIBUTING.md'])('%s', (document) => {
    const named = [FILES, FOLDERS].flatMap((pattern) => read(document).match(pattern) ?? []);
    const missing = named.filter((path) => !isThere(document, path) && !EXAMPLES.includes(path));
    expect([...new Set(missing)]).toEqual([]);
  });

  test.each(['src/nowhere/x.ts', 'nothing.md', 'src/nowhere'])('%s does not', (path) => {
    const found = [FILES, FOLDERS].flatMap((pattern) => `See \`${path}\`.`.match(pattern) ?? []);
    expect(found).toEqual([path]);
    expect(isThere('README.md', path)).toBe(false);
  });
});

test('docs/architecture.md lists the import rules as they are', () => {
  const section = /^## Who may import whom$([\s\S]*?)^## /m.exec(read('docs/architecture.md'))?.[1] ?? '';
  const written = section.matchAll(/^\| `([\w/-]+)` \| (.*) \|$/gm);
  const rows = Array.from(written, ([, folder = '', may = '']) => [folder, may.match(/(?<=`)[\w/*-]+(?=`)/g) ?? []]);
  const rules = [
    ...Object.entries(LOWER).map(([folder, { folders }]) => [folder, folders]),
    ...Object.entries({ ...FEATURES, ...PROTOCOLS }).map(([folder, { from }]) => [folder, from]),
  ];
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(rules));
});
