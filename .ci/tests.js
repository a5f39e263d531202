/**
 * node .ci/tests.js FILE COMMAND...: runs tests by a command of npm that passes its arguments on to Vitest. The files of failed
 * tests run once more, by themselves. A test has failed where it failed both times; one that failed once is written to FILE.
 * The last line counts: `Counted: N passed, N failed, N skipped`.
 */
import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

const [flaky, command, ...args] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'almanac-tests-'));

/** By file, how many of its tests passed and were skipped, and the names of those that failed. */
const run = (report, more) => {
  const path = join(folder, report);
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`];
  const { status } = spawnSync(command, [...args, '--', ...more, ...reporters], { stdio: 'inherit' });
  const files = JSON.parse(readFileSync(path, 'utf8')).testResults.map((result) => {
    const file = relative(process.cwd(), result.name);
    const of = (wanted) => result.assertionResults.filter((one) => wanted.includes(one.status));
    const failed = of(['failed']).map((one) => `${file} > ${one.fullName.replace(/\s+/g, ' ')}`);
    // A file that cannot be loaded, or whose hooks fail, counts as one test.
    if (result.status === 'failed' && !failed.length) failed.push(file);
    return [file, { passed: of(['passed']).length, skipped: of(['pending', 'skipped', 'todo']).length, failed }];
  });
  return { status, files: new Map(files) };
};

try {
  let { status, files } = run('first.json', []);
  const again = [...files.keys()].filter((file) => files.get(file).failed.length);
  if (again.length) {
    console.log(`== once more: ${again.join(' ')}`);
    const second = run('second.json', again).files;
    for (const file of again) {
      const [before, after] = [files.get(file), second.get(file) ?? files.get(file)];
      const both = after.failed.filter((name) => before.failed.includes(name));
      const once = [...before.failed, ...after.failed].filter((name) => !both.includes(name));
      appendFileSync(flaky, once.map((name) => `${name}\n`).join(''));
      const passed = after.passed + after.failed.length - both.length;
      files.set(file, { ...after, passed, failed: both });
    }
    status = [...files.values()].some(({ failed }) => failed.length) ? 1 : 0;
  }
  const sum = (count) => [...files.values()].reduce((total, one) => total + count(one), 0);
  const failed = sum((one) => one.failed.length);
  console.log(`Counted: ${sum((one) => one.passed)} passed, ${failed} failed, ${sum((one) => one.skipped)} skipped`);
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
