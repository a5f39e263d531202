/** Plans as another release wrote them. */
import { sql } from 'kysely';
import type { TestApp } from './app.ts';
import { withoutTriggers } from './tamper.ts';

type Doc = Record<string, unknown>;

/** Writes the newest version of a trace anew, with the triggers off that keep the ledger as it is. */
export const theLastVersion = async (
  app: TestApp,
  user_id: string,
  uid: string,
  change: (doc: Doc) => Doc,
): Promise<void> => {
  await app.database.handle.db.transaction().execute(async (tx) => {
    await withoutTriggers(tx);
    const { rows } = await sql<{ seq: number; payload: Doc }>`
      select l.seq, l.payload from traces t join ledger l on l.user_id = t.user_id and l.seq = t.seq
      where t.user_id = ${user_id} and t.uid = ${uid}`.execute(tx);
    const [row] = rows;
    if (!row) throw new Error(`there is no trace ${uid}`);
    await sql`update ledger set payload = ${JSON.stringify(change(row.payload))}::jsonb
      where user_id = ${user_id} and seq = ${row.seq}`.execute(tx);
  });
};
