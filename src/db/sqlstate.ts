/** SQLSTATEs by name (Postgres, Appendix A). Both drivers put the code on the error; nobody matches on message text. */

const UNIQUE_VIOLATION = '23505';
const EXCLUSION_VIOLATION = '23P01';
const FOREIGN_KEY_VIOLATION = '23503';
/** Raised by the triggers that keep the trace log as it is. */
const IMMUTABLE = 'AL001';

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
};

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;
export const isExclusionViolation = (error: unknown): boolean => codeOf(error) === EXCLUSION_VIOLATION;
/** Every foreign key leads to users: the account was erased meanwhile. */
export const isAccountGone = (error: unknown): boolean => codeOf(error) === FOREIGN_KEY_VIOLATION;
export const isImmutable = (error: unknown): boolean => codeOf(error) === IMMUTABLE;

/** A prepared statement is not in the session, or another one has its name. */
export const isUnknownStatement = (error: unknown): boolean => ['26000', '42P05'].includes(codeOf(error));

/**
 * Connection exceptions; a server that is out of connections, memory or disk, shuts down, starts up, was demoted to read-only
 * (failover), cancelled the statement or gave up on a deadlock; and the sockets' own codes. In all of them nothing was written.
 */
const AWAY =
  /^(08...|53...|57014|57P0[1235]|25006|25P03|40001|40P01|55P03|58...|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|E(HOST|NET)UNREACH|EAI_AGAIN)/;
/** node-postgres reports these without a code. */
const AWAY_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/;

/** Disk full, out of memory, read-only (a standby after a failover, or as it was set), input/output error. */
const WRITE_REFUSED = /^(53100|53200|25006|58030)$/;

/** True when the database answers and does not take writes; it may be able to read. */
export const isWriteRefused = (error: unknown): boolean => WRITE_REFUSED.test(codeOf(error));

/** True when the database can't be reached or can't work now (as opposed to refusing a statement for what it says). */
export const isDatabaseAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) ||
  (error as { syscall?: unknown } | null)?.syscall === 'connect' ||
  (error instanceof Error && !codeOf(error) && AWAY_TEXT.test(error.message));
