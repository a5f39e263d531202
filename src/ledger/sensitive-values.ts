/**
 * Hides sensitive values: a credential without export:sensitive sees neither authored_by and chat_url nor their values in other
 * text.
 */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { blanking, holdsText, type Blanking } from '../domain/record/blanking.ts';
import { problem } from '../common/problem.ts';

type Reader = Pick<Caller, 'user_id' | 'scopes'>;

/** The number of users whose values are cached, and for how long. */
const KEPT = { max: 1_000, ttl: 60_000 };
/** New values are searched separately, until there are this many. Then they are worth sorting with the others. */
const MOST_UNSORTED = 500;

export const isTrusted = ({ scopes }: Reader): boolean => scopes.has('export:sensitive');

/** The view of a credential that may see everything. */
const everything: Blanking = (value) => value;

/** All values up to a seq, and the last seq that has one. */
type Known = {
  upto: number;
  sorted: string[];
  unsorted: string[];
  show: Blanking;
  showSorted: Blanking;
  text?: string;
};

/**
 * The values that authored_by and chat_url had after one seq, up to another. It includes those of traces changed or removed
 * since, because other text may still quote them. Uses the indexes traces_sensitive and traces_past_sensitive.
 */
export const sensitiveValues = async (
  db: Db,
  user_id: string,
  { after = 0, upto = Number.MAX_SAFE_INTEGER }: { after?: number; upto?: number },
): Promise<{ values: string[]; last: number }> => {
  const rows = (table: string) =>
    sql`select seq, sensitive from ${sql.table(table)} where user_id = ${user_id} and seq > ${after} and seq <= ${upto} and sensitive is not null`;
  const found = await sql<{ values: string[] | null; last: number | null }>`
    select array_agg(distinct v.value) as values, max(t.seq) as last
    from (${rows('traces')} union all ${rows('traces_past')}) t cross join unnest(t.sensitive) as v(value)`.execute(db);
  const { values, last } = found.rows[0] ?? {};
  return { values: values ?? [], last: last ?? after };
};

export const createSensitive = ({ reads }: { reads: Db }) => {
  const kept = new LRUCache<string, Known>(KEPT);

  /**
   * The current values. Call it after reading what is to be shown, so that no value is newer than these. Usually there is no
   * new value.
   */
  const knownOf = async (user_id: string, db: Db = reads): Promise<Known> => {
    const before = kept.get(user_id);
    const { values, last } = await sensitiveValues(db, user_id, { after: before?.upto ?? 0 });
    if (before && !values.length) return before;
    const unsorted = [...(before?.unsorted ?? []), ...values];
    const isFew = before !== undefined && unsorted.length <= MOST_UNSORTED;
    const sorted = isFew ? before.sorted : [...new Set([...(before?.sorted ?? []), ...unsorted])];
    const showSorted = isFew ? before.showSorted : blanking(sorted);
    const showUnsorted = blanking(unsorted);
    const known: Known = isFew
      ? { upto: last, sorted, unsorted, showSorted, show: (value) => showUnsorted(showSorted(value)) }
      : { upto: last, sorted, unsorted: [], showSorted, show: showSorted };
    if (db === reads) kept.set(user_id, known); // What a transaction reads may be rolled back, so it is not cached.
    return known;
  };

  /** The function that shows this reader what was read so far. */
  const viewOf = async (reader: Reader): Promise<Blanking> =>
    isTrusted(reader) ? everything : (await knownOf(reader.user_id)).show;

  return {
    viewOf,

    /** Blanks part of an answer for this reader. It queries the database only where the part contains text. */
    present: async <T>(reader: Reader, value: T): Promise<T> =>
      isTrusted(reader) || !holdsText(value) ? value : (await viewOf(reader))(value),

    /** Blanks text that a write will cut and store. A sensitive value that is cut in two could not be recognised later. */
    beforeCutting: async (tx: Db, user_id: string): Promise<Blanking> => (await knownOf(user_id, tx)).show,

    /** Returns a function that says whether a word is part of what this reader must not see. */
    hiddenWords: async (reader: Reader): Promise<(word: string) => boolean> => {
      if (isTrusted(reader)) return () => false;
      const known = await knownOf(reader.user_id);
      const text = (known.text ??= [...known.sorted, ...known.unsorted].join('\n').toLowerCase());
      return (word) => text.includes(word.toLowerCase());
    },

    /**
     * Refuses to change a text that the reader does not see whole, since that would replace the hidden value by blanks.
     * @throws 409 redacted_field with the members
     */
    refuseHiddenChanges: async (tx: Db, reader: Reader, from: object, updates: object): Promise<void> => {
      if (isTrusted(reader)) return;
      const { show } = await knownOf(reader.user_id, tx);
      const stored = from as Record<string, unknown>;
      const shown = show(stored);
      const hidden = Object.entries(updates).flatMap(([name, value]) =>
        value !== undefined && canonicalJson([shown[name] ?? null]) !== canonicalJson([stored[name] ?? null])
          ? name
          : [],
      );
      if (hidden.length)
        throw problem(
          'redacted_field',
          `This credential is not shown the whole value of ${hidden.join(', ')}, so it cannot replace it. Leave it out, or change it with a credential that has export:sensitive.`,
          { fields: hidden },
        );
    },
  };
};

export type Sensitive = ReturnType<typeof createSensitive>;

/** Caches the values at a seq for the next pages of an export, since they never change. */
export const createSensitiveAt = ({ db }: { db: Db }) => {
  const MAX_CHARACTERS = 4_000_000;
  const kept = new LRUCache<string, readonly string[]>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (values) => values.reduce((sum, value) => sum + value.length, 1),
  });

  /** The values known up to a seq; null for a credential that may see them. */
  return async (reader: Reader, seq: number): Promise<readonly string[] | null> => {
    if (isTrusted(reader)) return null;
    const key = `${reader.user_id} ${seq}`;
    const values = kept.get(key) ?? (await sensitiveValues(db, reader.user_id, { upto: seq })).values;
    kept.set(key, values);
    return values;
  };
};
