/** What the documents say of the service that a program can know: intervals, routes, packages, and what may change in the API. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { EVERY_MS } from '../../src/process/sweep.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT, exclude: ['CHANGELOG.md'] });
const { paths } = parse(read('openapi.yaml')) as { paths: Record<string, Record<string, object>> };

const INTERVALS: Record<number, string> = { 60_000: 'every minute', 600_000: 'every ten minutes' };

test('how often the embedded database is vacuumed', () => {
  const [sentence] = /^- The service vacuums .*$/m.exec(read('docs/operations.md')) ?? [];
  const [row] = /^\| Vacuum .*$/m.exec(read('docs/architecture.md')) ?? [];
  const interval = INTERVALS[EVERY_MS.vacuum] as string;
  for (const text of [sentence, row]) expect(text?.toLowerCase()).toContain(interval);
});

const METHOD_AND_PATH = /`(GET|POST|PATCH|PUT|DELETE) (\/[\w./-]*)/g;
/** Protocols of their own, which openapi.yaml does not describe, and the example of docs/architecture.md. */
const ELSEWHERE = /^\/(?:dav|ws|console|mcp|v1|memory\/types)\b/;

test.each(documents)('%s names routes that exist', (document) => {
  const named = Array.from(read(document).matchAll(METHOD_AND_PATH), ([, method = '', path = '']) => ({
    method,
    path,
  }));
  const missing = named.filter(({ method, path }) => !ELSEWHERE.test(path) && !paths[path]?.[method.toLowerCase()]);
  expect(missing).toEqual([]);
});

const namesIn = (row = ''): string[] => Array.from(row.matchAll(/`([^`]+)`/g), ([, name = '']) => name);

test('the table of the README names every route', () => {
  const rows = new Map(
    Array.from(read('README.md').matchAll(/^\| `?([/\w]+)`? \| (.*) \|$/gm), ([, group = '', names = '']) => [
      group,
      names,
    ]),
  );
  const missing = Object.keys(paths).filter((path) => {
    const [, group, name] = path.split('/');
    const row = rows.get(`/${group}`);
    if (row !== undefined) return name && !namesIn(row).includes(name);
    return !namesIn(rows.get('system')).some((named) => path === named || path.startsWith(`${named}/`));
  });
  expect(missing).toEqual([]);
});

type Lock = { packages: Record<string, Record<string, unknown> & { optionalDependencies?: object }> };

/** Packages that build or bring code of the machine: those with a script at their installation, and those that choose a binary by cpu. */
const nativePackages = (): string[] => {
  const packages = Object.entries((JSON.parse(read('package-lock.json')) as Lock).packages)
    .filter(([place, { dev, devOptional }]) => place && !dev && !devOptional)
    .map(([place, one]): [string, typeof one] => [place.replace(/^.*node_modules\//, ''), one]);
  const binaries = new Set(packages.filter(([, { cpu }]) => cpu).map(([name]) => name));
  const brings = (one: Lock['packages'][string]): boolean =>
    one['hasInstallScript'] === true || Object.keys(one.optionalDependencies ?? {}).some((name) => binaries.has(name));
  return packages.filter(([, one]) => brings(one)).map(([name]) => name);
};

test('SECURITY.md names the packages with native code', () => {
  const [, list = ''] = /runtime packages with native code \(([^)]+)\)/.exec(read('SECURITY.md')) ?? [];
  expect(list.toLowerCase().split(', ').toSorted()).toEqual(nativePackages().toSorted());
});

test('while the version is below 1.0.0, no text promises that the API only grows', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect(version, 'from 1.0.0 on the texts may promise it').toMatch(/^0\./);
  const promises = [...documents, 'openapi.yaml'].flatMap((file) => {
    const sentences = read(file).split(/\.\s/);
    return sentences.filter((text) => text.includes('only additions')).map((text) => text.slice(-200));
  });
  expect(promises.length).toBeGreaterThan(2);
  for (const text of promises) expect(text).toContain('version 1.0.0 of Almanac');
});
