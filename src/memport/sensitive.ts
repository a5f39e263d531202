/** What a credential may not see of exports: every value of authored_by and chat_url there was, unless it has export:sensitive. */
import { LRUCache } from 'lru-cache';
import type { Db } from '../db/client.ts';
import type { Caller } from '../domain/caller.ts';
import { sensitiveValues } from './queries.ts';

/** Characters kept. */
const MAX_CHARACTERS = 4_000_000;

export const isTrusted = (caller: Caller): boolean => caller.scopes.has('export:sensitive');

/** Values are kept for the pages that follow: at one seq they never change. */
export const createSensitive = ({ db }: { db: Db }) => {
  const kept = new LRUCache<string, readonly string[]>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (values) => values.reduce((sum, value) => sum + value.length, 1),
  });

  /** The values known up to a seq; null for who may see them. */
  return async (caller: Caller, seq: number): Promise<readonly string[] | null> => {
    if (isTrusted(caller)) return null;
    const key = `${caller.user_id} ${seq}`;
    const values = kept.get(key) ?? (await sensitiveValues(db, caller.user_id, seq));
    kept.set(key, values);
    return values;
  };
};
