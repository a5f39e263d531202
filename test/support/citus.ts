/** Databases on a Citus cluster, where TEST_DATABASE_URL is a coordinator whose own database knows the machines (test/scale). */
import pg from 'pg';
import { distribute } from '../../src/db/distribution.ts';
import type { DatabaseHandle } from '../../src/db/database.ts';

/** Fewer than an operator would choose, so that a database is made and dropped faster. */
const SHARDS = 4;

const ask = async (url: string, statement: string): Promise<Record<string, string>[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, string>>(statement)).rows;
  } finally {
    await client.end();
  }
};

const withDatabase = (url: string, name: string): string => {
  const next = new URL(url);
  next.pathname = `/${name}`;
  return next.href;
};

const machinesOf = async (url: string): Promise<string[]> => {
  const installed = await ask(url, "select from pg_extension where extname = 'citus'");
  if (!installed.length) return [url];
  const workers = await ask(
    url,
    "select nodename, nodeport from pg_dist_node where noderole = 'primary' and groupid > 0",
  );
  const addresses = workers.map(({ nodename = '', nodeport = '' }) => {
    const next = new URL(url);
    [next.hostname, next.port] = [nodename, nodeport];
    return next.href;
  });
  return [...addresses, url];
};

const server = process.env['TEST_DATABASE_URL'];
/** The addresses of all machines, the coordinator last; only that of the server where it has no Citus; none of the embedded one. */
const machines = server === undefined ? [] : await machinesOf(server);

/** Whether the tests run on a cluster. Then their databases are distributed. */
export const hasCitus = machines.length > 1;
/** Ends the title of tests that need Citus, so that a run which skips them says why. */
export const IF_CITUS = hasCitus ? '' : ' (skipped, because this server has no Citus)';

/** Runs a statement on every machine, in the database of their address or in another. */
export const everywhere = async (statement: string, database?: string): Promise<void> => {
  for (const machine of machines) await ask(database ? withDatabase(machine, database) : machine, statement);
};

/** Makes an empty database whose tables can be distributed. */
export const createClusterDatabase = async (name: string): Promise<void> => {
  await everywhere(`create database ${name}`);
  if (!hasCitus) return;
  await everywhere('create extension citus', name);
  const coordinator = withDatabase(machines.at(-1) as string, name);
  const [own, ...workers] = machines.map((machine) => new URL(machine)).toReversed() as [URL, ...URL[]];
  await ask(coordinator, `select citus_set_coordinator_host('${own.hostname}', ${own.port})`);
  for (const { hostname, port } of workers) await ask(coordinator, `select citus_add_node('${hostname}', ${port})`);
  await ask(coordinator, `alter database ${name} set citus.shard_count to ${SHARDS}`);
};

/** Distributes the tables of a migrated database, where it is one of a cluster. */
export const distributeOnCluster = async ({ db }: DatabaseHandle): Promise<void> => {
  if (hasCitus) await db.transaction().execute(distribute);
};

/** Ends the sessions of a database and refuses new ones, so that it can be renamed or copied. Citus has a process in each. */
export const closeToSessions = async (name: string): Promise<void> => {
  await everywhere(`alter database ${name} with allow_connections false`);
  await everywhere(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
};

export const dropEverywhere = async (name: string): Promise<void> => {
  // A prepared transaction that nobody has ended yet would keep the database.
  if (hasCitus)
    await ask(withDatabase(machines.at(-1) as string, name), 'select recover_prepared_transactions()').catch(
      () => undefined,
    );
  await everywhere(`drop database if exists ${name} with (force)`);
};
