/**
 * Bundles the browser code of `app` and sends the files to the parent process (console.ts). Rolldown is the bundler inside of
 * Vite 8: one package without an install script, which the tests bring along anyway. Vite adds a server that we do not need, and
 * esbuild would be a second bundler, with an install script.
 */
import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import type { StaticFile, StaticFiles } from '../http/pages/static-files.ts';
import { TOKENS } from '../http/pages/tokens.ts';

const APP = join(import.meta.dirname, 'app');

/** The page may load and call only this service, and no text can become script (Trusted Types). */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

const fileOf = (type: string, text: string, immutable = true): StaticFile => {
  const plain = Buffer.from(text);
  return {
    type,
    plain,
    br: brotliCompressSync(plain),
    gzip: gzipSync(plain, { level: 9 }),
    etag: hash('sha256', plain, 'base64url').slice(0, 22),
    immutable,
  };
};

const page = (script: string, style: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Almanac</title>
<link rel="icon" href="icon.svg">
<link rel="stylesheet" href="${style}">
<script type="module" src="${script}"></script>
</head>
<body><div id="app"></div><noscript>The console needs JavaScript. The API works without: see <a href="../docs">the documentation</a>.</noscript></body>
</html>
`;

const scripts = async () => {
  const bundle = await rolldown({
    input: { console: join(APP, 'main.tsx') },
    platform: 'browser',
    tsconfig: false, // It extends a file that an image does not have.
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2023' },
  });
  const names = { entryFileNames: '[name]-[hash].js', chunkFileNames: '[name]-[hash].js' };
  // In one file: nine shared ones of the start page were 4 kB longer when compressed.
  const codeSplitting = { groups: [{ name: 'console', test: /[\\/]app[\\/]main\.tsx$/ }] };
  const { output } = await bundle.generate({ format: 'esm', minify: true, codeSplitting, ...names });
  await bundle.close();
  return output.filter((one) => one.type === 'chunk');
};

/** The sheets in the order of their names; each of them uses classes of its own. */
const style = (): string =>
  [
    TOKENS,
    ...globSync('**/*.css', { cwd: APP })
      .sort()
      .map((file) => readFileSync(join(APP, file), 'utf8')),
  ].join('\n');

const chunks = await scripts();
const entry = chunks.find(({ isEntry }) => isEntry);
if (!entry) throw new Error('The bundle has no entry.');
const css = style();
const cssName = `console-${hash('sha256', css, 'base64url').slice(0, 8)}.css`;
const files: StaticFiles = {
  index: fileOf('text/html; charset=utf-8', page(entry.fileName, cssName), false),
  policy: POLICY,
  named: new Map([
    ...chunks.map(({ fileName, code }) => [fileName, fileOf('text/javascript; charset=utf-8', code)] as const),
    [cssName, fileOf('text/css; charset=utf-8', css)],
    ['icon.svg', fileOf('image/svg+xml', readFileSync(join(APP, 'icon.svg'), 'utf8'), false)],
  ]),
};
process.send?.(files, () => process.disconnect?.());
