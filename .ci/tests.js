/**
 * node .ci/tests.js FILE COMMAND... [-- FOLDER]: runs tests by a command of npm that passes its arguments on to Vitest. The files of
 * failed tests run once more, by themselves. A test has failed where it failed both times; one that failed once is written to FILE.
 * What fails outside of tests has no second try. The last line counts: `Counted: N passed, N failed, N skipped`.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const [flaky, command, ...rest] = process.argv.slice(2);
const [args, chosen] = rest.includes('--')
  ? [rest.slice(0, rest.indexOf('--')), rest.slice(rest.indexOf('--') + 1)]
  : [rest, []];
const folder = mkdtempSync(join(tmpdir(), 'almanac-tests-'));
const reporters = ['--reporter=default', `--reporter=${fileURLToPath(new URL('report.js', import.meta.url))}`];

/** By file, how many tests passed and were skipped, and the names of those that failed; and the number of other failures. */
const run = (only) => {
  const REPORT = join(folder, 'report.json');
  rmSync(REPORT, { force: true });
  const env = { ...process.env, REPORT };
  const { status } = spawnSync(command, [...args, '--', ...only, ...reporters], { stdio: 'inherit', env });
  // Without a report Vitest itself has failed, and so does this.
  const { files, stray } = JSON.parse(readFileSync(REPORT, 'utf8'));
  const isExplained = stray > 0 || files.some(([, { failed }]) => failed.length);
  return { files: new Map(files), others: status === 0 || isExplained ? stray : 1 };
};

try {
  const { files, others } = run(chosen);
  const again = [...files.keys()].filter((file) => files.get(file).failed.length);
  let outside = others;
  if (again.length) {
    console.log(`== once more: ${again.join(' ')}`);
    const second = run(again);
    outside += second.others;
    for (const file of again) {
      const [before, after] = [files.get(file), second.files.get(file) ?? files.get(file)];
      const both = after.failed.filter((name) => before.failed.includes(name));
      const once = [...before.failed, ...after.failed].filter((name) => !both.includes(name));
      appendFileSync(flaky, once.map((name) => `${file} > ${name}\n`).join(''));
      files.set(file, { ...after, passed: after.passed + after.failed.length - both.length, failed: both });
    }
  }
  const sum = (count) => [...files.values()].reduce((total, one) => total + count(one), 0);
  const failed = outside + sum((one) => one.failed.length);
  console.log(`Counted: ${sum((one) => one.passed)} passed, ${failed} failed, ${sum((one) => one.skipped)} skipped`);
  process.exitCode = failed ? 1 : 0;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
