/**
 * `npm run explore -- [--minutes N] [files or folders]`: runs the property tests again and again, each time from a new seed, and
 * tells what failed. Exits 1 when something did. A failure belongs into FOUND of test/support/seeds.ts. A round that has begun is
 * finished, so it may take some minutes longer.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** How many cases of one seed a property tries, and how long. */
const CASES = 100_000;
const MS = 10_000;

type Note = {
  test: string;
  numRuns: number;
  seed: number;
  found: { skip: number; counterexample: string; error: string } | null;
};

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '10' } },
});
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const files = execFileSync('git', ['grep', '-l', 'fc.assert(', '--', ...(positionals.length ? positionals : ['test'])])
  .toString()
  .split('\n')
  .filter((file) => file.endsWith('.test.ts'));
const folder = mkdtempSync(join(tmpdir(), 'explore-'));
const notes = join(folder, 'notes');
const tried = new Map<string, number>();
let failures = 0;

const until = performance.now() + Number(flags.minutes) * 60_000;
while (performance.now() < until) {
  const seed = randomInt(2 ** 31);
  const ms = Math.min(MS, until - performance.now());
  writeFileSync(notes, '');
  // What else these files test may fail here, as nothing waits for it; it is told by `npm test`.
  const { stdout } = spawnSync('npx', ['vitest', 'run', '--testTimeout=0', ...files], {
    env: { ...process.env, EXPLORE: JSON.stringify({ seed, cases: CASES, ms, notes }) },
    maxBuffer: 1 << 30,
    encoding: 'utf8',
  });
  const lines = readFileSync(notes, 'utf8').split('\n').filter(Boolean);
  if (lines.length === 0) throw new Error(`no property was tried:\n${stdout}`);
  for (const { test, numRuns, found } of lines.map((line) => JSON.parse(line) as Note)) {
    tried.set(test, (tried.get(test) ?? 0) + numRuns);
    if (!found) continue;
    failures++;
    say(`\n${test}\n  { seed: ${seed}, skip: ${found.skip} }\n  ${found.counterexample}\n  ${found.error}\n`);
  }
}
rmSync(folder, { recursive: true });
for (const [test, cases] of [...tried].toSorted(([, a], [, b]) => a - b))
  say(`${cases.toLocaleString('en').padStart(13)}  ${test}`);
say(`${failures} failures in ${tried.size} tests with properties`);
process.exitCode = failures > 0 ? 1 : 0;
