/** The import wall (oxlint.config.ts): planted imports of each kind that it refuses, beside those that are allowed there. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FEATURES, LOWER, placesOf, PROTOCOLS, STARTED } from '../../oxlint.config.ts';

const ROOT = join(import.meta.dirname, '../..');
const copy = mkdtempSync(join(tmpdir(), 'almanac-wall-'));
afterAll(() => rmSync(copy, { recursive: true, force: true }));

/** A file, what it imports, and whether it may. */
type Planted = [file: string, imported: string, allowed: boolean];

const PLANTED: Planted[] = [
  // The domain knows the domain only, and its folders depend on each other one way.
  ['domain/plan/x.ts', '../time/time.ts', true],
  ['domain/calendar/ics/x.ts', '../../time/time.ts', true],
  ['domain/calendar/ics/x.ts', '../rrule.ts', true],
  ['domain/planner/act/x.ts', './names.ts', true],
  ['domain/time/x.ts', '../calendar/rrule.ts', false],
  ['domain/plan/x.ts', '../../common/clock.ts', false],
  ['domain/plan/x.ts', '../../db/database.ts', false],
  ['domain/calendar/x.ts', '../../calendar/timeline.ts', false],
  ['domain/calendar/ics/x.ts', '../../../calendar/timeline.ts', false],
  ['domain/text/x.ts', 'kysely', false],
  ['domain/time/x.ts', 'node:fs', false],
  // Each layer knows those below it.
  ['common/x.ts', '../domain/time/time.ts', true],
  ['common/x.ts', '../db/database.ts', false],
  ['common/x.ts', '../observability/log.ts', false],
  ['db/x.ts', '../common/clock.ts', true],
  ['db/x.ts', 'pg', true],
  ['db/x.ts', '../ledger/ledger.ts', false],
  ['db/x.ts', '../http/route.ts', false],
  ['db/x.ts', 'openai', false],
  ['db/x.ts', 'express', false],
  ['observability/x.ts', '../db/sqlstate.ts', true],
  ['observability/x.ts', '../http/route.ts', false],
  ['ledger/x.ts', '../db/database.ts', true],
  ['ledger/x.ts', '../http/route.ts', false],
  ['ledger/x.ts', '../memory/queries.ts', false],
  ['ledger/x.ts', 'openai', false],
  ['llm/x.ts', 'openai', true],
  ['llm/x.ts', '../agent/service.ts', false],
  ['llm/x.ts', '../process/config.ts', false],
  ['outbound/x.ts', 'ipaddr.js', true],
  ['outbound/x.ts', '../domain/time/time.ts', false],
  ['http/x.ts', 'express', true],
  ['http/x.ts', '../ledger/ledger.ts', false],
  ['http/x.ts', '../calendar/routes.ts', false],
  ['http/x.ts', 'openai/resources', false],
  // Of a feature, routes and schemas know HTTP, and nobody else does.
  ['memory/routes.ts', '../http/route.ts', true],
  ['memory/search/routes.ts', '../../http/route.ts', true],
  ['memory/schemas.ts', '../http/shapes.ts', true],
  ['memory/routes.ts', '../db/database.ts', false],
  ['memory/routes.ts', 'kysely', false],
  ['memory/routes.ts', 'express', false],
  ['memory/service.ts', '../db/database.ts', true],
  ['memory/service.ts', 'kysely', true],
  ['memory/service.ts', '../http/route.ts', false],
  ['memory/service.ts', 'express', false],
  ['memory/service.ts', 'openai', false],
  ['memory/service.ts', 'pg', false],
  // The folders of a feature share it, and know the rest as the feature does.
  ['memory/search/x.ts', '../queries.ts', true],
  ['memory/search/x.ts', '../embeddings/loop.ts', true],
  ['memory/search/x.ts', '../../db/database.ts', true],
  ['memory/search/x.ts', '../../http/route.ts', false],
  ['memory/search/x.ts', '../../calendar/queries.ts', false],
  ['agent/decide/x.ts', '../../calendar/service.ts', true],
  ['agent/decide/x.ts', '../../calendar/events/store.ts', false],
  ['http/problems/x.ts', '../route.ts', true],
  ['http/problems/x.ts', '../../ledger/ledger.ts', false],
  ['live/socket.ts', '../http/mount.ts', true],
  ['live/socket.ts', '../http/route.ts', false],
  ['live/hub.ts', '../http/mount.ts', false],
  // A feature offers the files that are listed, and no others.
  ['agent/service.ts', '../calendar/service.ts', true],
  ['agent/service.ts', '../calendar/queries.ts', false],
  ['memport/export/links.ts', '../../memory/queries.ts', true],
  ['memport/export/links.ts', '../../memory/service.ts', false],
  ['calendar/service.ts', '../agent/plan-hooks.ts', false],
  ['calendar/service.ts', '../agent/service.ts', false],
  ['calendar/routes.ts', '../agent/service.ts', false],
  ['user/service.ts', '../memory/schemas.ts', false],
  ['memory/service.ts', '../llm/embedding-model.ts', true],
  ['memory/service.ts', '../llm/endpoint.ts', false],
  // A protocol knows routes and schemas, and no service.
  ['mcp/routes.ts', '../http/route.ts', true],
  ['mcp/x.ts', '../memory/schemas.ts', true],
  ['mcp/x.ts', '@modelcontextprotocol/server', true],
  ['mcp/x.ts', '../memory/service.ts', false],
  ['mcp/x.ts', '../db/database.ts', false],
  ['agent/service.ts', '../mcp/routes.ts', false],
  ['memory/routes.ts', '@modelcontextprotocol/server', false],
  // Nobody imports process; process imports all of them.
  ['process/serve.ts', '../agent/executor.ts', true],
  ['process/serve.ts', 'openai', false],
  ['agent/service.ts', '../process/config.ts', false],
  ['observability/x.ts', '../process/config.ts', false],
  // The client runs in browsers and knows nothing of the service; the service does not use it.
  ['client/x.ts', './retries.ts', true],
  ['client/x.ts', 'openapi-fetch', true],
  ['client/x.ts', '../domain/time/time.ts', false],
  ['client/x.ts', '../memory/schemas.ts', false],
  ['client/x.ts', 'node:crypto', false],
  ['client/x.ts', 'zod', false],
  ['agent/service.ts', '../client/operations.ts', false],
  ['process/serve.ts', '../client/operations.ts', false],
  // There is no way around by another spelling, or by a folder that nobody has listed.
  ['agent/service.ts', './../process/app.ts', false],
  ['agent/service.ts', '../domain/../process/app.ts', false],
  ['agent/service.ts', '../../src/process/app.ts', false],
  ['unlisted/x.ts', '../domain/time/time.ts', false],
];

