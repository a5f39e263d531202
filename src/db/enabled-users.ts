/** Restricts queries to accounts that the operator has not disabled. */
import { sql, type RawBuilder } from 'kysely';

/** @param table the name by which the query knows a table with user_id. Uses the index users_pkey. */
export const isEnabled = (table: string): RawBuilder<boolean> =>
  sql`exists (select from users enabled where enabled.user_id = ${sql.ref(`${table}.user_id`)} and not enabled.disabled)`;
