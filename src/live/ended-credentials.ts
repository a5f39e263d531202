/** Finds out whether the credentials of open sockets are still valid. */
import { sql } from 'kysely';
import { isEnabled } from '../db/enabled-users.ts';
import type { Db } from '../db/database.ts';

export type Held = { user_id: string; credential_id: string };

/**
 * Returns which of the credentials have ended: revoked keys, sessions that ended by a new password or by reuse of a refresh
 * token, and all of a disabled account. It is one query for any number of them, through the indexes api_keys_pkey and refresh_families.
 */
export const endedCredentials = async (db: Db, held: Held[]): Promise<Set<string>> => {
  const asked = sql`
    unnest(${held.map((h) => h.user_id)}::text[], ${held.map((h) => h.credential_id)}::text[]) as c(user_id, credential_id)`;
  // It selects the valid ones, because Citus does not plan "not exists" of a list without a table.
  const { rows } = await sql<{ credential_id: string }>`
    select k.id as credential_id from ${asked} join api_keys k on k.user_id = c.user_id and k.id = c.credential_id where ${isEnabled('k')}
    union all
    select r.family from ${asked} join refresh_tokens r on r.user_id = c.user_id and r.family = c.credential_id where ${isEnabled('r')}`.execute(
    db,
  );
  const valid = new Set(rows.map((r) => r.credential_id));
  return new Set(held.map((h) => h.credential_id).filter((id) => !valid.has(id)));
};
