/** Whether the database of the tests has pgvector: the embedded one has, a server may. */
import pg from 'pg';

const onServer = async (url: string): Promise<boolean> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query("select from pg_available_extensions where name = 'vector'")).rows.length > 0;
  } finally {
    await client.end();
  }
};

const url = process.env['TEST_DATABASE_URL'];

export const hasVectors = url === undefined || (await onServer(url));

/** Ends the title of tests that need pgvector, so that a run which skips them says why. */
export const IF_VECTORS = hasVectors ? '' : ' (skipped, because this Postgres has no pgvector)';
