/** `.ci/release` in a clone: what a release consists of, and when none is made. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
const { version } = packageJson;
const run = promisify(execFile);

/** An unpacked archive has none, and git refuses a repository of another user. */
const hasHistory = spawnSync('git', ['rev-parse', 'HEAD'], { cwd: ROOT }).status === 0;

describe.skipIf(!hasHistory)('a release, where there is a git history', () => {
  let folder: string;
  let clone: string;
  const release = (out: string) => run('.ci/release', [out], { cwd: clone });
  const git = (...args: string[]) => execFileSync('git', args, { cwd: clone, stdio: 'pipe' });

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'almanac-release-'));
    clone = join(folder, 'clone');
    execFileSync('git', ['clone', '--quiet', '--depth', '1', `file://${ROOT}`, clone]);
    // What is tested is what lies here, committed or not.
    execFileSync('cp', ['-a', join(ROOT, '.ci'), join(ROOT, 'package.json'), join(ROOT, 'CHANGELOG.md'), clone]);
    execFileSync('cp', [join(ROOT, 'src/client/package.json'), join(clone, 'src/client/package.json')]);
    symlinkSync(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
    writeFileSync(join(clone, '.git/info/exclude'), 'node_modules\n');
    git('add', '-A');
    git('-c', 'user.name=t', '-c', 'user.email=t@example.org', 'commit', '--allow-empty', '-qm', 'Take what is tested');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('has the client, everything that the Dockerfile copies, and right checksums', async () => {
    const out = join(folder, 'out');
    const { stdout } = await release(out);
    const files = [`almanac-${version}.tar.gz`, `almanac-client-${version}.tgz`];
    expect(readdirSync(out).toSorted()).toEqual(['SHA256SUMS', ...files]);
    expect(stdout).toContain(`docker build --build-arg COMMIT=`);
    execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out, stdio: 'pipe' });
    const inside = execFileSync('tar', ['-tzf', files[0]!], { cwd: out, encoding: 'utf8' }).split('\n');
    const copied = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.length).toBeGreaterThan(4);
    for (const name of ['Dockerfile', ...copied])
      expect(
        inside.some((path) => path.replace(/\/$/, '') === `almanac-${version}/${name}`),
        name,
      ).toBe(true);
    expect(inside.some((path) => /\/(\.env|test|node_modules)(\/|$)/.test(path))).toBe(false);
    const client = execFileSync('tar', ['-tzf', files[1]!], { cwd: out, encoding: 'utf8' });
    expect(client).toContain('package/LICENSE');
  });

  test('is the same each time', async () => {
    const sums = async (name: string) => {
      await release(join(folder, name));
      return readFileSync(join(folder, name, 'SHA256SUMS'), 'utf8');
    };
    expect(await sums('first')).toBe(await sums('second'));
  });

  test.each([
    ['a folder with files', 'is not empty', () => join(folder, 'clone')],
    ['changes that are not committed', 'not committed', () => join(folder, 'dirty')],
  ])('is not made with %s', async (_name, why, out) => {
    const path = out();
    if (path.endsWith('dirty')) writeFileSync(join(clone, 'README.md'), 'changed');
    await expect(release(path)).rejects.toThrow(why);
    git('checkout', 'README.md');
  });
});
