/**
 * Imports more than one transaction should hold. All parts are stored first, outside of the user's lock; then one statement
 * accepts the import; then each part is written by a short transaction of its own, which also removes the part. A process that
 * ends before the acceptance leaves nothing, and after it another process writes the rest, so the import is done as a whole or
 * not at all. Other requests, the person's own ones too, wait for one part at most.
 */
import { sql } from 'kysely';
import { onBehalfOf, onBehalfOfService } from '../common/fair-shares.ts';
import { notFound, Problem, problem } from '../common/problem.ts';
import { createYielder } from '../common/yielding.ts';
import type { DatabaseHandle, Db } from '../db/database.ts';
import type { Scope } from '../domain/access/caller.ts';
import type { Ledger } from './ledger.ts';
import type { Author, Writer } from './ledger-writer.ts';

/** Parts are stored in statements of about this many characters, each of which takes some 10 ms. */
const STATEMENT_CHARACTERS = 100_000;
/** A user has at most this many imports that are not completed, each of at most 16 MiB. */
const MAX_IMPORTS = 8;
/** An accepted import on which nobody has worked for this long is continued by another process. */
const IDLE = sql`interval '15 seconds'`;
/** One that was not accepted for this long is removed, because its request has died. */
const ABANDONED = sql`interval '1 hour'`;
const LOOK_MS = 5_000;
/** A transaction takes further parts until it has lasted this long, which is when others begin to notice it. */
const LONG_MS = 40;

/** Writes to the operator's log. */
export type Told = (level: 'info' | 'error', what: object, text: string) => void;

/** Writes a part. It takes what JSON has made of the items. */
export type WritePart<I, R> = (writer: Writer, items: I[]) => Promise<R>;

type Staged = { user_id: string; id: string; kind: string; author: Author };
type Stored = Pick<Staged, 'user_id' | 'id' | 'kind'> & {
  author: Pick<Author, 'actor' | 'origin'> & { scopes: Scope[] };
};

const named = ({ user_id, id }: Pick<Staged, 'user_id' | 'id'>) => sql`user_id = ${user_id} and id = ${id}`;

/**
 * Takes the next part in the transaction that writes it. @returns its items; null where none is left. Uses the index
 * import_parts_pkey
 */
const takePart = async (tx: Db, { user_id, id }: Staged): Promise<unknown[] | null> => {
  const mine = sql`user_id = ${user_id} and import_id = ${id}`;
  const { rows } = await sql<{ items: string }>`
    with touched as (update imports set touched_at = now() where ${named({ user_id, id })})
    delete from import_parts where ${mine} and position = (select min(position) from import_parts where ${mine})
    returning items`.execute(tx);
  return rows[0] ? (JSON.parse(rows[0].items) as unknown[]) : null;
};

export type StagedImportDeps = { handle: DatabaseHandle; ledger: Ledger; tell: Told };

