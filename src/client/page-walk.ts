/** Lists as asynchronous iterators: each page is read when the one before is used up. */

/** One page: its items, the whole body, and the cursor of the next page, null after the last. `total` is the number of items on all pages where `count` asks for it. */
export type Page<T, B> = { items: T[]; body: B; cursor: string | null; total: number | null };

export type PageWalk<T, B> = AsyncIterable<T> & {
  /** One page, by default the first. */
  page: (cursor?: string) => Promise<Page<T, B>>;
  /** Every item of every page. */
  all: () => Promise<T[]>;
};

/** The cursor in `Link: <...>; rel="next"` (RFC 8288). */
const nextCursor = (headers: Headers): string | null => {
  const next = /<([^<>]*)>;\s*rel="next"/.exec(headers.get('Link') ?? '')?.[1];
  return next === undefined ? null : new URL(next, 'http://almanac').searchParams.get('cursor');
};

/** Lists are the body; exports and dumps are objects with a list. */
const itemsOf = (body: unknown): unknown[] => {
  if (Array.isArray(body)) return body;
  const { results, traces } = body as { results?: unknown[]; traces?: unknown[] };
  return results ?? traces ?? [];
};

export const pageWalk = (
  read: (cursor?: string) => Promise<{ body: unknown; headers: Headers }>,
): PageWalk<unknown, unknown> => {
  const page = async (cursor?: string): Promise<Page<unknown, unknown>> => {
    const { body, headers } = await read(cursor);
    const total = headers.get('X-Total-Count');
    return { items: itemsOf(body), body, cursor: nextCursor(headers), total: total === null ? null : Number(total) };
  };
  async function* items(): AsyncGenerator {
    for (let cursor: string | null | undefined; cursor !== null;) {
      const next: Page<unknown, unknown> = await page(cursor);
      yield* next.items;
      cursor = next.cursor;
    }
  }
  const all = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for await (const item of items()) found.push(item);
    return found;
  };
  return { [Symbol.asyncIterator]: items, page, all };
};
