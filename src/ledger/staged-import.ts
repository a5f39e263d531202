/**
 * Imports more than one transaction should hold. All parts are stored first, outside of the user's lock; then one statement
 * accepts the import; then each part is written by a short transaction of its own, which also removes the part. A process that
 * ends before the acceptance leaves nothing, and after it another process writes the rest, so the import is done as a whole or
 * not at all. Other requests, the person's own ones too, wait for one part at most.
 */
import { sql } from 'kysely';
import { onBehalfOf, onBehalfOfService } from '../common/fair-shares.ts';
import { problem } from '../common/problem.ts';
import type { DatabaseHandle, Db } from '../db/database.ts';
import type { Scope } from '../domain/access/caller.ts';
import type { Ledger } from './ledger.ts';
import type { Author, Writer } from './ledger-writer.ts';
import { requireSpace, type Storage } from './storage.ts';
import { createStoredImports, named, type Staged } from './stored-imports.ts';

/**
 * An accepted import on which nobody has worked for this long is continued by another process. The time doubles with each attempt
 * that wrote no part, up to an hour: a part that cannot be written is tried for as long as the import exists, but costs little.
 */
const IDLE = sql`least(interval '15 seconds' * power(2, least(attempts, 8)), interval '1 hour')`;
/** One that was not accepted for this long is removed, because its request has died. */
const ABANDONED = sql`interval '1 hour'`;
const LOOK_MS = 5_000;
/** A transaction takes further parts until it has lasted this long, which is when others begin to notice it. */
const LONG_MS = 40;

/** Writes to the operator's log. */
export type Told = (level: 'info' | 'error', what: object, text: string) => void;

/** Writes a part. It takes what JSON has made of the items. */
export type WritePart<I, R> = (writer: Writer, items: I[]) => Promise<R>;

type Stored = Pick<Staged, 'user_id' | 'id' | 'kind'> & {
  attempts: number;
  author: Pick<Author, 'actor' | 'origin'> & { scopes: Scope[] };
};

/**
 * Takes the next part in the transaction that writes it. @returns its items; null where none is left. Uses the index
 * import_parts_pkey
 */
const takePart = async (tx: Db, { user_id, id }: Staged): Promise<unknown[] | null> => {
  const mine = sql`user_id = ${user_id} and import_id = ${id}`;
  const { rows } = await sql<{ items: string }>`
    with touched as (update imports set touched_at = now(), attempts = 0 where ${named({ user_id, id })})
    delete from import_parts where ${mine} and position = (select min(position) from import_parts where ${mine})
    returning items`.execute(tx);
  return rows[0] ? (JSON.parse(rows[0].items) as unknown[]) : null;
};

export type StagedImportDeps = { handle: DatabaseHandle; ledger: Ledger; storage: Storage; tell: Told };

// oxlint-disable-next-line eslint/max-lines-per-function -- The imports under way, their timer and their end are one state.
export const createStagedImports = ({ handle, ledger, storage, tell }: StagedImportDeps) => {
  const { db } = handle;
  const writers = new Map<string, WritePart<unknown, unknown>>();
  /** The imports that this process works on. */
  const underway = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  const stopping = new AbortController();
  const { signal } = stopping;

  const { begin, storeAll, drop, accept } = createStoredImports({ db });

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
      const some = await ledger.write({ ...staged.author, idempotency, accepted: true }, async (writer) => ({
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

  /** An import is refused before it is accepted. @throws 409 storage_full */
  const requireSpaceFor = async (author: Author, bytes: number): Promise<void> => {
    const space = await storage.read(author.user_id);
    if (space?.limit_bytes) requireSpace(author, { used: space.used_bytes, limit: space.limit_bytes }, bytes);
  };

  const importAll = async (staged: Staged, parts: readonly unknown[][], done: (result: unknown) => void) => {
    try {
      await requireSpaceFor(staged.author, await storeAll(staged, parts));
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
      update imports set touched_at = now(), attempts = attempts + 1
      where accepted and ${idle ? sql`touched_at < now() - ${IDLE}` : sql`true`} and id <> all(${[...underway]}::text[])
      returning user_id, id, kind, author, attempts`.execute(db);
    return rows;
  };

  /** Completes imports whose process has ended. @param idle false where no other process can be at work */
  const resume = async (idle = true): Promise<void> => {
    if (handle.isReadOnly()) return;
    for (const { author, attempts, ...rest } of await onBehalfOfService(() => claimIdle(idle))) {
      const { user_id, id: import_id } = rest;
      const staged = { ...rest, author: { ...author, user_id, scopes: new Set(author.scopes) } };
      await onBehalfOf(user_id, () => complete(staged, () => undefined)).then(
        () => tell('info', { user_id, import_id }, 'an import that was interrupted is complete'),
        (err: unknown) =>
          tell(
            'error',
            { err, user_id, import_id, attempts },
            'an import could not be completed, and is tried again later',
          ),
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
    resume,
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
