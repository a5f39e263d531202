/** What is told of a database that can't be reached, by what its driver says. */
import { expect, test } from 'vitest';
import { whyUnreachable } from '../../src/db/unreachable.ts';

const thrown = (message: string, code?: string): Error => Object.assign(new Error(message), code ? { code } : {});

test('an address that names a file that is not there is told as such', () => {
  const url = 'postgres://me:hunter2@db.example.org/almanac?sslrootcert=/nowhere/ca.pem';
  const told = whyUnreachable(url, thrown("ENOENT: no such file or directory, open '/nowhere/ca.pem'", 'ENOENT'));
  expect(told).toMatch(/^DATABASE_URL .*\/nowhere\/ca\.pem/);
  expect(told).not.toContain('hunter2');
});

test.each([
  [thrown('password authentication failed for user "me"', '28P01'), 'Correct the user or the password.'],
  [thrown('no pg_hba.conf entry for host "10.0.0.1", no encryption', '28000'), 'sslmode=require'],
  [thrown('database "almanac" does not exist', '3D000'), 'Create the database (createdb)'],
  [thrown('sorry, too many clients already', '53300'), 'lower DATABASE_POOL'],
  [thrown('the database system is starting up', '57P03'), 'Try again in a moment'],
  [thrown('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), 'sslrootcert='],
  [thrown('The server does not support SSL connections'), 'Correct sslmode'],
  [thrown('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string'), 'Put it into DATABASE_URL'],
  [thrown('timeout expired'), 'Nothing answers at this address'],
  [new AggregateError([thrown('connect ECONNREFUSED ::1:5432')], ''), 'cannot be reached'],
])('%s', (error, remedy) => {
  const told = whyUnreachable('postgres://me:hunter2@db.example.org/almanac', error);
  expect(told).toContain(remedy);
  expect(told).toMatch(/^DATABASE_URL: the database almanac at db\.example\.org:5432 cannot be reached as user me \(/);
  expect(told).not.toContain('hunter2');
});
