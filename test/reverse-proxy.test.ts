/**
 * The walk of an operator behind a proxy with two users: the files and commands of docs/reverse-proxy.md, with the real nginx and
 * Caddy. What is replaced are the folders of the system and the ports. Without these programs the tests are skipped.
 */
import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { COMPILED } from './support/child-processes.ts';
import { migratedDirectory } from './support/db.ts';
import { freePort } from './support/ports.ts';

const ROOT = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(ROOT, 'docs/reverse-proxy.md'), 'utf8');
const HOST = 'almanac.example.org';

const has = (program: string): boolean => {
  try {
    execFileSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};
/** Says why a test is skipped, in its name. */
const needing = (...programs: string[]) => {
  const missing = programs.filter((program) => !has(program));
  return {
    missing: missing.length > 0,
    note: missing.length ? ` (skipped: ${missing.join(', ')} is not installed)` : '',
  };
};

const blocks = [...PAGE.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', text = '']) => ({
  language,
  text,
}));
/** The file of the page with this path. */
const fileOf = (path: string): string => {
  const found = blocks.find(({ text }) => text.startsWith(`# ${path}\n`));
  if (!found) throw new Error(`the page has no file ${path}`);
  return found.text;
};
const shell = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text);
const FOR_CADDY = 'chown root:caddy ';
const commands = shell.filter((text) => !text.startsWith(FOR_CADDY));
const keyForCaddy = shell.find((text) => text.startsWith(FOR_CADDY)) ?? 'false';
/** The line of the page that shows the secrets of the first start. */
const [showSecrets = 'false'] = /^.*cat \/var\/lib\/almanac\/first-start\.txt$/m.exec(PAGE) ?? [];

type Place = { folder: string; service: number; http: number; https: number };

/** Puts the folders and ports of a test in place of those of a system. */
const placed = ({ folder, service, http, https }: Place, text: string): string =>
  text
    .replaceAll(/(\/etc\/almanac|\/var\/lib\/almanac|\/var\/log\/nginx)/g, `${folder}$1`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${service}`)
    .replaceAll('PORT=8080', `PORT=${service}`)
    .replaceAll(/^ *listen \[::\].*\n/gm, '')
    .replaceAll('listen 80;', `listen 127.0.0.1:${http};`)
    .replaceAll('listen 443 ', `listen 127.0.0.1:${https} `);

/** Debian's main file of nginx, without its service. */
const nginxMain = (folder: string, include: string): string => `
daemon off;
pid ${folder}/nginx.pid;
error_log ${folder}/nginx.log;
${process.getuid?.() === 0 ? 'user root;' : ''}
events {}
http {
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
  access_log off;
  include ${include};
}`;

const write = (file: string, text: string): string => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
};

type Proxy = (place: Place) => ChildProcess;

/** Whether this process may run Caddy as Debian's user of it. */
const hasCaddyUser = process.getuid?.() === 0 && has('id -u caddy');
const idOfCaddy = (what: '-u' | '-g'): number => Number(execFileSync('id', [what, 'caddy']));

/** As whom Debian runs Caddy, who then may read the key and write its own folder. */
const asCaddy = (place: Place): { uid?: number; gid?: number } => {
  if (!hasCaddyUser) return {};
  const own = join(place.folder, 'caddy');
  mkdirSync(own);
  execFileSync('chown', ['caddy:caddy', own]);
  chmodSync(place.folder, 0o711);
  execFileSync('bash', ['-euc', placed(place, keyForCaddy)]);
  return { uid: idOfCaddy('-u'), gid: idOfCaddy('-g') };
};

const PROXIES: Record<string, Proxy> = {
  nginx: (place) => {
    const { folder } = place;
    const conf = write(join(folder, 'almanac.conf'), placed(place, fileOf('/etc/nginx/conf.d/almanac.conf')));
    const main = write(join(folder, 'nginx.conf'), nginxMain(folder, conf));
    return spawn('nginx', ['-p', folder, '-c', main], { stdio: ['ignore', 'ignore', 'pipe'] });
  },
  caddy: (place) => {
    const { folder, http, https } = place;
    const options = `{\n\tadmin off\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`;
    const file = write(join(folder, 'Caddyfile'), options + placed(place, fileOf('/etc/caddy/Caddyfile')));
    const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, PATH: process.env['PATH'] };
    const args = ['run', '--config', file, '--adapter', 'caddyfile'];
    return spawn('caddy', args, { env: home, stdio: ['ignore', 'ignore', 'pipe'], ...asCaddy(place) });
  },
};

/** Runs a command of the page. */
const shellAt = async (place: Place, text: string): Promise<string> =>
  (await promisify(execFile)('bash', ['-euc', placed(place, text)], { timeout: 60_000 })).stdout;

type Running = Place & { stop: () => Promise<void>; log: () => string; key: string };

const ended = (child: ChildProcess): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });

const until = async (what: () => Promise<boolean>, milliseconds: number, log: () => string): Promise<void> => {
  for (const end = performance.now() + milliseconds; !(await what());) {
    if (performance.now() > end) throw new Error(`nothing answers: ${log()}`);
    await sleep(100);
  }
};

/** Ends what was started, the proxy first, and removes the folder. A proxy that is killed leaves its workers behind. */
const clear = async (folder: string, children: ChildProcess[]): Promise<void> => {
  for (const child of children.toReversed()) await ended(child);
  rmSync(folder, { recursive: true, force: true });
};

/** Starts the service with the settings of the page, and a proxy in front of it. `children` gets what it has started. */
const begin = async (place: Place, proxy: Proxy, children: ChildProcess[]): Promise<Running> => {
  const { folder, service, http } = place;
  mkdirSync(join(folder, 'var/log/nginx'), { recursive: true });
  await migratedDirectory(join(folder, 'var/lib/almanac')); // Without it, the first start creates the database for seconds.
  write(join(folder, '.env'), placed(place, fileOf('/opt/almanac/.env')));
  await shellAt(place, commands[0] as string);
  const main = join(ROOT, 'src/process/main.js');
  const almanac = spawn(process.execPath, [main], { cwd: folder, env: { ...COMPILED, PATH: process.env['PATH'] } });
  children.push(almanac);
  let log = '';
  almanac.stdout.on('data', (data) => (log += String(data)));
  almanac.stderr.on('data', (data) => (log += String(data)));
  const ready = () =>
    fetch(`http://127.0.0.1:${service}/health/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  const [secrets] = await Promise.all([shellAt(place, showSecrets), until(ready, 40_000, () => log)]);
  const child = proxy(place);
  children.push(child);
  child.stderr?.on('data', (data) => (log += String(data)));
  const listens = () =>
    fetch(`http://127.0.0.1:${http}/`, { redirect: 'manual' }).then(
      () => true,
      () => false,
    );
  await until(listens, 20_000, () => log);
  const [key = ''] = /alm_user_\w+/.exec(secrets) ?? [];
  return { ...place, key, log: () => log, stop: () => clear(folder, children) };
};

const start = async (proxy: Proxy): Promise<Running> => {
  const [service, http, https] = await Promise.all([freePort(), freePort(), freePort()]);
  const place = { folder: mkdtempSync(join(tmpdir(), 'almanac-proxy-')), service, http, https };
  const children: ChildProcess[] = [];
  return begin(place, proxy, children).catch(async (error: unknown) => {
    await clear(place.folder, children);
    throw error;
  });
};

/** Runs commands of the page in one shell, whose curl reaches the proxy under the name of the page. */
const run = async (at: Running, ...texts: string[]): Promise<string> => {
  const to = (port: number, real: number) => `--connect-to ${HOST}:${port}:127.0.0.1:${real}`;
  const script = [
    `curl() { command curl ${to(443, at.https)} ${to(80, at.http)} "$@"; }`,
    ...texts.map((text) => placed(at, text).replace(/^export KEY=.*$/m, `export KEY=${at.key}`)),
  ];
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
    cwd: at.folder,
  });
  return stdout;
};

