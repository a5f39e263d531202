/** `npm run distribute -- --check | --apply`: distributes the tables over machines with Citus. */
import { sql } from 'kysely';
import type { Db } from '../../db/database.ts';
import { distribute, hasCitus, isDistributed, remainingOf, tablesOf, type Table } from '../../db/distribution.ts';
import { refuseService } from './open-database.ts';
import { UsageError, type DatabaseCommand } from './operator-command.ts';

/** What makes a database of a cluster; the operator has to run it, because it needs the names of the machines. */
const MAKE_CLUSTER =
  "select citus_set_coordinator_host('<coordinator>'); select citus_add_node('<worker>', 5432); (once for each worker)";

/** @throws UsageError where the database is none of a Citus cluster, with what to do */
const requireCluster = async (db: Db): Promise<void> => {
  if (!(await hasCitus(db))) {
    const { rows } = await sql`select from pg_available_extensions where name = 'citus'`.execute(db);
    throw new UsageError(
      rows.length
        ? `This database is not part of a Citus cluster. Run in the database of this name on every machine: create extension citus; then here: ${MAKE_CLUSTER}`
        : "This Postgres has no Citus. Install it on every machine, set shared_preload_libraries = 'citus', and restart Postgres.",
    );
  }
  const { rows } = await sql`
    select from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards`.execute(db);
  if (!rows.length) throw new UsageError(`No machine of the cluster takes parts of tables. Run here: ${MAKE_CLUSTER}`);
};

const KINDS = {
  distributed: 'distributed by user_id',
  reference: 'a copy on every machine',
  local: 'on the coordinator',
};

const lineOf = ({ name, wanted, placement, wrong }: Table): string =>
  [
    wrong !== null ? 'WRONG' : wanted === placement ? 'ok' : 'to do',
    name,
    wrong === null ? KINDS[wanted] : `${wrong}, should be ${KINDS[wanted]}`,
  ].join('  ');

export const createDistributeCommand = (): DatabaseCommand => ({
  summary: 'Distribute the tables over machines with Citus',
  help: `  --check  print how each table is stored and what --apply would do, and change nothing
  --apply  distribute what is not distributed yet

Stop every instance of the service before --apply. It needs a database with the extension citus that knows its machines. Tables
of user data are distributed by user_id, users is copied to every machine, and the rest stays on the coordinator. It distributes
everything in one transaction or nothing, with the rows that are there, and it can be repeated. A table that is distributed in
another way is refused. Tables of later releases are distributed at their first start.
--check exits with 0 if everything is distributed, with 1 if something is to do or wrong, and with 2 if it cannot run.`,
  options: { check: { type: 'boolean', default: false }, apply: { type: 'boolean', default: false } },
  run: async ({ handle, print, progress }, { check, apply }) => {
    if (check === apply) throw new UsageError('Choose --check or --apply.');
    if (handle.kind === 'embedded')
      throw new UsageError('The embedded database cannot be distributed. Set DATABASE_URL to a Postgres with Citus.');
    await requireCluster(handle.db);
    if (apply) {
      await refuseService(handle.db);
      const done = await handle.db.transaction().execute(distribute);
      progress(
        done.length ? `distributed ${done.length} tables: ${done.join(', ')}` : 'everything was distributed already',
      );
    }
    const tables = await tablesOf(handle.db);
    for (const table of tables) print(lineOf(table));
    const remaining = remainingOf(tables);
    if (isDistributed(tables) && remaining.length)
      progress('The database is distributed only in part, so the service may refuse to start.');
    return remaining.length || tables.some(({ wrong }) => wrong !== null) ? 'bad' : 'done';
  },
});
