/** SQLSTATEs by name (Postgres, Appendix A). Both drivers put the code on the error; nobody matches on message text. */

const UNIQUE_VIOLATION = '23505';
const EXCLUSION_VIOLATION = '23P01';
/** Raised by the triggers that keep the trace log as it is. */
const IMMUTABLE = 'AL001';

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
};

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;
export const isExclusionViolation = (error: unknown): boolean => codeOf(error) === EXCLUSION_VIOLATION;
export const isImmutable = (error: unknown): boolean => codeOf(error) === IMMUTABLE;

/** Connection exceptions, shutdown, start-up, too many connections; and the sockets' own codes. */
const AWAY = /^(08...|57P0[1235]|53300|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/;
/** node-postgres reports these three without a code. */
const AWAY_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error)/;

/** True when the database can't be reached (as opposed to refusing a statement). */
export const isDatabaseAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) || (error instanceof Error && !codeOf(error) && AWAY_TEXT.test(error.message));
