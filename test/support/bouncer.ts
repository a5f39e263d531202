/** A PgBouncer of the test's own between the service and the test's Postgres. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';

/** [major, minor], or null where it is not installed. */
export const bouncerVersion = (): [number, number] | null => {
  try {
    const told = execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' });
    const [, major = '', minor = ''] = /(\d+)\.(\d+)/.exec(told) ?? [];
    return [Number(major), Number(minor)];
  } catch {
    return null;
  }
};

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });

/** @param settings lines of its [pgbouncer] section. @returns DATABASE_URL of the same database through it */
export const aBouncer = async (
  target: URL,
  settings: Record<string, string>,
): Promise<{ url: URL; stop: () => Promise<void> }> => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-bouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const login = [`user=${target.username}`, target.password && `password=${target.password}`].filter(Boolean).join(' ');
  const lines = Object.entries({
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    auth_file: join(folder, 'users'),
    ignore_startup_parameters: 'extra_float_digits,options',
    ...settings,
  }).map(([name, value]) => `${name} = ${value}`);
  const file = join(folder, 'pgbouncer.ini');
  writeFileSync(join(folder, 'users'), '"somebody" "their password"\n');
  writeFileSync(
    file,
    [
      `[databases]`,
      `* = host=${target.hostname} port=${target.port || 5432} ${login}`,
      '[pgbouncer]',
      ...lines,
      '',
    ].join('\n'),
  );
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn('pgbouncer', ['-q', ...asUser, file], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}`);
    await sleep(20);
  }
  const url = new URL(target);
  url.host = `127.0.0.1:${port}`;
  return {
    url,
    stop: async () => {
      child.kill('SIGINT');
      child.kill('SIGTERM'); // twice: at once, whoever is connected
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
