/** Structured logs (pino). Secrets never reach them: credentials, passwords and query strings are not among what is logged. */
import { pino, type Logger } from 'pino';

export type { Logger };

export const createLog = (level: string): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    // Drivers put the query and its parameters on their errors: people’s text has no place in a log.
    serializers: {
      err: (error: Error) => ({
        type: error.name,
        message: error.message,
        code: (error as { code?: unknown }).code,
        stack: error.stack,
      }),
    },
    redact: {
      paths: ['*.authorization', '*.password', '*.token', '*.key', '*.secret', '*.cookie'],
      censor: '[redacted]',
    },
  });
