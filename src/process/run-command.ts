/** Runs an operator's command beside the service, on the database that the environment names. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from './app.ts';
import { openClock, type RunningClock } from '../db/database-clock.ts';
import { readDatabaseConfig, type Config } from './config.ts';
import type { DatabaseHandle } from '../db/database.ts';
import { isUpToDate } from '../db/migrate.ts';
import { openCheckedDatabase } from '../db/requirements.ts';
import { createLog } from '../observability/log.ts';
import { PROJECTIONS } from './all-projections.ts';
import { createAuditCommand } from './audit-command.ts';
import { createDistributeCommand } from './distribute-command.ts';
import { UsageError, type Command, type CommandContext } from './operator-command.ts';
import { createOwnerCommand } from './owner-command.ts';
import { createRezoneCommand } from './rezone-command.ts';

/**
 * Nobody logs in here, so a secret that nobody knows is enough. The service computes the embeddings of what a command writes at its next start.
 */
const servicesOn = ({ handle, config, clock }: CommandContext) =>
  createApp({
    config,
    handle,
    log: createLog('silent'),
    clock,
    jwtSecret: randomBytes(48).toString('base64url'),
    vectors: false,
  }).services;

const COMMANDS: Record<string, Command> = {
  audit: createAuditCommand(PROJECTIONS),
  rezone: createRezoneCommand((context) => servicesOn(context).calendar.rezone),
  owner: createOwnerCommand((context) => servicesOn(context).owner),
  distribute: createDistributeCommand(),
};

const overview = (): string =>
  [
    'Usage: npm run <command> -- [options]',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`),
    '',
    'npm run <command> -- --help lists the options. The environment names the database (DATABASE_URL or DATA_DIR).',
  ].join('\n');

/** @throws Error for people where the database is missing, in use, or of another release */
const open = async (config: Config, progress: Output['progress']): Promise<DatabaseHandle> => {
  if (!config.DATABASE_URL && !existsSync(join(config.DATA_DIR, 'pgdata')))
    throw new Error(`There is no database in ${config.DATA_DIR}. Set DATA_DIR or DATABASE_URL.`);
  const handle = await openCheckedDatabase({ ...config, sessions: 'almanac command' }, (error) =>
    progress(`a database connection was lost: ${error.message}`),
  );
  if (await isUpToDate(handle)) return handle;
  await handle.close();
  throw new Error('The database is of an older release. Start the service of this release once to migrate it.');
};

const optionsOf = ({ options }: Command, args: string[]) => {
  try {
    return parseArgs({ args, options: { ...options, help: { type: 'boolean', short: 'h' } }, strict: true }).values;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

export type Output = Pick<CommandContext, 'print' | 'progress'>;

const run = async (
  [name = '', ...args]: string[],
  environment: () => NodeJS.ProcessEnv,
  { print, progress }: Output,
): Promise<number> => {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (!command) {
    const isAsked = ['', 'help', '--help', '-h'].includes(name);
    (isAsked ? print : progress)(isAsked ? overview() : `There is no command ${name}.\n\n${overview()}`);
    return isAsked ? 0 : 2;
  }
  const options = optionsOf(command, args) as Record<string, string | boolean | undefined>;
  if (options['help']) {
    print(`${command.summary}.\n\nUsage: npm run ${name} -- [options]\n\n${command.help}`);
    return 0;
  }
  const config = readDatabaseConfig(environment());
  const handle = await open(config, progress);
  let clock: RunningClock | undefined;
  try {
    clock = await openClock(handle, (_, text) => progress(text));
    return (await command.run({ handle, config, clock, print, progress }, options)) === 'bad' ? 1 : 0;
  } finally {
    clock?.stop();
    await handle.close();
  }
};

/** @returns the exit code. A failure is reported as progress. */
export const runCommand = (args: string[], environment: () => NodeJS.ProcessEnv, output: Output): Promise<number> =>
  run(args, environment, output).catch((error: unknown) => {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? `\n${cause.message}` : '';
    output.progress(error instanceof UsageError ? message : `${message}${why}`);
    return 2;
  });