export const createStagedImports = ({ handle, ledger, tell }: StagedImportDeps) => {
  const { db } = handle;
  const writers = new Map<string, WritePart<unknown, unknown>>();
  /** The imports that this process works on. */
  const underway = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const stopping = new AbortController();
  const { signal } = stopping;

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

  const storeAll = async (staged: Staged, parts: readonly unknown[][]): Promise<void> => {
    const yieldToOthers = createYielder();
    let texts: string[] = [];
    let [first, characters] = [0, 0];
    for (const [i, part] of parts.entries()) {
      await yieldToOthers();
      const text = JSON.stringify(part);
      texts.push(text);
      characters += text.length;
      if (characters < STATEMENT_CHARACTERS && i < parts.length - 1) continue;
      await storeParts(staged, first, texts);
      first += texts.length;
      [texts, characters] = [[], 0];
    }
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

  /** Writes parts in one transaction until it has lasted long enough. @returns what came of each, and whether all are written */
  const writeSome = async (writer: Writer, staged: Staged): Promise<{ results: unknown[]; isLast: boolean }> => {
    const write = writers.get(staged.kind) as WritePart<unknown, unknown>;
    const results: unknown[] = [];
    const began = performance.now();
    do {
      const items = await takePart(writer.tx, staged);
      if (!items) return { results, isLast: true };
      results.push(await write(writer, items));
      await writer.flush(); // The next part must find what this one has recorded.
    } while (performance.now() - began < LONG_MS);
    return { results, isLast: false };
  };

  /**
   * Writes the parts of an accepted import, one after the other. The Idempotency-Key is marked with the first ones that recorded
   * something. @returns how many parts
   */
  const writeParts = async (staged: Staged, done: (result: unknown) => void): Promise<number> => {
    let { idempotency } = staged.author;
    let count = 0;
    for (let isLast = false; !isLast;) {
      signal.throwIfAborted();
      const some = await ledger.write({ ...staged.author, idempotency }, async (writer) => ({
        ...(await writeSome(writer, staged)),
        hasRecorded: writer.entries() > 0,
      }));
      if (some.hasRecorded) idempotency = undefined;
      some.results.forEach(done);
      count += some.results.length;
      ({ isLast } = some);
    }
    await drop(staged);
    return count;
  };

  const complete = async (staged: Staged, done: (result: unknown) => void): Promise<number> => {
    underway.add(staged.id);
    try {
      return await writeParts(staged, done);
    } finally {
      underway.delete(staged.id);
    }
  };

  const importAll = async (staged: Staged, parts: readonly unknown[][], done: (result: unknown) => void) => {
    try {
      await storeAll(staged, parts);
      await accept(staged);
    } catch (error) {
      // Where this fails too, the sweep removes it.
      await drop(staged).catch(() => undefined);
      throw error;
    }
    const count = await complete(staged, done);
    if (count < parts.length)
      throw problem(
        'database_unavailable',
        'The import is complete, but another instance wrote a part of it. Send it again for a whole report; nothing is imported twice.',
      );
  };

  /** Claims accepted imports that nobody works on. Uses the index imports_idle. */
  const claimIdle = async (idle: boolean): Promise<Stored[]> => {
    const { rows } = await sql<Stored>`
      update imports set touched_at = now()
      where accepted and ${idle ? sql`touched_at < now() - ${IDLE}` : sql`true`} and id <> all(${[...underway]}::text[])
      returning user_id, id, kind, author`.execute(db);
    return rows;
  };

  /** Completes imports whose process has ended. @param idle false where no other process can be at work */
  const resume = async (idle = true): Promise<void> => {
    if (handle.isReadOnly()) return;
    for (const { author, ...rest } of await onBehalfOfService(() => claimIdle(idle))) {
      const { user_id, id: import_id } = rest;
      const staged = { ...rest, author: { ...author, user_id, scopes: new Set(author.scopes) } };
      await onBehalfOf(user_id, () => complete(staged, () => undefined)).then(
        () => tell('info', { user_id, import_id }, 'an import that was interrupted is complete'),
        (err: unknown) =>
          tell('error', { err, user_id, import_id }, 'an import could not be completed, and will be tried again'),
      );
    }
  };

  const look = async (): Promise<void> => {
    await resume().catch(() => undefined); // The database is away; it is asked again.
    if (!signal.aborted) timer = setTimeout(() => void look(), LOOK_MS).unref();
  };

  return {
    /**
     * Defines how imports of a kind are written. The result imports all parts or none, and reports each part that is written.
     * A single part is one write.
     */
    define: <I, R>(kind: string, write: WritePart<I, R>) => {
      writers.set(kind, write as WritePart<unknown, unknown>);
      return async (author: Author, parts: readonly I[][], done: (result: R) => void): Promise<void> => {
        const [first, ...more] = parts;
        if (!more.length) {
          if (first) done(await ledger.write(author, (writer) => write(writer, first)));
          return;
        }
        await importAll(await begin(author, kind), parts, done as (result: unknown) => void);
      };
    },
    /** Completes what an earlier process left, before the first request is served where that process was the only one. */
    start: async (): Promise<void> => {
      await resume(handle.kind === 'postgres');
      timer = setTimeout(() => void look(), LOOK_MS).unref();
    },
    stop: (): void => {
      stopping.abort(
        problem('shutting_down', 'This instance is stopping. The import was accepted, and another one completes it.'),
      );
      clearTimeout(timer);
    },
    /** Removes imports that were never accepted. */
    sweep: async (): Promise<void> => {
      await sql`delete from imports where not accepted and touched_at < now() - ${ABANDONED}`.execute(db);
    },
  };
};

export type StagedImports = ReturnType<typeof createStagedImports>;