/** Each way to import is one line; the wall treats them alike. */
const FORMS = [
  (from: string) => `import '${from}';`,
  (from: string, line: number) => `import type { X as X${line} } from '${from}';`,
  (from: string) => `export * from '${from}';`,
  (from: string) => `void import('${from}');`,
];

type Diagnostic = { code: string; filename: string; labels: { span: { line: number } }[] };

/** The rule's refusals as `file:line`, of the planted files, one line for each import and form. */
const refusals = (): Set<string> => {
  for (const [file, lines] of planted) {
    mkdirSync(dirname(join(copy, 'src', file)), { recursive: true });
    writeFileSync(join(copy, 'src', file), lines.join('\n'));
  }
  const config = JSON.stringify(join(ROOT, 'oxlint.config.ts'));
  writeFileSync(
    join(copy, 'oxlint.config.ts'),
    `import config from ${config};\nexport default { ...config, options: {} };\n`,
  );
  const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/oxlint'), ['-f', 'json', 'src'], {
    cwd: copy,
    encoding: 'utf8',
  });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  return new Set(
    diagnostics
      .filter(({ code }) => code === 'eslint(no-restricted-imports)')
      .map(({ filename, labels }) => `${filename}:${labels[0]?.span.line}`),
  );
};

const planted = new Map<string, string[]>();
const places = PLANTED.map(([file, imported]) => {
  const lines = planted.get(file) ?? [];
  planted.set(file, lines);
  return FORMS.map((form) => `src/${file}:${lines.push(form(imported, lines.length))}`);
});

describe('the import wall', () => {
  let refused: Set<string>;
  beforeAll(() => {
    refused = refusals();
  });

  test.each(PLANTED.map((one, i) => [...one, i] as const))('%s imports %s: %s', (_file, _imported, allowed, i) => {
    const lines = places[i] as string[];
    expect(lines.filter((line) => refused.has(line))).toEqual(allowed ? [] : lines);
  });

  test('has a line for each folder of src', () => {
    const folders = readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map(({ parentPath }) => relative(join(ROOT, 'src'), parentPath));
    // One line is for all screens of the console.
    const listed = folders.map((folder) => folder.replace(/^console\/app\/.*/, 'console/app'));
    expect([...new Set(listed)].toSorted()).toEqual(
      [
        ...[LOWER, PROTOCOLS].flatMap(Object.keys),
        ...Object.keys(FEATURES).flatMap(placesOf),
        ...STARTED,
        ...['client', 'console/app'],
      ].toSorted(),
    );
  });

  test.each(
    Object.entries({ ...FEATURES, ...PROTOCOLS }).flatMap(([feature, { from }]) =>
      from.map((file) => [feature, file] as const),
    ),
  )('lists for %s no file that it does not import: %s', (feature, file) => {
    const folder = join(ROOT, 'src', feature);
    const imported = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .flatMap((name) =>
        readFileSync(join(folder, name), 'utf8')
          .matchAll(/'(\.[^']+)'/g)
          .map(([, from = '']) => relative(join(ROOT, 'src'), join(folder, dirname(name), from)))
          .toArray(),
      );
    expect(imported).toContain(`${file}.ts`);
  });
});
