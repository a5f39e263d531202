/** The type of an operator's command (src/process/run-command.ts runs them). */
import type { ParseArgsConfig } from 'node:util';
import type { Clock } from '../common/clock.ts';
import type { Config } from './config.ts';
import type { DatabaseHandle } from '../db/database.ts';

export type CommandContext = {
  handle: DatabaseHandle;
  config: Config;
  clock: Clock;
  /** Writes a line of the result to stdout. */
  print: (line: string) => void;
  /** Writes a line of progress to stderr. */
  progress: (line: string) => void;
};

/** Whether the command found what is wrong: `done` exits with 0, `bad` with 1. A UsageError and any other failure exit with 2. */
export type Outcome = 'done' | 'bad';

export type Command = {
  /** One line for the list of commands. */
  summary: string;
  /** The options and their meaning, for --help. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  run: (context: CommandContext, options: Record<string, string | boolean | undefined>) => Promise<Outcome>;
};

/** The arguments of a command are unusable; the message says what to do. */
export class UsageError extends Error {}
