/** What a command of the command line is (src/process/command.ts runs them). */
import type { ParseArgsConfig } from 'node:util';
import type { Clock } from '../common/clock.ts';
import type { Config } from './config.ts';
import type { DatabaseHandle } from '../db/database.ts';

export type CommandContext = {
  handle: DatabaseHandle;
  config: Config;
  clock: Clock;
  /** A line of the result, to stdout. */
  tell: (line: string) => void;
  /** A line about how it is going, to stderr. */
  note: (line: string) => void;
};

/** `done` exits with 0, `bad` with 1: it ran, and found what it looks for. A UsageError exits with 2, as does what can't run. */
export type Outcome = 'done' | 'bad';

export type Command = {
  /** One line. */
  summary: string;
  /** Options with what they mean, as shown by --help. */
  help: string;
  options: NonNullable<ParseArgsConfig['options']>;
  run: (context: CommandContext, options: Record<string, string | boolean | undefined>) => Promise<Outcome>;
};

/** The command was called in a way it can't work with; the message says what to do. */
export class UsageError extends Error {}
