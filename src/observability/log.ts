/** Writes structured logs (pino). Credentials, passwords and query strings are never logged. */
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { isDatabaseAway } from '../db/sqlstate.ts';

export type { Logger };

export type LogOptions = {
  /** Fields on every line, such as which of several processes writes it. */
  base?: Record<string, unknown>;
  /** The destination, standard output by default. Tests read it. */
  to?: DestinationStream;
};

export const createLog = (level: string, { base, to }: LogOptions = {}): Logger => {
  const options: LoggerOptions = {
    level,
    base: base ?? null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Drivers put the query and its parameters on their errors. They may hold text of people, so only known fields are logged.
    serializers: {
      err: (error: Error) => ({
        type: error.name,
        message: error.message,
        code: (error as { code?: unknown }).code,
        // A stack says nothing where the database is unreachable, and such errors come by the thousand.
        ...(isDatabaseAway(error) ? {} : { stack: error.stack }),
      }),
    },
    redact: {
      paths: ['*.authorization', '*.password', '*.token', '*.key', '*.secret', '*.cookie'],
      censor: '[redacted]',
    },
  };
  return to ? pino(options, to) : pino(options);
};
