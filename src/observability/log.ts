/** Structured logs (pino). Secrets never reach them: credentials, passwords and query strings are not among what is logged. */
import { pino, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { isDatabaseAway } from '../db/sqlstate.ts';

export type { Logger };

export type LogOptions = {
  /** On every line: which of several processes writes it. */
  base?: Record<string, unknown>;
  /** Standard output unless told otherwise (tests read it). */
  to?: DestinationStream;
};

export const createLog = (level: string, { base, to }: LogOptions = {}): Logger => {
  const options: LoggerOptions = {
    level,
    base: base ?? null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Drivers put the query and its parameters on their errors: people’s text has no place in a log.
    serializers: {
      err: (error: Error) => ({
        type: error.name,
        message: error.message,
        code: (error as { code?: unknown }).code,
        // Where it was noticed that the database is away tells nothing, and comes by the thousand.
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
