/** Pages of lists that are sorted by a text, such as an id, which is also the key of their cursors. */
import { KEYS, readCursor, writeCursor } from '../cursors.ts';
import { reply, type Reply } from '../route.ts';

export type TextList<T> = {
  /** Identifies the list in its cursors. */
  name: string;
  keyOf: (item: T) => string;
  /** Reads at most `limit` items whose key is after a text; from the first one without it. */
  read: (after: string | undefined, limit: number) => Promise<T[]>;
  count: () => Promise<number | null>;
};

export const textPage = async <T>(
  { limit, cursor }: { limit: number; cursor?: string | undefined },
  { name, keyOf, read, count }: TextList<T>,
): Promise<Reply<T[]>> => {
  const from = readCursor(name, cursor, KEYS.text);
  const found = await read(from?.key[0], limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const more = found.length > items.length && last !== undefined;
  return reply(items, { next: more ? writeCursor(name, { at: 0, key: [keyOf(last)] }) : null, count });
};
