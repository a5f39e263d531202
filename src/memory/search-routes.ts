/** POST /memory/search. */
import { z } from 'zod';
import { Cursor, readCursor, writeCursor, type Position } from '../http/paging.ts';
import { problem } from '../errors.ts';
import { reply, route, routes, type Route } from '../http/route.ts';
import { SearchBody, SearchHit } from './schema.ts';
import type { Search, SearchPosition } from './search.ts';

/** @throws 422 for a forged one */
const positionOf = ({ at, key: [offset, embedder, upto] }: Position): SearchPosition => {
  const pinned = typeof embedder === 'string' && Number.isSafeInteger(upto);
  if (!Number.isSafeInteger(offset) || (embedder !== undefined && !pinned))
    throw problem('invalid_cursor', 'The cursor is not one of this list.');
  return {
    at,
    offset: Math.max(0, offset as number),
    semantic: pinned ? { embedder, upto: upto as number } : undefined,
  };
};

export const searchRoutes = ({ search }: { search: Search }): Route[] =>
  routes('memory', [
    route({
      method: 'post',
      path: '/memory/search',
      summary: 'Search traces',
      description:
        'Best first. Task, tempo tag, tags, type and times are hard filters; recency and feedback only nudge. `"phrases"` count more where they stand as quoted; days, months and years named in the query favour what is of that time. What was found in a trace counts for those beside it in its task too, and for the task. Each way of searching ranks its best 1,000; the next page is this address with `cursor` and the same body, true for the seq of the first page. Where a model embeds, it does so behind the writes; `explain` tells which embedder took part, why it was not the model, and how much that has not read.',
      scopes: ['memory:read'],
      query: z.strictObject({ cursor: Cursor }),
      body: SearchBody,
      response: z.array(SearchHit),
      pages: true,
      examples: { body: { query: 'supplier contract #legal', limit: 5, explain: true } },
      handler: async ({ caller, query, body }) => {
        const from = readCursor(body, query.cursor);
        const { items, next } = await search.search(caller, body, from && positionOf(from));
        if (!next) return reply(items);
        const { at, offset, semantic } = next;
        const key = semantic ? [offset, semantic.embedder, semantic.upto] : [offset];
        return reply(items, { next: writeCursor(body, { at, key }) });
      },
    }),
  ]);
