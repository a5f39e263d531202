/**
 * Transactions that send statements without waiting for the answers to earlier ones (pipelining). `begin` leaves with the first
 * statement and `commit` with the last, so a write that needs one answer of the database in between takes two round trips.
 */
import {
  PostgresDriver,
  Transaction,
  type DatabaseConnection,
  type Driver,
  type Kysely,
  type PostgresDialect,
  type PostgresPool,
} from 'kysely';
import type { Database } from './tables.ts';

/** The value of a transaction, and the statements of it whose answers are still awaited. Where one fails, nothing is stored. */
export type Ending<T> = { value: T; last?: Promise<unknown> };

export type TransactionWork<T> = (tx: Transaction<Database>) => Promise<Ending<T>>;

const ignore = (): void => undefined;

/**
 * A server answers statements in the order in which they were sent, and runs none of a transaction after one that failed: its
 * commit is then answered as a rollback. Kysely's own transactions wait for each answer.
 */
export const pipelinedTransactions = (db: Kysely<Database>, dialect: PostgresDialect, pool: PostgresPool) => {
  const driver: Driver = new PostgresDriver({ pool }); // It only sends begin, commit and rollback: the connections are those of `db`.

  const runOn = async <T>(connection: DatabaseConnection, work: TransactionWork<T>): Promise<T> => {
    let isOpen = true;
    const executor = db.getExecutor().withConnectionProvider({
      provideConnection: (consumer) => {
        if (!isOpen) throw new Error('the transaction has ended, or could not begin');
        return consumer(connection);
      },
    });
    const begun = driver.beginTransaction(connection, {});
    begun.catch(() => (isOpen = false)); // Known before the first answer, so work that waits for one writes nothing outside.
    let committed: Promise<void> | undefined;
    try {
      const { value, last } = await work(new Transaction<Database>({ config: { dialect }, dialect, driver, executor }));
      const failures: unknown[] = [];
      last?.catch((error: unknown) => failures.push(error));
      isOpen = false;
      await begun;
      // A statement that failed before it was sent is unknown to the server, which would commit the others.
      await new Promise<void>((resolve) => process.nextTick(resolve));
      if (failures.length) throw failures[0];
      committed = driver.commitTransaction(connection);
      committed.catch(ignore);
      await last;
      await committed;
      return value;
    } catch (error) {
      isOpen = false;
      // A connection that is lost can't roll back, and is discarded.
      await (committed ?? driver.rollbackTransaction(connection)).catch(ignore);
      throw error;
    }
  };

  return <T>(work: TransactionWork<T>): Promise<T> =>
    db.getExecutor().provideConnection((connection) => runOn(connection, work));
};
