/** POST /memory/search. */
import { z } from 'zod';
import { Cursor, readCursor, writeCursor } from '../http/paging.ts';
import { problem } from '../errors.ts';
import { reply, route, routes, type Route } from '../http/route.ts';
import { SearchBody, SearchHit } from './schema.ts';
import type { Search } from './search.ts';

export const searchRoutes = ({ search }: { search: Search }): Route[] =>
  routes('memory', [
    route({
      method: 'post',
      path: '/memory/search',
      summary: 'Search traces',
      description:
        'Best first. Task, tempo tag, tags, type and times are hard filters; recency and feedback only nudge. `"phrases"` count more where they stand as quoted. Each way of searching ranks its best 1,000; the next page is this address with `cursor` and the same body, true for the seq of the first page.',
      scopes: ['memory:read'],
      query: z.strictObject({ cursor: Cursor }),
      body: SearchBody,
      response: z.array(SearchHit),
      pages: true,
      examples: { body: { query: 'supplier contract #legal', limit: 5, explain: true } },
      handler: async ({ caller, query, body }) => {
        const from = readCursor(body, query.cursor);
        const offset = from?.key[0];
        if (from && !Number.isSafeInteger(offset))
          throw problem('invalid_cursor', 'The cursor is not one of this list.');
        const position = from && { at: from.at, offset: Math.max(0, offset as number) };
        const { items, at, next } = await search.search(caller, body, position);
        return reply(items, { next: next === null ? null : writeCursor(body, { at, key: [next] }) });
      },
    }),
  ]);
