/** Comments cite decisions by the heading: each heading that is cited must exist in docs/decisions.md. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

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
