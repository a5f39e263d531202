/** Reads the environment of the process and .env, and refuses what would be ignored without a word. */
import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { nearest } from '../common/fault-text.ts';
import { zoneFault } from '../domain/time/zone-suggestions.ts';
import { Environment } from './config.ts';

const FILE = '.env';
/** Other programs and libraries read these; docker-compose.yml the first. */
const OTHERS = /^(POSTGRES_PASSWORD|BUILD_COMMIT|OTEL_.*|PG[A-Z]+|NODE_.*|TZ)$/;

const wordsOf = (name: string): string[] => name.split(/[-_]/);

/**
 * Whether it may be that name misspelt: each word is near, or only the underscores differ. The distance of whole names would take
 * DATABASE_PORT for DATABASE_POOL, and OLD_JWT_SECRET for JWT_SECRET.
 */
const isLike = (name: string, known: string): boolean => {
  const [written, meant] = [wordsOf(name), wordsOf(known)];
  if (written.join('') === meant.join('')) return true;
  return written.length === meant.length && meant.every((word, i) => nearest(written[i] ?? '', [word]) !== undefined);
};

/**
 * Names of .env that are almost those of variables, each with the one that was probably meant.
 * @param env what is set. A variable that has a value was not misspelt, so a name like it belongs to another program.
 */
export const misspeltNames = (names: string[], env: NodeJS.ProcessEnv): string[] =>
  names
    .filter((name) => !Object.hasOwn(Environment.shape, name) && !OTHERS.test(name))
    .map((name) => {
      const possible = Object.keys(Environment.shape).filter((known) => !env[known] && isLike(name, known));
      return [name, nearest(name, possible)] as const;
    })
    .filter(([, meant]) => meant !== undefined)
    .map(([name, meant]) => `  ${name}: is unknown; did you mean ${meant}?`);

/** @param machine the time zone that Node has, undefined where TZ names none */
export const zoneProblem = (TZ: string | undefined, machine: string | undefined): string[] =>
  TZ && machine === undefined ? [`  TZ: ${zoneFault(TZ)}`] : [];

/** @throws Error with a message for people */
export const readEnvironment = (): NodeJS.ProcessEnv => {
  const file = existsSync(FILE) ? parseEnv(readFileSync(FILE, 'utf8')) : {};
  if (existsSync(FILE)) process.loadEnvFile(FILE); // A variable that is already set wins.
  const machine = Intl.DateTimeFormat().resolvedOptions().timeZone as string | undefined;
  const faults = [...misspeltNames(Object.keys(file), process.env), ...zoneProblem(process.env['TZ'], machine)];
  if (faults.length)
    throw new Error(
      `Almanac cannot start, because these variables of the environment or of .env are wrong:\n${faults.join('\n')}`,
    );
  return process.env;
};
