/** Which errors of the database mean that it can't be reached or can't work now. */
import { expect, test } from 'vitest';
import { isDatabaseAway } from '../../src/db/sqlstate.ts';

const error = (code: string | undefined, message: string): Error => Object.assign(new Error(message), { code });

test.each([
  ['08006', 'connection to the remote node postgres@10.0.0.2:5432 failed with the following error: Connection refused'],
  ['57P01', 'terminating connection due to administrator command'],
  ['XX000', 'could not commit transaction for shard 102050 on at least one active node'],
  ['XX000', 'could not find valid entry for shard 102402'],
  ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432'],
  ['XX000', 'server closed the connection unexpectedly'],
  [undefined, 'Connection terminated unexpectedly'],
])('%s, %s: the database is away', (code, message) => {
  expect(isDatabaseAway(error(code, message))).toBe(true);
});

test.each([
  ['XX000', 'the query contains a join that requires repartitioning'],
  ['XX001', 'invalid page in block 3'],
  ['23505', 'duplicate key value'],
])('%s, %s: the database has refused the statement', (code, message) => {
  expect(isDatabaseAway(error(code, message))).toBe(false);
});
