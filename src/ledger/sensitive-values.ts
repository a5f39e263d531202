/** One rule for all readers: without export:sensitive nobody is shown authored_by, chat_url, or their values in texts. */
import { sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/database.ts';
import type { Caller } from '../domain/access/caller.ts';
import { canonicalJson } from '../domain/record/canonical-json.ts';
import { blanking, holdsText, type Blanking } from '../domain/record/blanking.ts';
import { problem } from '../common/problem.ts';

type Reader = Pick<Caller, 'user_id' | 'scopes'>;

/** Users whose values are kept, and for how long before they are read anew from the first. */
const KEPT = { max: 1_000, ttl: 60_000 };
/** Values that come one after the other are looked for apart, until so many make the whole worth sorting again. */
const APART = 500;

export const isTrusted = ({ scopes }: Reader): boolean => scopes.has('export:sensitive');

/** What is shown to those who may see everything. */
const everything: Blanking = (value) => value;

/** All values up to a seq, and the last seq that has one. */
type Known = { upto: number; sorted: string[]; apart: string[]; show: Blanking; showSorted: Blanking; text?: string };

/**
 * The values that authored_by and chat_url had after one seq, up to another. Also of traces changed or removed since: a text that
 * quotes one may still be there. Rides on traces_sensitive and traces_past_sensitive.
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

  /** Asked after what is to be shown was read: then no value is newer than these. Most times the answer is that there is none. */
  const knownOf = async (user_id: string, db: Db = reads): Promise<Known> => {
    const before = kept.get(user_id);
    const { values, last } = await sensitiveValues(db, user_id, { after: before?.upto ?? 0 });
    if (before && !values.length) return before;
    const apart = [...(before?.apart ?? []), ...values];
    const isFew = before !== undefined && apart.length <= APART;
    const sorted = isFew ? before.sorted : [...new Set([...(before?.sorted ?? []), ...apart])];
    const showSorted = isFew ? before.showSorted : blanking(sorted);
    const showApart = blanking(apart);
    const known: Known = isFew
      ? { upto: last, sorted, apart, showSorted, show: (value) => showApart(showSorted(value)) }
      : { upto: last, sorted, apart: [], showSorted, show: showSorted };
    if (db === reads) kept.set(user_id, known); // what a transaction sees may be undone
    return known;
  };

  /** How everything read so far is shown to this reader. */
  const viewOf = async (reader: Reader): Promise<Blanking> =>
    isTrusted(reader) ? everything : (await knownOf(reader.user_id)).show;

  return {
    viewOf,

    /** Part of an answer as this reader may see it; asks the database only where it holds text. */
    present: async <T>(reader: Reader, value: T): Promise<T> =>
      isTrusted(reader) || !holdsText(value) ? value : (await viewOf(reader))(value),

    /** Inside a write, for text that is cut and kept: a value cut in two would be known to no reader as one. */
    beforeCutting: async (tx: Db, user_id: string): Promise<Blanking> => (await knownOf(user_id, tx)).show,

    /** Tells words that stand in what is hidden from this reader. */
    hiddenWords: async (reader: Reader): Promise<(word: string) => boolean> => {
      if (isTrusted(reader)) return () => false;
      const known = await knownOf(reader.user_id);
      const text = (known.text ??= [...known.sorted, ...known.apart].join('\n').toLowerCase());
      return (word) => text.includes(word.toLowerCase());
    },

    /**
     * A change of what the reader is not shown whole would put the blanks in the place of the person's text.
     * @throws 409 redacted_field naming the members
     */
    refuseBlind: async (tx: Db, reader: Reader, from: object, updates: object): Promise<void> => {
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

/** Values by seq are kept for the pages of an export that follow: at one seq they never change. */
export const createSensitiveAt = ({ db }: { db: Db }) => {
  const MAX_CHARACTERS = 4_000_000;
  const kept = new LRUCache<string, readonly string[]>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (values) => values.reduce((sum, value) => sum + value.length, 1),
  });

  /** The values known up to a seq; null for who may see them. */
  return async (reader: Reader, seq: number): Promise<readonly string[] | null> => {
    if (isTrusted(reader)) return null;
    const key = `${reader.user_id} ${seq}`;
    const values = kept.get(key) ?? (await sensitiveValues(db, reader.user_id, { upto: seq })).values;
    kept.set(key, values);
    return values;
  };
};
