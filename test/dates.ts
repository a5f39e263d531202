/**
 * `npm run test:dates -- [instants] [--suite test] [--suite test:browser]`: the default tests and those of the browser as if it were
 * another day (test/support/today.ts). Exits 1 when a test failed. The whole takes the time of 32 runs.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** Runs that begin before a midnight or a change of the clocks have it after three minutes. */
const DAYS: Record<string, string> = {
  '2026-11-16T10:00Z': 'Monday',
  '2026-11-17T10:00Z': 'Tuesday',
  '2026-11-18T10:00Z': 'Wednesday',
  '2026-11-19T10:00Z': 'Thursday',
  '2026-11-20T10:00Z': 'Friday',
  '2026-11-21T10:00Z': 'Saturday',
  '2026-11-22T10:00Z': 'Sunday',
  '2027-01-31T23:57Z': 'end of a month, UTC',
  '2026-12-31T22:57Z': 'end of a year, Berlin',
  '2027-03-28T00:57Z': 'clocks go forward',
  '2027-10-31T00:57Z': 'clocks go back',
  '2027-02-28T12:00Z': '28 February',
  '2028-02-29T23:57Z': '29 February',
  '2027-07-01T06:00Z': 'a day in 2027',
  '2028-12-30T17:00Z': 'a day in 2028',
  '2033-05-01T08:00Z': 'a day in 2033',
};
const SUITES = ['test', 'test:browser'];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { suite: { type: 'string', multiple: true, default: SUITES } },
});
const unknown = values.suite.filter((suite) => !SUITES.includes(suite));
if (unknown.length) throw new Error(`There is no suite ${unknown.join(', ')}; there are ${SUITES.join(', ')}.`);

const ROOT = join(import.meta.dirname, '..');
const COUNTED = /^Counted: (\d+ passed), (\d+) failed, (\d+ skipped)$/m;
const folder = mkdtempSync(join(tmpdir(), 'almanac-dates-'));

/** @returns a row of the table, and what failed */
const run = (day: string, suite: string): { row: string; failed: boolean } => {
  const second = join(folder, 'second-try');
  writeFileSync(second, '');
  const began = performance.now();
  const { stdout } = spawnSync(process.execPath, ['.ci/tests.js', second, 'npm', 'run', '-s', suite], {
    ...{ cwd: ROOT, encoding: 'utf8', maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'inherit'] },
    env: { ...process.env, TEST_TODAY: day, TEST_DATABASE_URL: undefined },
  });
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  const [, passed = 'did not run', failed = '1', skipped = ''] = COUNTED.exec(stdout) ?? [];
  const names = [...new Set(stdout.match(/^ *FAIL .*$/gm) ?? [])];
  const once = readFileSync(second, 'utf8').trim();
  const details = [...names, ...(once ? [`at the second try: ${once.replaceAll('\n', ', ')}`] : [])];
  const cells = [day, (DAYS[day] ?? '').padEnd(21), suite.padEnd(12), passed.padStart(12), `${failed} failed`, skipped];
  return { row: [`${cells.join('  ')}  ${seconds} s`, ...details].join('\n    '), failed: failed !== '0' };
};

try {
  for (const day of positionals.length ? positionals : Object.keys(DAYS))
    for (const suite of values.suite) {
      const { row, failed } = run(day, suite);
      console.log(row);
      if (failed) process.exitCode = 1;
    }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
