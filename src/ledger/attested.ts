/**
 * Digests of what may not be in the ledger itself, such as an e-mail address or the hash of a password. The audit compares them
 * with the tables. Each is made with the account's salt, 256 random bits which are in no entry, so that whoever reads the ledger
 * cannot try values.
 */
import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../db/database.ts';
import { canonicalJson, sha256Hex } from '../domain/record/canonical-json.ts';

/** What a digest is of. The same value has another digest where it stands for something else. */
export type Attested = 'email' | 'password' | 'key' | 'webhook' | 'webhook secret' | 'source' | 'invitation';

/** The text of a stored value of which a digest is made: of bytes in hexadecimal. */
export const attestedText = (value: Buffer | string): string =>
  typeof value === 'string' ? value : value.toString('hex');

export const attest = (salt: Buffer, what: Attested, value: string): string =>
  sha256Hex(canonicalJson([salt.toString('hex'), what, value]));

/** The account's salt; null until an account of an earlier release is recorded. Uses the index users_pkey. */
export const saltOf = async (db: Db, user_id: string): Promise<Buffer | null> => {
  const { rows } = await sql<{ salt: Buffer | null }>`select salt from users where user_id = ${user_id}`.execute(db);
  return rows[0]?.salt ?? null;
};

/** Whether a row is as it was attested. One that nobody attested yet counts as such. A salt cannot be removed without being missed. */
export const isAttested = (
  { salt }: { salt: Buffer | null },
  what: Attested,
  value: string,
  attested: string | undefined,
): boolean => attested === undefined || (salt !== null && attest(salt, what, value) === attested);

/** Whether an address has the host that its entry shows. A changed row can hold what is no address. */
export const hasHost = (url: string, host: unknown): boolean => URL.canParse(url) && new URL(url).host === host;

/** The baseline of the values whose own entries are of an earlier release, as the current profile has it. */
export const baselineOf = (
  what: 'keys' | 'webhooks',
  user_id: string,
  id: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`
  (select l.payload #>> array['account', ${what}::text, ${id}] from ledger l join users p on p.profile_seq = l.seq
   where l.user_id = ${user_id} and p.user_id = ${user_id})`;
