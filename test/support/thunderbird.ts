/** A real Thunderbird without a window on the screen, which tests command by Marionette (https://firefox-source-docs.mozilla.org/testing/marionette/). */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** No request to anybody else, no first-run pages, one time zone, and no synchronisation but the one that a test asks for. */
const PREFERENCES = {
  'marionette.port': 0,
  'calendar.timezone.local': 'Europe/Berlin',
  'calendar.timezone.useSystemTimezone': false,
  'calendar.integration.notify': false,
  'mail.provider.suppress_dialog_on_startup': true,
  'mail.spotlight.firstRunDone': true,
  'mailnews.start_page.enabled': false,
  // Marionette turns it off.
  'signon.rememberSignons': true,
  'datareporting.policy.dataSubmissionEnabled': false,
  'toolkit.telemetry.enabled': false,
  'app.update.enabled': false,
  'extensions.update.enabled': false,
  'network.dns.disableIPv6': true,
  'services.settings.server': 'data:,none',
};

const STARTS_WITHIN_MS = 60_000;

const portOf = async (profile: string, isOver: () => boolean): Promise<number> => {
  const file = join(profile, 'MarionetteActivePort');
  for (const end = performance.now() + STARTS_WITHIN_MS; performance.now() < end && !isOver(); await sleep(100))
    if (existsSync(file) && Number(readFileSync(file, 'utf8'))) return Number(readFileSync(file, 'utf8'));
  throw new Error('Thunderbird did not start.');
};

type Answer = [1, id: number, error: { message: string } | null, result: { value: unknown } | null];

/** The answers in what has arrived so far: each has its length before it. */
const messagesIn = (socket: Socket, take: (answer: Answer) => void): void => {
  let rest = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => {
    for (rest = Buffer.concat([rest, piece]); ;) {
      const colon = rest.indexOf(':');
      const end = colon + 1 + Number(rest.subarray(0, colon));
      if (colon < 0 || rest.length < end) return;
      const message: unknown = JSON.parse(rest.toString('utf8', colon + 1, end));
      rest = rest.subarray(end);
      if (Array.isArray(message)) take(message as Answer);
    }
  });
};

const marionette = async (port: number) => {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const waiting = new Map<number, (answer: Answer) => void>();
  messagesIn(socket, (answer) => waiting.get(answer[1])?.(answer));
  let id = 0;
  const ask = async (name: string, parameters: object = {}): Promise<unknown> => {
    id += 1;
    const text = JSON.stringify([0, id, name, parameters]);
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.write(`${Buffer.byteLength(text)}:${text}`);
    const [, , error, result] = await answered;
    if (error) throw new Error(`${name}: ${error.message}`);
    return result?.value;
  };
  return { ask, close: () => socket.destroy() };
};

export const aThunderbird = async (program: string) => {
  const profile = mkdtempSync(join(tmpdir(), 'almanac-thunderbird-'));
  const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`);
  writeFileSync(join(profile, 'user.js'), lines.join('\n'));
  const args = ['--headless', '--marionette', '--remote-allow-system-access', '--no-remote', '--profile', profile];
  const child = spawn(program, args, { stdio: 'ignore', detached: true });
  const ended = once(child, 'exit');
  const end = async (): Promise<void> => {
    // Debian's program is a script, so the group is ended with it.
    if (child.exitCode === null && child.pid) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  const begin = async () => {
    const commands = await marionette(await portOf(profile, () => child.exitCode !== null));
    await commands.ask('WebDriver:NewSession', { timeouts: { script: 30_000 } });
    await commands.ask('Marionette:SetContext', { value: 'chrome' });
    return commands;
  };
  const { ask, close } = await begin().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return {
    /** Runs the body of an async function in Thunderbird, where `cal` is its calendar, and `args` what is given here. */
    run: (body: string, ...args: unknown[]): Promise<unknown> =>
      ask('WebDriver:ExecuteScript', {
        script: `const { cal } = ChromeUtils.importESModule('resource:///modules/calendar/calUtils.sys.mjs');
          const args = [...arguments];
          return (async () => { ${body} })();`,
        args,
        sandbox: 'system',
        newSandbox: false,
      }),
    stop: async (): Promise<void> => {
      close();
      await end();
    },
  };
};

export type Thunderbird = Awaited<ReturnType<typeof aThunderbird>>;
