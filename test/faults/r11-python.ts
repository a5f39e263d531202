/** R11's reference process: python3 with Debian's packages, spoken to in lines of JSON. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Case } from './r11-cases.ts';

/** Debian's own: a python of the machine's owner need not have the packages. */
const PYTHON = '/usr/bin/python3';
const SCRIPT = join(import.meta.dirname, 'r11-reference.py');
const APT = '/usr/bin/apt-get';
const PACKAGES = ['python3-icalendar', 'python3-recurring-ical-events', 'tzdata'];

export type About = { python: string; dateutil: string; icalendar: string; tzdata: string };

/** What the references say of a case; `starts` is null where the first one gave up. */
export type Expected = {
  id: number;
  starts: string[] | null;
  /** Where python-dateutil was told the rule otherwise, to read it as RFC 5545 does. */
  classes: string[];
  second: { unasked: string } | { known: string[]; differs: string[] };
};

export type Command =
  | { do: 'about' }
  | { do: 'expand'; case: Case }
  | { do: 'changes'; zone: string }
  | { do: 'walls'; zone: string; walls: string[] }
  | { do: 'file'; text: string; zone: string; from: string; to: string };

const isThere = (): boolean =>
  spawnSync(PYTHON, ['-c', 'import icalendar, recurring_ical_events, zoneinfo, dateutil']).status === 0;

/** Installs what is missing where it may. @throws where the reference can't run here */
export const requirePython = (say: (line: string) => void): void => {
  if (isThere()) return;
  say(`installing ${PACKAGES.join(', ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  spawnSync(APT, ['update', '-qq'], { env });
  const { stderr } = spawnSync(APT, ['install', '-y', '-qq', ...PACKAGES], { env });
  if (!isThere())
    throw new Error(`R11 needs ${PYTHON} with ${PACKAGES.join(', ')}: ${String(stderr ?? 'no apt-get').slice(-300)}`);
};

/** Tries of a process that ends before its work does. */
const TRIES = 3;

const speak = async <T>(commands: readonly Command[], heard: () => void, tries = TRIES): Promise<T[]> => {
  const child = spawn(PYTHON, [SCRIPT], { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env['PATH'] } });
  const ended = once(child, 'exit');
  child.stdin.on('error', () => undefined); // it ended early: told below
  child.stdin.end(commands.map((command) => `${JSON.stringify(command)}\n`).join(''));
  const answers: T[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    answers.push(JSON.parse(line) as T);
    heard();
  }
  const rest = commands.slice(answers.length);
  if (!rest.length) return answers;
  const [code, signal] = (await ended) as [number | null, string | null];
  if (tries > 1 && signal !== null) return [...answers, ...(await speak<T>(rest, heard, tries - 1))];
  throw new Error(`the reference ended (${code ?? signal}) at ${JSON.stringify(rest[0]).slice(0, 500)}`);
};

const PROCESSES = 2;

/** Answers in the order of the commands. */
export const ask = async <T>(commands: readonly Command[], say?: (done: number) => void): Promise<T[]> => {
  let done = 0;
  const heard = (): void => {
    done += 1;
    if (done % 1_000 === 0) say?.(done);
  };
  const share = Math.ceil(commands.length / PROCESSES);
  const parts = Array.from({ length: PROCESSES }, (_, i) => commands.slice(i * share, (i + 1) * share));
  return (await Promise.all(parts.filter((part) => part.length).map((part) => speak<T>(part, heard)))).flat();
};
