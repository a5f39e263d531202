/** Stores the parts of an import, and accepts or drops the whole. */
import { sql } from 'kysely';
import { notFound, Problem } from '../common/problem.ts';
import { createYielder } from '../common/yielding.ts';
import type { Db } from '../db/database.ts';
import type { Author } from './ledger-writer.ts';

export type StoredImportsDeps = { db: Db };

/** Parts are stored in statements of about this many characters, each of which takes some 10 ms. */
const STATEMENT_CHARACTERS = 100_000;

/** A user has at most this many imports that are not completed, each of at most 16 MiB. */
const MAX_IMPORTS = 8;

export type Staged = { user_id: string; id: string; kind: string; author: Author };

export const named = ({ user_id, id }: Pick<Staged, 'user_id' | 'id'>) => sql`user_id = ${user_id} and id = ${id}`;

export const createStoredImports = ({ db }: StoredImportsDeps) => {
  /** @throws 429 */
  const begin = async (author: Author, kind: string): Promise<Staged> => {
    const { user_id, actor, origin, scopes = [] } = author;
    const { rows } = await sql<{ count: number }>`
      select count(*) as count from imports where user_id = ${user_id}`.execute(db);
    if ((rows[0]?.count ?? 0) >= MAX_IMPORTS)
      throw new Problem(
        'too_many_requests',
        `This user has ${MAX_IMPORTS} imports that are not completed. Send the next one when they are.`,
        { headers: { 'Retry-After': '10' } },
      );
    const { rows: made } = await sql<{ id: string }>`
      insert into imports (user_id, id, kind, author, touched_at)
      values (${user_id}, gen_random_uuid()::text, ${kind}, ${JSON.stringify({ actor, origin, scopes: [...scopes] })}::jsonb, now())
      returning id`.execute(db);
    return { user_id, id: (made[0] as { id: string }).id, kind, author };
  };

  const storeParts = async ({ user_id, id }: Staged, first: number, texts: string[]): Promise<void> => {
    await sql`
      insert into import_parts (user_id, import_id, position, items)
      select ${user_id}::text, ${id}::text, ${first}::int + p.i::int, p.items
      from unnest(${texts}::text[]) with ordinality as p(items, i)`.execute(db);
  };

  /** @returns the bytes of all parts */
  const storeAll = async (staged: Staged, parts: readonly unknown[][]): Promise<number> => {
    const yieldToOthers = createYielder();
    let texts: string[] = [];
    let [first, characters, bytes] = [0, 0, 0];
    for (const [i, part] of parts.entries()) {
      await yieldToOthers();
      const text = JSON.stringify(part);
      texts.push(text);
      characters += text.length;
      bytes += Buffer.byteLength(text);
      if (characters < STATEMENT_CHARACTERS && i < parts.length - 1) continue;
      await storeParts(staged, first, texts);
      first += texts.length;
      [texts, characters] = [[], 0];
    }
    return bytes;
  };

  const drop = async (staged: Pick<Staged, 'user_id' | 'id'>): Promise<void> => {
    await sql`delete from imports where ${named(staged)}`.execute(db);
  };

  /** From here on the import is completed. @throws 404 where the account was erased meanwhile */
  const accept = async (staged: Staged): Promise<void> => {
    const { rows } = await sql`
      update imports set accepted = true, touched_at = now() where ${named(staged)} returning 1`.execute(db);
    if (!rows.length) throw notFound('user', staged.user_id);
  };

  return { begin, storeAll, drop, accept };
};