/** Everything in the logs of the proxy. */
const logged = (folder: string): string =>
  globSync(['**/*.log', 'caddy/**'], { cwd: folder, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

const socketOf = (at: Running, token: string): WebSocket =>
  new WebSocket(`wss://127.0.0.1:${at.https}/ws`, {
    ca: readFileSync(join(at.folder, 'etc/almanac/tls.crt')),
    servername: HOST,
    headers: { host: HOST, authorization: `Bearer ${token}` },
    origin: `https://${HOST}`,
  } as WebSocket.ClientOptions);

describe.each(Object.keys(PROXIES))('behind %s', (name) => {
  const { missing, note } = needing(name, 'curl', 'openssl');
  let at: Running;
  beforeAll(async () => {
    if (!missing) at = await start(PROXIES[name] as Proxy);
  }, 120_000);
  afterAll(() => at?.stop());

  test.skipIf(missing)(`the commands of the page work${note}`, async () => {
    const told = (await run(at, ...commands.slice(1))).split('\n').filter(Boolean);
    expect(told).toHaveLength(5);
    const [ready, redirect, profile, socket, report] = told as [string, string, string, string, string];
    expect(JSON.parse(ready)).toMatchObject({ status: 'ok' });
    expect(redirect).toBe(`308 https://${HOST}/docs`);
    expect(JSON.parse(profile)).toMatchObject({ email: 'ada@example.org' });
    expect(socket).toBe('101');
    expect(JSON.parse(report)).toMatchObject({ created: 209 });
    expect(readFileSync(join(at.folder, 'check.ics')).length).toBeGreaterThan(1_400_000);
    expect(at.log() + logged(at.folder)).not.toMatch(/\.[0-9a-f]{24}\.[\w-]{43}/); // an invitation, a refresh token
    const cookies = readFileSync(join(at.folder, 'cookies.txt'), 'utf8');
    expect(cookies).toMatch(/^#HttpOnly_almanac\.example\.org\tFALSE\t\/user\/refresh\tTRUE\t/m);
  });

  test.skipIf(missing)(`a client follows changes over TLS${note}`, async () => {
    const ws = socketOf(at, at.key);
    const message = new Promise<string>((resolve, reject) => {
      ws.on('message', (data: Buffer) => data.includes('through a proxy') && resolve(data.toString()));
      ws.on('error', reject);
    });
    await new Promise((resolve, reject) => ws.on('open', resolve).on('error', reject));
    ws.send('{"subscribe": {}}');
    const push = `json -H "Authorization: Bearer $KEY" $URL/memory/push -d '{"traces": [{"type": "observation", "content": "through a proxy"}]}'`;
    await run(at, commands[1] as string, push);
    expect(JSON.parse(await message)).toMatchObject({ type: 'trace.created' });
    ws.terminate();
  });

  test.skipIf(missing)(`nobody chooses their own address, and no log has a key of a feed${note}`, async () => {
    const forged = `curl -sS -o /dev/null -w '%{http_code}\\n' --cacert /etc/almanac/tls.crt -H 'X-Forwarded-For: 203.0.113.9' -H 'Authorization: Bearer x' $URL/user/whoami`;
    const feed = `curl -sS -o /dev/null --cacert /etc/almanac/tls.crt "$URL/calendar/feed.ics?key=alm_feed_secret"`;
    expect(await run(at, `URL=https://${HOST}`, forged, feed)).toBe('401\n');
    await expect.poll(() => at.log()).toContain('"ip":"127.0.0.1"');
    expect(at.log()).not.toContain('203.0.113.9');
    await sleep(200);
    expect(logged(at.folder)).toContain(name === 'nginx' ? '/calendar/feed.ics' : '');
    expect(logged(at.folder) + at.log()).not.toContain('alm_feed_secret');
  });
});

describe('behind nginx with its defaults', () => {
  const { missing, note } = needing('nginx', 'curl', 'openssl');
  let at: Running;
  const DEFAULTS: Proxy = (place) => {
    const { folder, http, https, service } = place;
    const conf = `server { listen 127.0.0.1:${http}; listen 127.0.0.1:${https} ssl; ssl_certificate ${folder}/etc/almanac/tls.crt; ssl_certificate_key ${folder}/etc/almanac/tls.key; location / { proxy_pass http://127.0.0.1:${service}; } }`;
    const main = write(join(folder, 'nginx.conf'), nginxMain(folder, write(join(folder, 'defaults.conf'), conf)));
    return spawn('nginx', ['-p', folder, '-c', main], { stdio: ['ignore', 'ignore', 'pipe'] });
  };
  beforeAll(async () => {
    if (!missing) at = await start(DEFAULTS);
  }, 120_000);
  afterAll(() => at?.stop());

  test.skipIf(missing)(
    `the console signs in by PUBLIC_URL, and the page tells the truth about the rest${note}`,
    async () => {
      const [setUp, second, signIn, , importing] = commands.slice(1) as [string, string, string, string, string];
      const all = setUp.replace(/^curl .*$/m, '');
      const told = await run(at, all, second, signIn);
      expect(told).toContain('"email":"ada@example.org"');
      const socket = `api --http1.1 -H "Authorization: Bearer $KEY" -H 'Connection: Upgrade' -H 'Upgrade: websocket' -H 'Sec-WebSocket-Version: 13' -H 'Sec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==' $URL/ws || true`;
      expect(await run(at, all, socket)).toContain(
        'This WebSocket handshake lacks Upgrade: websocket, Connection: Upgrade',
      );
      const refused = await run(at, all, 'TOKEN=$KEY', `(${importing.trimEnd()}) || true`);
      expect(refused).toContain('413 Request Entity Too Large');
    },
  );
});

describe('the unit of systemd', () => {
  const { missing, note } = needing('systemd-analyze');
  test.skipIf(missing)(`is accepted by systemd-analyze${note}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'almanac-unit-'));
    const text = fileOf('/etc/systemd/system/almanac.service').replaceAll('/opt/almanac', ROOT.replace(/\/$/, ''));
    const unit = write(join(folder, 'almanac.service'), text);
    const verify = promisify(execFile)('systemd-analyze', ['verify', unit]);
    const { stdout, stderr } = await verify;
    expect(stdout + stderr).not.toMatch(/almanac\.service/);
    const broken = write(join(folder, 'broken.service'), text.replace('Restart=on-failure', 'Restart=perhaps'));
    const told = await promisify(execFile)('systemd-analyze', ['verify', broken]).then(
      ({ stderr: said }) => said,
      (error: { stderr: string }) => error.stderr,
    );
    expect(told).toMatch(/perhaps/);
    rmSync(folder, { recursive: true });
  });
});
