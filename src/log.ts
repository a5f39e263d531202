/** Structured logs (pino). Secrets never reach them: credentials, passwords and query strings are not among what is logged. */
import { pino, type Logger } from 'pino';

export type { Logger };

export const createLog = (level: string): Logger =>
  pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: ['*.authorization', '*.password', '*.token', '*.key', '*.secret', '*.cookie'],
      censor: '[redacted]',
    },
  });
