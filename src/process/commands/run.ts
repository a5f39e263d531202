/** Runs an operator's command beside the service, on the database that the environment names. */
import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createApp } from '../app.ts';
import { openClock, type RunningClock } from '../../db/database-clock.ts';
import { readDatabaseConfig, type Config } from '../config.ts';
import { jwtSecret } from '../jwt-secret.ts';
import { createLog } from '../../observability/log.ts';
import { PROJECTIONS } from '../all-projections.ts';
import { createAuditCommand } from './audit.ts';
import { createDistributeCommand } from './distribute.ts';
import { createBackupCommand } from './backup.ts';
import { createMoveCommand } from './move.ts';
import { openMigrated } from './open-database.ts';
import {
  UsageError,
  type BareContext,
  type Command,
  type CommandContext,
  type Options,
  type Outcome,
} from './operator-command.ts';
import { createRestoreCommand } from './restore.ts';
import { createOwnerCommand } from './owner.ts';
import { createRezoneCommand } from './rezone.ts';
import { createUsersCommand } from './users.ts';

/**
 * Where nobody logs in, a secret that nobody knows is enough. The service computes the embeddings of what a command writes when it starts
 * next.
 */
const servicesOn = ({ handle, config, clock }: CommandContext, secret = randomBytes(48).toString('base64url')) =>
  createApp({
    config,
    handle,
    log: createLog('silent'),
    clock,
    jwtSecret: secret,
    vectors: false,
  }).services;

/** Invitations are sealed with the secret of the service. @throws UsageError */
const serviceSecret = (config: Config): string => {
  if (config.DATABASE_URL && !config.JWT_SECRET)
    throw new UsageError('JWT_SECRET is missing. Run the command with the environment of the service (its .env).');
  return jwtSecret(config);
};

const COMMANDS: Record<string, Command> = {
  audit: createAuditCommand(PROJECTIONS),
  rezone: createRezoneCommand((context) => servicesOn(context).calendar.rezone),
  owner: createOwnerCommand((context) => servicesOn(context).owner),
  users: createUsersCommand((context) => servicesOn(context, serviceSecret(context.config))),
  distribute: createDistributeCommand(),
  backup: createBackupCommand(),
  restore: createRestoreCommand(PROJECTIONS),
  move: createMoveCommand(PROJECTIONS),
};

const overview = (): string =>
  [
    'Usage: npm run <command> -- [options]',
    '',
    ...Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(10)} ${summary}`),
    '',
    'npm run <command> -- --help lists the options. The environment names the database (DATABASE_URL or DATA_DIR).',
  ].join('\n');

const optionsOf = ({ options, arguments: taken }: Command, args: string[]) => {
  try {
    return parseArgs({
      ...{ args, options: { ...options, help: { type: 'boolean', short: 'h' } } },
      ...{ strict: true, allowPositionals: taken !== undefined },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
};

export type Output = Pick<CommandContext, 'print' | 'progress'>;

/** Opens the database that the environment names while the command works. */
const onDatabase = async (
  context: BareContext,
  work: (context: CommandContext) => Promise<Outcome>,
): Promise<Outcome> => {
  const handle = await openMigrated(context.config, context.progress);
  let clock: RunningClock | undefined;
  try {
    clock = await openClock(handle, (_, text) => context.progress(text));
    return await work({ ...context, handle, clock });
  } finally {
    clock?.stop();
    await handle.close();
  }
};

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
  const { values, positionals } = optionsOf(command, args);
  const options = values as Options;
  if (options['help']) {
    const usage = [`npm run ${name} --`, command.arguments, '[options]'].filter(Boolean).join(' ');
    print(`${command.summary}.\n\nUsage: ${usage}\n\n${command.help}`);
    return 0;
  }
  const env = environment();
  const config = readDatabaseConfig(env, command.variables);
  const context = { config, folder: env['INIT_CWD'] ?? process.cwd(), print, progress };
  const outcome =
    'runBare' in command
      ? command.runBare(context, options, positionals)
      : onDatabase(context, (all) => command.run(all, options, positionals));
  return (await outcome) === 'bad' ? 1 : 0;
};

/** @returns the exit code. A failure is reported as progress. */
export const runCommand = (args: string[], environment: () => NodeJS.ProcessEnv, output: Output): Promise<number> =>
  run(args, environment, output).catch((error: unknown) => {
    const { message, cause } = error as Error;
    const why = cause instanceof Error ? `\n${cause.message}` : '';
    output.progress(error instanceof UsageError ? message : `${message}${why}`);
    return 2;
  });
