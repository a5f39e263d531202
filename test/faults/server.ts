/** Real service processes: started, killed without warning, and started again at the same address. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../support/ports.ts';

/** SERVICE_MAIN is the main.js of another checkout, to show that a trial finds what an earlier release did wrong. */
const MAIN = process.env['SERVICE_MAIN'] ?? join(import.meta.dirname, '../../src/process/main.js');
/**
 * No trial judges the time of a start. A new embedded service takes 8 s on two idle cores, 34 s beside four busy programs and a busy
 * disk, and 58 s beside eight.
 */
const START_WITHIN_MS = 240_000;
const LOG_LINES = 20;

export type Server = {
  url: string;
  /** Starts it and waits until it answers. @returns false when it was killed before it did. */
  start: () => Promise<boolean>;
  /** kill -9. */
  kill: () => Promise<void>;
  /** SIGTERM. */
  stop: () => Promise<void>;
  running: () => boolean;
  /** Of the process; undefined before the start. */
  pid: () => number | undefined;
  /** Null while it runs and after a signal. */
  exitCode: () => number | null;
  /** What it should not have done: ended by itself, or logged as an error of its own. */
  accidents: string[];
};

const children = new Set<ChildProcess>();
const accidentsOfAll: string[][] = [];

/** What the services of the trial under way have logged last, for when it breaks off. */
export const lastWords = (): string[] => accidentsOfAll.splice(0).flatMap((list) => list.slice(-3));

/** Ends every service started here: at the end of a trial, however it ends. */
export const killAll = (): void => {
  for (const child of children) child.kill('SIGKILL');
};
process.on('exit', killAll);

const SETTINGS = {
  HOST: '127.0.0.1',
  JWT_SECRET: 'a secret for fault trials that is long enough',
  OWNER_EMAIL: 'owner@example.org',
  OWNER_PASSWORD: 'correct horse battery',
  OWNER_API_KEY: 'an-owner-key-for-fault-trials-that-is-long-enough',
  ALLOW_REGISTRATION: 'true',
  RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'error',
};

/** A server that is not started yet. `main` is the first file of another release. */
export const aServer = async (env: Record<string, string>, main = MAIN): Promise<Server> => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const accidents: string[] = [];
  accidentsOfAll.push(accidents);
  let child: ChildProcess | undefined;
  let ended: Promise<unknown> = Promise.resolve();
  let meant = false;

  const launch = (): ChildProcess => {
    meant = false;
    const started = spawn(process.execPath, [main], {
      // Elsewhere, so that a developer's .env is not read.
      cwd: tmpdir(),
      env: { PATH: process.env['PATH'], ...SETTINGS, PORT: String(port), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(started);
    const tail: string[] = [];
    const hear = (data: Buffer): void => {
      for (const line of data.toString().split('\n')) {
        if (line.trim()) tail.push(line);
        if (line.startsWith('{') && accidents.length < 1000) accidents.push(line.slice(0, 1500));
      }
      tail.splice(0, tail.length - LOG_LINES);
    };
    started.stdout.on('data', hear);
    started.stderr.on('data', hear);
    ended = once(started, 'exit').then(([code, signal]) => {
      children.delete(started);
      if (!meant) accidents.push(`ended by itself (${String(code ?? signal)}): ${tail.join(' | ')}`);
    });
    return started;
  };

  const end = async (signal: 'SIGKILL' | 'SIGTERM'): Promise<void> => {
    meant = true;
    child?.kill(signal);
    await ended;
  };

  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null;

  return {
    url,
    accidents,
    start: async () => {
      const mine = launch();
      child = mine;
      for (const deadline = performance.now() + START_WITHIN_MS; performance.now() < deadline; await sleep(30)) {
        if (mine.exitCode !== null) throw new Error(`the service did not start: ${accidents.at(-1) ?? ''}`);
        if (mine.signalCode !== null || child !== mine) return false;
        const healthy = await fetch(`${url}/health/ready`).then(
          (r) => r.body?.cancel().then(() => r.ok),
          () => false,
        );
        if (healthy) return true;
      }
      throw new Error(`the service at ${url} did not answer within ${START_WITHIN_MS / 1000} s`);
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    running: isRunning,
    pid: () => child?.pid,
    exitCode: () => child?.exitCode ?? null,
  };
};

/** Several servers on one place, started one after the other (the first one migrates). */
export const servers = async (count: number, env: Record<string, string>): Promise<Server[]> => {
  const list: Server[] = [];
  for (let i = 0; i < count; i++) {
    const server = await aServer(env);
    await server.start();
    list.push(server);
  }
  return list;
};
