/**
 * R4: every route and every MCP tool x {owner, other user, agent key, missing scope, revoked, expired, none}; the tables are in
 * authorization.test.ts and mcp-authorization.test.ts.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SERVER, type Place } from './cluster.ts';
import { check, type Outcome, type Trial } from './trial.ts';

const ROOT = join(import.meta.dirname, '../..');

type Result = { fullName: string; ancestorTitles: string[]; title: string; status: string; failureMessages: string[] };
type Report = { testResults: { assertionResults: Result[]; message: string }[] };

const runMatrix = async (place: Place): Promise<Report> => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-r4-'));
  const file = join(folder, 'report.json');
  const { TEST_DATABASE_URL: _, ...env } = process.env;
  try {
    const vitest = spawn(
      process.execPath,
      [
        join(ROOT, 'node_modules/vitest/vitest.mjs'),
        'run',
        'test/api/authorization.test.ts',
        'test/api/mcp-authorization.test.ts',
        '--reporter=json',
        `--outputFile=${file}`,
      ],
      { cwd: ROOT, stdio: 'ignore', env: place.kind === 'postgres' ? { ...env, TEST_DATABASE_URL: SERVER } : env },
    );
    await once(vitest, 'exit');
    return JSON.parse(readFileSync(file, 'utf8')) as Report;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const failed = (results: Result[]): string[] =>
  results
    .filter((r) => r.status !== 'passed')
    .map((r) => `${r.fullName}: ${r.failureMessages[0]?.split('\n')[0] ?? r.status}`);

const run = async (place: Place): Promise<Outcome> => {
  const report = await runMatrix(place);
  const results = report.testResults.flatMap((file) => file.assertionResults);
  if (!results.length) throw new Error(`the matrix did not run: ${report.testResults[0]?.message ?? ''}`);
  const cells = results.filter((r) => r.ancestorTitles.length > 0);
  const checks = [...Map.groupBy(cells, (r) => r.title)].map(([credential, rows]) =>
    check(credential, rows.length, { wrong: failed(rows) }),
  );
  const rest = results.filter((r) => r.ancestorTitles.length === 0);
  const rows = [...new Set(cells.map((r) => r.ancestorTitles.join(' ')))];
  const tools = rows.filter((row) => row.startsWith('tool ')).length;
  return {
    checks: [
      ...checks,
      check('the tables name every route and every tool, and no other', rest.length, { wrong: failed(rest) }),
    ],
    facts: [`${rows.length - tools} routes, ${tools} MCP tools, ${cells.length} decided answers.`],
  };
};

export const R4: Trial = {
  id: 'R4',
  title: 'every route with every credential',
  places: ['postgres', 'embedded'],
  embedded: true,
  run,
};
