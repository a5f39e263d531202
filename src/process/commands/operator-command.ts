/** The type of an operator's command (src/process/commands/run.ts runs them). */
import type { ParseArgsConfig } from 'node:util';
import type { Clock } from '../../common/clock.ts';
import type { Config } from '../config.ts';
import type { DatabaseHandle } from '../../db/database.ts';

/** What a command has that opens its databases by itself. */
export type BareContext = {
  config: Config;
  /** The folder in which the command was typed, where npm says it; relative file names are relative to it. */
  folder: string;
  /** Writes a line of the result to stdout. */
  print: (line: string) => void;
  /** Writes a line of progress to stderr. */
  progress: (line: string) => void;
};

export type CommandContext = BareContext & { handle: DatabaseHandle; clock: Clock };

/** Whether the command found what is wrong: `done` exits with 0, `bad` with 1. A UsageError and any other failure exit with 2. */
export type Outcome = 'done' | 'bad';

export type Options = Record<string, string | boolean | undefined>;

type Described = {
  /** One line for the list of commands. */
  summary: string;
  /** The options and their meaning, for --help. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  /** The arguments that are no options, as --help shows them. A command without them takes none. */
  arguments?: string;
  /** The variables of the environment that it reads beside those of the database. */
  variables?: (keyof Config)[];
};

/** A command on the database that the environment names. */
export type DatabaseCommand = Described & {
  run: (context: CommandContext, options: Options, args: string[]) => Promise<Outcome>;
};

/** A command that opens its databases by itself. */
export type BareCommand = Described & {
  runBare: (context: BareContext, options: Options, args: string[]) => Promise<Outcome>;
};

export type Command = DatabaseCommand | BareCommand;

/** The arguments of a command are unusable; the message says what to do. */
export class UsageError extends Error {}

/** The one argument of a command. @throws UsageError where there are none or several */
export const onlyOne = (args: string[], name: string): string => {
  const [one] = args;
  if (one === undefined || args.length > 1) throw new UsageError(`Give one ${name}; ${args.length} were given.`);
  return one;
};
