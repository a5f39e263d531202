/** SQLSTATEs by name (Postgres, Appendix A). Both drivers set the code on the error, so no caller matches on message text. */

const UNIQUE_VIOLATION = '23505';
const EXCLUSION_VIOLATION = '23P01';
const FOREIGN_KEY_VIOLATION = '23503';
/** The triggers that keep the trace log immutable raise this code. */
const IMMUTABLE = 'AL001';

const codeOf = (error: unknown): string => {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === 'string' ? code : '';
};

export const isUniqueViolation = (error: unknown): boolean => codeOf(error) === UNIQUE_VIOLATION;
export const isExclusionViolation = (error: unknown): boolean => codeOf(error) === EXCLUSION_VIOLATION;
/** Every foreign key refers to users, so a violation means that the account was erased meanwhile. */
export const isAccountGone = (error: unknown): boolean => codeOf(error) === FOREIGN_KEY_VIOLATION;
export const isImmutable = (error: unknown): boolean => codeOf(error) === IMMUTABLE;

/** True where the role lacks a right. Without USAGE of schema public there is no schema to create in. */
export const isForbidden = (error: unknown): boolean => ['42501', '3F000'].includes(codeOf(error));

/** True where Postgres ended the transaction to resolve a deadlock. */
export const isDeadlock = (error: unknown): boolean => codeOf(error) === '40P01';

/** True where an earlier statement of the transaction has failed. */
export const isAborted = (error: unknown): boolean => codeOf(error) === '25P02';

/** True where the session has no such prepared statement, or has another one of that name. */
export const isUnknownStatement = (error: unknown): boolean => ['26000', '42P05'].includes(codeOf(error));

/**
 * Codes of connection exceptions; of a server that is out of connections, memory or disk, that shuts down or starts up, became
 * read-only (failover), cancelled the statement or gave up on a deadlock; and of sockets. In all these cases nothing was written.
 */
const AWAY =
  /^(08...|53...|57014|57P0[1235]|25006|25P03|40001|40P01|55P03|58...|ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|E(HOST|NET)UNREACH|EAI_AGAIN)/;
/** node-postgres reports these without a code. */
const AWAY_TEXT =
  /^(Connection terminated|timeout exceeded when trying to connect|timeout expired|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end)/;

/**
 * A Citus coordinator reports as internal errors, which XX000 means, some lost connections to its other machines, and that a
 * statement was planned for a part of a table which has been split or moved meanwhile.
 */
const MACHINE_LOST =
  /^(could not find valid entry for shard|could not commit transaction for shard|failure on connection marked as essential|server closed the connection|connection not open|could not (receive|send) data|SSL connection has been closed|SSL SYSCALL error)/;

/**
 * The disk is full, memory is exhausted, the server is read-only (a standby after a failover, or by its settings), or
 * input/output failed.
 */
const WRITE_REFUSED = /^(53100|53200|25006|58030)$/;

/** True when the database answers but refuses writes; it may still be able to read. */
export const isWriteRefused = (error: unknown): boolean => WRITE_REFUSED.test(codeOf(error));

/** True when the database can't be reached or can't work now, as opposed to refusing a statement for its content. */
export const isDatabaseAway = (error: unknown): boolean =>
  AWAY.test(codeOf(error)) ||
  (error as { syscall?: unknown } | null)?.syscall === 'connect' ||
  (codeOf(error) === 'XX000' && error instanceof Error && MACHINE_LOST.test(error.message)) ||
  (error instanceof Error && !codeOf(error) && AWAY_TEXT.test(error.message));
